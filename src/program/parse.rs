//! A program read from its JSON, whoever wrote it: what does not fit together is refused.

mod written;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;

use thiserror::Error;

use super::{
    Away, Class, ClassId, Demand, Entries, Groups, Message, NoGroups, Operands, Partial, PartialOrder, Program,
    Reduction, Run, Sender, Source, Title, To, Track, Window, class_symbol, count,
};
use crate::files::shown;
use crate::net::{NodeId, Port, Ports, Topology};
use written::{FormatField, Lists, PortName, Ran, WrittenOperand, WrittenOutput, WrittenProgram, WrittenReceiver};

/// Rounds are unrolled for parts and on long links: more runs than this are read of no output.
const MOST_UNROLLED: u64 = 1 << 20;
/// Every format of a program begins so.
const FORMAT: &str = "torusweave-program/";

/// Error in the JSON of a program.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// No JSON, or without the fields of a program.
    #[error("not a program: {0}")]
    Json(#[from] serde_json::Error),
    /// A format of somebody else, or a later one.
    #[error("format: `{}` is not known here", shown(format))]
    Format {
        /// Format that the file names.
        format: String,
    },
    /// A field that does not fit to the others.
    #[error("{field}: {reason}")]
    Field {
        /// Path of the field in the JSON.
        field: String,
        /// Why it does not fit.
        reason: String,
    },
}

impl ProgramError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Json(_) => "was it cut off, or edited? `torusweave program --format json` prints one",
            Self::Format { .. } => "torusweave-program/1 to /4 are read; did a newer torusweave write it?",
            Self::Field { .. } => "was it edited? docs/program-format.md says what each field means",
        }
    }
}

fn wrong(field: impl Display, reason: impl Display) -> ProgramError {
    ProgramError::Field { field: field.to_string(), reason: reason.to_string() }
}

/// Fails unless something holds.
fn hold(holds: bool, field: impl Display, reason: impl Display) -> Result<(), ProgramError> {
    if holds { Ok(()) } else { Err(wrong(field, reason)) }
}

/// Returns true if a text says that it is a program.
pub fn is_program(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains(&format!("\"{FORMAT}"))
}

impl Program {
    /// Reads what [`Program::json`] writes. The result is well-formed; whether it is right is for `check` to say.
    pub fn from_json(text: &str) -> Result<Self, ProgramError> {
        let FormatField { format } = serde_json::from_str(text)?;
        if !format.strip_prefix(FORMAT).is_some_and(|version| matches!(version, "1" | "2" | "3" | "4")) {
            return Err(ProgramError::Format { format });
        }
        serde_json::from_str::<WrittenProgram>(text)?.read()
    }
}

impl WrittenProgram {
    fn read(self) -> Result<Program, ProgramError> {
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        hold(!self.name.is_empty() && is_name(&self.name), "name", "it is no Verilog identifier")?;
        hold(self.scheme.bytes().all(|byte| matches!(byte, b' '..=b'~')), "scheme", "it is not printable")?;
        let topology = self.topology.lay_out().map_err(|error| wrong("topology", error))?;
        let classes = self.classes(&topology)?;
        self.check_class_of(&topology)?;
        let windows = self.windows.iter().map(|&(first, ticks)| Window { first, ticks }).collect::<Vec<_>>();
        let nodes = topology.nodes() as usize;
        hold(windows.is_empty() || windows.len() == nodes, "windows", one_a_node(windows.len(), &topology))?;
        let mut demand = self.demand(&topology)?.within(self.groups(&topology)?);
        if let Some(collective) = &self.collective {
            demand.choose_collective(collective);
        }
        let reduction = self.reduction(&topology, &demand)?;
        self.check_latency(reduction.as_ref())?;
        // dead nodes get a class of their own
        let class_of = self.class_of.into_iter().map(|class| ClassId(class.unwrap_or(0))).collect();
        let program = Program {
            ticks: self.ticks.get(),
            flits: self.flits.get(),
            duplex: self.duplex,
            lanes: self.lanes.get(),
            latency: self.latency.get(),
            title: Title { name: self.name, scheme: self.scheme },
            class_of,
            reduction: reduction.map(Arc::new),
            topology,
            demand,
            classes,
            windows,
        };
        Ok(program.with_dead_class())
    }

