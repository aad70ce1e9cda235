//! Cycle-accurate execution of a program: which flit every register holds after every tick.
//!
//! There is a plane of registers for each output, one register per node. Where all nodes do the same, or have done for some
//! ticks what they do now, a plane moves as a whole; else node after node looks up what its class does.

use super::shift::{LayerInput, Layers, Shift, VOID};
use crate::net::{Channel, NodeId, OUTSIDE};
use crate::program::{Class, FlitId, Program, Source, Window};

/// After so many ticks without a change it pays to find out how a plane moves as a whole.
const SETTLED: u32 = 3;

/// Action of one output in a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Clear,
    Send {
        packet: u32,
        through: u32,
        played: u32,
    },
    Read(LayerInput),
    /// The one valid arrival among these inputs, one bit each.
    Join {
        inputs: u64,
    },
}

/// Position of an output in its track.
#[derive(Clone, Copy)]
struct TrackCursor {
    run: u32,
    played: u32,
}

/// Way in which the planes of an output are moved.
#[derive(Default)]
struct Mover {
    /// ticks without a change
    settled: u32,
    /// found out once it has settled; none before, and if every node has to be looked at
    layers: Option<Layers>,
}

/// The registers of every node, tick after tick.
pub struct Machine<'p> {
    program: &'p Program,
    tick: u32,
    /// by output: the registers after each of the last ticks, as many as somebody reads, that of a tick at its number modulo theirs
    planes: Vec<Vec<Vec<u32>>>,
    /// the neighbour of every node, by port
    neighbours: Vec<Vec<u32>>,
    shifts: Vec<Shift>,
    class_of: Vec<u32>,
    /// the output at the other end of each input's link
    opposite: Vec<usize>,
    movers: Vec<Mover>,
    /// at `output * classes + class`, as are the actions
    cursors: Vec<TrackCursor>,
    actions: Vec<Action>,
    /// the nodes that send in a window of their own
    windows: Vec<(NodeId, Window)>,
}

impl<'p> Machine<'p> {
    /// A machine before tick 1: every register is invalid.
    pub fn new(program: &'p Program) -> Self {
        assert!(program.demand.flits() < u64::from(VOID), "too many flits to number");
        let (topology, outputs) = (&program.topology, program.outputs());
        let nodes = topology.nodes() as usize;
        let mut neighbours = vec![Vec::with_capacity(nodes); topology.ports()];
        topology.sweep(0..topology.nodes(), |_, there| {
            neighbours.iter_mut().zip(there).for_each(|(neighbours, there)| neighbours.push(there.0));
        });
        let opposite: Vec<usize> = program.channels().map(|input| program.output_index(input.opposite())).collect();
        let slots = kept(program, &opposite);
        let tracks = program.classes.len() * outputs;
        Self {
            program,
            tick: 0,
            planes: slots.into_iter().map(|slots| vec![vec![VOID; nodes]; slots as usize]).collect(),
            neighbours,
            shifts: Shift::all(topology),
            class_of: program.class_of.iter().map(|class| class.0).collect(),
            opposite,
            movers: (0..outputs).map(|_| Mover::default()).collect(),
            cursors: vec![TrackCursor { run: 0, played: 0 }; tracks],
            actions: vec![Action::Clear; tracks],
            windows: topology.node_ids().zip(program.windows.iter().copied()).collect(),
        }
    }

    /// The number of ticks executed so far.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// Returns true if the program has played to its end.
    pub fn is_done(&self) -> bool {
        self.tick == self.program.ticks
    }

    /// Executes one tick.
    pub fn step(&mut self) {
        assert!(!self.is_done(), "the program ends after tick {}", self.program.ticks);
        self.tick += 1;
        for output in 0..self.opposite.len() {
            self.choose_actions(output);
            let newest = self.slot(output, 0);
            let mut plane = std::mem::take(&mut self.planes[output][newest]);
            self.move_plane(output, &mut plane);
            self.planes[output][newest] = plane;
        }
        self.open_windows();
    }

