//! Wires between the nodes of a list, on one device or on boards, compared with the topology: any size, no solver.
//!
//! Boards are elaborated one by one, each with the coordinates of its place. What a board sends by a cable is compared with what the board
//! at the other end hands to its nodes.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::device::{Device, PortCells, are_constant, bits, number};
use super::elaborated::{Bit, Elaborated, ElaboratedModule, is_of};
use super::error::ProveError;
use super::listed::Texts;
use super::wiring::{Exchange, WiringResult, swap};
use super::yosys::{Prover, YosysFiles};
use crate::emit::formal::listed;
use crate::emit::names;
use crate::emit::node::{ListBoards, ListDesign};
use crate::net::{Channel, NodeId};
use crate::netlist::listed::ListNetlist;
use crate::tools::ScratchFolder;

/// Compares the wires between nodes with the topology; first with two of them exchanged, then as they are.
pub fn compare(prover: &Prover, design: &ListDesign<'_>, files: &Texts) -> Result<WiringResult, ProveError> {
    let scratch = ScratchFolder::new()?;
    let rtl = YosysFiles::of(files, scratch.path().join("rtl"))?;
    let top = design.whole();
    let places: Vec<Option<NodeId>> = match &design.boards {
        Some(ListBoards { blocks, .. }) => blocks.boards().live_ids().map(Some).collect(),
        None => vec![None],
    };
    prover.script(&rtl, &listed::wires(design), scratch.path())?;
    let mut elaborated = read(&scratch.path().join(format!("{top}.json")))?;
    let missing = |what: &str| WiringResult {
        routers: 0,
        connections: 0,
        differences: vec![format!("no module {what}")],
        fault_seen: true,
    };
    let [tile, node] = ["tile", "node"].map(|part| format!("{}_{part}", design.name));
    let Some(tile_module) = elaborated.modules.remove(&tile) else { return Ok(missing(&tile)) };
    let Some(node_module) = elaborated.modules.remove(&node) else { return Ok(missing(&node)) };
    let inner = [&tile_module, &node_module];
    let mut modules = Vec::new();
    for &place in &places {
        let name = place.map_or_else(|| top.clone(), |board| listed::at_board(design, board));
        let Some(module) = elaborated.modules.remove(&name) else { return Ok(missing(&name)) };
        modules.push(module);
    }
    let compared = |modules: &[ElaboratedModule]| {
        let devices: Vec<Device> =
            modules.iter().zip(&places).map(|(it, &place)| Device::of(design, it, place)).collect();
        WireComparison::of(design, &devices, inner)
    };
    let mut fault_seen = true;
    for fault in faults(design, &Device::of(design, &modules[0], places[0])) {
        let Some(fault) = fault else {
            fault_seen = false;
            continue;
        };
        swap(&mut modules[0], &fault);
        fault_seen &= !compared(&modules).differences.is_empty();
        swap(&mut modules[0], &fault);
    }
    let WireComparison { nodes, connections, differences, .. } = compared(&modules);
    Ok(WiringResult { routers: nodes, connections, differences, fault_seen })
}

fn read(path: &Path) -> Result<Elaborated, ProveError> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

/// Connections to exchange: what arrives at a node by a link and by another input, and on boards what two ports receive, send and expect;
/// none where there are no two.
fn faults(design: &ListDesign<'_>, device: &Device) -> Vec<Option<Exchange>> {
    let netlist = design.netlist;
    let input = |instance: &str, number| (instance.to_owned(), format!("{}_in", name(netlist, number)));
    let inputs = |&(node, ref instance): &(NodeId, String)| {
        let led =
            move |&number: &usize| netlist.topology.step(node, netlist.union.parts.channel(number).port).is_some();
        let first = (0..netlist.union.parts.outputs).find(led)?;
        let (cell, first) = (device.module.cells.get(instance)?, input(instance, first));
        let mut all = (0..netlist.union.parts.outputs).map(|number| input(instance, number));
        let other = |(_, other): &(String, String)| bits(cell, other) != bits(cell, &first.1);
        all.find(other).map(|other| (first, other))
    };
    let mut faults = vec![device.nodes.iter().find_map(inputs)];
    if let Some((ListBoards { blocks, .. }, board)) = design.boards.as_ref().zip(device.board) {
        let parts = &netlist.union.parts;
        let channels = || (0..parts.outputs).map(|index| parts.channel(index)).filter(|it| blocks.has_cables(it.port));
        let linked = channels().find(|channel| blocks.boards().step(board, channel.port).is_some());
        let other = channels().find(|&channel| Some(channel) != linked);
        let ports =
            linked.zip(other).map(|(one, other)| [one, other].map(|it| names::channel(blocks.boards().axes(), it)));
        for (cell, port) in [("fifo", "first"), ("sender", "token"), ("receiver", "expected")] {
            let at = |name: &String| (format!("{name}_{cell}"), port.to_owned());
            faults.push(ports.as_ref().map(|[one, other]| (at(one), at(other))));
        }
    }
    faults
}

