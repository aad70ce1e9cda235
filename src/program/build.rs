//! Builds a program node by node: tracks and classes are stored once, however many nodes share them.

use std::collections::HashMap;

use super::{Class, ClassId, ClassMap, Demand, Duplex, Program, Run, Source, Title, Track, Window};
use crate::net::{NodeId, Port, Topology};

/// A track already known to the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrackId(u32);

/// The track of an output that is not set.
const IDLE: TrackId = TrackId(0);

/// Collects a track for every output, then groups nodes that behave alike. Outputs not set stay idle.
pub struct ProgramBuilder {
    topology: Topology,
    ticks: u32,
    duplex: Duplex,
    lanes: u8,
    demand: Demand,
    windows: Vec<Window>,
    tracks: Vec<Track>,
    ids: HashMap<Track, TrackId>,
    outputs: Vec<TrackId>,
}

impl ProgramBuilder {
    /// A program of `ticks` ticks in which every output is idle, on full-duplex links of one lane. Packets have one flit;
    /// see [`Program::stretched`].
    pub fn new(topology: &Topology, ticks: u32, demand: Demand) -> Self {
        Self::on_links(topology, Duplex::Full, 1, ticks, demand)
    }

    /// Creates a builder for links with the given duplex mode and number of lanes.
    pub fn on_links(topology: &Topology, duplex: Duplex, lanes: u8, ticks: u32, demand: Demand) -> Self {
        let mut builder = Self {
            topology: topology.clone(),
            ticks,
            duplex,
            lanes,
            demand,
            windows: Vec::new(),
            tracks: Vec::new(),
            ids: HashMap::new(),
            outputs: Vec::new(),
        };
        let idle = builder.track(&[], Source::Idle);
        debug_assert_eq!(idle, IDLE);
        builder
    }

    /// The network it runs on.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Number of ticks the program lasts.
    pub fn ticks(&self) -> u32 {
        self.ticks
    }

    /// The track that plays `runs` and then `last` to the end of the program. Runs beyond the end are cut off, empty
    /// ones left out and neighbours with one source joined, so that equal behaviour is an equal track.
    pub fn track(&mut self, runs: &[Run], last: Source) -> TrackId {
        let mut kept: Vec<Run> = Vec::with_capacity(runs.len() + 1);
        let mut left = self.ticks;
        for &Run { source, ticks } in runs.iter().chain([&Run { source: last, ticks: self.ticks }]) {
            let ticks = ticks.min(left);
            left -= ticks;
            match kept.last_mut() {
                Some(before) if before.source == source => before.ticks += ticks,
                _ if ticks > 0 => kept.push(Run { source, ticks }),
                _ => {}
            }
        }
        self.intern(Track { runs: kept, repeat_from: None, inject: None })
    }

    /// The track that plays `intro` once and `rounds` over and over.
    pub fn repeating_track(&mut self, intro: &[Run], rounds: &[Run]) -> TrackId {
        let runs = intro.iter().chain(rounds).copied().collect();
        self.intern(Track { runs, repeat_from: Some(intro.len()), inject: None })
    }

    /// The track that plays `runs` and then `last`, but sends packet `inject` while the node's window is open.
    pub fn injecting_track(&mut self, inject: u32, runs: &[Run], last: Source) -> TrackId {
        let TrackId(plain) = self.track(runs, last);
        self.intern(Track { inject: Some(inject), ..self.tracks[plain as usize].clone() })
    }

    /// Says when each node sends what its class injects.
    pub fn set_windows(&mut self, windows: Vec<Window>) {
        assert_eq!(windows.len(), self.topology.nodes() as usize, "one window per node");
        self.windows = windows;
    }

    fn intern(&mut self, track: Track) -> TrackId {
        let next = TrackId(self.tracks.len() as u32);
        *self.ids.entry(track).or_insert_with_key(|track| {
            self.tracks.push(track.clone());
            next
        })
    }

    /// Gives a port's first lane its track. Panics if it already has one: an output has one source at a time.
    pub fn set(&mut self, node: NodeId, port: Port, track: TrackId) {
        self.set_lane(node, port, 0, track);
    }

    /// Gives a port's lane its track. Panics if it already has one.
    pub fn set_lane(&mut self, node: NodeId, port: Port, lane: u8, track: TrackId) {
        self.lay_out();
        let output =
            &mut self.outputs[self.topology.register(node, port) * usize::from(self.lanes) + usize::from(lane)];
        assert!(*output == IDLE, "output {port} of node {} has a track already", self.topology.show(node));
        *output = track;
    }

