//! The registers to compare: where they stand in the fabric, and which of the model's they are.

use crate::emit::names;
use crate::program::Program;

/// One output register of one router.
pub(super) struct Probe {
    /// The model's index of it.
    pub register: usize,
    /// The router's instance.
    pub scope: String,
    /// The Verilog output that says whether it is valid.
    pub valid: String,
    /// The one that holds its word.
    pub data: String,
    /// Bytes of a word, as Verilator stores it.
    pub bytes: usize,
}

/// A probe for every register the design has: every output that ever sends.
pub(super) fn probes(program: &Program, bytes: usize) -> Vec<Probe> {
    let topology = &program.topology;
    let mut probes = Vec::with_capacity(topology.links() as usize);
    for node in topology.node_ids() {
        let scope = format!("TOP.{}.{}", program.title.name, names::instance(topology, node));
        for (track, channel) in program.class(node).outputs.iter().zip(program.channels()) {
            if !track.is_idle() {
                let output = names::channel(topology.axes(), channel);
                let [valid, data] = ["valid", "data"].map(|part| format!("{output}_out_{part}"));
                probes.push(Probe {
                    register: program.register(node, channel),
                    scope: scope.clone(),
                    valid,
                    data,
                    bytes,
                });
            }
        }
    }
    probes
}
