//! The ports of a fabric: what feeds packets in, lengths where they are found out while it runs, and what never says a thing.

use crate::emit::{self, Options, OwnInput, names};
use crate::net::{Channel, NodeId};
use crate::netlist::Netlist;
use crate::program::Program;

use super::words::stored_bytes;

/// The ports of a fabric besides clock, reset and `run`.
pub(super) struct Wiring {
    /// Packets of the nodes' own.
    pub own: Vec<OwnInput>,
    /// Whether each of these shows its flits one after the other; else all show the one that the fabric asks for.
    pub streams: bool,
    /// Lengths of messages, with whose they are.
    pub lengths: Vec<(String, NodeId)>,
    /// The valid bits of what arrives from outputs that never send, with the registers these would have.
    pub silent: Vec<(String, usize)>,
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
            silent: silent(program, options),
            word_bytes: stored_bytes(options.width),
            length_bytes: options.protocol.as_ref().map_or(0, |protocol| stored_bytes(protocol.count_bits())),
        }
    }

    /// A line a port for `sim/shim.cpp`.
    pub fn lines(&self) -> String {
        let kind = if self.streams { "STREAM" } else { "INPUT" };
        let own = self.own.iter().map(|input| format!("{kind}({})\n", input.name));
        let lengths = self.lengths.iter().map(|(name, _)| format!("INPUT({name})\n"));
        let silent = self.silent.iter().map(|(name, _)| format!("INPUT({name})\n"));
        own.chain(lengths).chain(silent).collect::<Vec<_>>().concat()
    }
}

fn silent(program: &Program, options: &Options) -> Vec<(String, usize)> {
    let topology = &program.topology;
    let port = |(node, input): (NodeId, Channel)| {
        let register = program.arriving(node, input).filter(|_| program.is_wired(node, input))?;
        let (sender, output) = program.owner(register);
        let sends = match &options.protocol {
            Some(protocol) => protocol.tree.up(sender) == Some(output.port),
            None => !program.class(sender).outputs[register % program.outputs()].is_idle(),
        };
        (!sends).then(|| (format!("{}_valid", names::arrival(topology, node, input)), register))
    };
    let inputs = topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input)));
    inputs.filter_map(port).collect()
}