    /// Makes room for a track an output: not before one is set, for a program that is finished by kind sets none.
    fn lay_out(&mut self) {
        if self.outputs.is_empty() {
            self.outputs = vec![IDLE; self.topology.registers() * usize::from(self.lanes)];
        }
    }

    /// Groups the nodes into classes, numbered in the order in which they first occur.
    pub fn finish(mut self, title: Title) -> Program {
        self.lay_out();
        let mut ids: HashMap<&[TrackId], ClassId> = HashMap::new();
        let mut classes = Vec::new();
        let mut class_of = ClassMap::with_capacity(self.topology.nodes() as usize);
        for outputs in self.outputs.chunks_exact(self.topology.ports() * usize::from(self.lanes)) {
            let id = *ids.entry(outputs).or_insert_with(|| {
                classes.push(self.class(outputs));
                ClassId(classes.len() as u32 - 1)
            });
            class_of.push(id);
        }
        self.program(title, classes, class_of)
    }

    /// Groups the nodes by `kinds`, known beforehand to behave alike and numbered in the order in which they first occur:
    /// `outputs` are the tracks of each kind. Kinds with equal tracks become one class. No output is set.
    pub fn finish_by_kind(self, title: Title, mut kinds: ClassMap, outputs: &[Vec<TrackId>]) -> Program {
        assert!(self.outputs.is_empty(), "outputs are set one by one or by kind");
        let mut ids: HashMap<&[TrackId], ClassId> = HashMap::new();
        let mut classes = Vec::new();
        let names = outputs.iter().map(|outputs| {
            *ids.entry(outputs).or_insert_with(|| {
                classes.push(self.class(outputs));
                ClassId(classes.len() as u32 - 1)
            })
        });
        let names: Vec<ClassId> = names.collect();
        kinds.rename(&names);
        self.program(title, classes, kinds)
    }

    fn class(&self, outputs: &[TrackId]) -> Class {
        Class { outputs: outputs.iter().map(|id| self.tracks[id.0 as usize].clone()).collect() }
    }

    fn program(self, title: Title, classes: Vec<Class>, class_of: ClassMap) -> Program {
        let Self { topology, ticks, duplex, lanes, demand, windows, .. } = self;
        let (latency, reduction) = (1, None);
        Program {
            title,
            topology,
            ticks,
            flits: 1,
            duplex,
            lanes,
            latency,
            demand,
            classes,
            class_of,
            windows,
            reduction,
        }
        .with_dead_class()
    }
}

impl Program {
    /// A program in which all nodes behave alike. The tracks, one a port or as many as it has lanes, fill its `ticks` ticks.
    pub fn uniform(topology: &Topology, ticks: u32, demand: Demand, outputs: Vec<Track>, title: Title) -> Self {
        assert!(outputs.len().is_multiple_of(topology.ports()), "as many tracks for one port as for another");
        Self {
            title,
            topology: topology.clone(),
            ticks,
            flits: 1,
            duplex: Duplex::Full,
            lanes: (outputs.len() / topology.ports()) as u8,
            latency: 1,
            demand,
            class_of: ClassMap::uniform(topology.nodes() as usize),
            classes: vec![Class { outputs }],
            windows: Vec::new(),
            reduction: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    #[test]
    fn nodes_that_behave_alike_share_a_class() {
        let topology = Torus::new(&[2, 2]).unwrap();
        let mut builder = ProgramBuilder::new(&topology, 3, Demand::gossip(&topology, 1));
        let own = Run { source: Source::own(0), ticks: 1 };
        let input = Source::input(Port::minus(0), 1);
        for node in topology.node_ids().skip(1) {
            let track = builder.track(&[own], input);
            builder.set(node, Port::plus(0), track);
        }
        let title = Title::new("t", "none");
        let program = builder.finish(title);
        assert_eq!(program.class_of, [0, 1, 1, 1].map(ClassId).into_iter().collect());
        assert!(program.classes[0].outputs.iter().all(Track::is_idle));
        assert_eq!(program.classes[1].outputs[1].runs, [own, Run { source: input, ticks: 2 }]);
    }

    #[test]
    fn equal_behaviour_is_an_equal_track() {
        let topology = Torus::new(&[2, 2]).unwrap();
        let mut builder = ProgramBuilder::new(&topology, 5, Demand::gossip(&topology, 1));
        let idle = |ticks| Run { source: Source::Idle, ticks };
        let own = Source::own(0);
        let plain = builder.track(&[idle(2)], own);
        assert_eq!(builder.track(&[idle(1), idle(1), Run { source: own, ticks: 9 }], Source::Idle), plain);
        assert_eq!(builder.track(&[idle(1), Run { source: own, ticks: 0 }, idle(1)], own), plain);
    }
}
