//! The nodes with their memories between registers, so that their streams fit the pins and nothing is optimised away.

use askama::Template;

use super::super::design::Design;
use super::super::node::user;
use super::super::{names, words};
use crate::netlist::Host;

/// View of `templates/fpga/system.v`.
#[derive(Template)]
#[template(path = "fpga/system.v", escape = "none")]
pub struct Harness {
    module: String,
    system: String,
    notes: Vec<String>,
    width: u32,
    /// words of a stream out per clock
    lanes: u32,
    /// bits that say whose packet it is, and which words there are, if there may be several
    user: u32,
    streams: Vec<Stream>,
}

/// Streams in and out at a node, or at the end of the ring.
struct Stream {
    /// the first part of its signals' names: `n3_4_`
    name: String,
    /// the sum of what comes out before it
    before: String,
    is_last: bool,
}

impl Harness {
    pub fn new(design: &Design) -> Self {
        let program = design.program;
        let topology = &program.topology;
        let packets = design.memories.as_ref().map_or(1, |(_, reading)| reading.packets);
        let is_chain = design.memories.as_ref().is_some_and(|(local, _)| local.host == Host::Chain);
        let lanes = design.memories.as_ref().map_or(1, |(local, _)| local.words);
        let names: Vec<String> = if is_chain {
            vec![String::new()]
        } else {
            topology.live_ids().map(|node| format!("{}_", names::node(topology, node))).collect()
        };
        let stream = |(index, name): (usize, &String)| Stream {
            name: name.clone(),
            before: if index == 0 { String::new() } else { format!("{}sum", names[index - 1]) },
            is_last: index + 1 == names.len(),
        };
        Self {
            module: super::module(design.name()),
            system: names::system(program),
            notes: words::wrap_all(&[design.generated()]),
            width: design.options.width,
            lanes,
            user: lanes * user(topology, packets).bits + if lanes > 1 { lanes } else { 0 },
            streams: names.iter().enumerate().map(stream).collect(),
        }
    }
}
