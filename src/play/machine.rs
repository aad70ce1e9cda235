//! Cycle-accurate execution of a program: which flit every register holds after every tick.

use crate::net::{Channel, NodeId};
use crate::program::{FlitId, Program, Source, Window};

const VOID: u32 = u32::MAX;

/// What one output does in the tick to come.
#[derive(Clone, Copy)]
enum Action {
    Clear,
    Send {
        packet: u32,
        through: u32,
        played: u32,
    },
    Copy {
        input: u8,
        plane: u32,
    },
    /// The one valid arrival among these inputs, one bit each.
    Join {
        inputs: u64,
        plane: u32,
    },
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
    /// the register each input reads, node after node, port after port, lane after lane
    wires: Vec<u32>,
    /// one cursor an output of a class
    cursors: Vec<Cursor>,
    actions: Vec<Action>,
    /// the nodes that send in a window of their own
    windows: Vec<(NodeId, Window)>,
}

impl<'p> Machine<'p> {
    /// A machine before tick 1: every register is invalid.
    pub fn new(program: &'p Program) -> Self {
        assert!(program.demand.flits() < u64::from(VOID), "too many flits to number");
        let registers = program.registers();
        let mut wires = Vec::with_capacity(registers);
        for node in program.topology.node_ids() {
            wires.extend(program.channels().map(|input| program.arriving(node, input).unwrap_or(registers) as u32));
        }
        let outputs = program.classes.len() * program.outputs();
        Self {
            program,
            tick: 0,
            planes: vec![vec![VOID; registers + 1]; program.depth() as usize + 1],
            wires,
            cursors: vec![Cursor { run: 0, played: 0 }; outputs],
            actions: vec![Action::Clear; outputs],
            windows: program.topology.node_ids().zip(program.windows.iter().copied()).collect(),
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
        let program = self.program;
        let outputs = program.outputs();
        let newest = self.newest();
        let mut plane = std::mem::take(&mut self.planes[newest]);
        let nodes = plane.chunks_exact_mut(outputs).zip(self.wires.chunks_exact(outputs)).zip(&self.program.class_of);
        for (node, ((registers, wires), class)) in nodes.enumerate() {
            let actions = &self.actions[class.index() * outputs..][..outputs];
            for (register, action) in registers.iter_mut().zip(actions) {
                *register = match *action {
                    Action::Clear => VOID,
                    Action::Send { packet, through, played } => {
                        program.demand.flit(NodeId(node as u32), packet, through, played).map_or(VOID, |flit| flit.0)
                    }
                    Action::Copy { input, plane } => self.planes[plane as usize][wires[input as usize] as usize],
                    Action::Join { inputs, plane } => {
                        let plane = &self.planes[plane as usize];
                        let arrived = |input: &usize| inputs >> input & 1 == 1 && plane[wires[*input] as usize] != VOID;
                        (0..wires.len()).find(arrived).map_or(VOID, |input| plane[wires[input] as usize])
                    }
                };
            }
        }
        for &(node, window) in &self.windows {
            let Some(since) = window.open(self.tick) else { continue };
            for (output, track) in program.class(node).outputs.iter().enumerate() {
                let Some(packet) = track.inject else { continue };
                let flit = program.demand.flit(node, packet, packet, since);
                plane[node.index() * outputs + output] = flit.map_or(VOID, |flit| flit.0);
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
                Source::Own { packet, through } => Action::Send { packet, through, played: cursor.played },
                Source::In { port, lane, age } if age < self.tick => {
                    let input = program.register(NodeId(0), Channel { port, lane }) as u8;
                    Action::Copy { input, plane: (self.tick - age) % planes }
                }
                Source::Any { ports } if self.tick > 1 => {
                    let bit = |port| 1 << program.register(NodeId(0), Channel::first(port));
                    Action::Join { inputs: ports.iter().map(bit).sum(), plane: (self.tick - 1) % planes }
                }
                Source::Idle | Source::In { .. } | Source::Any { .. } => Action::Clear,
            };
            cursor.played += 1;
        }
    }

    fn newest(&self) -> usize {
        self.tick as usize % self.planes.len()
    }

    /// What a register (see [`Program::register`]) holds after the last tick.
    pub fn register(&self, register: usize) -> Option<FlitId> {
        let flit = self.planes[self.newest()][register];
        (flit != VOID).then_some(FlitId(flit))
    }

    /// What arrived at a node's input in the last tick.
    pub fn arrival(&self, node: NodeId, input: Channel) -> Option<FlitId> {
        self.register(self.wires[self.program.register(node, input)] as usize)
    }

    /// Everything that arrived in the last tick: the receiving node, its input, the flit.
    pub fn arrivals(&self) -> impl Iterator<Item = (NodeId, Channel, FlitId)> + '_ {
        let plane = &self.planes[self.newest()];
        self.wires.iter().enumerate().filter_map(move |(index, &wire)| {
            let flit = plane[wire as usize];
            let (node, input) = self.program.owner(index);
            (flit != VOID).then_some((node, input, FlitId(flit)))
        })
    }
}
