//! A top with a processing element at each node of one collective, for a user to begin with.

use super::super::design::EmitDesign;
use super::super::elements::{self, ElementModule, Pins, TopModule};
use super::super::names;
use super::super::output::{EmittedPart, FileType, OutputFile};
use super::super::rtl::UpCounter;
use super::parts::{address_bits, told, user};
use crate::netlist::{NodeLowering, NodeOptions};

/// The top, and the element that it has at each node.
pub struct Elements;

impl EmittedPart for Elements {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some((local, _)) = design.nodes.as_ref().filter(|(local, _)| local.elements) else {
            return Vec::new();
        };
        let program = design.program;
        let top = format!("{}.v", names::top(program));
        let element = format!("{}.v", names::element(program));
        vec![
            OutputFile::of(element, FileType::Element, move || ElementModule::of_collective(design, *local)),
            OutputFile::of(top, FileType::Element, move || TopModule::of_collective(design, *local)),
        ]
    }
}

impl ElementModule {
    fn of_collective(design: &EmitDesign, local: NodeOptions) -> Self {
        let block = UpCounter::of_several(NodeLowering::words_of_a_block(design.program).unwrap_or(1));
        Self {
            module: names::element(design.program),
            notes: elements::notes(&design.options.origin),
            width: design.options.width,
            lanes: local.words,
            user: UpCounter::of_bits(local.words * user(design).bits),
            whose: told(design),
            tells: true,
            address: address_bits(design),
            block,
            block_text: if block.is_some() { "each block" } else { "each block: with every word" },
            calls: None,
        }
    }
}

impl TopModule {
    fn of_collective(design: &EmitDesign, local: NodeOptions) -> Self {
        let program = design.program;
        Self {
            module: names::top(program),
            element: names::element(program),
            system: names::system(program),
            headline: design.headline(),
            notes: elements::notes(&design.options.origin),
            width: design.options.width,
            lanes: local.words,
            by_lane: elements::by_lane(local.words),
            nodes: program.topology.live_nodes(),
            user: user(design),
            tells: true,
            address: address_bits(design),
            pins: Pins::all(design).collect(),
            calls: None,
        }
    }
}
