//! Ports of nodes with streams.

use super::super::design::EmitDesign;
use super::super::elements::Pins;
use super::super::listed::WireSizes;
use super::super::names;
use super::super::rtl::UpCounter;

/// Bits of the signals of nodes with streams.
pub fn sizes(design: &EmitDesign) -> Option<WireSizes> {
    design.nodes.as_ref().map(|(local, netlist)| WireSizes::of(&super::listed(design, *local, netlist)))
}

/// Bits that tell whose a word is.
pub fn user(design: &EmitDesign) -> UpCounter {
    UpCounter::of_bits(sizes(design).map_or(1, |sizes| sizes.user()))
}

/// Describes the fields that tell whose a word is, the highest first.
pub fn told(design: &EmitDesign) -> String {
    let axes = (0..design.program.topology.axes()).map(names::coordinate);
    let number = sizes(design).is_some_and(|sizes| sizes.message > 0).then(|| "the packet's number".to_owned());
    format!("{{{}}}", axes.chain(number).collect::<Vec<_>>().join(", "))
}

/// Bits of the address at a node's read port, if it has one.
pub fn address_bits(design: &EmitDesign) -> Option<u32> {
    sizes(design).filter(WireSizes::has_read_port).map(|sizes| sizes.ram())
}

impl Pins {
    /// Ports of all nodes.
    pub fn all<'d>(design: &'d EmitDesign) -> impl Iterator<Item = Self> + 'd {
        let topology = &design.program.topology;
        let address = address_bits(design);
        topology.live_ids().zip(1..).map(move |(node, number)| Self {
            name: format!("{}_", names::node(topology, node)),
            index: number - 1,
            address,
            comma: if number == topology.live_nodes() { "" } else { "," },
        })
    }
}
