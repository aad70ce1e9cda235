//! Results of a node that form in units which take time, for `templates/node/sum.v`.

use std::collections::BTreeMap;

use super::super::rtl::{AdderUnit, tree};
use crate::netlist::{Formed, NodeKind};

/// Result of one of the node's packets.
pub struct Sum {
    pub packet: usize,
    /// the node's own value, a memory of its own
    pub value: String,
    /// prefix of what belongs to the result
    pub name: String,
    /// steps of the last arrivals of its words
    pub first: u32,
    pub last: u32,
    /// units, and what waits beside them, row by row
    pub adders: Vec<AdderUnit>,
    pub total: String,
    /// clocks from the last arrival to the result
    pub ticks: u32,
    /// the router takes results, too
    pub is_handed: bool,
    /// last address in a memory of results
    pub last_result: u64,
}

/// Arrival some steps later.
pub struct Late {
    pub name: String,
    pub from: String,
    pub steps: u32,
}

/// Name of an arrival so many steps later.
fn arrival(input: &str, late: u32) -> String {
    if late == 0 { format!("{input}_in_data") } else { format!("{input}_late_{late}") }
}

/// Results of a kind of node, by packet; `names` are those of all inputs.
pub fn of(kind: &NodeKind, names: &[String], flit_bits: u32) -> Vec<Sum> {
    let Some(fold) = &kind.fold else { return Vec::new() };
    let sum = |(packet, formed): (usize, &Formed)| {
        let (value, name) = (format!("value_{packet}"), format!("result_{packet}"));
        let inputs = formed.inputs.iter().map(|&(input, late)| arrival(&names[input as usize], late));
        let values: Vec<String> = std::iter::once(value.clone()).chain(inputs).collect();
        let node = |row: usize, index: usize| match row {
            0 => values[index].clone(),
            _ => format!("{name}_row_{row}_{index}"),
        };
        Sum {
            packet,
            adders: tree(&formed.rows, node),
            total: node(formed.rows.len(), 0),
            first: formed.first,
            last: formed.first + fold.flits - 1,
            ticks: formed.ticks,
            is_handed: kind.banks.iter().any(|bank| bank.result == Some(packet as u32)),
            last_result: (2 << flit_bits) - 1,
            value,
            name,
        }
    };
    fold.formed.iter().enumerate().map(sum).collect()
}

/// Delays of arrivals that wait for others.
pub fn lates(kind: &NodeKind, names: &[String]) -> Vec<Late> {
    let mut most: BTreeMap<u32, u32> = BTreeMap::new();
    for &(input, late) in kind.fold.iter().flat_map(|fold| &fold.formed).flat_map(|formed| &formed.inputs) {
        let known = most.entry(input).or_default();
        *known = late.max(*known);
    }
    let of_input = |(input, most): (u32, u32)| {
        let name = &names[input as usize];
        (1..=most).map(|steps| Late { name: arrival(name, steps), from: arrival(name, steps - 1), steps })
    };
    most.into_iter().flat_map(of_input).collect()
}
