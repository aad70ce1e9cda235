//! Programs of groups of nodes, each on a network of its own, played side by side as one program on the whole network.

use std::sync::Arc;

use crate::net::{NodeId, Port, Ports, Topology};
use crate::program::{
    Away, Class, ClassId, ClassMap, ClassNumbers, Demand, Entries, Groups, Message, Operand, Operands, Partial,
    PartialOrder, Program, Reduction, Run, Sender, Source, Title, To, Track, Window,
};

/// Program of some groups that look alike.
#[derive(Clone, Debug)]
pub struct GroupProgram<'p> {
    /// Program on the network of one of them.
    pub program: &'p Program,
    /// By axis of that network, the axis of the whole.
    pub axes: Vec<usize>,
    /// By group, the node of the whole that each node of its network is.
    pub places: Vec<Vec<NodeId>>,
}

/// Joins the programs of all groups, which begin to be combined, or to be gathered, at the same time; none if nodes of different
/// groups have different packets or links, or ticks cannot be counted.
pub fn side_by_side(title: Title, topology: &Topology, kinds: &[GroupProgram<'_>]) -> Option<Program> {
    let first = kinds.first()?.program;
    let links = |program: &Program| (program.flits, program.duplex, program.lanes, program.link(), adding(program));
    if kinds.iter().any(|kind| links(kind.program) != links(first)) {
        return None;
    }
    let reduced = |kind: &GroupProgram| kind.program.reduction.as_ref().map_or(0, |reduction| reduction.ticks);
    let rest = |kind: &GroupProgram| kind.program.ticks - reduced(kind);
    let longest = |of: &dyn Fn(&GroupProgram) -> u32| kinds.iter().map(of).max().unwrap_or(0);
    let (reduce, after) = (longest(&reduced), longest(&rest));
    let timed = |kind: &GroupProgram| kind.program.clone().timed(reduce - reduced(kind), after - rest(kind));
    let timed: Vec<Program> = kinds.iter().map(timed).collect::<Option<_>>()?;
    let seat = seats(topology, kinds);
    let (behaviours, class_of) = classes(topology, kinds, &timed, &seat);
    let (classes, results): (Vec<Class>, Vec<Vec<Operands>>) = behaviours.into_iter().unzip();
    let windows = |node: NodeId| {
        let (kind, at) = seat[node.index()]?;
        timed[kind].windows.get(at.index()).copied()
    };
    let has_windows = timed.iter().any(|program| !program.windows.is_empty());
    let demand = demand(topology, kinds)?;
    let order = if timed[0].reduction.is_some() { Some(order(topology, kinds, &timed)?) } else { None };
    let program = Program {
        title,
        ticks: timed[0].ticks,
        reduction: timed[0]
            .reduction
            .as_deref()
            .zip(order)
            .map(|(reduction, order)| Arc::new(Reduction { order, results: results.clone(), ..reduction.clone() })),
        windows: if has_windows {
            topology.node_ids().map(|node| windows(node).unwrap_or_default()).collect()
        } else {
            Vec::new()
        },
        classes,
        class_of,
        demand,
        topology: topology.clone(),
        ..timed[0].clone()
    };
    Some(program.with_dead_class())
}

/// Ticks that combining takes, if values are combined: in the tick in which they meet, or later.
fn adding(program: &Program) -> Option<(u32, bool)> {
    program.reduction.as_ref().map(|reduction| (reduction.adding, reduction.everywhere))
}

/// Seat of each node: its kind of group, and the node that it is there; none of a dead node whose group is dead.
fn seats(topology: &Topology, kinds: &[GroupProgram<'_>]) -> Vec<Option<(usize, NodeId)>> {
    let mut seats = vec![None; topology.nodes() as usize];
    for (kind, group) in kinds.iter().enumerate() {
        for places in &group.places {
            for (at, place) in (0..).zip(places) {
                seats[place.index()] = Some((kind, NodeId(at)));
            }
        }
    }
    seats
}

/// Behaviours and results of all programs, each once, in the order in which they first occur; and those of each node.
fn classes(
    topology: &Topology,
    kinds: &[GroupProgram<'_>],
    timed: &[Program],
    seats: &[Option<(usize, NodeId)>],
) -> (Vec<(Class, Vec<Operands>)>, ClassMap) {
    let mut seated = ClassNumbers::default();
    for seat in seats {
        seated.push(seat.map(|(kind, at)| (kind, timed[kind].class_of[at.index()])));
    }
    let (seated, mut class_of) = seated.finish();
    // classes of different programs may do the same
    let mut behaviours = ClassNumbers::default();
    for &(kind, class) in seated.iter().flatten() {
        behaviours.push((kinds[kind].class(topology, &timed[kind], class), kinds[kind].results(&timed[kind], class)));
    }
    let (behaviours, numbers) = behaviours.finish();
    let mut numbers = numbers.iter().copied();
    // nodes without a program are dead, and get the class of dead nodes
    let number = |seat: &Option<(usize, ClassId)>| seat.and_then(|_| numbers.next()).unwrap_or(ClassId(0));
    class_of.rename(&seated.iter().map(number).collect::<Vec<_>>());
    (behaviours, class_of)
}

impl GroupProgram<'_> {
    /// Port of the whole that a port of the group's network is.
    fn port(&self, port: Port) -> Port {
        Port::new(self.axes[port.axis()], port.way())
    }

    /// Offset in the whole.
    fn offset(&self, topology: &Topology, offset: &[u32]) -> Vec<u32> {
        let mut whole = vec![0; topology.axes()];
        self.axes.iter().zip(offset).for_each(|(&axis, &by)| whole[axis] = by);
        whole
    }

    /// Lists of all outputs of a node of the whole, of those of its group's network; ports out of the group have `none`.
    fn outputs<T: Clone>(&self, topology: &Topology, lanes: u8, of: &[T], none: &T) -> Vec<T> {
        let lanes = usize::from(lanes);
        let mut all = vec![none.clone(); topology.ports() * lanes];
        for (index, item) in of.iter().enumerate() {
            all[self.port(Port::from_index(index / lanes)).index() * lanes + index % lanes] = item.clone();
        }
        all
    }

    /// Behaviour of a class in the whole.
    fn class(&self, topology: &Topology, program: &Program, class: ClassId) -> Class {
        let run = |run: &Run| Run { source: self.source(run.source), ..*run };
        let track = |track: &Track| Track { runs: track.runs.iter().map(run).collect(), ..*track };
        let tracks: Vec<Track> = program.classes[class.index()].outputs.iter().map(track).collect();
        let idle = Track { runs: vec![Run { source: Source::Idle, ticks: program.ticks }], ..Track::default() };
        Class { outputs: self.outputs(topology, program.lanes, &tracks, &idle) }
    }

    /// Operands that complete the packets of a class in the whole.
    fn results(&self, program: &Program, class: ClassId) -> Vec<Operands> {
        let completed = program.reduction.iter().flat_map(|reduction| &reduction.results[class.index()]);
        completed.map(|&operands| self.operands(operands)).collect()
    }

    fn source(&self, source: Source) -> Source {
        match source {
            Source::In { port, lane, age } => Source::In { port: self.port(port), lane, age },
            Source::Any { ports } => Source::Any { ports: Ports::of(ports.iter().map(|port| self.port(port))) },
            Source::Sum { operands } => Source::Sum { operands: self.operands(operands) },
            Source::Idle | Source::Own { .. } => source,
        }
    }

    fn operands(&self, operands: Operands) -> Operands {
        Operands::of(operands.iter().map(|operand| Operand { port: self.port(operand.port), ..operand }))
    }

    /// Returns true if the groups are as long as the whole along each of their axes: offsets are the same in both.
    fn spans(&self, topology: &Topology) -> bool {
        self.axes.iter().enumerate().all(|(axis, &whole)| self.program.topology.side(axis) == topology.side(whole))
    }

    /// Message from all nodes, or from one and for the others, as it is in the whole.
    fn message(&self, topology: &Topology, message: &Message) -> Message {
        match &message.to {
            To::Offset(offset) => Message { to: To::Offset(self.offset(topology, offset)), ..message.clone() },
            To::All | To::Node(_) => message.clone(),
        }
    }
}

/// Messages of all groups.
fn demand(topology: &Topology, kinds: &[GroupProgram<'_>]) -> Option<Demand> {
    let mut all: Vec<&Vec<NodeId>> = kinds.iter().flat_map(|kind| &kind.places).collect();
    all.sort_by_key(|places| places[0]);
    let live = |places: &Vec<NodeId>| places.iter().copied().filter(|&node| topology.is_live(node)).collect();
    let members = all.into_iter().map(live).collect();
    let groups = Groups::new(topology, members).expect("groups of two live nodes at least, in which all of them are");
    let messages_of = |kind: &GroupProgram| -> Vec<Message> {
        kind.program.demand.messages().iter().map(|message| kind.message(topology, message)).collect()
    };
    let first = messages_of(&kinds[0]);
    // packets for all are those of every group
    let for_all = |kind: &GroupProgram| -> Vec<u32> {
        let messages = kind.program.demand.messages().iter().filter(|message| message.to == To::All);
        messages.map(|message| message.flits).collect()
    };
    let are_alike = kinds.iter().all(|kind| for_all(kind) == for_all(&kinds[0]));
    let is_for_all = |message: &Message| message.from == Sender::Every && message.to == To::All;
    let is_at_all = |message: &Message| match message.to {
        To::All => message.from == Sender::Every,
        To::Offset(_) => message.from == Sender::Every && kinds.iter().all(|kind| kind.spans(topology)),
        To::Node(_) => false,
    };
    let are_one = kinds.iter().all(|kind| messages_of(kind) == first) && first.iter().all(is_at_all);
    let messages = if are_one {
        first
    } else if !are_alike || kinds.iter().any(|kind| kind.program.demand.messages().iter().any(is_for_all)) {
        return None;
    } else {
        kinds.iter().flat_map(placed_messages).collect()
    };
    Some(Demand::new(topology, messages).within(Some(Arc::new(groups))))
}

/// Messages of some groups, from one node each.
fn placed_messages(kind: &GroupProgram<'_>) -> Vec<Message> {
    let network = &kind.program.topology;
    let mut placed = Vec::new();
    for places in &kind.places {
        for Message { from, to, flits } in kind.program.demand.messages() {
            let senders = match from {
                Sender::Every => network.live_ids().collect(),
                Sender::Node(node) => vec![*node],
            };
            placed.extend(senders.into_iter().map(|sender| {
                let to = match to {
                    To::All => To::All,
                    To::Node(node) => To::Node(places[node.index()]),
                    To::Offset(offset) => To::Node(places[network.away(sender, offset).index()]),
                };
                Message { from: Sender::Node(places[sender.index()]), to, flits: *flits }
            }));
        }
    }
    placed
}

/// Order of the partials of all groups; none if some name other partials than others do.
fn order(topology: &Topology, kinds: &[GroupProgram<'_>], timed: &[Program]) -> Option<PartialOrder> {
    let own = |program: &Program| program.reduction.as_ref().expect("all are reductions").order.clone();
    let mut orders: Vec<PartialOrder> = timed.iter().map(own).collect();
    if let [PartialOrder { entries: Entries::Offsets(lists), starts }] = orders.as_slice()
        && kinds[0].spans(topology)
    {
        let away = |away: &Away| Away { offset: kinds[0].offset(topology, &away.offset), ..*away };
        let list = |list: &Vec<Option<Away>>| list.iter().map(|entry| entry.as_ref().map(away)).collect();
        let lists: Vec<Vec<Option<Away>>> = lists.iter().map(list).collect();
        let entries = Entries::Offsets(kinds[0].outputs(topology, 1, &lists, &Vec::new()));
        return Some(PartialOrder { entries, starts: *starts });
    }
    // one order says of each partial that it leaves, or only of those that begin
    if orders.iter().any(|order| order.starts != orders[0].starts) {
        orders = timed.iter().map(beginning_order).collect::<Option<_>>()?;
    }
    let mut nodes = vec![Vec::new(); topology.nodes() as usize];
    for ((kind, program), order) in kinds.iter().zip(timed).zip(&orders) {
        for places in &kind.places {
            for (at, place) in (0..).map(NodeId).zip(places) {
                let placed = |entry: Option<Partial>| entry.map(|it| Partial { node: places[it.node.index()], ..it });
                let entry = |output, n| order.entry(&program.topology, at, output, n).flatten();
                let list = |output| (0..order.len(at, output)).map(|n| placed(entry(output, n))).collect();
                let lists: Vec<Vec<Option<Partial>>> = (0..program.outputs()).map(list).collect();
                nodes[place.index()] = kind.outputs(topology, 1, &lists, &Vec::new());
            }
        }
    }
    for lists in nodes.iter_mut().filter(|lists| lists.is_empty()) {
        *lists = vec![Vec::new(); topology.ports()];
    }
    Some(PartialOrder { entries: Entries::Nodes(nodes), starts: orders[0].starts })
}

/// Order that names only the partials at which nothing arrives; none if outputs forward some as they are.
fn beginning_order(program: &Program) -> Option<PartialOrder> {
    let reduction = program.reduction.as_deref()?;
    if reduction.order.starts {
        return Some(reduction.order.clone());
    }
    let sources: Vec<Vec<Vec<Source>>> = program
        .classes
        .iter()
        .map(|class| class.outputs.iter().map(|track| track.sources(reduction.ticks).collect()).collect())
        .collect();
    if sources.iter().flatten().flatten().any(|source| matches!(source, Source::In { .. })) {
        return None;
    }
    let entry = |node: NodeId, output: usize, tick: usize| {
        let sums =
            sources[program.class_of[node.index()].index()][output][..tick].iter().filter(|source| source.is_sum());
        reduction.order.entry(&program.topology, node, output, (sums.count() - 1) / program.flits as usize).flatten()
    };
    // an arrival left the neighbour's output so many ticks before
    let arrives = |node: NodeId, operand: Operand, tick: usize| {
        let then = tick.checked_sub((operand.age + program.reduce_latency() - 1) as usize).filter(|&then| then > 0);
        let there = program.topology.step(node, operand.port);
        then.zip(there).is_some_and(|(then, there)| {
            let output = operand.port.opposite().index();
            let is_sum = sources[program.class_of[there.index()].index()][output][then - 1].is_sum();
            is_sum && entry(there, output, then).is_some()
        })
    };
    let list = |node: NodeId, output: usize| {
        let of_output = &sources[program.class_of[node.index()].index()][output];
        let sums = of_output.iter().zip(1..).filter(|(source, _)| source.is_sum());
        // flits of a packet leave one after the other
        let firsts = sums.step_by(program.flits as usize);
        let begins = firsts.filter_map(|(source, tick)| {
            let Source::Sum { operands } = *source else { return None };
            let is_begun = operands.iter().any(|operand| arrives(node, operand, tick));
            (!is_begun).then(|| entry(node, output, tick))
        });
        begins.collect::<Vec<Option<Partial>>>()
    };
    let outputs = program.outputs();
    let nodes = program.topology.node_ids().map(|node| (0..outputs).map(|output| list(node, output)).collect());
    Some(PartialOrder { entries: Entries::Nodes(nodes.collect()), starts: true })
}

impl Program {
    /// Begins so many ticks later, and is silent for so many at the end of its last part; `None` if its ticks cannot be counted.
    fn timed(self, later: u32, silent: u32) -> Option<Self> {
        if later == 0 && silent == 0 {
            return Some(self);
        }
        if silent > 0
            && let Some([reduce, gather]) = self.parts()
        {
            return reduce.timed(later, 0)?.followed_by(&gather.timed(0, silent)?);
        }
        let ticks = self.ticks.checked_add(later)?.checked_add(silent)?;
        let track = |track: &Track| track.timed(self.ticks, later, silent);
        let class = |class: &Class| Class { outputs: class.outputs.iter().map(track).collect() };
        let reduction = self
            .reduction
            .as_deref()
            .map(|reduction| Arc::new(Reduction { ticks: reduction.ticks + later, ..reduction.clone() }));
        let window = |window: &Window| Window { first: window.first.saturating_add(later), ..*window };
        Some(Self {
            ticks,
            classes: self.classes.iter().map(class).collect(),
            windows: self.windows.iter().map(window).collect(),
            reduction,
            ..self
        })
    }
}

impl Track {
    /// The track of a program of so many ticks, with silence before and behind.
    fn timed(&self, ticks: u32, later: u32, silent: u32) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        let mut add = |run: Run| match runs.last_mut() {
            Some(last) if last.source == run.source && run.source == Source::Idle => last.ticks += run.ticks,
            _ if run.ticks > 0 => runs.push(run),
            _ => {}
        };
        add(Run { source: Source::Idle, ticks: later });
        for span in self.spans(ticks) {
            add(Run { source: span.source, ticks: span.last - span.first + 1 });
        }
        add(Run { source: Source::Idle, ticks: silent });
        Self { runs, repeat_from: None, inject: self.inject }
    }
}
