//! Arrivals of a single tick, without playing those before it: of a large design few ticks are compared, and playing all
//! of them would take nearly all the time.
//!
//! Most outputs send own flits for `age` ticks and then one input, `age` ticks late. Followed backwards they close to
//! *loops*: the flit that such an output sends in tick t is on the loop's tape, t - 1 flits after the start of its own flits.
//! All other outputs send flits that an output of some loop sent a few ticks ago. Where all nodes are alike, one table
//! replaces the loops: the arrivals at every node come from the same offsets.

use crate::net::{NodeId, OUTSIDE, Port};
use crate::program::{Class, FlitId, Program, Source, Span};

const NOTHING: u32 = u32::MAX;
const OFF: u32 = u32::MAX;
/// An output that repeats one that repeats one ... of a loop; more hops than this are played.
const MOST_HOPS: u32 = 8;

/// Looks up the arrivals of any tick without playing the earlier ones.
pub struct Moments<'p> {
    program: &'p Program,
    spans: Vec<Vec<Span>>,
    way: OutputWay,
}

enum OutputWay {
    Loops(PlayedLoops),
    Alike(Vec<Option<RelativeFlit>>),
}

/// The loops' outputs and what they send.
struct PlayedLoops {
    /// by register, where on the tape its own flits begin; off every loop `OFF`
    begins: Vec<u32>,
    /// by register on a loop, which loop
    of: Vec<u32>,
    /// the ends of the loops on the tape, each begins where the one before it ends
    ends: Vec<u32>,
    /// the flits of one loop after another
    tape: Vec<u32>,
}

/// A flit by the displacement of its origin from the node it arrives at.
#[derive(Clone, Copy)]
struct RelativeFlit {
    origin: NodeId,
    packets: [u32; 2],
    played: u32,
}

impl<'p> Moments<'p> {
    /// Prepares a program; returns `None` if it can only be played.
    pub fn of(program: &'p Program) -> Option<Self> {
        let is_joined = |source| matches!(source, Source::Any { .. } | Source::Sum { .. });
        if program.lanes > 1
            || program.latency > 1
            || !program.windows.is_empty()
            || program.classes.iter().flat_map(Class::sources).any(is_joined)
        {
            return None;
        }
        let tracks = program.classes.iter().flat_map(|class| &class.outputs);
        let spans: Vec<Vec<Span>> = tracks.map(|track| track.spans(program.ticks).collect()).collect();
        let way = match program.classes.len() {
            1 if program.topology.is_homogeneous() => OutputWay::Alike(alike(program, &spans)),
            1 => return None,
            _ => OutputWay::Loops(PlayedLoops::of(program, &spans)?),
        };
        Some(Self { program, spans, way })
    }

    /// Calls `arrives` for every port of every node with what arrives there in a tick.
    pub fn arrivals<E>(&self, tick: u32, mut arrives: impl FnMut(Option<FlitId>) -> Result<(), E>) -> Result<(), E> {
        let topology = &self.program.topology;
        let mut result = Ok(());
        let from = (tick as usize - 1) * topology.ports();
        topology.sweep(0..topology.nodes(), |node, neighbours| {
            if result.is_err() {
                return;
            }
            result = topology.port_ids().try_for_each(|port| match &self.way {
                OutputWay::Loops(loops) => {
                    let neighbour = neighbours[port.index()];
                    let flit = match neighbour {
                        OUTSIDE => NOTHING,
                        _ => self.sent(loops, topology.register(neighbour, port.opposite()), tick),
                    };
                    arrives((flit != NOTHING).then_some(FlitId(flit)))
                }
                OutputWay::Alike(arrived) => arrives(arrived[from + port.index()].and_then(
                    |RelativeFlit { origin, packets: [packet, through], played }| {
                        let origin = topology.translated(node, origin);
                        self.program.demand.flit(origin, packet, through, played)
                    },
                )),
            });
        });
        result
    }

    /// Returns the flit that an output sends in a tick.
    fn sent(&self, loops: &PlayedLoops, register: usize, tick: u32) -> u32 {
        let program = self.program;
        let span = span_at(spans_of(program, &self.spans, register), tick);
        match span.source {
            // programs with joined inputs are played
            Source::Idle | Source::Any { .. } | Source::Sum { .. } => NOTHING,
            _ if loops.begins[register] != OFF => loops.sent(register, tick),
            Source::Own { packet, through } => own(program, register, [packet, through], tick - span.first),
            Source::In { age, .. } if age >= tick => NOTHING,
            Source::In { port, age, .. } => {
                upstream(program, register, port).map_or(NOTHING, |upstream| self.sent(loops, upstream, tick - age))
            }
        }
    }
}

