//! Names in the Verilog: one place, for the emitter and for readers of registers.

use std::fmt::Write;

use crate::net::{Channel, NodeBlocks, NodeId, Port, Topology};
use crate::netlist::Own;
use crate::program::{ClassId, Program};

/// A port as the first part of a signal's name: `t`, `b`, `l`, `r` in two dimensions, `x1m`, `x1p`, ... otherwise. Ports after
/// those of the axes are units of a node: `unit_0`.
pub fn port(axes: usize, port: Port) -> String {
    if port.axis() >= axes {
        format!("unit_{}", port.index() - 2 * axes)
    } else if axes == 2 {
        port.letter().to_ascii_lowercase().to_string()
    } else {
        port.to_string().replace('-', "m").replace('+', "p")
    }
}

/// A lane of a port as the first part of a signal's name: `t`, `t_lane1`.
pub fn channel(axes: usize, channel: Channel) -> String {
    let name = port(axes, channel.port);
    if channel.lane == 0 { name } else { format!("{name}_lane{}", channel.lane) }
}

/// The input for packets of a node's own: `own_0`, `own_0_to_14`.
pub fn own(own: Own) -> String {
    let Own { packet, through } = own;
    if packet == through { format!("own_{packet}") } else { format!("own_{packet}_to_{through}") }
}

/// The first part of the name of a node's signals in the fabric: `n3_4`.
pub fn node(topology: &Topology, node: NodeId) -> String {
    with_coordinates("n", topology, node)
}

/// First part of the names of a node's signals on its board: `n0_1_`, nothing on a board of one node.
pub fn site_prefix(blocks: &NodeBlocks, site: u32) -> String {
    if blocks.is_of_nodes() {
        return String::new();
    }
    format!("{}_", of_site(blocks, site))
}

