//! The ports of a fabric: what feeds packets in, lengths where they are found out while it runs, and what never says a thing.

use crate::emit::{self, Options, OwnInput, names};
use crate::net::NodeId;
use crate::netlist::Netlist;
use crate::program::Program;

use super::words::stored_bytes;

/// A port by its name, with the register whose value arrives there.
pub(super) type ObservedPort = (String, usize);

/// The ports of a fabric besides clock, reset and `run`.
pub(super) struct Wiring {
    /// Packets of the nodes' own.
    pub own: Vec<OwnInput>,
    /// True if each of these shows its flits one after the other; else all show the one that the fabric asks for.
    pub streams: bool,
    /// Lengths of messages, with whose they are.
    pub lengths: Vec<(String, NodeId)>,
    /// The bits that set the routers, in the order in which they are shifted in.
    pub configuration: Vec<bool>,
    /// Arrivals at nodes' inputs, named without `_valid` and `_data`, with the registers that send them: every register
    /// leaves the fabric by its neighbour's port. Nodes of a protocol have further wires, which do not.
    pub arrivals: Vec<ObservedPort>,
    /// The valid bits of what arrives from outputs that never send, with the registers these would have.
    pub silent: Vec<ObservedPort>,
    /// Bits of a flit.
    pub width: u32,
    /// Bytes of a flit as Verilator stores it.
    pub word_bytes: usize,
    /// Bytes of a length.
    pub length_bytes: usize,
}

impl Wiring {
    pub fn of(program: &Program, netlist: &Netlist, options: &Options) -> Self {
        let (arrivals, silent) = arrivals(program, options);
        Self {
            own: emit::own_inputs(program, netlist, options).collect(),
            streams: netlist.streams || options.protocol.is_some(),
            lengths: emit::length_inputs(program, options).collect(),
            configuration: netlist.shifted_in(program).collect(),
            arrivals,
            silent,
            width: options.width,
            word_bytes: stored_bytes(options.width),
            length_bytes: options.protocol.as_ref().map_or(0, |protocol| stored_bytes(protocol.count_bits())),
        }
    }

    /// The inputs by which the routers are set, if they are: whether a bit is shifted in, and which.
    pub fn configuring(&self) -> &'static [&'static str] {
        if self.configuration.is_empty() { &[] } else { &[names::CONFIG_SHIFT, names::CONFIG_IN] }
    }

    /// A line a port for `sim/shim.cpp`.
    pub fn lines(&self) -> String {
        let kind = if self.streams { "STREAM" } else { "INPUT" };
        let own = self.own.iter().map(|input| format!("{kind}({})\n", input.name));
        let lengths = self.lengths.iter().map(|(name, _)| format!("INPUT({name})\n"));
        let silent = self.silent.iter().map(|(name, _)| format!("INPUT({name})\n"));
        let arrivals = self.arrivals.iter().map(|(name, _)| format!("INPUT({name}_valid)\nINPUT({name}_data)\n"));
        let configuring = self.configuring().iter().map(|name| format!("INPUT({name})\n"));
        own.chain(lengths).chain(configuring).chain(silent).chain(arrivals).collect::<Vec<_>>().concat()
    }
}

/// Arrivals from registers that send, and the valid bits of the other arrivals.
fn arrivals(program: &Program, options: &Options) -> (Vec<ObservedPort>, Vec<ObservedPort>) {
    let topology = &program.topology;
    let (mut arrivals, mut silent) = (Vec::new(), Vec::new());
    for (node, input) in topology.node_ids().flat_map(|node| program.channels().map(move |input| (node, input))) {
        let Some(register) = program.arriving(node, input).filter(|_| program.is_wired(node, input)) else { continue };
        let (sender, output) = program.owner(register);
        let name = names::arrival(topology, node, input);
        match &options.protocol {
            Some(protocol) if protocol.tree.up(sender) == Some(output.port) => {}
            None if !program.class(sender).outputs[register % program.outputs()].is_idle() => {
                arrivals.push((name, register));
            }
            _ => silent.push((format!("{name}_valid"), register)),
        }
    }
    // in the order of the registers, as the first that differs is told
    arrivals.sort_unstable_by_key(|&(_, register)| register);
    (arrivals, silent)
}
