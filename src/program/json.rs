//! A program as JSON, formats `torusweave-program/1` and `/2`: documented in docs/program-format.md.

use std::fmt::{self, Write};

use super::{ClassId, From, Message, Program, Source, To, Track, class_symbol};
use crate::net::{NodeId, Port, Shape, Topology};

impl Program {
    /// The whole program as JSON.
    pub fn json(&self) -> String {
        let mut text = String::new();
        self.write_json(&mut text).expect("a string takes all text");
        text
    }

    /// One node's part of the program as JSON.
    pub fn node_json(&self, node: NodeId) -> String {
        let class = self.class_of[node.index()];
        let outputs = self.class(node).outputs.iter().enumerate();
        let outputs: Vec<String> = outputs.map(|(port, track)| track_json(Port::from_index(port), track)).collect();
        let coords = list(self.topology.coords(node).iter().map(u32::to_string));
        let outputs = outputs.join(",\n  ");
        format!("{{ \"node\": [{coords}], \"class\": \"{}\", \"outputs\": [\n  {outputs}\n] }}\n", class_symbol(class))
    }

    /// Writes the whole program as JSON.
    pub fn write_json(&self, out: &mut impl Write) -> fmt::Result {
        let topology = &self.topology;
        let title = &self.title;
        writeln!(out, "{{")?;
        writeln!(out, "  \"format\": \"torusweave-program/{}\",", self.version())?;
        writeln!(out, "  \"name\": \"{}\",", title.name)?;
        writeln!(out, "  \"topology\": {{\"{}\": {}}},", topology.shape(), sides(topology))?;
        writeln!(out, "  \"collective\": \"{}\", \"scheme\": \"{}\",", self.demand.collective(), title.scheme)?;
        let (ticks, flits, packets) = (self.ticks, self.flits, self.demand.most_packets());
        writeln!(out, "  \"ticks\": {ticks}, \"flits\": {flits}, \"lanes\": 1, \"packets\": {packets},")?;
        if !self.demand.is_gossip() {
            writeln!(out, "  \"messages\": [")?;
            let messages = self.demand.messages().iter().map(|message| format!("    {}", message_json(message)));
            writeln!(out, "{}\n  ],", messages.collect::<Vec<_>>().join(",\n"))?;
        }
        writeln!(out, "  \"ports\": [{}],", list(topology.port_ids().map(|port| format!("\"{port}\""))))?;
        writeln!(out, "  \"classes\": [")?;
        for index in 0..self.classes.len() {
            let comma = if index + 1 < self.classes.len() { "," } else { "" };
            self.write_class_json(out, ClassId(index as u32))?;
            writeln!(out, "{comma}")?;
        }
        writeln!(out, "  ],")?;
        writeln!(out, "  \"class_of\": [")?;
        let row = topology.side(topology.axes() - 1) as usize;
        for (index, classes) in self.class_of.chunks(row).enumerate() {
            let comma = if (index + 1) * row < self.class_of.len() { "," } else { "" };
            writeln!(out, "    {}{comma}", list(classes.iter().map(|class| class.0.to_string())))?;
        }
        writeln!(out, "  ]")?;
        writeln!(out, "}}")
    }

    /// The first format knows gossip on tori only; its readers execute that rightly.
    fn version(&self) -> u32 {
        if self.topology.shape() == Shape::Torus && self.demand.is_gossip() { 1 } else { 2 }
    }

    fn write_class_json(&self, out: &mut impl Write, class: ClassId) -> fmt::Result {
        writeln!(out, "    {{ \"name\": \"{}\", \"outputs\": [", class_symbol(class))?;
        let outputs = &self.classes[class.index()].outputs;
        for (index, track) in outputs.iter().enumerate() {
            let comma = if index + 1 < outputs.len() { "," } else { "" };
            writeln!(out, "      {}{comma}", track_json(Port::from_index(index), track))?;
        }
        write!(out, "    ] }}")
    }
}

/// One message: `{"from": 3, "to": null, "flits": 1}`.
fn message_json(message: &Message) -> String {
    let from = match message.from {
        From::Every => "null".to_owned(),
        From::Node(node) => node.0.to_string(),
    };
    let to = match &message.to {
        To::All => "null".to_owned(),
        To::Node(node) => node.0.to_string(),
        To::Offset(offset) => format!("{{\"offset\": [{}]}}", list(offset.iter().map(u32::to_string))),
    };
    format!("{{\"from\": {from}, \"to\": {to}, \"flits\": {}}}", message.flits)
}

fn sides(topology: &Topology) -> String {
    let sides = list(topology.dims().iter().map(u32::to_string));
    if topology.shape().is_line() { sides } else { format!("[{sides}]") }
}

/// One output: `{ "port": ..., "runs": [...], "repeat_from": ... }`.
fn track_json(port: Port, track: &Track) -> String {
    let runs = list(track.runs.iter().map(|run| {
        let source = match run.source {
            Source::Idle => "\"idle\": true".to_owned(),
            Source::Own { packet } => format!("\"own\": {packet}"),
            Source::In { port, age } => format!("\"in\": \"{port}\", \"age\": {age}"),
        };
        format!("{{{source}, \"ticks\": {}}}", run.ticks)
    }));
    let repeat = track.repeat_from.map_or("null".to_owned(), |from| from.to_string());
    format!("{{ \"port\": \"{port}\", \"runs\": [{runs}], \"repeat_from\": {repeat} }}")
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
