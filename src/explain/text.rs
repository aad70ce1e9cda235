//! An explanation in words.

use std::fmt::{self, Display, Formatter, Write as _};

use super::story::{
    CycleStory, Explanation, HopStory, PacketName, PacketWay, PartialPort, PortStory, ReductionStory, StreamStory,
    SumStory, SupplyStory, TickStory, ValueStory,
};
use crate::program::{ShownChannel, count, joined};

const COLUMNS: usize = 110;
/// Ways of more hops than this are told without their middle.
const MOST_HOPS: usize = 10;
/// Number of hops listed at either end of a long path.
const END_HOPS: usize = 4;

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, topology, scheme, reference, node, class, region, ticks, flits, packets, .. } = self;
        let task = self.reduction.as_ref().map_or(String::new(), |reduction| format!(" {}", reduction.collective));
        writeln!(f, "node {node} of {name}: {scheme}{task} on a {}, {ticks} ticks", topology.describe())?;
        writeln!(f, "class {class}: {region}")?;
        writeln!(f, "{reference}")?;
        let is_long = self.latency + self.adding > 1;
        if *flits > 1 && !is_long {
            writeln!(f, "ticks are those of packets of one flit; {flits} flits make each last {flits} clock ticks")?;
        }
        if self.latency > 1 {
            let (latency, later) = (self.latency, count(u64::from(self.latency) - 1, "tick"));
            writeln!(f, "links are {latency} ticks long: what is sent in a tick arrives {later} later")?;
        }
        if self.adding > 0 {
            let [adding, later] =
                [self.adding, self.latency - 1 + self.adding].map(|ticks| count(ticks.into(), "tick"));
            writeln!(f, "adders take {adding}: a partial arrives {later} after it is sent")?;
        }
        if *flits > 1 && is_long {
            writeln!(f, "a packet has the tick of its first flit; a step, its time on a link, takes {flits} ticks")?;
        }
        if let Some(reduction) = &self.reduction {
            reduction_text(f, reduction, *packets)?;
            if self.moving > 0 {
                let first = reduction.ticks + 2;
                writeln!(f, "\nafter a silent tick it gathers the results; from here on tick 1 is tick {first}")?;
            }
        }
        if !self.why.is_empty() {
            writeln!(f, "\nwhy")?;
            self.why.iter().try_for_each(|why| writeln!(f, "  {why}"))?;
        }
        if self.moving > 0 {
            self.moves(f)?;
        }
        if let Some(first) = self.at.first() {
            writeln!(f, "\nin tick {}{}", first.tick, flit(first.flit, *flits))?;
        }
        self.at.iter().try_for_each(|tick| tick_text(f, tick, *packets))
    }
}

impl Explanation {
    /// Writes the packets that the node sends and receives.
    fn moves(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nwhat it sends")?;
        let widest = self.outputs.iter().map(|output| output.purpose.len()).max().unwrap_or(0);
        for output in &self.outputs {
            writeln!(f, "  {}  {:widest$}  {}", output.port, output.purpose, output.rule)?;
        }
        if !self.cycles.is_empty() {
            writeln!(f)?;
        }
        self.cycles.iter().try_for_each(|cycle| cycle_text(f, cycle, self.unit))?;
        writeln!(f, "\nwhat arrives")?;
        self.ports.iter().try_for_each(|port| port_text(f, port, self.packets, self.moving))
    }
}

fn reduction_text(f: &mut Formatter<'_>, story: &ReductionStory, packets: u16) -> fmt::Result {
    let ReductionStory { operation, ticks, outputs, ports, results, .. } = story;
    writeln!(f, "\nwhat it combines by {operation}, in ticks 1..{ticks}")?;
    for output in outputs {
        writeln!(f, "  {}  {}", output.port, output.rule)?;
    }
    writeln!(f, "\nwhat arrives of partials")?;
    for PartialPort { port, neighbour, partials } in ports {
        let list = if partials.is_empty() { "nothing".to_owned() } else { packets_text(partials, packets, "for ") };
        writeln!(f, "  {port}  from {neighbour}: {list}")?;
    }
    writeln!(f, "\nwhat its own values become, read after tick {ticks}")?;
    results.iter().try_for_each(|result| writeln!(f, "  packet {}  {}", result.packet, result.rule))
}

/// The first few packets and the last, with their ticks.
fn packets_text(list: &[PacketName], packets: u16, what: &str) -> String {
    const NAMED: usize = 6;
    let lane = |packet: &PacketName| packet.lane.map_or(String::new(), |lane| format!(" on lane {lane}"));
    let named =
        |packet: &PacketName| format!("{what}{} in tick {}{}", packet_text(packet, packets), packet.tick, lane(packet));
    let mut named_ones: Vec<String> = list.iter().take(NAMED).map(named).collect();
    if let Some(last) = list.last().filter(|_| list.len() > NAMED) {
        named_ones.extend(["...".to_owned(), named(last)]);
    }
    named_ones.join(", ")
}

fn flit(flit: u32, flits: u32) -> String {
    if flits == 1 { String::new() } else { format!(", flit {flit} of each packet") }
}

fn cycle_text(f: &mut Formatter<'_>, story: &CycleStory, unit: &str) -> fmt::Result {
    let CycleStory { cycle, length, place, double, ports, supply } = story;
    write!(f, "cycle {cycle} of {length} places: ")?;
    match (place, ports, supply) {
        (Some(place), Some([from, to]), _) if *double => {
            let next = (place + 1) % length;
            writeln!(f, "it has places {place} and {next}, a double node; in by {from}, out by {to}")
        }
        (Some(place), Some([from, to]), _) => writeln!(f, "it has place {place}, in by {from}, out by {to}"),
        (_, _, Some(supply)) => supply_text(f, supply, unit),
        _ => writeln!(f, "it is not on it"),
    }
}

