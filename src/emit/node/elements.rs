//! A top with a processing element at each node, for a user to begin with.

use askama::Template;

use super::super::design::{Design, GENERATED_FROM};
use super::super::output::{File, Kind, Output};
use super::super::rtl::Count;
use super::super::{names, words};
use super::notes::told;
use super::parts::{Pins, longest_address, user};
use crate::netlist::{Local, Reading};

/// The top, and the element that it has at each node.
pub struct Elements;

impl Output for Elements {
    fn files<'d>(&self, design: &'d Design<'d>, _: &[File<'d>]) -> Vec<File<'d>> {
        let Some((local, reading)) = design.memories.as_ref().filter(|(local, _)| local.elements) else {
            return Vec::new();
        };
        let program = design.program;
        let top = format!("{}.v", names::top(program));
        let element = format!("{}.v", names::element(program));
        vec![
            File::of(element, Kind::Element, move || ElementModule::new(design, *local, reading)),
            File::of(top, Kind::Element, move || TopModule::new(design, *local, reading)),
        ]
    }
}

#[derive(Template)]
#[template(path = "node/element.v", escape = "none")]
struct ElementModule {
    module: String,
    notes: Vec<String>,
    width: u32,
    /// words per clock of the stream to it
    lanes: u32,
    user: Count,
    whose: String,
    /// bits of the address of the read port, if there is one
    address: Option<u32>,
    block: Option<Count>,
    block_text: &'static str,
}

impl ElementModule {
    fn new(design: &Design, local: Local, reading: &Reading) -> Self {
        let block = Count::of_several(reading.words_of_a_block().unwrap_or(1));
        Self {
            module: names::element(design.program),
            notes: notes(design),
            width: design.options.width,
            lanes: local.words,
            user: tuser(design, local, reading),
            whose: told(design, reading),
            address: longest_address(design),
            block,
            block_text: if block.is_some() { "each block" } else { "each block: with every word" },
        }
    }
}

#[derive(Template)]
#[template(path = "node/top.v", escape = "none")]
struct TopModule<'d> {
    design: &'d Design<'d>,
    module: String,
    element: String,
    system: String,
    headline: String,
    notes: Vec<String>,
    width: u32,
    lanes: u32,
    by_lane: &'static str,
    nodes: u32,
    /// bits that say whose a word is
    user: Count,
    address: Option<u32>,
}

impl<'d> TopModule<'d> {
    fn new(design: &'d Design<'d>, local: Local, reading: &Reading) -> Self {
        let program = design.program;
        Self {
            design,
            module: names::top(program),
            element: names::element(program),
            system: names::system(program),
            headline: design.headline(),
            notes: notes(design),
            width: design.options.width,
            lanes: local.words,
            by_lane: if local.words > 1 { "LANES*" } else { "" },
            nodes: program.topology.live_nodes(),
            user: user(&program.topology, reading.packets),
            address: longest_address(design),
        }
    }

    fn pins(&self) -> impl Iterator<Item = Pins> {
        Pins::all(self.design)
    }
}

/// Notes on a file for the user to edit.
fn notes(design: &Design) -> Vec<String> {
    words::wrap_all(&[
        "Yours to edit: from then on `torusweave generate` leaves it as it is, and `--force` overwrites it.".to_owned(),
        format!("{GENERATED_FROM}{}.", design.options.origin),
    ])
}

fn tuser(design: &Design, local: Local, reading: &Reading) -> Count {
    Count::of_bits(local.words * user(&design.program.topology, reading.packets).bits)
}