    fn classes(&self, topology: &Topology) -> Result<Vec<Class>, ProgramError> {
        let lanes = usize::from(self.lanes.get());
        let outputs = topology.ports() * lanes;
        let class = |(class, written): (usize, &written::WrittenClass)| {
            let name = class_symbol(ClassId(class as u32));
            let field = format!("class {name}");
            let has = written.outputs.len();
            hold(has == outputs, &field, format!("{} where a node has {outputs}", count(has as u64, "output")))?;
            let track = |(index, output): (usize, &WrittenOutput)| {
                let (port, lane) = (Port::from_index(index / lanes), index % lanes);
                let field = format!("{field}, output {}", index + 1);
                let is_it = output.port.0 == port && usize::from(output.lane) == lane;
                hold(is_it, &field, format!("it is not lane {lane} of port {port}"))?;
                self.track(topology, output).map_err(|reason| wrong(&field, reason))
            };
            Ok(Class { outputs: written.outputs.iter().enumerate().map(track).collect::<Result<_, _>>()? })
        };
        self.classes.iter().enumerate().map(class).collect()
    }

    fn track(&self, topology: &Topology, output: &WrittenOutput) -> Result<Track, String> {
        let run = |run: &Ran| Ok(Run { source: self.source(topology, run)?, ticks: run.ticks.get() });
        let runs: Vec<Run> = output.runs.iter().map(run).collect::<Result<_, String>>()?;
        let (ticks, all) = (runs.iter().map(|run| u64::from(run.ticks)).sum::<u64>(), u64::from(self.ticks.get()));
        match output.repeat_from {
            None if ticks != all => return Err(format!("its runs last {ticks} ticks, not {all}")),
            Some(from) if from >= runs.len() => return Err(format!("there is no run {from} to repeat from")),
            Some(_) if ticks > u32::MAX.into() => return Err(format!("its runs last {ticks} ticks")),
            _ => {}
        }
        if let Some(from) = output.repeat_from.filter(|_| self.latency.get() > 1 || self.reduce_ticks.is_some()) {
            let round = runs[from..].iter().map(|run| u64::from(run.ticks)).sum::<u64>();
            let unrolled = all.div_ceil(round) * (runs.len() - from) as u64;
            if unrolled > MOST_UNROLLED {
                return Err(format!("its rounds are {unrolled} runs, one after the other"));
            }
        }
        if output.inject.is_some() && self.windows.is_empty() {
            return Err("it injects, and there are no windows".into());
        }
        if let Some(packet) = output.inject {
            self.has_packet(packet)?;
        }
        Ok(Track { runs, repeat_from: output.repeat_from, inject: output.inject })
    }

    fn source(&self, topology: &Topology, run: &Ran) -> Result<Source, String> {
        match run {
            Ran { idle: Some(true), own: None, input: None, any: None, sum: None, .. } => Ok(Source::Idle),
            &Ran { own: Some(packet), through, idle: None, input: None, any: None, sum: None, .. } => {
                let through = through.unwrap_or(packet);
                self.has_packet(through)?;
                if through < packet {
                    return Err(format!("packets {packet} through {through} are none"));
                }
                Ok(Source::Own { packet, through })
            }
            Ran { input: Some(input), age: Some(age), lane, idle: None, own: None, any: None, sum: None, .. } => {
                if *lane >= self.lanes.get() {
                    return Err(format!("there is no lane {lane}"));
                }
                Ok(Source::In { port: port(topology, *input)?, lane: *lane, age: age.get() })
            }
            Ran { any: Some(any), idle: None, own: None, input: None, sum: None, .. } => {
                let ports = any.iter().map(|&input| port(topology, input)).collect::<Result<Vec<_>, _>>()?;
                Ok(Source::Any { ports: Ports::of(ports) })
            }
            Ran { sum: Some(sum), idle: None, own: None, input: None, any: None, .. } if self.operation.is_some() => {
                Ok(Source::Sum { operands: operands(topology, sum)? })
            }
            _ => Err("a run is one of idle, own, in with an age, any and, with an operation, sum".into()),
        }
    }

    /// Some node may have it, as far as `packets` tells.
    fn has_packet(&self, packet: u32) -> Result<(), String> {
        if packet < u32::from(self.packets.get()) { Ok(()) } else { Err(format!("no node has a packet {packet}")) }
    }

    fn check_class_of(&self, topology: &Topology) -> Result<(), ProgramError> {
        let has = self.class_of.len();
        hold(has == topology.nodes() as usize, "class_of", one_a_node(has, topology))?;
        let is_live = |(node, class): (NodeId, &Option<u32>)| class.is_some() == topology.is_live(node);
        let are_alive = topology.node_ids().zip(&self.class_of).all(is_live);
        hold(are_alive, "class_of", "it is null for dead nodes, and for no others")?;
        let classes: BTreeSet<u32> = self.class_of.iter().copied().flatten().collect();
        let are_all = classes.iter().copied().eq(0..self.classes.len() as u32);
        hold(are_all, "class_of", "it names a class that is not in `classes`, or not all of them")
    }

