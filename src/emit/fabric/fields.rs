//! The parts of what a router is told and set to, by name.

use crate::emit::fabric::{combine, crossbar, slots};
use crate::emit::shared::names;
use crate::emit::shared::parts::{self, BitRange, BitSlice};
use crate::netlist::{self, Drive, Router, WordField};

/// A part of the word or of the configuration, by name.
pub struct FieldWire {
    pub range: BitRange,
    pub name: String,
    pub of: &'static str,
    pub bits: BitSlice,
}

/// The parts of the word by what the router uses them for; outputs that are told the same name the same bits.
pub fn fields(axes: usize, router: &Router) -> Vec<FieldWire> {
    let part = |of, name: String, field: WordField| FieldWire {
        range: BitRange::of(field.bits),
        name,
        of,
        bits: BitSlice::of(field),
    };
    let wire = |name, field| part("word", name, field);
    let mut wires = Vec::new();
    wires.extend(router.playing.map(|playing| wire("playing".to_owned(), playing)));
    wires.extend(router.operation.map(|operation| wire("operation".to_owned(), operation)));
    wires.extend(router.begins.map(|begins| wire("begins".to_owned(), begins)));
    for output in &router.outputs {
        let port = names::channel(axes, output.channel);
        let Drive { sends, rests, select, early, slot, combine, .. } = &output.drive;
        wires.extend(sends.map(|sends| wire(sends_name(&port), sends)));
        wires.extend(rests.map(|rests| wire(format!("{port}_rests"), rests)));
        wires.extend(select.map(|select| wire(select_name(&port), select)));
        wires.extend(early.as_ref().and_then(|early| early.select).map(|next| wire(format!("{port}_next"), next)));
        wires.extend(slot.map(|slot| wire(format!("{port}_slot"), slot)));
        let named = crossbar::named(axes, router, output);
        wires.extend(named.map(|named| part("configuration", named.select, named.field)));
        if let Some(netlist::Combine { takes, counts, adders, .. }) = combine {
            wires.extend(takes.map(|takes| wire(combine::takes_name(&port), takes)));
            let of_adders = adders.iter().flat_map(|adders| slots::fields(&port, adders));
            wires.extend(of_adders.map(|(name, field)| wire(name, field)));
            let counts = counts.iter().enumerate();
            wires.extend(
                counts.filter_map(|(index, counts)| Some(wire(combine::counts_name(&port, index), (*counts)?))),
            );
        }
    }
    wires.extend(router.stores.first().map(|store| wire("slot".to_owned(), store.write)));
    for ring in &router.rings {
        let name = parts::ring(&names::channel(axes, ring.input), ring.age);
        wires.extend([wire(format!("{name}_write"), ring.write), wire(format!("{name}_read"), ring.read)]);
    }
    wires
}

pub fn sends_name(port: &str) -> String {
    format!("{port}_sends")
}

pub fn select_name(port: &str) -> String {
    format!("{port}_select")
}
