//! A program as JSON, formats `torusweave-program/1` to `/4`: documented in docs/program-format.md.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::{
    Away, Class, ClassId, Entries, Message, Number, Operand, Operands, Partial, PartialOrder, Program, Reduction,
    Sender, Source, To, Track, Window, class_symbol,
};
use crate::net::{NodeId, Port, ShapeName, Topology};

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
        let outputs: Vec<String> = outputs.map(|(output, track)| self.track_json(output, track)).collect();
        let coords = list(self.topology.coords(node).iter().map(u32::to_string));
        let outputs = outputs.join(",\n  ");
        let window =
            self.windows.get(node.index()).map_or(String::new(), |window| format!("\"window\": {}, ", pair(*window)));
        let class = self.class_name(class);
        format!(
            "{{ \"format\": \"torusweave-node/1\", \"node\": [{coords}], \"class\": \"{class}\", {window}\"outputs\": [\n  {outputs}\n] }}\n"
        )
    }

    /// Writes the whole program as JSON.
    pub fn write_json(&self, out: &mut impl Write) -> fmt::Result {
        let topology = &self.topology;
        let title = &self.title;
        writeln!(out, "{{")?;
        writeln!(out, "  \"format\": \"torusweave-program/{}\",", self.version())?;
        writeln!(out, "  \"name\": \"{}\",", title.name)?;
        writeln!(out, "  \"topology\": {},", topology_json(topology))?;
        writeln!(out, "  \"collective\": \"{}\", \"scheme\": \"{}\",", self.collective(), title.scheme)?;
        let (ticks, flits, packets) = (self.ticks, self.flits, self.demand.most_packets());
        let lanes = self.lanes;
        writeln!(out, "  \"ticks\": {ticks}, \"flits\": {flits}, \"lanes\": {lanes}, \"packets\": {packets},")?;
        match self.reduce_latency() {
            latency if latency > self.latency => {
                writeln!(out, "  \"latency\": {}, \"reduce_latency\": {latency},", self.latency)?;
            }
            1 => {}
            latency => writeln!(out, "  \"latency\": {latency},")?,
        }
        if let Some(reduction) = &self.reduction {
            write!(out, "  \"operation\": \"{}\",", reduction.operation)?;
            if reduction.number != Number::Word {
                write!(out, " \"number\": \"{}\",", reduction.number)?;
            }
            if reduction.flush {
                write!(out, " \"flush\": true,")?;
            }
            if reduction.everywhere {
                write!(out, " \"everywhere\": true,")?;
            }
            if reduction.ticks < ticks {
                write!(out, " \"reduce_ticks\": {},", reduction.ticks)?;
            }
            writeln!(out)?;
        }
        if !self.duplex.is_full() {
            writeln!(out, "  \"duplex\": \"{}\",", self.duplex)?;
        }
        if !self.demand.is_gossip() {
            writeln!(out, "  \"messages\": [")?;
            let messages = self.demand.messages().iter().map(|message| format!("    {}", message_json(message)));
            writeln!(out, "{}\n  ],", messages.collect::<Vec<_>>().join(",\n"))?;
        }
        if let Some(groups) = self.demand.groups() {
            let group = |nodes: &Vec<NodeId>| format!("    [{}]", list(nodes.iter().map(|node| node.0.to_string())));
            let groups = groups.members().iter().map(group).collect::<Vec<_>>().join(",\n");
            writeln!(out, "  \"groups\": [\n{groups}\n  ],")?;
        }
        writeln!(out, "  \"ports\": [{}],", list(topology.port_ids().map(|port| format!("\"{port}\""))))?;
        writeln!(out, "  \"classes\": [")?;
        for index in 0..self.live_classes() {
            let comma = if index + 1 < self.live_classes() { "," } else { "" };
            self.write_class_json(out, ClassId(index as u32))?;
            writeln!(out, "{comma}")?;
        }
        writeln!(out, "  ],")?;
        writeln!(out, "  \"class_of\": [")?;
        let dead = self.dead_class();
        let class = |class: &ClassId| if Some(*class) == dead { "null".to_owned() } else { class.0.to_string() };
        self.write_rows(out, self.class_of.iter().map(class))?;
        write!(out, "  ]")?;
        if !self.windows.is_empty() {
            writeln!(out, ",\n  \"windows\": [")?;
            self.write_rows(out, self.windows.iter().map(|window| pair(*window)))?;
            write!(out, "  ]")?;
        }
        if let Some(reduction) = &self.reduction {
            writeln!(out, ",")?;
            self.write_reduction(out, reduction)?;
        }
        writeln!(out, "\n}}")
    }

    /// Writes the order of the partials, and the operands that complete a node's own values.
    fn write_reduction(&self, out: &mut impl Write, reduction: &Reduction) -> fmt::Result {
        let PartialOrder { entries, starts } = &reduction.order;
        writeln!(out, "  \"order\": {{")?;
        if *starts {
            writeln!(out, "    \"starts\": true,")?;
        }
        match entries {
            Entries::Offsets(lists) => {
                let away = |Away { offset, packet }: &Away| {
                    format!("[[{}], {packet}]", list(offset.iter().map(u32::to_string)))
                };
                writeln!(out, "    \"offsets\": {}", self.lists_json(lists, away))?;
            }
            Entries::Nodes(nodes) => {
                let partial = |Partial { node, packet }: &Partial| format!("[{}, {packet}]", node.0);
                writeln!(out, "    \"nodes\": [")?;
                for (index, lists) in nodes.iter().enumerate() {
                    let comma = if index + 1 < nodes.len() { "," } else { "" };
                    writeln!(out, "      {}{comma}", self.lists_json(lists, partial))?;
                }
                writeln!(out, "    ]")?;
            }
        }
        let results = reduction.results.iter().take(self.live_classes()).map(|results| {
            let results = results.iter().map(|&result| format!("[{}]", operands_json(result)));
            format!("    [{}]", list(results))
        });
        write!(out, "  }},\n  \"results\": [\n{}\n  ]", results.collect::<Vec<_>>().join(",\n"))
    }

    /// The entries of each output that has some: `{"x1-": [...], ...}`.
    fn lists_json<T>(&self, lists: &[Vec<Option<T>>], entry: impl Fn(&T) -> String) -> String {
        let entry = |of: &Option<T>| of.as_ref().map_or("null".to_owned(), &entry);
        let lists = lists.iter().enumerate().filter(|(_, entries)| !entries.is_empty());
        let of = lists
            .map(|(output, entries)| format!("\"{}\": [{}]", self.output(output), list(entries.iter().map(entry))));
        format!("{{{}}}", list(of))
    }

    /// One item a node, the nodes of the last axis on a line.
    fn write_rows(&self, out: &mut impl Write, mut items: impl ExactSizeIterator<Item = String>) -> fmt::Result {
        let row = self.topology.side(self.topology.axes() - 1) as usize;
        while items.len() > 0 {
            let line = list(items.by_ref().take(row));
            writeln!(out, "    {line}{}", if items.len() > 0 { "," } else { "" })?;
        }
        Ok(())
    }

    /// The fourth format has groups. The third format has lattices, cylinders and dead parts, numbers with a sign, adders that take time and results at every node. The first format knows gossip on tori only, one flit a link; its readers execute that rightly, half-duplex links or not.
    fn version(&self) -> u32 {
        if self.demand.groups().is_some() {
            return 4;
        }
        let has_more = |it: &Arc<Reduction>| it.number.is_signed() || it.adding > 0 || it.everywhere;
        if self.topology.shape().is_none() || self.reduction.as_ref().is_some_and(has_more) {
            return 3;
        }
        let is_first = self.topology.shape() == Some(ShapeName::Torus) && self.demand.is_gossip();
        let has_extras = self.lanes > 1 || self.latency > 1 || !self.windows.is_empty() || self.reduction.is_some();
        if is_first && !has_extras && self.classes.iter().flat_map(Class::sources).all(Source::is_plain) {
            1
        } else {
            2
        }
    }

    fn write_class_json(&self, out: &mut impl Write, class: ClassId) -> fmt::Result {
        writeln!(out, "    {{ \"name\": \"{}\", \"outputs\": [", class_symbol(class))?;
        let outputs = &self.classes[class.index()].outputs;
        for (index, track) in outputs.iter().enumerate() {
            let comma = if index + 1 < outputs.len() { "," } else { "" };
            writeln!(out, "      {}{comma}", self.track_json(index, track))?;
        }
        write!(out, "    ] }}")
    }

    /// One output: `{ "port": ..., "runs": [...], "repeat_from": ... }`.
    fn track_json(&self, output: usize, track: &Track) -> String {
        let lanes = usize::from(self.lanes);
        let port = Port::from_index(output / lanes);
        let lane = lane_json((output % lanes) as u8);
        let inject = track.inject.map_or(String::new(), |packet| format!("\"inject\": {packet}, "));
        let runs =
            list(track.runs.iter().map(|run| format!("{{{}, \"ticks\": {}}}", source_json(run.source), run.ticks)));
        let repeat = track.repeat_from.map_or("null".to_owned(), |from| from.to_string());
        format!("{{ \"port\": \"{port}\", {lane}{inject}\"runs\": [{runs}], \"repeat_from\": {repeat} }}")
    }
}