    fn demand(&self, topology: &Topology) -> Result<Demand, ProgramError> {
        let Some(written) = &self.messages else {
            let message = Message { from: Sender::Every, to: To::All, flits: self.flits.get() };
            return Ok(Demand::new(topology, vec![message; self.packets.get().into()]));
        };
        let node = |node: u32| {
            if node < topology.nodes() && topology.is_live(NodeId(node)) {
                Ok(NodeId(node))
            } else {
                Err(no_node(node))
            }
        };
        let message = |message: &written::WrittenMessage| {
            let from = message.from.map_or(Ok(Sender::Every), |from| node(from).map(Sender::Node))?;
            let to = match &message.to {
                None => To::All,
                Some(WrittenReceiver::Node(to)) => To::Node(node(*to)?),
                Some(WrittenReceiver::Offset { offset }) => To::Offset(away(topology, offset)?),
            };
            Ok(Message { from, to, flits: message.flits })
        };
        let messages = written.iter().map(message).collect::<Result<Vec<_>, _>>();
        let messages = messages.map_err(|reason: String| wrong("messages", reason))?;
        // numbered one by one where not all nodes have the same
        let each = |of: fn(&Message) -> u64| {
            let senders = |message: &Message| if message.from == Sender::Every { topology.nodes() } else { 1 };
            messages.iter().map(|message| u128::from(senders(message)) * u128::from(of(message))).sum::<u128>()
        };
        let (packets, flits) = (each(|_| 1), each(|message| message.flits.into()));
        let are_few = packets.max(flits) <= u32::MAX.into();
        hold(are_few, "messages", format!("{packets} of {flits} flits are more than can be numbered"))?;
        let demand = Demand::new(topology, messages);
        let most = demand.most_packets();
        hold(most == u32::from(self.packets.get()), "packets", format!("the node with most messages has {most}"))?;
        Ok(demand)
    }

    fn groups(&self, topology: &Topology) -> Result<Option<Arc<Groups>>, ProgramError> {
        let Some(written) = &self.groups else { return Ok(None) };
        let members = written.iter().map(|nodes| nodes.iter().copied().map(NodeId).collect()).collect();
        let groups = Groups::new(topology, members).map_err(|error| {
            let reason = match error {
                NoGroups::Left(node) => format!("node {} is in none", node.0),
                NoGroups::Misplaced(node) => format!("node {} is no live node, or named twice", node.0),
                NoGroups::Single(group) => format!("group {group} has less than two nodes"),
            };
            wrong("groups", reason)
        })?;
        Ok(Some(Arc::new(groups)))
    }

