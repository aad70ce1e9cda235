//! Routers that are set by a chain of bits: what each of them chooses from, and the way of the bits.

use std::collections::HashMap;

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::{BitRange, RegisterPlace, WordSlice};
use crate::emit::shared::{names, words};
use crate::net::NodeId;
use crate::netlist::{ConfiguredChoice, Drive, LoadedValue, Output, Router, WordField};
use crate::program::count;

#[derive(Template)]
#[template(path = "rtl/configuration.v", escape = "none")]
pub struct ConfigurationModule {
    module: String,
    notes: Vec<String>,
}

/// List of which the configuration selects one.
pub struct SelectionList {
    pub what: &'static str,
    pub name: String,
    pub words: WordSlice,
    pub bits: BitRange,
    /// true if their valid bits are read
    pub is_checked: bool,
    /// the last first
    pub places: Vec<RegisterPlace>,
}

/// Selection by the configuration for an output.
pub struct NamedSelection {
    /// list that is selected from
    pub list: String,
    /// name of the selection's field
    pub select: String,
    pub field: WordField,
    /// value that is selected
    pub place: RegisterPlace,
    pub is_checked: bool,
}

/// The chain of configurations.
pub struct Chain {
    pub bits: usize,
    /// module of a node's configuration register
    pub module: String,
    pub parts: HashMap<NodeId, ChainPart>,
}

/// A node's part of it.
pub struct ChainPart {
    pub bits: usize,
    pub range: BitRange,
    /// signals that its bits come from and go to
    pub from: String,
    pub out: String,
    pub is_last: bool,
}

impl ConfigurationModule {
    pub fn new(design: &EmitDesign) -> Self {
        Self { module: names::configuration(design.program), notes: words::wrap(&design.generated()) }
    }
}

/// Selections of the configuration for an output: an own packet, and an input.
pub fn named(axes: usize, router: &Router, output: &Output) -> impl Iterator<Item = NamedSelection> {
    let port = names::channel(axes, output.channel);
    let Drive { packet, route, is_certain, .. } = &output.drive;
    let named = |choice: &Option<ConfiguredChoice>, what, value, is_checked| {
        choice.as_ref().map(|choice| NamedSelection {
            list: list_name(choice),
            select: format!("{port}_{what}"),
            field: choice.select,
            place: RegisterPlace::of(axes, router, output.channel, value),
            is_checked,
        })
    };
    let packet = named(packet, "packet", LoadedValue::Packet, false);
    packet.into_iter().chain(named(route, "route", LoadedValue::Route, !is_certain))
}

/// The list that a choice is made from: all outputs choose from the same packets, and from what arrived as long ago.
fn list_name(choice: &ConfiguredChoice) -> String {
    match choice.values[0] {
        LoadedValue::Own(_) => "packets".to_owned(),
        LoadedValue::Line { age, .. } | LoadedValue::Ring { age, .. } => format!("inputs_{age}"),
        _ => "inputs".to_owned(),
    }
}

/// Lists that the configuration selects from, each once.
pub fn lists(axes: usize, router: &Router) -> Vec<SelectionList> {
    let mut lists: Vec<SelectionList> = Vec::new();
    for output in &router.outputs {
        let Drive { packet, route, is_certain, .. } = &output.drive;
        let choices = [(packet, false, "the node's own packets"), (route, !is_certain, "the arrivals at its inputs")];
        for (choice, is_checked, what) in choices {
            let Some(choice) = choice else { continue };
            let name = list_name(choice);
            if let Some(list) = lists.iter_mut().find(|list| list.name == name) {
                list.is_checked |= is_checked;
                continue;
            }
            let places =
                choice.values.iter().rev().map(|&value| RegisterPlace::of(axes, router, output.channel, value));
            let count = choice.values.len() as u32;
            let (words, bits) = (WordSlice::new(0, count), BitRange::vector(count));
            lists.push(SelectionList { what, name, words, bits, is_checked, places: places.collect() });
        }
    }
    lists
}

impl Chain {
    /// From the fabric's input through the nodes, in their order, to its output.
    pub fn of(design: &EmitDesign) -> Self {
        let mut nodes = design.netlist.configured(design.program).peekable();
        let (mut parts, mut from) = (HashMap::new(), names::CONFIG_IN.to_owned());
        while let Some((node, settings)) = nodes.next() {
            let bits = settings.len();
            let is_last = nodes.peek().is_none();
            let beyond = || format!("{}_config_out", names::node(&design.program.topology, node));
            let out = if is_last { names::CONFIG_OUT.to_owned() } else { beyond() };
            let next = out.clone();
            parts.insert(node, ChainPart { bits, range: BitRange::vector(bits as u32), from, out, is_last });
            from = next;
        }
        let bits = parts.values().map(|part| part.bits).sum();
        Self { bits, module: names::configuration(design.program), parts }
    }
}

/// Describes how the nodes are configured, if they are.
pub fn shifting(design: &EmitDesign) -> Option<String> {
    let program = design.program;
    let mut nodes = design.netlist.configured(program).map(|(node, _)| program.topology.show(node));
    let first = nodes.next()?;
    let last = nodes.next_back().unwrap_or_else(|| first.clone());
    let bits = count(design.netlist.shifted_in(program).count() as u64, "clock");
    Some(format!(
        "Before it plays, with run low, hold config_shift high for {bits}, and shift one bit per clock into config_in: from the highest of \
         node {last} to the lowest of node {first}, from the last node to the first. tb/{}_configuration.hex has the bits, one per \
         line. The previous configuration leaves at config_out.",
        design.name()
    ))
}