    /// Notes what every class does with an output in this tick.
    fn choose_actions(&mut self, output: usize) {
        let program = self.program;
        let classes = program.classes.len();
        let mut is_same = true;
        for (class, index) in program.classes.iter().zip(output * classes..) {
            let (track, cursor) = (&class.outputs[output], &mut self.cursors[index]);
            if cursor.played == track.runs[cursor.run as usize].ticks {
                cursor.run += 1;
                cursor.played = 0;
                if cursor.run as usize == track.runs.len() {
                    cursor.run = track.repeat_from.expect("a track without repeats fills the program") as u32;
                }
            }
            let action = match track.runs[cursor.run as usize].source {
                Source::Own { packet, through } => Action::Send { packet, through, played: cursor.played },
                // nothing arrived before the first tick
                Source::In { age, .. } if age >= self.tick => Action::Clear,
                Source::In { port, lane, age } => Action::Read(LayerInput { port: port.index() as u8, lane, age }),
                Source::Any { ports } => {
                    let bit = |port| 1 << program.output_index(Channel::first(port));
                    Action::Join { inputs: ports.iter().map(bit).sum() }
                }
                Source::Idle | Source::Sum { .. } => Action::Clear,
            };
            cursor.played += 1;
            is_same &= action == self.actions[index];
            self.actions[index] = action;
        }
        let mover = &mut self.movers[output];
        if is_same {
            mover.settled = mover.settled.saturating_add(1);
        } else {
            *mover = Mover::default();
        }
    }

    /// Writes the registers of an output after this tick.
    fn move_plane(&mut self, output: usize, plane: &mut [u32]) {
        let classes = self.program.classes.len();
        let actions = &self.actions[output * classes..][..classes];
        if actions.iter().all(|action| *action == actions[0]) {
            match actions[0] {
                Action::Clear => return plane.fill(VOID),
                Action::Read(reading) => return self.shifts[reading.port as usize].apply(self.then(reading), plane),
                Action::Send { .. } | Action::Join { .. } => {}
            }
        }
        if self.movers[output].settled == SETTLED {
            let readings = actions.iter().map(|action| match *action {
                Action::Clear => Some(None),
                Action::Read(reading) => Some(Some(reading)),
                Action::Send { .. } | Action::Join { .. } => None,
            });
            let readings: Option<Vec<Option<LayerInput>>> = readings.collect();
            let layers =
                readings.and_then(|readings| Layers::of(&readings, &self.class_of, &self.shifts, &self.neighbours));
            self.movers[output].layers = layers;
        }
        match &self.movers[output].layers {
            Some(layers) => layers.apply(&self.shifts, |reading| self.then(reading), plane),
            None => self.look_at_every_node(output, plane),
        }
    }

    fn look_at_every_node(&self, output: usize, plane: &mut [u32]) {
        let classes = self.program.classes.len();
        let actions = &self.actions[output * classes..][..classes];
        for (node, (register, &class)) in (0..).zip(plane.iter_mut().zip(&self.class_of)) {
            *register = match actions[class as usize] {
                Action::Clear => VOID,
                Action::Send { packet, through, played } => {
                    self.program.demand.flit(NodeId(node), packet, through, played).map_or(VOID, |flit| flit.0)
                }
                Action::Read(reading) => match self.neighbours[reading.port as usize][node as usize] {
                    there if there == OUTSIDE.0 => VOID,
                    there => self.then(reading)[there as usize],
                },
                Action::Join { inputs } => {
                    let arrived = (0..self.opposite.len()).filter(|input| inputs >> input & 1 == 1);
                    let mut arrived = arrived.map(|input| self.brought(NodeId(node), input, 1));
                    arrived.find(|&flit| flit != VOID).unwrap_or(VOID)
                }
            };
        }
    }

