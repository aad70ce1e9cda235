//! The links of the fabric with a register and one gate per output: what its clock could be at most.

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::BitRange;
use crate::emit::shared::{names, words};
use crate::net::{Channel, NodeId};
use crate::netlist::Own;

/// View of `templates/fpga/wires.v`.
#[derive(Template)]
#[template(path = "fpga/wires.v", escape = "none")]
pub struct WiresTop<'d> {
    fabric: &'d str,
    notes: Vec<String>,
    width: u32,
    flit: Option<BitRange>,
    streams: bool,
    nodes: Vec<WiredNode>,
}

struct WiredNode {
    place: String,
    owns: Vec<String>,
    links: Vec<HarnessArrival>,
}

/// Arrival at a node, and the gate that its sender makes it with.
struct HarnessArrival {
    name: String,
    from: String,
    own: Option<String>,
}

impl<'d> WiresTop<'d> {
    pub fn new(design: &'d EmitDesign<'d>) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let owns = |node: NodeId| -> Vec<String> {
            let own = |&own: &Own| format!("{}_{}", names::node(topology, node), names::own(own));
            design.router(node).packets.iter().map(own).collect()
        };
        let is_linked = |node: NodeId, input: Channel| topology.step(node, input.port).is_some();
        let link = |node: NodeId, (index, input): (usize, Channel)| {
            let sender = topology.step(node, input.port)?;
            // straight on, or back where there is nothing behind
            let back = input.opposite();
            let from = if is_linked(sender, input) { input } else { back };
            let owns = owns(sender);
            Some(HarnessArrival {
                name: names::arrival(topology, node, input),
                from: names::arrival(topology, sender, from),
                own: (!owns.is_empty()).then(|| owns[index % owns.len()].clone()),
            })
        };
        let node = |id: NodeId| WiredNode {
            place: topology.show(id),
            owns: owns(id),
            links: program.channels().enumerate().filter_map(|channel| link(id, channel)).collect(),
        };
        Self {
            fabric: design.name(),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            flit: (program.flits > 1).then(|| BitRange::up_to(program.flits - 1)),
            streams: design.netlist.streams,
            nodes: topology.node_ids().map(node).collect(),
        }
    }
}
