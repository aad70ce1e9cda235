//! An explanation in words.

use std::fmt::{self, Display, Formatter, Write as _};

use super::story::{CycleStory, Explanation, HopStory, Packet, PortStory, StreamStory, SupplyStory, TickStory, Way};

const COLUMNS: usize = 110;
/// Ways of more hops than this are told without their middle.
const MOST_HOPS: usize = 10;
/// How many hops are told at either end of a long way.
const END_HOPS: usize = 4;

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, topology, scheme, reference, node, class, region, ticks, flits, packets, .. } = self;
        writeln!(f, "node {node} of {name}: {scheme} on a {topology}, {ticks} ticks")?;
        writeln!(f, "class {class}: {region}")?;
        writeln!(f, "{reference}")?;
        if *flits > 1 {
            writeln!(f, "ticks are those of packets of one flit; {flits} flits make each last {flits} clock ticks")?;
        }
        if !self.why.is_empty() {
            writeln!(f, "\nwhy")?;
            self.why.iter().try_for_each(|why| writeln!(f, "  {why}"))?;
        }
        writeln!(f, "\nwhat it sends")?;
        let widest = self.outputs.iter().map(|output| output.purpose.len()).max().unwrap_or(0);
        for output in &self.outputs {
            writeln!(f, "  {}  {:widest$}  {}", output.port, output.purpose, output.rule)?;
        }
        if !self.cycles.is_empty() {
            writeln!(f)?;
        }
        self.cycles.iter().try_for_each(|cycle| cycle_text(f, cycle))?;
        writeln!(f, "\nwhat arrives")?;
        self.ports.iter().try_for_each(|port| port_text(f, port, *packets, *ticks))?;
        if let Some(first) = self.at.first() {
            writeln!(f, "\nin tick {}{}", first.tick, flit(first.flit, *flits))?;
        }
        self.at.iter().try_for_each(|tick| tick_text(f, tick, *packets))
    }
}

fn flit(flit: u32, flits: u32) -> String {
    if flits == 1 { String::new() } else { format!(", flit {flit} of each packet") }
}

fn cycle_text(f: &mut Formatter<'_>, story: &CycleStory) -> fmt::Result {
    let CycleStory { cycle, length, place, double, ports, supply } = story;
    write!(f, "cycle {cycle} of {length} places: ")?;
    match (place, ports, supply) {
        (Some(place), Some([from, to]), _) if *double => {
            let next = (place + 1) % length;
            writeln!(f, "it has places {place} and {next}, a double node; in by {from}, out by {to}")
        }
        (Some(place), Some([from, to]), _) => writeln!(f, "it has place {place}, in by {from}, out by {to}"),
        (_, _, Some(supply)) => supply_text(f, supply),
        _ => writeln!(f, "it is not on it"),
    }
}

fn supply_text(f: &mut Formatter<'_>, supply: &SupplyStory) -> fmt::Result {
    let SupplyStory { a, b, distance, reason, reference } = supply;
    writeln!(f, "it is not on it, and two supporters D = {distance} apart send it both streams")?;
    for (name, feed) in [("A", a), ("B", b)] {
        write!(f, "  {name}  {} at place {}, by {}", feed.supporter, feed.place, feed.port)?;
        match &feed.relay {
            Some(relay) => writeln!(f, ", relayed by {relay} a tick later")?,
            None => writeln!(f)?,
        }
    }
    write!(f, "{}", indented(&format!("{reason} ({reference})."), "  "))
}

fn port_text(f: &mut Formatter<'_>, story: &PortStory, packets: u16, ticks: u32) -> fmt::Result {
    let PortStory { port, neighbour, streams, arrivals } = story;
    write!(f, "  {port}  from {neighbour}: ")?;
    if let Some(last) = arrivals.last() {
        const NAMED: usize = 6;
        let named = |packet: &Packet| format!("{} in tick {}", packet_text(packet, packets), packet.tick);
        let mut list: Vec<String> = arrivals.iter().take(NAMED).map(named).collect();
        if arrivals.len() > NAMED {
            list.extend(["...".to_owned(), named(last)]);
        }
        return writeln!(f, "{}", list.join(", "));
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
    let StreamStory { ticks: [first, last], way, places: [from, to], packets: named, .. } = stream;
    let mut list: Vec<String> = named.iter().map(|packet| packet_text(packet, packets)).collect();
    let count = last - first + 1;
    if count as usize > list.len() {
        list.insert(list.len() - 1, "...".to_owned());
    }
    let (ticks, places, order) = if count == 1 {
        (format!("tick {first}"), format!("place {from}"), String::new())
    } else {
        let order = if *way == "forward" { "down" } else { "up" };
        (format!("ticks {first}..{last}"), format!("places {from}"), format!(" {order} to {to}"))
    };
    writeln!(f, "    {ticks}, {way}: {places}{order}: {}", list.join(", "))
}

/// `3,4`, or `3,4 (1)` where nodes have several packets.
fn packet_text(packet: &Packet, packets: u16) -> String {
    if packets == 1 { packet.node.clone() } else { format!("{} ({})", packet.node, packet.packet) }
}

fn tick_text(f: &mut Formatter<'_>, story: &TickStory, packets: u16) -> fmt::Result {
    let Some(Way { origin, packet, place, arc, hops }) = &story.way else {
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
    let middle = if hops.len() > MOST_HOPS { END_HOPS..hops.len() - END_HOPS } else { 0..0 };
    for (index, hop) in hops.iter().enumerate() {
        if !middle.contains(&index) {
            hop_text(f, hop)?;
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