/// Coordinates as they are read: `0,1`.
pub fn coordinates(place: &[u32]) -> String {
    place.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// A board of a network of boards: `n3_4` if it has one node, else `b3_4`.
pub fn of_board(blocks: &NodeBlocks, board: NodeId) -> String {
    with_coordinates(if blocks.is_of_nodes() { "n" } else { "b" }, blocks.boards(), board)
}

/// The instance of a node's place on the ring: `chain_3_4`.
pub fn chain_instance(topology: &Topology, node: NodeId) -> String {
    with_coordinates("chain_", topology, node)
}

/// Prefix of the routers' instance names in the fabric.
pub const INSTANCE: &str = "node_";

/// The instance of a node's router in the fabric: `node_3_4`.
pub fn instance(topology: &Topology, node: NodeId) -> String {
    with_coordinates(INSTANCE, topology, node)
}

/// First part of the names of a node's signals inside of its board: `n0_1`.
pub fn of_site(blocks: &NodeBlocks, site: u32) -> String {
    let place: Vec<String> = blocks.place(site).iter().map(u32::to_string).collect();
    format!("n{}", place.join("_"))
}

/// Instance of a node at a place of every board: `node_0_1`.
pub fn site_instance(blocks: &NodeBlocks, site: u32) -> String {
    let place: Vec<String> = blocks.place(site).iter().map(u32::to_string).collect();
    format!("{INSTANCE}{}", place.join("_"))
}

/// Name of the arrival at a node's input in the fabric, without `_data` and `_valid`: `n3_4_t_in`.
pub fn arrival(topology: &Topology, node: NodeId, input: Channel) -> String {
    format!("{}_{}_in", self::node(topology, node), channel(topology.axes(), input))
}

/// A node's port as the first part of a signal's name: `n3_4_t`.
pub fn of_node(topology: &Topology, node: NodeId, output: Channel) -> String {
    format!("{}_{}", self::node(topology, node), channel(topology.axes(), output))
}

/// Name of the signal that tells that a board drives a link: `n3_4_t_sends`.
pub fn sends(topology: &Topology, node: NodeId, output: Channel) -> String {
    format!("{}_sends", of_node(topology, node, output))
}

/// The module of a class: `torus_6x8_router_a`.
pub fn router(program: &Program, class: ClassId) -> String {
    format!("{}_router_{}", program.title.name, program.class_name(class))
}

/// Prefix of the control modules' names.
pub fn control_prefix(program: &Program) -> String {
    format!("{}_control_", program.title.name)
}

/// The module that tells routers what to do, named by the first class that listens: `torus_8x8_control_a`.
pub fn control(program: &Program, first: ClassId) -> String {
    format!("{}{}", control_prefix(program), program.class_name(first))
}

/// The module that combines two values in some ticks: `torus_6x8_combine`.
pub fn unit(program: &Program) -> String {
    format!("{}_combine", program.title.name)
}

/// The module of the registers of a link: `torus_6x8_link`.
pub fn link(program: &Program) -> String {
    format!("{}_link", program.title.name)
}

/// The module of a register on the way to the routers: `torus_6x8_leaf`.
pub fn leaf(program: &Program) -> String {
    format!("{}_leaf", program.title.name)
}

/// The fabric's input that says whether a bit is shifted in of those that set the routers.
pub const CONFIG_SHIFT: &str = "config_shift";
/// Port for configuration bits.
pub const CONFIG_IN: &str = "config_in";
/// The output at the other end of the chain.
pub const CONFIG_OUT: &str = "config_out";

/// The module of what a node's router is set to: `torus_6x8_configuration`.
pub fn configuration(program: &Program) -> String {
    format!("{}_configuration", program.title.name)
}

/// The module that loads control words: `torus_6x8_loader`.
pub fn loader(program: &Program) -> String {
    format!("{}_loader", program.title.name)
}

/// The coordinate of a node along an axis: `x1`.
pub fn coordinate(axis: usize) -> String {
    format!("x{}", axis + 1)
}

/// The memories and streams of a node: `torus_6x8_node`.
pub fn memory(program: &Program) -> String {
    format!("{}_node", program.title.name)
}

/// A table that says where a node finds its packets: `torus_6x8_order_0`.
pub fn order(program: &Program, index: usize) -> String {
    format!("{}_order_{index}", program.title.name)
}

/// A table of the banks that a node's words go to: `torus_6x8_fill_0`.
pub fn fill(program: &Program, index: usize) -> String {
    format!("{}_fill_{index}", program.title.name)
}

/// A node's place on the host's ring: `torus_6x8_chain`.
pub fn chain(program: &Program) -> String {
    format!("{}_chain", program.title.name)
}

/// The fabric with memories and streams: `torus_6x8_system`.
pub fn system(program: &Program) -> String {
    format!("{}_system", program.title.name)
}

/// System with a processing element at each node: `torus_6x8_top`.
pub fn top(program: &Program) -> String {
    format!("{}_top", program.title.name)
}

/// A processing element: `torus_6x8_element`.
pub fn element(program: &Program) -> String {
    format!("{}_element", program.title.name)
}

/// The bench of the system: `torus_6x8_system_tb`.
pub fn system_testbench(program: &Program) -> String {
    format!("{}_system_tb", program.title.name)
}

/// A node, or block of nodes, for a board of its own, with elastic links: `torus_6x8_board`.
pub fn board(program: &Program) -> String {
    format!("{}_board", program.title.name)
}

/// Module of the buffer at a board's input: `torus_6x8_fifo`.
pub fn fifo(program: &Program) -> String {
    format!("{}_fifo", program.title.name)
}

/// Module of the buffer between the clocks of a cable and its board: `torus_6x8_crossing`.
pub fn crossing(program: &Program) -> String {
    format!("{}_crossing", program.title.name)
}

/// The board behind pins: `torus_6x8_serial`.
pub fn serial(program: &Program) -> String {
    format!("{}_serial", program.title.name)
}

/// The board behind transceivers: `torus_6x8_bytes`.
pub fn bytes(program: &Program) -> String {
    format!("{}_bytes", program.title.name)
}

/// Module that computes a node's class from its coordinates: `torus_6x8_class`.
pub fn class(program: &Program) -> String {
    format!("{}_class", program.title.name)
}

/// The router of a class with its pads: `path_9_pads_a`.
pub fn pads(program: &Program, class: ClassId) -> String {
    format!("{}_pads_{}", program.title.name, program.class_name(class))
}

/// The network of boards: `path_9_boards`.
pub fn boards(program: &Program) -> String {
    format!("{}_boards", program.title.name)
}

/// The module of the testbench: `torus_6x8_tb`.
pub fn testbench(program: &Program) -> String {
    testbench_of(&program.title.name)
}

/// The testbench of a module: `path_9_boards_tb`.
pub fn testbench_of(module: &str) -> String {
    format!("{module}_tb")
}

/// One string and no more: a large fabric has millions of names.
fn with_coordinates(prefix: &str, topology: &Topology, node: NodeId) -> String {
    let mut name = String::with_capacity(prefix.len() + 6 * topology.axes());
    name.push_str(prefix);
    for axis in 0..topology.axes() {
        let separator = if axis == 0 { "" } else { "_" };
        write!(name, "{separator}{}", topology.coord(node, axis)).expect("a string takes all text");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;

    #[test]
    fn two_axes_read_like_the_paper_and_more_like_coordinates() {
        let names = |axes: usize| -> Vec<String> { (0..4).map(|i| port(axes, Port::from_index(i))).collect() };
        assert_eq!(names(2), ["t", "b", "l", "r"]);
        assert_eq!(names(3), ["x1m", "x1p", "x2m", "x2p"]);
        let torus = Torus::new(&[3, 4, 5]).unwrap();
        let at = torus.node(&[2, 0, 4]);
        assert_eq!((node(&torus, at), instance(&torus, at)), ("n2_0_4".to_owned(), "node_2_0_4".to_owned()));
    }
}
