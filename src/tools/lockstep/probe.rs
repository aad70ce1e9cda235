//! The registers to compare: where they stand in the fabric, and which of the model's they are.

use crate::emit::names;
use crate::program::Program;

/// One output register of one router.
pub(super) struct Probe {
    /// The model's index of it.
    pub register: usize,
    /// The router's instance.
    pub scope: String,
    /// The Verilog output, less `_valid` and `_data`.
    pub output: String,
}

/// A probe for every register the design has: every output that ever sends.
pub(super) fn probes(program: &Program) -> Vec<Probe> {
    let torus = &program.torus;
    let mut probes = Vec::with_capacity(torus.links() as usize);
    for node in torus.node_ids() {
        let scope = format!("TOP.{}.{}", program.title.name, names::instance(torus, node));
        for port in torus.port_ids() {
            if !program.class(node).outputs[port.index()].is_idle() {
                let output = format!("{}_out", names::port(torus.axes(), port));
                probes.push(Probe { register: torus.register(node, port), scope: scope.clone(), output });
            }
        }
    }
    probes
}