fn name(netlist: &ListNetlist, number: usize) -> String {
    names::channel(netlist.topology.axes(), netlist.union.parts.channel(number))
}

/// Signals that all nodes have in common.
const COMMON: [&str; 22] = [
    "clk",
    "rst",
    "ce",
    "in_bank",
    "play_bank",
    "put_bank",
    "track_bank",
    "out_bank",
    "play_kept",
    "out_kept",
    "in_first",
    "put",
    "put_all",
    "put_position",
    "put_header",
    "put_number",
    "put_data",
    "origin",
    "begins",
    "plays",
    "tick",
    "shared",
];
/// Differences that are told.
const MOST: usize = 20;

/// Comparison of the wires between nodes, and of those between a tile, its node and the router.
struct WireComparison<'d> {
    design: &'d ListDesign<'d>,
    nodes: u32,
    connections: u64,
    differences: Vec<String>,
}

impl<'d> WireComparison<'d> {
    fn of(design: &'d ListDesign<'d>, devices: &[Device], [tile, node]: [&ElaboratedModule; 2]) -> Self {
        let mut wires = Self { design, nodes: 0, connections: 0, differences: Vec::new() };
        for device in devices {
            for (node, instance) in &device.nodes {
                wires.node(devices, device, *node, instance);
            }
            wires.sequencer(device);
        }
        wires.ports(devices);
        wires.tile(design.netlist, tile);
        wires.router(design.netlist, node);
        wires
    }

    /// A node knows its place, is told what all nodes are, and stands between its links.
    fn node(&mut self, devices: &[Device], device: &Device, node: NodeId, instance: &str) {
        let netlist = self.design.netlist;
        let topology = &netlist.topology;
        let module = format!("{}_tile", self.design.name);
        let Some(found) = device.cell(instance).filter(|found| is_of(found, |part| part == module)) else {
            return self.expect(false, || format!("{instance} is missing"));
        };
        self.nodes += 1;
        let here = number(bits(found, "here"));
        self.expect(here == Some(netlist.code(node)), || format!("{instance}.here is not its code"));
        let first = device.nodes.first().and_then(|(_, first)| device.cell(first));
        for signal in COMMON {
            let is_common = first.is_some_and(|first| bits(first, signal) == bits(found, signal));
            self.expect(is_common, || format!("{instance}.{signal} is not that of all nodes"));
        }
        for index in 0..netlist.union.parts.outputs {
            let channel = netlist.union.parts.channel(index);
            let arrives = bits(found, &format!("{}_in", name(netlist, index)));
            let output = format!("{}_out", names::channel(topology.axes(), channel.opposite()));
            let is_right = match topology.step(node, channel.port) {
                Some(from) => match device.node(from) {
                    Some(from) => {
                        let far = |bit| (1..netlist.latency).try_fold(bit, |bit, _| device.registers.get(bit).copied());
                        let sent: Option<Vec<&Bit>> = arrives.iter().map(far).collect();
                        let leaves = bits(from, &output);
                        !leaves.is_empty() && sent.is_some_and(|sent| sent.into_iter().eq(leaves))
                    }
                    None => self.crosses(devices, device, from, channel, arrives),
                },
                // wires of boards that are alike are there though a link is dead, or a border
                None => {
                    device.board.is_some()
                        || arrives.iter().all(|bit| matches!(bit, Bit::Constant(value) if value == "0"))
                }
            };
            self.expect(is_right, || format!("{instance}.{}_in is not at its link", name(netlist, index)));
        }
    }

    /// Returns true if bits that arrive at a node are those of a received token in which another board sends what its node does.
    fn crosses(&self, devices: &[Device], device: &Device, from: NodeId, channel: Channel, arrives: &[Bit]) -> bool {
        let axes = self.design.netlist.topology.axes();
        let (near, far) = (names::channel(axes, channel), names::channel(axes, channel.opposite()));
        let received = device.cell(&format!("{near}_fifo")).map_or(&[][..], |cell| bits(cell, "first"));
        let Some((other, sender)) = devices.iter().find_map(|other| Some((other, other.node(from)?))) else {
            return false;
        };
        let sent = other.cell(&format!("{far}_sender")).map_or(&[][..], |cell| bits(cell, "token"));
        let leaves = bits(sender, &format!("{far}_out"));
        let place = received.windows(arrives.len().max(1)).position(|bits| bits == arrives);
        !leaves.is_empty()
            && received.len() == sent.len()
            && place.is_some_and(|at| sent.get(at..at + leaves.len()) == Some(leaves))
    }

    /// Nodes are told what the sequencer says.
    fn sequencer(&mut self, device: &Device) {
        let first = device.nodes.first().and_then(|(_, first)| device.cell(first));
        let sequencer = device.cell("sequencer");
        let told = [("begins", "begins"), ("plays", "plays"), ("tick", "tick"), ("word", "shared"), ("ce", "ce")];
        for (port, signal) in told {
            let is_told =
                sequencer.zip(first).is_some_and(|(sequencer, first)| bits(sequencer, port) == bits(first, signal));
            self.expect(is_told, || format!("{signal} of nodes is not the sequencer's {port}"));
        }
    }

