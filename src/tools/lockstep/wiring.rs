//! The inputs of a fabric: what feeds packets in, and lengths where they are found out while it runs.

use crate::emit::{self, Options, OwnInput};
use crate::net::NodeId;
use crate::netlist::Netlist;
use crate::program::Program;

use super::words::stored_bytes;

/// The inputs of a fabric besides clock, reset and `run`.
pub(super) struct Wiring {
    /// Packets of the nodes' own.
    pub own: Vec<OwnInput>,
    /// Whether each of these shows its flits one after the other; else all show the one that the fabric asks for.
    pub streams: bool,
    /// Lengths of messages, with whose they are.
    pub lengths: Vec<(String, NodeId)>,
    /// Bytes of a flit as Verilator stores it.
    pub word_bytes: usize,
    /// Bytes of a length.
    pub length_bytes: usize,
}

impl Wiring {
    pub fn of(program: &Program, netlist: &Netlist, options: &Options) -> Self {
        Self {
            own: emit::own_inputs(program, netlist, options).collect(),
            streams: netlist.streams || options.protocol.is_some(),
            lengths: emit::length_inputs(program, options).collect(),
            word_bytes: stored_bytes(options.width),
            length_bytes: options.protocol.as_ref().map_or(0, |protocol| stored_bytes(protocol.count_bits())),
        }
    }

    /// A line an input for `sim/shim.cpp`.
    pub fn lines(&self) -> String {
        let kind = if self.streams { "STREAM" } else { "INPUT" };
        let own = self.own.iter().map(|input| format!("{kind}({})\n", input.name));
        let lengths = self.lengths.iter().map(|(name, _)| format!("INPUT({name})\n"));
        own.chain(lengths).collect::<Vec<_>>().concat()
    }
}