impl PlayedLoops {
    fn of(program: &Program, spans: &[Vec<Span>]) -> Option<Self> {
        let registers = program.topology.registers();
        let mut loops =
            Self { begins: vec![OFF; registers], of: vec![0; registers], ends: Vec::new(), tape: Vec::new() };
        let streams: Vec<Option<RepeatingOutput>> = spans.iter().map(|spans| stream(program.ticks, spans)).collect();
        let soonest = streams.iter().flatten().map(|stream| stream.age).min();
        let ports = program.topology.ports();
        let input = |register: usize| {
            let stream = streams[program.class_of[register / ports].index() * ports + register % ports]?;
            // an output that stops early leaves those that repeat it silent
            (Some(stream.silent) <= soonest).then_some(stream.port)
        };
        let mut is_seen = vec![false; registers];
        for register in 0..registers {
            // a path into a loop is not part of it: follow twice, first to a register that was seen before
            let mut at = register;
            let mut path = Vec::new();
            while !is_seen[at] {
                is_seen[at] = true;
                path.push(at);
                let Some(port) = input(at) else { break };
                at = upstream(program, at, port)?;
            }
            let Some(entry) = path.iter().position(|&seen| seen == at).filter(|_| input(at).is_some()) else {
                continue;
            };
            loops.lay(program, spans, &path[entry..])?;
        }
        let hops = HopBound { program, spans, loops: &loops };
        (0..registers).all(|register| hops.are_few(register, 0)).then_some(loops)
    }

    /// Writes the own flits of a loop's registers on the tape, against the stream.
    fn lay(&mut self, program: &Program, spans: &[Vec<Span>], registers: &[usize]) -> Option<()> {
        for &register in registers {
            self.begins[register] = u32::try_from(self.tape.len()).ok()?;
            self.of[register] = self.ends.len() as u32;
            for span in spans_of(program, spans, register) {
                if let Source::Own { packet, through } = span.source {
                    self.tape.extend(
                        (0..=span.last - span.first).map(|played| own(program, register, [packet, through], played)),
                    );
                }
            }
        }
        self.ends.push(u32::try_from(self.tape.len()).ok()?);
        Some(())
    }

    fn sent(&self, register: usize, tick: u32) -> u32 {
        let index = self.of[register] as usize;
        let (first, end) = (if index == 0 { 0 } else { self.ends[index - 1] }, self.ends[index]);
        let place = u64::from(self.begins[register] - first) + u64::from(tick - 1);
        self.tape[first as usize + (place % u64::from(end - first)) as usize]
    }
}

/// True if every output is on a loop or a few hops away from one.
struct HopBound<'a> {
    program: &'a Program,
    spans: &'a [Vec<Span>],
    loops: &'a PlayedLoops,
}

impl HopBound<'_> {
    fn are_few(&self, register: usize, hops: u32) -> bool {
        if self.loops.begins[register] != OFF {
            return true;
        }
        let mut inputs = [false; u8::MAX as usize];
        for span in spans_of(self.program, self.spans, register) {
            if let Source::In { port, .. } = span.source {
                inputs[port.index()] = true;
            }
        }
        hops < MOST_HOPS
            && self.program.topology.port_ids().filter(|port| inputs[port.index()]).all(|port| {
                upstream(self.program, register, port).is_none_or(|upstream| self.are_few(upstream, hops + 1))
            })
    }
}

/// An output that sends own flits and then repeats one input, as many ticks late, until it perhaps falls silent.
#[derive(Clone, Copy)]
struct RepeatingOutput {
    port: Port,
    age: u32,
    silent: u32,
}

fn stream(ticks: u32, spans: &[Span]) -> Option<RepeatingOutput> {
    let own = spans.iter().take_while(|span| matches!(span.source, Source::Own { .. })).count();
    let Span { first, last, source: Source::In { port, age, .. } } = *spans.get(own)? else { return None };
    let is_over = spans[own + 1..].iter().all(|span| span.source == Source::Idle);
    (first == age + 1 && is_over).then_some(RepeatingOutput { port, age, silent: ticks - last })
}