    /// Nodes with a window of their own send in it, whatever their class does.
    fn open_windows(&mut self) {
        for &(node, window) in &self.windows {
            let Some(since) = window.open(self.tick) else { continue };
            for (output, track) in self.program.class(node).outputs.iter().enumerate() {
                let Some(packet) = track.inject else { continue };
                let flit = self.program.demand.flit(node, packet, packet, since);
                let newest = self.slot(output, 0);
                self.planes[output][newest][node.index()] = flit.map_or(VOID, |flit| flit.0);
            }
        }
    }

    /// Index of an output's plane `age` ticks ago; for ticks before the first, an unused plane that is void.
    fn slot(&self, output: usize, age: u32) -> usize {
        let slots = self.planes[output].len();
        (self.tick as usize + slots - age as usize) % slots
    }

    /// The plane of an output that arrived some ticks ago.
    fn arrived(&self, output: usize, age: u32) -> &[u32] {
        &self.planes[output][self.slot(output, age + self.program.latency - 1)]
    }

    /// The plane of the neighbours' outputs that a reading reads.
    fn then(&self, LayerInput { port, lane, age }: LayerInput) -> &[u32] {
        let input = usize::from(port) * usize::from(self.program.lanes) + usize::from(lane);
        self.arrived(self.opposite[input], age)
    }

    /// Returns the flit that an input received `age` ticks ago.
    fn brought(&self, node: NodeId, input: usize, age: u32) -> u32 {
        match self.neighbours[input / usize::from(self.program.lanes)][node.index()] {
            there if there == OUTSIDE.0 => VOID,
            there => self.arrived(self.opposite[input], age)[there as usize],
        }
    }

    /// Returns the flit that a register holds after the last tick; see [`Program::register`] for its index.
    pub fn register(&self, register: usize) -> Option<FlitId> {
        let outputs = self.opposite.len();
        let output = register % outputs;
        flit(self.planes[output][self.slot(output, 0)][register / outputs])
    }

    /// Register value as seen at the far end of its link in the last tick.
    pub fn delivered(&self, register: usize) -> Option<FlitId> {
        let outputs = self.opposite.len();
        flit(self.arrived(register % outputs, 0)[register / outputs])
    }

    /// Returns the flit that arrived at a node's input in the last tick.
    pub fn arrival(&self, node: NodeId, input: Channel) -> Option<FlitId> {
        flit(self.brought(node, self.program.output_index(input), 0))
    }

    /// Appends the registers of what arrived in the last tick: for each input and each node, `VOID` where nothing did.
    pub(super) fn append_arrivals(&self, to: &mut Vec<u32>) {
        for (input, &output) in self.opposite.iter().enumerate() {
            let plane = self.arrived(output, 0);
            let there = &self.neighbours[input / usize::from(self.program.lanes)];
            to.extend(there.iter().map(|&there| if there == OUTSIDE.0 { VOID } else { plane[there as usize] }));
        }
    }

    /// Everything that arrived in the last tick: the receiving node, its input, the flit.
    pub fn arrivals(&self) -> impl Iterator<Item = (NodeId, Channel, FlitId)> + '_ {
        let nodes = (0..self.class_of.len() as u32).map(NodeId);
        nodes.flat_map(move |node| {
            (0..self.opposite.len())
                .filter_map(move |input| Some((node, self.program.output(input), flit(self.brought(node, input, 0))?)))
        })
    }
}

/// After how many ticks the registers of each output are read last, and the one that is written.
fn kept(program: &Program, opposite: &[usize]) -> Vec<u32> {
    let mut slots = vec![program.latency; opposite.len()];
    let mut reads = |input: Channel, age: u32| {
        let slots = &mut slots[opposite[program.output_index(input)]];
        *slots = (*slots).max(age.min(program.ticks) + program.latency);
    };
    for source in program.classes.iter().flat_map(Class::sources) {
        match source {
            Source::In { port, lane, age } => reads(Channel { port, lane }, age),
            Source::Any { ports } => ports.iter().for_each(|port| reads(Channel::first(port), 1)),
            Source::Idle | Source::Own { .. } | Source::Sum { .. } => {}
        }
    }
    slots
}

fn flit(register: u32) -> Option<FlitId> {
    (register != VOID).then_some(FlitId(register))
}
