//! Messages over the wires of a tree, and the papers' tables of them.

use std::collections::BTreeMap;

use crate::net::NodeId;
use crate::paths::rooted::Rooted;

/// Contents of an output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterContents {
    /// Down a path: in how many ticks the parent is free.
    Tap(u32),
    /// Down a tree: say what you have.
    Token,
    /// Up a tree: so many flits, without a gap so many ticks after an order.
    Certificate {
        /// Number of ticks after an order, at least.
        lag: u32,
        /// Number of flits.
        flits: u32,
    },
    /// Down a tree: the first flit has to be here in so many ticks.
    Order(u32),
    /// Up: a flit of a node's message.
    Flit {
        /// Origin of the message.
        of: NodeId,
        /// Index of the flit, from 0.
        flit: u32,
    },
}

/// A register that holds something after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// The tick, from 1.
    pub tick: u32,
    /// Node whose register holds the word.
    pub from: NodeId,
    /// Node that reads the register.
    pub to: NodeId,
    /// Contents of the register.
    pub word: RegisterContents,
}

/// The papers' table: for every tick what each node P0, P1, ... got in it, as they write it. A flit stands with its own node
/// one row before it leaves.
pub fn rows(tree: &Rooted, events: &[Event]) -> Vec<Vec<String>> {
    let named = tree.named();
    let mut place = vec![0; named.len()];
    for (number, node) in named.iter().enumerate() {
        place[node.index()] = number;
    }
    let last = events.iter().map(|event| event.tick).max().unwrap_or(0);
    let mut rows = vec![vec![String::new(); named.len()]; last as usize];
    let mut write = |tick: u32, node: NodeId, text: &str| {
        let Some(row) = (tick as usize).checked_sub(1) else { return };
        let cell = &mut rows[row][place[node.index()]];
        if !cell.is_empty() {
            cell.push('|');
        }
        cell.push_str(text);
    };
    let mut leaves = BTreeMap::new();
    for &Event { tick, from, to, word } in events {
        let text = match word {
            RegisterContents::Tap(ticks) | RegisterContents::Order(ticks) => format!("({ticks})"),
            RegisterContents::Token => "[*]".to_owned(),
            RegisterContents::Certificate { lag, .. } => format!("<{lag}>"),
            RegisterContents::Flit { of, flit } => {
                let text = format!("m{},{}", place[of.index()], flit + 1);
                if of == from {
                    leaves.insert((tick - 1, of), text.clone());
                }
                text
            }
        };
        write(tick, to, &text);
    }
    for ((tick, node), text) in leaves {
        write(tick, node, &text);
    }
    rows
}
