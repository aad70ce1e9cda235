//! The nodes with their memories between registers, so that their streams fit the pins and nothing is optimised away.

use askama::Template;

use super::super::design::EmitDesign;
use super::super::node::{address_bits, user};
use super::super::{names, words};
use crate::netlist::HostStreams;

/// View of `templates/fpga/system.v`.
#[derive(Template)]
#[template(path = "fpga/system.v", escape = "none")]
pub struct SystemHarness {
    module: String,
    system: String,
    notes: Vec<String>,
    width: u32,
    /// words of a stream out per clock
    lanes: u32,
    /// bits that say whose packet it is, and which words there are, if there may be several
    user: u32,
    /// bits of the longest address of a read port, if nodes have one
    address: Option<u32>,
    streams: Vec<TopStream>,
}

/// Streams in and out at a node, or at the end of the ring.
struct TopStream {
    /// the first part of its signals' names: `n3_4_`
    name: String,
    /// the sum of what comes out before it
    before: String,
    /// bits of the address of the node's read port
    address: Option<u32>,
    is_last: bool,
}

impl SystemHarness {
    pub fn new(design: &EmitDesign) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let local = design.nodes.as_ref().map(|(local, _)| local);
        let is_chain = local.is_some_and(|local| local.host == HostStreams::Chain);
        let lanes = local.map_or(1, |local| local.words);
        let ends: Vec<(String, Option<u32>)> = if is_chain {
            vec![(String::new(), None)]
        } else {
            let end = |node| (format!("{}_", names::node(topology, node)), address_bits(design));
            topology.live_ids().map(end).collect()
        };
        let stream = |(index, (name, address)): (usize, &(String, Option<u32>))| TopStream {
            name: name.clone(),
            before: if index == 0 { String::new() } else { format!("{}sum", ends[index - 1].0) },
            address: *address,
            is_last: index + 1 == ends.len(),
        };
        Self {
            module: super::module(design.name()),
            system: names::system(program),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            lanes,
            user: lanes * user(design).bits + if lanes > 1 { lanes } else { 0 },
            address: address_bits(design),
            streams: ends.iter().enumerate().map(stream).collect(),
        }
    }
}