fn supply_text(f: &mut Formatter<'_>, supply: &SupplyStory, unit: &str) -> fmt::Result {
    let SupplyStory { a, b, distance, reason, reference } = supply;
    writeln!(f, "it is not on it, and two supporters D = {distance} apart send it both streams")?;
    for (name, feed) in [("A", a), ("B", b)] {
        write!(f, "  {name}  {} at place {}, by {}", feed.supporter, feed.place, feed.port)?;
        match &feed.relay {
            Some(relay) => writeln!(f, ", relayed by {relay} a {unit} later")?,
            None => writeln!(f)?,
        }
    }
    write!(f, "{}", indented(&format!("{reason} ({reference})."), "  "))
}

fn port_text(f: &mut Formatter<'_>, story: &PortStory, packets: u16, ticks: u32) -> fmt::Result {
    let PortStory { port, neighbour, streams, arrivals } = story;
    write!(f, "  {port}  from {neighbour}: ")?;
    if !arrivals.is_empty() {
        return writeln!(f, "{}", packets_text(arrivals, packets, ""));
    }
    let Some(last) = streams.last() else { return writeln!(f, "nothing") };
    writeln!(f, "cycle {}", last.cycle)?;
    streams.iter().try_for_each(|stream| stream_text(f, stream, packets))?;
    match last.ticks[1] + 1 {
        silent if silent <= ticks => {
            writeln!(f, "    silent from tick {silent} on: that packet comes by the cycle's other port")
        }
        _ => Ok(()),
    }
}

fn stream_text(f: &mut Formatter<'_>, stream: &StreamStory, packets: u16) -> fmt::Result {
    let &StreamStory { ticks: [first, last], count, way, places: [from, to], packets: ref named, .. } = stream;
    let mut list: Vec<String> = named.iter().map(|packet| packet_text(packet, packets)).collect();
    if count as usize > list.len() {
        list.insert(list.len() - 1, "...".to_owned());
    }
    let ticks = if first == last { format!("tick {first}") } else { format!("ticks {first}..{last}") };
    let (places, order) = if count == 1 {
        (format!("place {from}"), String::new())
    } else {
        let order = if way == "forward" { "down" } else { "up" };
        (format!("places {from}"), format!(" {order} to {to}"))
    };
    writeln!(f, "    {ticks}, {way}: {places}{order}: {}", list.join(", "))
}

/// `3,4`, or `3,4 (1)` where nodes have several packets.
fn packet_text(packet: &PacketName, packets: u16) -> String {
    if packets == 1 { packet.node.to_string() } else { format!("{} ({})", packet.node, packet.packet) }
}

/// A partial with everybody whose value is in it.
fn sum_text(f: &mut Formatter<'_>, port: ShownChannel, story: &SumStory, packets: u16) -> fmt::Result {
    let SumStory { node, packet, values } = story;
    let number = if packets == 1 { String::new() } else { format!("packet {packet} of ") };
    writeln!(f, "  {port}  partial for {number}{node}, of {}", count(values.len() as u64, "value"))?;
    some_of(f, values, |f, ValueStory { node, by, tick, with }| {
        let ports: Vec<String> = with.iter().map(ToString::to_string).collect();
        let with =
            if with.is_empty() { String::new() } else { format!(", with what came by {}", joined(&ports, "and")) };
        writeln!(f, "    tick {tick:<4}{node} sends it by {by}{with}")
    })
}

fn tick_text(f: &mut Formatter<'_>, story: &TickStory, packets: u16) -> fmt::Result {
    if let Some(sum) = &story.sum {
        return sum_text(f, story.port, sum, packets);
    }
    let Some(PacketWay { origin, packet, place, arc, hops }) = &story.way else {
        return writeln!(f, "  {}  nothing", story.port);
    };
    let number = if packets == 1 { String::new() } else { format!(" {packet}") };
    write!(f, "  {}  packet{number} of {origin}", story.port)?;
    if let Some([cycle, place]) = place {
        write!(f, ", from place {place} of cycle {cycle}")?;
    }
    if let Some([parent, child]) = arc {
        write!(f, ", by the arc {parent} -> {child} of its tree (root at the origin)")?;
    }
    writeln!(f)?;
    some_of(f, hops, hop_text)
}

/// All of them, or without their middle.
fn some_of<T>(f: &mut Formatter<'_>, all: &[T], write: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result) -> fmt::Result {
    let middle = if all.len() > MOST_HOPS { END_HOPS..all.len() - END_HOPS } else { 0..0 };
    for (index, one) in all.iter().enumerate() {
        if !middle.contains(&index) {
            write(f, one)?;
        } else if index == middle.start {
            writeln!(f, "    ...      {} more nodes", middle.len())?;
        }
    }
    Ok(())
}

fn hop_text(f: &mut Formatter<'_>, hop: &HopStory) -> fmt::Result {
    let HopStory { node, by, tick, age } = hop;
    write!(f, "    tick {tick:<4}{node} sends it by {by}")?;
    match age {
        Some(age) if *age > 1 => writeln!(f, ", {age} ticks after it came"),
        _ => writeln!(f),
    }
}

/// Text in lines of limited width.
fn indented(text: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut width = COLUMNS;
    for word in text.split_whitespace() {
        if width + 1 + word.len() > COLUMNS {
            let newline = if lines.is_empty() { "" } else { "\n" };
            let _ = write!(lines, "{newline}{indent}{word}");
            width = indent.len() + word.len();
        } else {
            let _ = write!(lines, " {word}");
            width += 1 + word.len();
        }
    }
    lines + "\n"
}
