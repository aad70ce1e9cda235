//! The fabric between registers, so that it fits the pins and nothing of it is optimised away.

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::BitRange;
use crate::emit::shared::{names, words};
use crate::netlist::Own;

/// Inputs of a look-up table.
const INPUTS: usize = 4;

/// View of `templates/fpga/fabric.v`.
#[derive(Template)]
#[template(path = "fpga/fabric.v", escape = "none")]
pub struct FabricHarness<'d> {
    module: String,
    fabric: &'d str,
    notes: Vec<String>,
    width: u32,
    /// range of the fabric's output that asks for flits, if a packet has several
    flit: Option<BitRange>,
    /// own packets are taken flit by flit
    streams: bool,
    /// true if the routers are configured through a chain of bits
    is_configured: bool,
    /// the fabric's inputs of own packets
    owns: Vec<String>,
    nodes: Vec<HarnessNode>,
    /// the node whose sum is the last
    last: String,
}

struct HarnessNode {
    place: String,
    name: String,
    arrivals: Vec<String>,
    groups: Vec<Group>,
    /// sum over its groups and the node before
    sum: String,
}

/// Group of as many arrivals as a look-up table has inputs, summed up.
struct Group {
    name: String,
    sum: String,
}

impl<'d> FabricHarness<'d> {
    pub fn new(design: &'d EmitDesign<'d>) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let mut before: Option<String> = None;
        let mut nodes = Vec::new();
        for id in topology.node_ids() {
            let name = names::node(topology, id);
            let arrivals: Vec<String> = program.inputs(id).map(|input| names::arrival(topology, id, input)).collect();
            let group = |(index, arrivals): (usize, &[String])| Group {
                name: format!("{name}_seen_{index}"),
                sum: arrivals.join(" ^ "),
            };
            let groups: Vec<Group> = arrivals.chunks(INPUTS).enumerate().map(group).collect();
            let terms: Vec<String> = before.into_iter().chain(groups.iter().map(|group| group.name.clone())).collect();
            before = Some(format!("{name}_sum"));
            nodes.push(HarnessNode { place: topology.show(id), name, arrivals, groups, sum: terms.join(" ^ ") });
        }
        let owns = topology.node_ids().flat_map(|node| {
            let own = move |&own: &Own| format!("{}_{}", names::node(topology, node), names::own(own));
            design.router(node).packets.iter().map(own)
        });
        Self {
            module: super::module(design.name()),
            fabric: design.name(),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            flit: (program.flits > 1).then(|| BitRange::up_to(program.flits - 1)),
            streams: design.netlist.streams,
            is_configured: design.netlist.is_configured(),
            owns: owns.collect(),
            last: nodes.last().map(|node: &HarnessNode| node.name.clone()).unwrap_or_default(),
            nodes,
        }
    }
}
