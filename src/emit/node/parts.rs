//! Ports of nodes with streams.

use super::super::design::EmitDesign;
use super::super::listed::WireSizes;
use super::super::rtl::UpCounter;

/// Bits of the signals of nodes with streams.
pub fn sizes(design: &EmitDesign) -> Option<WireSizes> {
    design.nodes.as_ref().map(|(local, netlist)| WireSizes::of(&super::listed(design, *local, netlist)))
}

/// Bits that tell whose a word is.
pub fn user(design: &EmitDesign) -> UpCounter {
    UpCounter::of_bits(sizes(design).map_or(1, |sizes| sizes.user()))
}

/// Bits of the address at a node's read port, if it has one.
pub fn address_bits(design: &EmitDesign) -> Option<u32> {
    sizes(design).filter(WireSizes::has_read_port).map(|sizes| sizes.ram())
}
