//! A table of places, for `templates/node/order.v`.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::rtl::UpCounter;
use super::super::words;
use super::parts::{Lookup, NetworkAxis};
use crate::netlist::{BankPlace, HeldWords, NodeKind, ReadingTables};
use crate::program::count;

#[derive(Template)]
#[template(path = "node/order.v", escape = "none")]
pub struct OrderModule<'d> {
    design: &'d EmitDesign<'d>,
    table: &'d [HeldWords],
    module: String,
    notes: Vec<String>,
    by_origin: bool,
    axes: Vec<NetworkAxis>,
    lookup: Lookup<'d>,
    marks_last: bool,
    look: UpCounter,
    packet: Option<UpCounter>,
    port: UpCounter,
    step: UpCounter,
    bits: u32,
    target: String,
}

/// A packet: how it is asked for, and the answer.
struct PacketOrder {
    look: String,
    word: String,
    what: String,
}

impl<'d> OrderModule<'d> {
    pub fn new(
        design: &'d EmitDesign<'d>,
        reading: &'d ReadingTables,
        kind: &'d NodeKind,
        module: &str,
        table: &'d [HeldWords],
    ) -> Self {
        let program = design.program;
        let lookup = Lookup::of(design, reading, kind);
        let axes = NetworkAxis::all(&program.topology);
        let Lookup { by_origin, look, port, place: step, packet, marks_last, .. } = lookup;
        let told: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).chain(packet.map(|_| "packet")).collect();
        let target = if by_origin { Vec::new() } else { told }.into_iter();
        let target = target.chain(["port"]).chain(marks_last.then_some("last")).chain(["step"]);
        let target = target.collect::<Vec<_>>().join(", ");
        Self {
            design,
            table,
            module: module.to_owned(),
            notes: notes(design, reading, &lookup, table),
            marks_last,
            bits: lookup.bits(&program.topology),
            target: format!("{{{target}}}"),
            by_origin,
            axes,
            look,
            packet,
            port,
            step,
            lookup,
        }
    }

    fn lines(&self) -> impl Iterator<Item = PacketOrder> {
        self.table.iter().zip(0..).map(|(entry, index)| {
            let name = self.packet_name(entry);
            let places = self.lookup.place(entry.place);
            let last = self.marks_last.then_some((u32::from(entry.is_last), 1));
            let place = [(places[0], self.port.bits)].into_iter().chain(last).chain([(places[1], self.step.bits)]);
            let place = join(&place.collect::<Vec<_>>());
            PacketOrder {
                look: if self.by_origin { format!("b{}", join(&name)) } else { format!("d{index}") },
                word: if self.by_origin { format!("b{place}") } else { format!("b{}_{place}", join(&name)) },
                what: self.describe(entry),
            }
        })
    }

    /// The offset and the number of a packet, each with its bits.
    fn packet_name(&self, entry: &HeldWords) -> Vec<(u32, u32)> {
        let offset = entry.offset.iter().zip(&self.axes).map(|(&offset, axis)| (offset, axis.bits));
        offset.chain(self.packet.map(|count| (entry.packet, count.bits))).collect()
    }

    fn describe(&self, entry: &HeldWords) -> String {
        let program = self.design.program;
        match entry.place {
            BankPlace::Taken(_) | BankPlace::Result(_) => "its own".to_owned(),
            BankPlace::Received { step, input } => {
                let input = program.output(input as usize).label(program.topology.axes());
                format!("by {input} in step {}", step + 1)
            }
        }
    }
}

fn join(numbers: &[(u32, u32)]) -> String {
    let numbers: Vec<String> =
        numbers.iter().map(|&(number, bits)| format!("{number:0bits$b}", bits = bits as usize)).collect();
    numbers.join("_")
}

fn notes(design: &EmitDesign, reading: &ReadingTables, lookup: &Lookup, table: &[HeldWords]) -> Vec<String> {
    if !reading.is_direct() {
        return stretches(design, reading, lookup);
    }
    let packets = count(table.len() as u64, "packet");
    let asked = if lookup.by_origin {
        "A packet is asked for by how far up each axis its node is, modulo the sides"
    } else {
        "Packets are looked up by their place in the order of arrival. A node is given by its offset along each axis, \
         modulo the sides"
    };
    words::wrap_all(&[
        format!(
            "Input at which each of {packets} arrived, {} for the node's own, and the step, counted from 0. {asked}.",
            lookup.port.last
        ),
        design.generated(),
    ])
}

/// Notes above a table of words that lie one after the other.
fn stretches(design: &EmitDesign, reading: &ReadingTables, lookup: &Lookup) -> Vec<String> {
    let asked = match (lookup.by_origin, reading.is_absolute()) {
        (true, _) => "An entry is looked up by the offset of its node along each axis, modulo the sides",
        (false, false) => {
            "Entries are looked up in the order of the stream. A node is given by its offset along each axis, modulo the sides"
        }
        (false, true) => "Entries are looked up in the order of the stream. A node is given by its coordinates",
    };
    words::wrap_all(&[
        format!(
            "Number of the input at which the first word of an entry arrived, and its step, counted from 0; number {} and an \
             address for the node's own. {asked}.",
            lookup.port.last
        ),
        design.generated(),
    ])
}
