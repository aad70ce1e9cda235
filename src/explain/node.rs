//! Tells the story of a node.

use super::Explainer;
use super::story::{
    Coords, CycleStory, Explanation, HopStory, OutputStory, PacketName, PacketWay, PortStory, StoryFeed, StreamStory,
    SupplyStory, TickStory,
};
use super::streams::{Along, PaperRole, SuppliedStream};
use super::trace::{PacketTrace, trace};
use crate::net::{Channel, NodeId, Port};
use crate::paths::supply::{self, Supply};
use crate::program::{Program, ShownChannel, ShownPort, Track, class_symbol};
use crate::task::Collective;

/// Number of packets of a stream named one by one before the last.
const NAMED: u32 = 3;
/// Number of ticks in which the last packets are looked for.
const LOOKED_AT: usize = 16;

impl Explainer<'_> {
    /// Explains a node, or one of its ports.
    pub fn node(&self, node: NodeId, only: Option<Port>) -> Explanation {
        let program = &self.program;
        let topology = &program.topology;
        let class = program.class_of[node.index()];
        let ports = || topology.port_ids().filter(|port| only.is_none_or(|only| only == *port));
        let reduction = self.reduction(node, only);
        let before = reduction.as_ref().map_or(0, |reduction| reduction.ticks + 1);
        let moves = program.reduction.is_none();
        let ticks = self.told().ticks;
        Explanation {
            name: program.title.name.clone(),
            topology: topology.clone(),
            scheme: self.scheme.to_string(),
            reference: self.scheme.about().theorem,
            node: self.coords(node),
            class: class_symbol(class),
            region: self.regions[class.index()].to_string(),
            ticks: if moves { before + ticks } else { ticks },
            moving: if moves { ticks } else { 0 },
            flits: self.flits,
            unit: self.times.unit(),
            latency: self.design.program.latency,
            adding: self.design.program.reduce_latency() - self.design.program.latency,
            packets: program.packets(),
            reduction,
            why: self.why(node),
            outputs: ports()
                .filter(|_| moves)
                .flat_map(|port| self.lanes(port))
                .map(|at| self.output(node, at))
                .collect(),
            cycles: self.cover.map_or(0..0, |cover| 0..cover.cycles()).map(|cycle| self.cycle(node, cycle)).collect(),
            ports: ports().filter(|_| moves).filter_map(|port| self.port(node, port)).collect(),
            at: Vec::new(),
        }
    }

    /// Hops that are followed for an explanation, if all packets come as far as the last ones at each port.
    pub fn hops(&self, node: NodeId, only: Option<Port>) -> u64 {
        let Program { topology, ticks, reduction, .. } = &self.program;
        if self.cover.is_some() || reduction.is_some() {
            return 0;
        }
        let ports = topology.port_ids().filter(|port| only.is_none_or(|only| only == *port));
        let last =
            |channel| (1..=*ticks).rev().take(LOOKED_AT).find_map(|tick| trace(&self.program, node, channel, tick));
        let inputs = ports.filter(|&port| topology.step(node, port).is_some()).flat_map(|port| self.lanes(port));
        let far = inputs.filter_map(last).map(|trace| trace.hops.len() as u64).sum::<u64>();
        far * u64::from(*ticks)
    }

    /// Explains the arrival at an input in a clock tick of the design.
    pub fn at(&self, node: NodeId, input: Channel, clock_tick: u32) -> TickStory {
        let design = &self.design.program;
        let combining = design.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
        let before = if clock_tick > combining && combining > 0 { combining + 1 } else { 0 };
        let clock_tick = clock_tick.saturating_sub(before);
        let combines = before == 0 && combining > 0;
        let times = if combines { self.combining } else { self.times };
        let (step, flit) = times.before(clock_tick, self.flits);
        let tick = if self.long.is_none() { step } else { clock_tick };
        let story = TickStory { port: self.name_of(input), tick, flit, way: None, sum: None };
        if step == 0 {
            return story;
        }
        // on short links the step is shown, otherwise the tick in which this flit was sent
        let late = if self.long.is_none() { 0 } else { flit };
        if combines {
            return TickStory { sum: self.sum(node, input.port, step, late), ..story };
        }
        let trace = trace(&self.program, node, input, step);
        TickStory { way: trace.map(|trace| self.way(node, input.port, (step, late), &trace)), ..story }
    }

    /// Why the node does what it does; where it only combines, why it does that in what is played backwards.
    fn why(&self, node: NodeId) -> Vec<String> {
        let (group, at) = self.design.in_group(node);
        let mut why = group.scheme.why(&group.task(), at);
        if !self.design.groups.is_empty() {
            let network = group.program.topology.describe();
            for reason in &mut why {
                reason.insert_str(0, &format!("in its group, a {network}, "));
            }
        }
        if self.only_combines() && self.task.collective() != Collective::AllReduce {
            let woven = self.task.collective();
            for reason in &mut why {
                reason.insert_str(0, &format!("in the {woven} that is played backwards, "));
            }
        }
        why
    }

    pub(super) fn coords(&self, node: NodeId) -> Coords {
        Coords(self.program.topology.coords(node))
    }

    pub(super) fn name(&self, port: Port) -> ShownPort {
        ShownPort { axes: self.program.topology.axes(), port }
    }

    /// A port with its lane, where there are several.
    pub(super) fn name_of(&self, channel: Channel) -> ShownChannel {
        ShownChannel { axes: self.program.topology.axes(), lanes: self.program.lanes, channel }
    }

    /// The lanes of a port.
    fn lanes(&self, port: Port) -> impl Iterator<Item = Channel> {
        (0..self.program.lanes).map(move |lane| Channel { port, lane })
    }

    fn track(&self, node: NodeId, Channel { port, lane }: Channel) -> &Track {
        &self.told().class(node).outputs[port.index() * usize::from(self.program.lanes) + usize::from(lane)]
    }

    fn output(&self, node: NodeId, channel: Channel) -> OutputStory {
        let rule = self.track(node, channel).describe_changes(self.program.topology.axes());
        OutputStory { port: self.name_of(channel), rule, purpose: self.purpose(node, channel.port) }
    }

    fn purpose(&self, node: NodeId, port: Port) -> String {
        let topology = &self.program.topology;
        let Some(neighbour) = topology.step(node, port) else { return "looks out of the grid".into() };
        let Some(cover) = self.cover else { return self.purpose_off_cycles(node, port).into() };
        if let Some(cycle) = cover.owner(node, port) {
            let way = if cover.leaves(node, port) { "forward" } else { "backward" };
            return format!("cycle {cycle} {way}");
        }
        match self.supply_at(neighbour, port.opposite()) {
            Some((supply, role)) => {
                let feed = if role == PaperRole::A { supply.lower } else { supply.upper };
                let verb = if feed.relay.is_some() { "relays to" } else { "supplies" };
                format!("{verb} {} with cycle {}, as its {role:?}", topology.show(neighbour), supply.cycle)
            }
            None => "not used".into(),
        }
    }

    fn purpose_off_cycles(&self, node: NodeId, port: Port) -> &'static str {
        if self.follows_one_tree() {
            "arcs of every tree"
        } else if self.lanes(port).all(|channel| self.track(node, channel).is_idle()) {
            "not used"
        } else {
            "carries packets"
        }
    }

    /// Returns true if all nodes do the same without a cycle: then every packet follows one tree, moved to its origin.
    fn follows_one_tree(&self) -> bool {
        self.cover.is_none() && self.program.topology.is_homogeneous() && self.program.classes.len() == 1
    }

    fn cycle(&self, node: NodeId, cycle: usize) -> CycleStory {
        let cover = self.cover.expect("cycles are explained where there are some");
        let visit = cover.visit(cycle, node);
        let supply = self.supplies_of(node).iter().find(|supply| usize::from(supply.cycle) == cycle);
        CycleStory {
            cycle,
            length: cover.length(cycle),
            place: visit.map(|visit| visit.place),
            double: visit.is_some_and(|visit| visit.double),
            ports: visit.map(|visit| [self.name(visit.from), self.name(visit.to)]),
            supply: supply.map(|supply| self.supply(supply)),
        }
    }

    fn supply(&self, supply: &Supply) -> SupplyStory {
        let topology = &self.program.topology;
        let cover = self.cover.expect("supply is along cycles");
        let feed = |feed: supply::Feed| StoryFeed {
            port: self.name(feed.port),
            supporter: self.coords(feed.supporter),
            place: cover.standing(usize::from(supply.cycle), feed.supporter).expect("a supporter lies on the cycle"),
            relay: feed.relay.and(topology.step(supply.node, feed.port)).map(|node| self.coords(node)),
        };
        SupplyStory {
            a: feed(supply.lower),
            b: feed(supply.upper),
            distance: supply.distance,
            reason: self.reason(supply),
            reference: "Meyer and Sibeyn, section 3.2",
        }
    }

    fn port(&self, node: NodeId, port: Port) -> Option<PortStory> {
        let topology = &self.program.topology;
        let neighbour = topology.step(node, port)?;
        let streams = self.streams(node, port);
        let arrivals = match self.cover {
            Some(_) => Vec::new(),
            None => (1..=self.program.ticks)
                .flat_map(|tick| self.lanes(port).map(move |channel| (tick, channel)))
                .filter_map(|(tick, channel)| {
                    let trace = trace(&self.program, node, channel, tick)?;
                    let lane = (self.program.lanes > 1).then_some(channel.lane);
                    Some(PacketName { lane, ..self.packet(self.times.arrived(tick), (trace.origin, trace.packet)) })
                })
                .collect(),
        };
        Some(PortStory {
            port: self.name(port),
            neighbour: self.coords(neighbour),
            streams: streams.iter().map(|stream| self.stream(stream)).collect(),
            arrivals,
        })
    }

    /// A packet that arrives in a tick.
    pub(super) fn packet(&self, tick: u32, (node, packet): (NodeId, u32)) -> PacketName {
        PacketName { tick, lane: None, node: self.coords(node), packet }
    }

    fn stream(&self, stream: &SuppliedStream) -> StreamStory {
        let length = self.cover.map_or(1, |cover| cover.length(stream.cycle));
        let &SuppliedStream { cycle, first, last, place, way } = stream;
        let named = (first..=last).filter(|&tick| tick < first + NAMED || tick == last);
        StreamStory {
            cycle,
            ticks: [self.times.arrived(first), self.times.arrived_whole(last)],
            count: last - first + 1,
            way: if way == Along::Forward { "forward" } else { "backward" },
            places: [place, stream.place_at(last, length).unwrap_or(place)],
            packets: named
                .filter_map(|tick| Some(self.packet(self.times.arrived(tick), self.packet_at(stream, tick)?)))
                .collect(),
        }
    }

    /// The way of a flit that was sent here in a step, so many ticks late.
    fn way(&self, node: NodeId, port: Port, (step, late): (u32, u32), trace: &PacketTrace) -> PacketWay {
        let topology = &self.program.topology;
        let stream = self.streams(node, port).into_iter().find(|stream| (stream.first..=stream.last).contains(&step));
        let place = stream.zip(self.cover).and_then(|(stream, cover)| {
            Some([stream.cycle as u32, stream.place_at(step, cover.length(stream.cycle))?])
        });
        let from_root = |node: NodeId| Coords(topology.offset(trace.origin, node));
        let hop = |hop: &super::Hop| HopStory {
            node: self.coords(hop.node),
            by: self.name_of(hop.by),
            tick: self.times.sent(hop.tick) + late,
            age: hop.age.map(|steps| self.times.age(steps)),
        };
        PacketWay {
            origin: self.coords(trace.origin),
            packet: trace.packet,
            place,
            arc: topology
                .step(node, port)
                .filter(|_| self.follows_one_tree())
                .map(|from| [from_root(from), from_root(node)]),
            hops: trace.hops.iter().map(hop).collect(),
        }
    }
}