/// Arrivals at the first node, at `(tick - 1) * ports + port`, for a program of one class.
fn alike(program: &Program, spans: &[Vec<Span>]) -> Vec<Option<RelativeFlit>> {
    let network = &program.topology;
    let ports = network.ports();
    let mut arrived: Vec<Option<RelativeFlit>> = Vec::with_capacity(program.ticks as usize * ports);
    for tick in 1..=program.ticks {
        for port in network.port_ids() {
            // the neighbour at `port` sends here by its opposite port
            let span = span_at(&spans[port.opposite().index()], tick);
            let sent = match span.source {
                Source::Idle | Source::Any { .. } | Source::Sum { .. } => None,
                Source::Own { packet, through } => {
                    Some(RelativeFlit { origin: NodeId(0), packets: [packet, through], played: tick - span.first })
                }
                Source::In { age, .. } if age >= tick => None,
                Source::In { port, age, .. } => arrived[(tick - age - 1) as usize * ports + port.index()],
            };
            // at a port without a link nothing arrives
            let sent = sent.zip(network.step(NodeId(0), port));
            arrived.push(
                sent.map(|(sent, there)| RelativeFlit { origin: network.translated(sent.origin, there), ..sent }),
            );
        }
    }
    arrived
}

fn spans_of<'a>(program: &Program, spans: &'a [Vec<Span>], register: usize) -> &'a [Span] {
    let ports = program.topology.ports();
    &spans[program.class_of[register / ports].index() * ports + register % ports]
}

fn span_at(spans: &[Span], tick: u32) -> Span {
    spans[spans.partition_point(|span| span.last < tick)]
}

fn own(program: &Program, register: usize, [packet, through]: [u32; 2], played: u32) -> u32 {
    let node = NodeId((register / program.topology.ports()) as u32);
    program.demand.flit(node, packet, through, played).map_or(NOTHING, |flit| flit.0)
}

fn upstream(program: &Program, register: usize, port: Port) -> Option<usize> {
    program.topology.arriving(NodeId((register / program.topology.ports()) as u32), port)
}

#[cfg(test)]
mod tests {
    use super::super::Machine;
    use super::*;
    use crate::net::{Channel, ShapeName, Topology};
    use crate::paths::supply::Switching;
    use crate::program::Link;
    use crate::schemes::{SCHEMES, SchemeName};
    use crate::task::{Choice, Task};

    /// Every scheme with every way of switching, on networks of every kind.
    #[test]
    fn moments_equal_the_model() {
        let tori = [&[4, 4][..], &[6, 8], &[6, 7], &[7, 7], &[3, 5], &[3, 3, 4], &[2, 4], &[5]];
        let networks = tori.map(|dims| Topology::new(ShapeName::Torus, dims).unwrap());
        let mesh = Topology::new(ShapeName::Mesh, &[4, 5]).unwrap();
        let mut compared = 0;
        for topology in networks.iter().chain([&mesh]) {
            for (&scheme, switching) in SCHEMES.iter().flat_map(|scheme| Switching::ALL.map(|way| (scheme, way))) {
                let task = Task { topology, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
                let Ok(built) = SchemeName::from(scheme).build(&task, "any") else { continue };
                for flits in [1, 3] {
                    let program = built.program.stretched(flits).unwrap();
                    let Some(moments) = Moments::of(&program) else {
                        assert_eq!((scheme.about().name, topology), ("general", &mesh), "all else needs no playing");
                        continue;
                    };
                    let mut machine = Machine::new(&program);
                    while !machine.is_done() {
                        machine.step();
                        let mut found = Vec::new();
                        let Ok(()) = moments.arrivals(machine.tick(), |flit| -> Result<(), std::convert::Infallible> {
                            found.push(flit);
                            Ok(())
                        });
                        let ports =
                            topology.node_ids().flat_map(|node| topology.port_ids().map(move |port| (node, port)));
                        let expected = ports.map(|(node, port)| {
                            topology.step(node, port).and_then(|_| machine.arrival(node, Channel::first(port)))
                        });
                        assert!(expected.eq(found), "{scheme} {topology} {switching}, tick {}", machine.tick());
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 1000, "{compared} ticks");
    }

    #[test]
    fn a_path_is_played_if_what_comes_from_its_far_end_has_come_over_many_outputs() {
        for nodes in 2..20 {
            let path = Topology::new(ShapeName::Path, &[nodes]).unwrap();
            let task = Task { topology: &path, link: Link::default(), choice: Choice::default() };
            let built = SchemeName::default().build(&task, "any").unwrap();
            assert_eq!(Moments::of(&built.program).is_some(), nodes < 10, "{nodes}");
        }
    }
}
