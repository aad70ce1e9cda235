//! The registers to compare: where they stand in the simulator's memory, and which of the model's they are.

use super::LockstepError;
use super::dut::{Dut, Probe};
use crate::emit::names;
use crate::program::Program;

/// A probe for every register the design has: every output that ever sends.
pub(super) fn probes(dut: &Dut, program: &Program) -> Result<Vec<Probe>, LockstepError> {
    let topology = &program.topology;
    let mut probes = Vec::with_capacity(topology.links() as usize);
    for node in topology.node_ids() {
        let scope = format!("TOP.{}.{}", program.title.name, names::instance(topology, node));
        for port in topology.port_ids() {
            if program.class(node).outputs[port.index()].is_idle() {
                continue;
            }
            let bind = |suffix: &str| dut.bind(&scope, &format!("{}_out_{suffix}", names::port(topology.axes(), port)));
            probes.push(Probe { register: topology.register(node, port), valid: bind("valid")?, data: bind("data")? });
        }
    }
    Ok(probes)
}