    /// Ports stand between their cables and the nodes, know whether there is a cable, and expect the board at its other end.
    fn ports(&mut self, devices: &[Device]) {
        let Some(ListBoards { blocks, .. }) = &self.design.boards else { return };
        let (boards, parts) = (blocks.boards(), &self.design.netlist.union.parts);
        let mut identities: HashSet<&[Bit]> = HashSet::new();
        for (device, board) in devices.iter().filter_map(|device| Some((device, device.board?))) {
            let place = boards.show(board);
            for channel in (0..parts.outputs).map(|index| parts.channel(index)) {
                let beyond = boards.step(board, channel.port);
                let port = names::channel(boards.axes(), channel);
                let Some(PortCells { sender, receiver, fifo }) = device.port(&port) else {
                    self.expect(beyond.is_none(), || format!("{port} of the board at {place} is missing"));
                    continue;
                };
                let linked = number(bits(sender, "linked"));
                self.expect(linked == Some(beyond.is_some().into()), || {
                    format!("{port} of the board at {place} does not know whether it has a cable")
                });
                let identity = bits(sender, "identity");
                let is_own = are_constant(identity) && identities.insert(identity);
                self.expect(is_own, || format!("{port} of the board at {place} has no identity of its own"));
                for (one, other) in [("token", "s_axis_tdata"), ("put", "s_axis_tvalid")] {
                    let is_led = !bits(receiver, one).is_empty() && bits(receiver, one) == bits(fifo, other);
                    self.expect(is_led, || format!("{port}_fifo.{other} is not at the receiver's {one}"));
                }
                for signal in ["state", "calls"] {
                    let is_told = bits(sender, signal) == bits(receiver, signal);
                    self.expect(is_told, || format!("{port}_sender.{signal} is not the receiver's"));
                }
                let prefix = format!("{port}_");
                let comes =
                    device.leads(bits(receiver, "s_axis_tdata"), "m_axis_tdata", ["s_axis_tdata", "rx"], &prefix);
                let goes = device.leads(bits(sender, "m_axis_tdata"), "s_axis_tdata", ["m_axis_tdata", "tx"], &prefix);
                self.expect(comes && goes, || format!("{port} is not at its cable"));
                let is_plan = device.plan(self.design).is_some_and(|plan| bits(sender, "token").ends_with(&plan));
                self.expect(is_plan, || format!("{port}_sender.token does not name program and root"));
                let Some(beyond) = beyond else { continue };
                let opposite = names::channel(boards.axes(), channel.opposite());
                let there = devices.iter().find(|other| other.board == Some(beyond));
                let there = there.and_then(|other| other.port(&opposite)).map(|port| bits(port.sender, "identity"));
                let is_expected = there == Some(bits(receiver, "expected"));
                self.expect(is_expected, || format!("{port} of the board at {place} expects another neighbour"));
            }
        }
    }

    /// A node is told what its tile is told, and stands between the tile's links.
    fn tile(&mut self, netlist: &ListNetlist, tile: &ElaboratedModule) {
        let module = format!("{}_node", self.design.name);
        let Some(node) = tile.cells.get("node").filter(|found| is_of(found, |part| part == module)) else {
            return self.expect(false, || "tiles have no node".to_owned());
        };
        let links = (0..netlist.union.parts.outputs).map(|index| name(netlist, index));
        let links = links.flat_map(|link| [format!("{link}_in"), format!("{link}_out")]);
        for signal in COMMON.into_iter().chain(["here"]).map(str::to_owned).chain(links) {
            let outer = tile.ports.get(&signal).map_or(&[][..], |port| port.bits.as_slice());
            self.expect(bits(node, &signal) == outer, || format!("node.{signal} is not that of its tile"));
        }
    }

    /// The router of a node stands between its links, and its units read themselves.
    fn router(&mut self, netlist: &ListNetlist, node: &ElaboratedModule) {
        let Some(router) = node.cells.get("router") else {
            return self.expect(false, || "nodes have no router".to_owned());
        };
        let port = |name: &str| node.ports.get(name).map_or(&[][..], |port| port.bits.as_slice());
        let parts = &netlist.union.parts;
        for index in 0..parts.inputs() {
            let channel = parts.channel(index);
            let (name, is_link) = (name(netlist, index), index < parts.outputs);
            let [arrives, sent] = ["in", "out"].map(|end| bits(router, &format!("{name}_{end}_data")));
            if netlist.union.router.inputs.contains(&channel) {
                let from = if is_link { port(&format!("{name}_in")) } else { sent };
                self.expect(arrives == from, || format!("router.{name}_in_data is not at {name}"));
            }
            if netlist.union.router.output(channel).is_some() && is_link {
                let to = port(&format!("{name}_out"));
                self.expect(!sent.is_empty() && sent == to, || format!("router.{name}_out_data is not at {name}"));
            }
        }
    }

    fn expect(&mut self, holds: bool, or: impl FnOnce() -> String) {
        self.connections += 1;
        if !holds && self.differences.len() < MOST {
            self.differences.push(or());
        }
    }
}
