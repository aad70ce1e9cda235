//! `lengths: { offsets: .. }` of a config: the flits for the node so many hops away, the same at every node.

use std::collections::HashMap;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::lengths_error::LengthsError;
use super::number::FLITS;
use crate::files::shown_beginning;
use crate::net::Topology;
use crate::program::Pairs;

/// Hops along each axis, upwards if positive, with the flits of the message that goes there.
pub type Offsets = Vec<(Vec<i32>, u32)>;

/// Numbers with commas between them.
pub(super) fn joined(numbers: &[i32]) -> String {
    numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
}

/// Hops along each axis, as in `0,-1`.
pub(super) fn hops<E: de::Error>(text: &str) -> Result<Vec<i32>, E> {
    let number = |part: &str| part.trim().parse();
    let wrong = |_| {
        E::custom(format_args!("`{}` is no offset: expected hops along each axis, like 0,-1", shown_beginning(text)))
    };
    text.split(',').map(number).collect::<Result<_, std::num::ParseIntError>>().map_err(wrong)
}

/// Reads flits by offset.
pub(super) struct OffsetsReader;

/// Reads an offset, which may be one number.
struct OffsetReader;

impl<'de> DeserializeSeed<'de> for OffsetsReader {
    type Value = Offsets;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OffsetsReader {
    type Value = Offsets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flits by offset, like { \"0,1\": 8, \"0,-1\": 8 }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut offsets = Vec::new();
        while let Some(offset) = map.next_key_seed(OffsetReader)? {
            offsets.push((offset, map.next_value_seed(FLITS)?));
        }
        Ok(offsets)
    }
}

impl<'de> DeserializeSeed<'de> for OffsetReader {
    type Value = Vec<i32>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for OffsetReader {
    type Value = Vec<i32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an offset like \"0,-1\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<i32>, E> {
        hops(text)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Vec<i32>, E> {
        hops(&value.to_string())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Vec<i32>, E> {
        hops(&value.to_string())
    }
}

/// Fails unless every offset leads from some node to another one, and no two lead to the same one. Offsets that differ in direction
/// only may, and those of one hop: nodes have several links between them, such as both along a side of two.
pub(super) fn check(topology: &Topology, offsets: &[(Vec<i32>, u32)]) -> Result<(), LengthsError> {
    let network = || topology.describe();
    for (offset, _) in offsets {
        let (typed, axes) = (joined(offset), topology.axes());
        if offset.len() != axes {
            return Err(LengthsError::Offset { typed, axes, network: network() });
        }
        let mut reached = topology.node_ids().filter_map(|from| Some((from, topology.displaced(from, offset)?)));
        match reached.next() {
            None => return Err(LengthsError::Nowhere { typed, network: network() }),
            Some((from, to)) if from == to => return Err(LengthsError::Itself { typed, network: network() }),
            Some(_) => {}
        }
    }
    for from in topology.node_ids() {
        let mut first = HashMap::new();
        for (offset, _) in offsets {
            let Some(to) = topology.displaced(from, offset) else { continue };
            let before: &[i32] = first.entry(to).or_insert(offset.as_slice());
            let is_mirrored = || before.iter().zip(offset).all(|(one, other)| one.abs() == other.abs());
            let are_links = || is_one_hop(before) && is_one_hop(offset);
            let may_meet = || before != offset.as_slice() && (is_mirrored() || are_links());
            if !std::ptr::eq(before, offset.as_slice()) && !may_meet() {
                let (typed, before) = (joined(offset), joined(before));
                return Err(LengthsError::Twice { typed, before, network: network() });
            }
        }
    }
    Ok(())
}

fn is_one_hop(offset: &[i32]) -> bool {
    offset.iter().map(|hops| u64::from(hops.unsigned_abs())).sum::<u64>() == 1
}

/// Flits from each node to each; what leads beyond a border is left out, and equal receivers add up.
pub(super) fn pairs(topology: &Topology, offsets: &[(Vec<i32>, u32)]) -> Pairs {
    let nodes = topology.nodes() as usize;
    let mut rows = vec![vec![0u32; nodes]; nodes];
    for (from, (offset, flits)) in topology.node_ids().flat_map(|from| offsets.iter().map(move |entry| (from, entry))) {
        if let Some(to) = topology.displaced(from, offset) {
            let sum = &mut rows[from.index()][to.index()];
            *sum = sum.saturating_add(*flits);
        }
    }
    Pairs::new(topology, &rows)
}
