//! Knowledge of nodes during a run, noted some ticks at a time.
//!
//! Each node's knowledge is a line of bits far from every other node's. Noted tick by tick nearly every arrival loads a line from
//! memory; noted node by node, 32 ticks of it, a line is loaded once.

use super::shift::VOID;
use super::{Knowledge, Machine};
use crate::net::NodeId;
use crate::program::{FlitId, Program};

/// Ticks that are noted at once.
const TICKS: u32 = 32;
/// Nodes that are noted at once: one cache line of registers.
const NODES: usize = 16;

/// The knowledge of all nodes, with the ticks that are not noted yet.
pub struct Notes<'p> {
    knowledge: Knowledge<'p>,
    /// registers of what arrived, for each tick, each input and each node
    arrived: Vec<u32>,
    /// the tick before the first of these
    before: u32,
    nodes: usize,
    inputs: usize,
    lacking: usize,
    arrivals: u64,
    /// the last tick in which a node came to know everything
    last: u32,
}

impl<'p> Notes<'p> {
    /// Notes of a program before tick 1.
    pub fn new(program: &'p Program) -> Self {
        let knowledge = Knowledge::new(program);
        let lacking = knowledge.incomplete().count();
        let (nodes, inputs) = (program.topology.nodes() as usize, program.outputs());
        Self { knowledge, arrived: Vec::new(), before: 0, nodes, inputs, lacking, arrivals: 0, last: 1 }
    }

    /// Notes what arrived in the machine's last tick.
    pub fn tick(&mut self, machine: &Machine) {
        machine.append_arrivals(&mut self.arrived);
        if machine.tick() - self.before == TICKS {
            self.note();
        }
    }

    /// Notes what is left over, and returns how many flits arrived, how many nodes lack some, and the tick after which none did.
    pub fn finish(mut self) -> (u64, usize, Option<u32>) {
        self.note();
        (self.arrivals, self.lacking, (self.lacking == 0).then_some(self.last))
    }

    fn note(&mut self) {
        for first in (0..self.nodes).step_by(NODES) {
            let block = first..(first + NODES).min(self.nodes);
            for (row, registers) in self.arrived.chunks_exact(self.nodes).enumerate() {
                let tick = self.before + 1 + (row / self.inputs) as u32;
                for (node, &register) in block.clone().zip(&registers[block.clone()]) {
                    if register == VOID {
                        continue;
                    }
                    self.arrivals += 1;
                    if self.knowledge.completes(NodeId(node as u32), FlitId(register)) {
                        self.lacking -= 1;
                        self.last = self.last.max(tick);
                    }
                }
            }
        }
        self.before += (self.arrived.len() / self.nodes / self.inputs) as u32;
        self.arrived.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Topology};
    use crate::program::Link;
    use crate::schemes::SCHEMES;
    use crate::task::{Choice, Collective, CollectiveTraffic, Task};

    /// Plays a program tick by tick and counts arrivals and knowledge with [`Knowledge`].
    fn plain(program: &Program) -> (u64, usize, Option<u32>) {
        let (mut machine, mut knowledge) = (Machine::new(program), Knowledge::new(program));
        let (mut arrivals, mut complete_at) = (0, None);
        while !machine.is_done() {
            machine.step();
            for (node, _, flit) in machine.arrivals() {
                knowledge.learn(node, flit);
                arrivals += 1;
            }
            if complete_at.is_none() && knowledge.incomplete().next().is_none() {
                complete_at = Some(machine.tick());
            }
        }
        (arrivals, knowledge.incomplete().count(), complete_at)
    }

    fn noted(program: &Program) -> (u64, usize, Option<u32>) {
        let (mut machine, mut notes) = (Machine::new(program), Notes::new(program));
        while !machine.is_done() {
            machine.step();
            notes.tick(&machine);
        }
        notes.finish()
    }

    /// Programs of every scheme, complete and cut short, with fewer and more ticks than are noted at once.
    #[test]
    fn notes_of_many_ticks_equal_those_of_each() {
        let networks = [
            (ShapeName::Torus, &[4, 4][..]),
            (ShapeName::Torus, &[6, 7]),
            (ShapeName::Mesh, &[4, 5]),
            (ShapeName::Cycle, &[70]),
        ];
        let (mut compared, mut lacking) = (0, 0);
        for (shape, sides) in networks {
            let topology = Topology::new(shape, sides).unwrap();
            for &scheme in SCHEMES {
                for &collective in scheme.collectives() {
                    let traffic = std::sync::Arc::new(CollectiveTraffic::of(collective, 3));
                    let choice = Choice { traffic, ..Choice::default() };
                    let task = Task { topology: &topology, link: Link::default(), choice };
                    let Ok(built) = crate::schemes::SchemeName::from(scheme).build(&task, "any") else { continue };
                    let mut program = built.program;
                    if program.reduction.is_some() || collective == Collective::AllReduce {
                        continue;
                    }
                    assert_eq!(noted(&program), plain(&program), "{scheme} {collective} {topology}");
                    program.ticks /= 2;
                    let cut = noted(&program);
                    assert_eq!(cut, plain(&program), "{scheme} {collective} {topology}, cut short");
                    compared += 1;
                    lacking += cut.1;
                }
            }
        }
        assert!(compared > 12 && lacking > 0, "{compared} programs, {lacking} nodes");
    }
}
