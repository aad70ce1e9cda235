//! All nodes of a list on one device, or those of one board, as yosys elaborates them.

use std::collections::HashMap;

use super::elaborated::{Bit, CellPorts, ElaboratedModule, NetlistCell};
use crate::emit::names;
use crate::emit::node::{ListBoards, ListDesign, WireSizes};
use crate::net::NodeId;

/// Modules on the way from a port to a link layer, at most.
const STEPS: usize = 8;

/// Module with all nodes, or with those of one board, elaborated.
pub struct Device<'n> {
    pub module: &'n ElaboratedModule,
    /// Board, if there are several.
    pub board: Option<NodeId>,
    /// Live nodes, with their instances.
    pub nodes: Vec<(NodeId, String)>,
    /// Bits that registers take while ticks are played, by the bits that they hold.
    pub registers: HashMap<&'n Bit, &'n Bit>,
}

impl<'n> Device<'n> {
    pub fn of(design: &ListDesign<'_>, module: &'n ElaboratedModule, board: Option<NodeId>) -> Self {
        let topology = &design.netlist.topology;
        let nodes = match design.boards.as_ref().zip(board) {
            Some((ListBoards { blocks, .. }, board)) => {
                let nodes =
                    (0..blocks.sites()).map(|site| (blocks.node(board, site), names::site_instance(blocks, site)));
                nodes.filter(|&(node, _)| topology.is_live(node)).collect()
            }
            None => topology.live_ids().map(|node| (node, names::instance(topology, node))).collect(),
        };
        Self { module, board, nodes, registers: registers(module) }
    }

    pub fn cell(&self, name: &str) -> Option<&'n NetlistCell> {
        self.module.cells.get(name)
    }

    /// Instance of a node.
    pub fn node(&self, node: NodeId) -> Option<&'n NetlistCell> {
        let (_, instance) = self.nodes.iter().find(|&&(other, _)| other == node)?;
        self.cell(instance)
    }

    /// Modules of a port to another board.
    pub fn port(&self, name: &str) -> Option<PortCells<'n>> {
        let cell = |part: &str| self.cell(&format!("{name}_{part}"));
        Some(PortCells { sender: cell("sender")?, receiver: cell("receiver")?, fifo: cell("fifo")? })
    }

    /// Root and program of the run, as tokens name them: where nodes have streams those of the caller, else those that come in.
    pub fn plan(&self, design: &ListDesign<'_>) -> Option<Vec<Bit>> {
        let root = match self.cell("caller") {
            Some(caller) => bits(caller, "played_root"),
            None => self.module.ports.get("root")?.bits.as_slice(),
        };
        let program = bits(self.cell("sequencer")?, "program_number");
        let sizes = WireSizes::of(design);
        let plan = [root, program].concat();
        (plan.len() as u32 == sizes.node + sizes.program).then_some(plan)
    }

    /// Returns true if bits are those of a port of the module whose name begins so, at once or behind modules that take streams and give
    /// some.
    pub fn leads(&self, bits_of: &'n [Bit], from: &str, to: [&str; 2], prefix: &str) -> bool {
        let mut at = bits_of;
        // a path has at most as many steps as modules, which excludes circles
        for _ in 0..STEPS {
            let is_port = |(name, port): (&String, &CellPorts)| name.starts_with(prefix) && port.bits == at;
            if self.module.ports.iter().any(is_port) {
                return true;
            }
            let next = self.module.cells.values().find(|cell| bits(cell, from) == at);
            let next = next.and_then(|cell| to.iter().map(|port| bits(cell, port)).find(|bits| !bits.is_empty()));
            let Some(next) = next else { return false };
            at = next;
        }
        false
    }
}

/// Modules between the cable of a port and the nodes.
pub struct PortCells<'n> {
    pub sender: &'n NetlistCell,
    pub receiver: &'n NetlistCell,
    pub fifo: &'n NetlistCell,
}

/// Bits that registers take, by the bits that they hold: in every clock, or where ticks can wait in those in which `ce` is high.
fn registers(module: &ElaboratedModule) -> HashMap<&Bit, &Bit> {
    let clk = module.ports.get("clk").map(|port| port.bits.as_slice());
    let ce = module.cells.get("sequencer").map_or(&[][..], |sequencer| bits(sequencer, "ce"));
    let held = module.cells.values().filter(|cell| cell.module == "$mux" && bits(cell, "S") == ce);
    let held = held.flat_map(|cell| {
        let [from, before, next] = ["Y", "A", "B"].map(|port| bits(cell, port));
        from.iter().zip(before.iter().zip(next))
    });
    let held: HashMap<&Bit, (&Bit, &Bit)> = held.collect();
    let is_register = |cell: &&NetlistCell| cell.module == "$dff" && Some(bits(cell, "CLK")) == clk;
    let each = module.cells.values().filter(is_register).flat_map(|cell| bits(cell, "Q").iter().zip(bits(cell, "D")));
    let taken = each.filter_map(|(holds, takes)| match held.get(takes) {
        _ if ce.is_empty() => Some((holds, takes)),
        Some(&(before, next)) if before == holds => Some((holds, next)),
        _ => None,
    });
    taken.collect()
}

pub fn bits<'c>(cell: &'c NetlistCell, port: &str) -> &'c [Bit] {
    cell.connections.get(port).map_or(&[], Vec::as_slice)
}

pub fn are_constant(bits: &[Bit]) -> bool {
    !bits.is_empty() && bits.iter().all(|bit| matches!(bit, Bit::Constant(_)))
}

/// Number that constants say; none of nets.
pub fn number(bits: &[Bit]) -> Option<u32> {
    let number = |number, bit: &Bit| match bit {
        Bit::Constant(value) => Some(number << 1 | u32::from(value == "1")),
        Bit::Net(_) => None,
    };
    bits.iter().rev().try_fold(0, number).filter(|_| !bits.is_empty())
}