    fn reduction(&self, topology: &Topology, demand: &Demand) -> Result<Option<Reduction>, ProgramError> {
        let (operation, order, results) = match (self.operation, &self.order, &self.results) {
            (None, None, None) if self.reduce_ticks.is_none() && self.reduce_latency.is_none() => return Ok(None),
            (Some(operation), Some(order), Some(results)) => (operation, order, results),
            _ => return Err(wrong("operation", "it needs `order` and `results`, and they need it")),
        };
        let (number, flush) = (self.number, self.flush);
        hold(number.allows(operation), "number", format!("values of {number} are not combined by {operation}"))?;
        hold(!flush || number.float().is_some(), "flush", format!("{number} has no subnormal values"))?;
        let adding = self.reduce_latency.map_or(Some(0), |it| it.get().checked_sub(self.latency.get()));
        let adding = adding.ok_or_else(|| wrong("reduce_latency", "it is less than `latency`"))?;
        hold(self.lanes.get() == 1, "lanes", "values are combined on links of one lane")?;
        let nodes = topology.nodes() as usize;
        let entries = match (&order.offsets, &order.nodes) {
            (Some(lists), None) => {
                let entry = |(offset, packet): &(Vec<u32>, u32)| {
                    self.has_packet(*packet)?;
                    Ok(Away { offset: away(topology, offset)?, packet: *packet })
                };
                Entries::Offsets(lists_of(topology, lists, entry).map_err(|reason| wrong("order.offsets", reason))?)
            }
            (None, Some(lists)) => {
                hold(lists.len() == nodes, "order.nodes", one_a_node(lists.len(), topology))?;
                let entry = |&(node, packet): &(u32, u32)| {
                    self.has_packet(packet)?;
                    if node < topology.nodes() {
                        Ok(Partial { node: NodeId(node), packet })
                    } else {
                        Err(no_node(node))
                    }
                };
                let lists = lists.iter().map(|lists| lists_of(topology, lists, entry)).collect::<Result<_, _>>();
                Entries::Nodes(lists.map_err(|reason| wrong("order.nodes", reason))?)
            }
            _ => return Err(wrong("order", "it has one of `offsets` and `nodes`")),
        };
        let everywhere = self.everywhere;
        let is_one_part = self.reduce_ticks.is_none_or(|ticks| ticks == self.ticks);
        hold(!everywhere || is_one_part, "reduce_ticks", "nothing is gathered where every node combines")?;
        hold(
            !everywhere || !demand.is_gossip(),
            "everywhere",
            "`messages` says that all packets are those of one node",
        )?;
        let has_each = |(node, class): (NodeId, &Option<u32>)| {
            let all = || demand.flits_of_group(topology, node).count() as u64 / u64::from(self.flits.get());
            let packets = if everywhere { all() } else { demand.packets_of(node).into() };
            class.is_none_or(|class| results[class as usize].len() as u64 == packets)
        };
        let are_whole = results.len() == self.classes.len() && topology.node_ids().zip(&self.class_of).all(has_each);
        hold(are_whole, "results", "not one for each packet of each class")?;
        let of_class =
            |class: &Vec<Vec<WrittenOperand>>| class.iter().map(|result| operands(topology, result)).collect();
        let results =
            results.iter().map(of_class).collect::<Result<_, _>>().map_err(|reason| wrong("results", reason))?;
        let order = PartialOrder { entries, starts: order.starts };
        let ticks = self.reduce_ticks.unwrap_or(self.ticks).get();
        Ok(Some(Reduction { operation, number, flush, adding, ticks, everywhere, order, results }))
    }

    /// Checks that a flit of the first tick arrives within the program, and within its part.
    fn check_latency(&self, reduction: Option<&Reduction>) -> Result<(), ProgramError> {
        let (ticks, latency) = (self.ticks.get(), self.latency.get());
        let before = latency.saturating_add(reduction.map_or(0, |reduction| reduction.adding));
        hold(latency <= ticks, "latency", format!("nothing arrives in {ticks} ticks"))?;
        hold(before <= ticks, "reduce_latency", format!("nothing arrives in {ticks} ticks"))?;
        let Some(reduction) = reduction.filter(|reduction| reduction.ticks != ticks) else { return Ok(()) };
        let after = ticks.checked_sub(reduction.ticks).map(|after| after - 1);
        let is_long = reduction.ticks >= before && after.is_some_and(|after| after >= latency);
        hold(is_long, "reduce_ticks", format!("{} of {ticks} leave nothing for one of two parts", reduction.ticks))
    }
}

fn no_node(node: u32) -> String {
    format!("there is no node {node}")
}

fn one_a_node(has: usize, topology: &Topology) -> String {
    format!("{has} for {}", count(topology.nodes().into(), "node"))
}

fn port(topology: &Topology, PortName(port): PortName) -> Result<Port, String> {
    if port.index() < topology.ports() { Ok(port) } else { Err(format!("there is no port {port}")) }
}

fn away(topology: &Topology, offset: &[u32]) -> Result<Vec<u32>, String> {
    let is_away = offset.len() == topology.axes() && offset.iter().zip(topology.dims()).all(|(by, side)| by < side);
    if is_away { Ok(offset.to_vec()) } else { Err(format!("{offset:?} is no way to another node")) }
}

fn operands(topology: &Topology, written: &[WrittenOperand]) -> Result<Operands, String> {
    let operand = |it: &WrittenOperand| Ok(super::Operand { port: port(topology, it.input)?, age: it.age.get() });
    Ok(Operands::of(written.iter().map(operand).collect::<Result<Vec<_>, String>>()?))
}

/// The lists of all ports; those without entries are left out.
fn lists_of<T, W>(
    topology: &Topology,
    Lists(written): &Lists<W>,
    entry: impl Fn(&W) -> Result<T, String>,
) -> Result<Vec<Vec<Option<T>>>, String> {
    for &name in written.keys() {
        port(topology, name)?;
    }
    let entry = |of: &Option<W>| of.as_ref().map(&entry).transpose();
    let list = |port| written.get(&PortName(port)).into_iter().flatten().map(entry).collect();
    topology.port_ids().map(list).collect()
}
