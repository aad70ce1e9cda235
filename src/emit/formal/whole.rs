//! A whole fabric with symbolic packets: what the model says must arrive, everywhere and in every tick.

use askama::Template;

use crate::emit::formal::{Question, flit, rendered, steps};
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::parts::UpCounter;
use crate::net::{Channel, NodeId};
use crate::netlist::Own;
use crate::play::Machine;
use crate::program::Program;

#[derive(Template)]
#[template(path = "formal/whole.sv", escape = "none")]
struct WholeProof<'d> {
    module: &'d str,
    program: String,
    fabric: &'d str,
    ticks: u32,
    flits: u32,
    high: u32,
    tick: UpCounter,
    /// clocks from `run` to the first tick
    delay: u32,
    wait: UpCounter,
    flit: Option<UpCounter>,
    packets: Vec<FormalPacket>,
    arrivals: Vec<FabricPort>,
    expected: Vec<ExpectedArrivals>,
}

/// A packet that a node sends.
struct FormalPacket {
    node: String,
    number: u32,
}

/// A port of the fabric, without `_data` and `_valid`.
struct FabricPort {
    name: String,
    /// true if the fabric has this port
    is_built: bool,
}

/// Expected arrivals in a tick, and the ports without one.
struct ExpectedArrivals {
    tick: u32,
    words: Vec<FormalWord>,
    nothing: Vec<String>,
}

struct FormalWord {
    arrival: String,
    flit: String,
}

#[derive(Template)]
#[template(path = "formal/whole.ys", escape = "none")]
struct FabricScript<'d> {
    module: &'d str,
    fabric: &'d str,
    /// configurations of the router instances
    settings: Vec<(String, String)>,
}

/// Builds the question about the fabric of `built`.
pub fn question(design: &EmitDesign, built: &Program) -> Question {
    let program = design.program;
    let topology = &program.topology;
    let module = format!("{}_prove", design.name());
    let wired = |&(node, input): &(NodeId, Channel)| program.is_wired(node, input);
    let ports: Vec<_> =
        topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input))).filter(wired).collect();
    let name = |node, port| names::arrival(topology, node, port);
    let mut machine = Machine::new(program);
    let mut expected = Vec::new();
    while !machine.is_done() {
        machine.step();
        let (mut words, mut nothing) = (Vec::new(), Vec::new());
        for &(node, port) in &ports {
            let arrival = name(node, port);
            match machine.arrival(node, port).map(|flit| program.demand.origin(flit)) {
                Some(origin) => {
                    let sender = names::node(topology, origin.node);
                    let flit = format!("{sender}_own_{}_{}", origin.packet, origin.flit);
                    words.push(FormalWord { arrival, flit });
                }
                None => nothing.push(arrival),
            }
        }
        expected.push(ExpectedArrivals { tick: machine.tick(), words, nothing });
    }
    let packets = topology.node_ids().flat_map(|node| {
        let packet = move |own: &Own| FormalPacket { node: names::node(topology, node), number: own.packet };
        design.router(node).packets.iter().map(packet)
    });
    let proof = WholeProof {
        module: &module,
        program: design.headline(),
        fabric: design.name(),
        ticks: program.ticks,
        flits: program.flits,
        high: design.options.width - 1,
        tick: UpCounter::up_to(program.ticks + 1),
        delay: design.start_delay(),
        wait: UpCounter::up_to(design.start_delay()),
        flit: flit(design),
        packets: packets.collect(),
        arrivals: ports
            .iter()
            .map(|&(node, port)| FabricPort { name: name(node, port), is_built: built.is_wired(node, port) })
            .collect(),
        expected,
    };
    let setting =
        |node: NodeId| Some((names::instance(topology, node), design.setting(program.class_of[node.index()])?));
    let settings = topology.node_ids().filter_map(setting).collect();
    let script = FabricScript { module: &module, fabric: design.name(), settings };
    let (text, script) = (rendered(&proof), rendered(&script));
    let assertions = ports.len() * (program.ticks as usize + 1) + 1;
    Question { module, text, script, steps: steps(design), assertions, one_by_one: false }
}