/// `"lane": 1, `, or nothing for lane 0.
fn lane_json(lane: u8) -> String {
    if lane == 0 { String::new() } else { format!("\"lane\": {lane}, ") }
}

/// A window as `[first, ticks]`.
fn pair(window: Window) -> String {
    format!("[{}, {}]", window.first, window.ticks)
}

/// JSON members that describe what a run sends, without braces.
fn source_json(source: Source) -> String {
    match source {
        Source::Idle => "\"idle\": true".to_owned(),
        Source::Own { packet, through } if packet == through => format!("\"own\": {packet}"),
        Source::Own { packet, through } => format!("\"own\": {packet}, \"through\": {through}"),
        Source::In { port, lane, age } => format!("\"in\": \"{port}\", {}\"age\": {age}", lane_json(lane)),
        Source::Any { ports } => {
            let ports = list(ports.iter().map(|port| format!("\"{port}\"")));
            format!("\"any\": [{ports}], \"age\": 1")
        }
        Source::Sum { operands } => format!("\"sum\": [{}]", operands_json(operands)),
    }
}

/// `{"in": "x1-", "age": 3}, ...`
fn operands_json(operands: Operands) -> String {
    list(operands.iter().map(|Operand { port, age }| format!("{{\"in\": \"{port}\", \"age\": {age}}}")))
}

/// One message: `{"from": 3, "to": null, "flits": 1}`.
fn message_json(message: &Message) -> String {
    let from = match message.from {
        Sender::Every => "null".to_owned(),
        Sender::Node(node) => node.0.to_string(),
    };
    let to = match &message.to {
        To::All => "null".to_owned(),
        To::Node(node) => node.0.to_string(),
        To::Offset(offset) => format!("{{\"offset\": [{}]}}", list(offset.iter().map(u32::to_string))),
    };
    format!("{{\"from\": {from}, \"to\": {to}, \"flits\": {}}}", message.flits)
}

/// The network, with a space after each comma and colon.
fn topology_json(topology: &Topology) -> String {
    // names, numbers and brackets only
    serde_json::to_string(topology).expect("plain data").replace(',', ", ").replace(':', ": ")
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
