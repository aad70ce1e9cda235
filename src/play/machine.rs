//! Cycle-accurate execution of a program: which flit every register holds after every tick.

use crate::net::{NodeId, Port};
use crate::program::{FlitId, Program, Source};

const VOID: u32 = u32::MAX;

/// What one output does in the tick to come.
#[derive(Clone, Copy)]
enum Action {
    Clear,
    Send { packet: u32, played: u32 },
    Copy { port: u8, plane: u32 },
}

/// Where an output stands in its track.
#[derive(Clone, Copy)]
struct Cursor {
    run: u32,
    played: u32,
}

/// The registers of every node, tick after tick.
pub struct Machine<'p> {
    program: &'p Program,
    tick: u32,
    /// registers after each of the last few ticks, and one that stays invalid, for ports that look out of the grid;
    /// plane `tick % planes.len()` is the newest
    planes: Vec<Vec<u32>>,
    /// the register each input reads, at `node * ports + port`
    wires: Vec<u32>,
    /// one cursor an output of a class
    cursors: Vec<Cursor>,
    actions: Vec<Action>,
}

impl<'p> Machine<'p> {
    /// A machine before tick 1: every register is invalid.
    pub fn new(program: &'p Program) -> Self {
        let topology = &program.topology;
        assert!(program.demand.flits() < u64::from(VOID), "too many flits to number");
        let registers = topology.registers();
        let mut wires = Vec::with_capacity(registers);
        for node in topology.node_ids() {
            wires.extend(topology.port_ids().map(|port| topology.arriving(node, port).unwrap_or(registers) as u32));
        }
        let outputs = program.classes.len() * topology.ports();
        Self {
            program,
            tick: 0,
            planes: vec![vec![VOID; registers + 1]; program.depth() as usize + 1],
            wires,
            cursors: vec![Cursor { run: 0, played: 0 }; outputs],
            actions: vec![Action::Clear; outputs],
        }
    }

    /// The number of ticks executed so far.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Whether the program has played to its end.
    pub fn is_done(&self) -> bool {
        self.tick == self.program.ticks
    }

    /// Executes one tick.
    pub fn step(&mut self) {
        assert!(!self.is_done(), "the program ends after tick {}", self.program.ticks);
        self.tick += 1;
        self.choose_actions();
        let ports = self.program.topology.ports();
        let program = self.program;
        let newest = self.newest();
        let mut plane = std::mem::take(&mut self.planes[newest]);
        let nodes = plane.chunks_exact_mut(ports).zip(self.wires.chunks_exact(ports)).zip(&self.program.class_of);
        for (node, ((registers, wires), class)) in nodes.enumerate() {
            let actions = &self.actions[class.index() * ports..][..ports];
            for (register, action) in registers.iter_mut().zip(actions) {
                *register = match *action {
                    Action::Clear => VOID,
                    Action::Send { packet, played } => {
                        program.demand.flit(NodeId(node as u32), packet, played).map_or(VOID, |flit| flit.0)
                    }
                    Action::Copy { port, plane } => self.planes[plane as usize][wires[port as usize] as usize],
                };
            }
        }
        self.planes[newest] = plane;
    }

    /// Advances every cursor by one tick and notes what its output does in it.
    fn choose_actions(&mut self) {
        let program = self.program;
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let planes = self.planes.len() as u32;
        for ((track, cursor), action) in tracks.zip(&mut self.cursors).zip(&mut self.actions) {
            if cursor.played == track.runs[cursor.run as usize].ticks {
                cursor.run += 1;
                cursor.played = 0;
                if cursor.run as usize == track.runs.len() {
                    cursor.run = track.repeat_from.expect("a track without repeats fills the program") as u32;
                }
            }
            *action = match track.runs[cursor.run as usize].source {
                Source::Idle => Action::Clear,
                Source::Own { packet } => Action::Send { packet: packet.into(), played: cursor.played },
                Source::In { age, .. } if age >= self.tick => Action::Clear,
                Source::In { port, age } => {
                    Action::Copy { port: port.index() as u8, plane: (self.tick - age) % planes }
                }
            };
            cursor.played += 1;
        }
    }

    fn newest(&self) -> usize {
        self.tick as usize % self.planes.len()
    }

    /// What a register (see [`crate::net::Topology::register`]) holds after the last tick.
    pub fn register(&self, register: usize) -> Option<FlitId> {
        let flit = self.planes[self.newest()][register];
        (flit != VOID).then_some(FlitId(flit))
    }

    /// What arrived at a node's port in the last tick.
    pub fn arrival(&self, node: NodeId, port: Port) -> Option<FlitId> {
        self.register(self.wires[self.program.topology.register(node, port)] as usize)
    }

    /// Everything that arrived in the last tick: the receiving node, its port, the flit.
    pub fn arrivals(&self) -> impl Iterator<Item = (NodeId, Port, FlitId)> + '_ {
        let ports = self.program.topology.ports();
        let plane = &self.planes[self.newest()];
        self.wires.iter().enumerate().filter_map(move |(index, &wire)| {
            let flit = plane[wire as usize];
            let place = (NodeId((index / ports) as u32), Port::from_index(index % ports));
            (flit != VOID).then_some((place.0, place.1, FlitId(flit)))
        })
    }
}
