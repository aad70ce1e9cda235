//! Ports of a design that plays calls, and its inner variables: their places in the simulator's list.

use super::super::dut::WireProbe;
use super::super::words::stored_bytes;
use crate::emit::names;
use crate::emit::node::{ListBoards, ListDesign, WireSizes};
use crate::net::NodeId;
use crate::netlist::listed::ListNetlist;

/// Streams of one node.
pub(super) struct NodeStreams {
    /// Data, valid, ready and destination of the stream in.
    pub taken: [usize; 4],
    /// End of a block of the stream in, where blocks are told.
    pub ends: Option<usize>,
    pub given: GivenPorts,
    /// Number of the program of what is given.
    pub program: usize,
    /// Nodes of the blocks of what is given, side by side, where they are told.
    pub user: Option<usize>,
}

/// Ports by which words leave a node.
pub(super) enum GivenPorts {
    /// Stream: data, valid, ready and last, and the lanes that have a word.
    Stream {
        /// Data, valid, ready and last.
        signals: [usize; 4],
        /// Lanes that have a word, if there are several.
        keep: Option<usize>,
    },
    /// Read port of a memory.
    Memory {
        /// Full, free, enable and address.
        asked: [usize; 4],
        /// Valid and data.
        answer: [usize; 2],
    },
}

/// Codes of the nodes, and what else driver and bench know of ports.
pub(super) struct NodeCodes {
    /// Nodes that are alive, in order.
    pub live: Vec<NodeId>,
    /// Code by node.
    pub all: Vec<u32>,
    /// Bits of a code.
    pub bits: u32,
    /// Bits of a place in a block, at a read port.
    pub place: u32,
    /// Bits of a word.
    pub width: u32,
    /// Blocks go out in the order of their arrival.
    pub are_by_arrival: bool,
}

impl NodeCodes {
    /// Code of a node.
    pub fn of(&self, node: NodeId) -> u32 {
        self.all[self.live.binary_search(&node).expect("a live node")]
    }
}

/// Ring of the host.
pub(super) struct RingPorts {
    /// Data, valid and ready of what goes in.
    pub sent: [usize; 3],
    /// Data, valid and ready of what comes out.
    pub received: [usize; 3],
    /// A program is placed.
    pub placed: usize,
    /// A run is over.
    pub done: usize,
    /// Errors that must stay low.
    pub errors: [usize; 2],
}

/// Ports beside those of the call.
pub(super) enum TrafficPorts {
    /// Streams at every node, with the ready bit of a call and errors that must stay low.
    Streams {
        /// Streams by node.
        nodes: Vec<NodeStreams>,
        /// A call can be taken.
        ready: usize,
        /// Errors that must stay low.
        errors: Vec<(usize, &'static str)>,
    },
    /// Ring of a host.
    Ring(RingPorts),
}

/// Ports and inner variables, by their place in the simulator.
pub(super) struct CallPorts {
    names: Vec<String>,
    /// Bytes of each port.
    pub bytes: Vec<usize>,
    /// Inner variables, numbered after the ports.
    pub probes: Vec<WireProbe>,
    /// Number of the program that is called.
    pub program: usize,
    /// Root of the call.
    pub root: usize,
    /// Words that come and go.
    pub traffic: TrafficPorts,
    pub codes: NodeCodes,
    /// Devices: one, or all boards.
    pub devices: Vec<CallDevice>,
    /// Arrivals stand at inputs from one tick to the next: there are no cables.
    pub are_inputs_held: bool,
}

/// Device with a sequencer and nodes.
pub(super) struct CallDevice {
    /// First clock, play, and tick of the sequencer.
    pub sequencer: [usize; 3],
    /// Tick is played in this clock; none if it always is.
    pub enable: Option<usize>,
    /// Program that is played.
    pub played: usize,
    /// Nodes of the device.
    pub nodes: Vec<DeviceNode>,
}

/// Links of a node, by output and input.
pub(super) struct DeviceNode {
    /// The node in the network.
    pub node: NodeId,
    /// Registers of its outputs.
    pub outputs: Vec<usize>,
    /// Arrivals at its inputs.
    pub inputs: Vec<usize>,
}

/// Ports in the order in which they are listed.
#[derive(Default)]
struct PortList {
    names: Vec<String>,
    bytes: Vec<usize>,
}

impl PortList {
    fn add(&mut self, name: impl Into<String>, bits: u32) -> usize {
        self.names.push(name.into());
        self.bytes.push(stored_bytes(bits));
        self.names.len() - 1
    }
}

impl CallPorts {
    /// Ports of the module with all nodes.
    pub fn of(design: &ListDesign<'_>) -> Self {
        let (netlist, sizes) = (design.netlist, WireSizes::of(design));
        let topology = &netlist.topology;
        let mut list = PortList::default();
        let [program, root] = [list.add("program_number", sizes.program), list.add("root", sizes.node)];
        let traffic = if sizes.has_streams { streams(&mut list, design, &sizes) } else { ring(&mut list, netlist) };
        let mut probes = Vec::new();
        let mut probe = |scope: &str, name: String, bits: u32| {
            probes.push(WireProbe { scope: scope.to_owned(), name, bytes: stored_bytes(bits) });
            list.names.len() + probes.len() - 1
        };
        let axes = topology.axes();
        let channels = || (0..netlist.union.parts.outputs).map(|number| netlist.union.parts.channel(number));
        let mut device = |top: &str, nodes: Vec<(NodeId, String, String)>| {
            let of_sequencer = format!("{top}.sequencer");
            let sequencer = [("begins", 1), ("plays", 1), ("tick", sizes.tick)]
                .map(|(name, bits)| probe(&of_sequencer, name.to_owned(), bits));
            let enable = design.boards.is_some().then(|| probe(top, "ce".to_owned(), 1));
            let played = if sizes.has_streams { probe(top, PLAYED.to_owned(), sizes.program) } else { program };
            let nodes = nodes.into_iter().map(|(node, name, instance)| {
                let scope = format!("{top}.{instance}");
                let outputs = channels()
                    .map(|channel| probe(top, format!("{name}_{}_out", names::channel(axes, channel)), design.width))
                    .collect();
                let inputs = channels()
                    .map(|channel| probe(&scope, format!("{}_in", names::channel(axes, channel)), design.width))
                    .collect();
                DeviceNode { node, outputs, inputs }
            });
            CallDevice { sequencer, enable, played, nodes: nodes.collect() }
        };
        let top = format!("TOP.{}", design.with_all_nodes());
        let devices = match &design.boards {
            None => {
                let named = |node| (node, names::node(topology, node), names::instance(topology, node));
                vec![device(&top, topology.live_ids().map(named).collect())]
            }
            Some(ListBoards { blocks, .. }) => {
                let named = |board| {
                    let site = move |site| {
                        (blocks.node(board, site), names::of_site(blocks, site), names::site_instance(blocks, site))
                    };
                    (0..blocks.sites()).map(site).filter(|&(node, ..)| topology.is_live(node)).collect()
                };
                let of_board = |board| device(&format!("{top}.{}", names::of_board(blocks, board)), named(board));
                blocks.boards().live_ids().map(of_board).collect()
            }
        };
        let PortList { names, bytes } = list;
        let codes = NodeCodes {
            live: topology.live_ids().collect(),
            all: netlist.node_codes(),
            bits: sizes.code,
            place: sizes.word_place,
            width: design.width,
            are_by_arrival: sizes.is_by_arrival(),
        };
        Self { names, bytes, probes, program, root, traffic, codes, devices, are_inputs_held: design.boards.is_none() }
    }

    /// A line a port for `sim/shim.cpp`.
    pub fn lines(&self) -> String {
        self.names.iter().map(|name| format!("INPUT({name})\n")).collect::<Vec<_>>().concat()
    }
}

/// Program of the call that plays, in a design whose nodes have streams.
const PLAYED: &str = "played_program";

/// Makes wires between nodes and the sequencer visible, without a word in the RTL.
pub(super) fn public(design: &ListDesign<'_>) -> String {
    let visible = [
        (design.whole(), "*_out"),
        (design.whole(), PLAYED),
        (design.whole(), "ce"),
        (format!("{}_tile", design.name), "*_in"),
        (format!("{}_sequencer", design.name), "begins"),
        (format!("{}_sequencer", design.name), "plays"),
        (format!("{}_sequencer", design.name), "tick"),
    ];
    let lines = visible.map(|(module, names)| format!("public_flat_rd -module \"{module}\" -var \"{names}\"\n"));
    format!("`verilator_config\n{}", lines.concat())
}

fn streams(list: &mut PortList, design: &ListDesign<'_>, sizes: &WireSizes) -> TrafficPorts {
    let topology = &design.netlist.topology;
    let ready = list.add("ready", 1);
    let mut errors = vec![(list.add("absent", 1), "absent"), (list.add("astray", design.netlist.nodes()), "astray")];
    if sizes.has_blocks() {
        errors.push((list.add("misframed", design.netlist.nodes()), "misframed"));
    }
    let nodes = topology.live_ids().map(|node| {
        let node = names::node(topology, node);
        let ports = sizes.stream_ports();
        let ports: Vec<(&str, usize)> =
            ports.iter().map(|port| (port.name, list.add(format!("{node}_{}", port.name), port.width()))).collect();
        let find = |name: &str| ports.iter().find(|&&(port, _)| port == name).map(|&(_, index)| index);
        let of = |name: &str| find(name).expect("every node has it");
        NodeStreams {
            taken: ["s_axis_tdata", "s_axis_tvalid", "s_axis_tready", "s_axis_tdest"].map(of),
            ends: find("s_axis_tlast"),
            given: if sizes.has_read_port() {
                GivenPorts::Memory {
                    asked: ["m_ram_full", "m_ram_free", "m_ram_en", "m_ram_addr"].map(of),
                    answer: ["m_ram_valid", "m_ram_data"].map(of),
                }
            } else {
                GivenPorts::Stream {
                    signals: ["m_axis_tdata", "m_axis_tvalid", "m_axis_tready", "m_axis_tlast"].map(of),
                    keep: find("m_axis_tkeep"),
                }
            },
            program: find("m_axis_tdest").unwrap_or_else(|| of("m_ram_dest")),
            user: find("m_axis_tuser").or_else(|| find("m_ram_user")),
        }
    });
    TrafficPorts::Streams { nodes: nodes.collect(), ready, errors }
}

/// Bits of a word on the ring.
const RING_BITS: u32 = 33;

fn ring(list: &mut PortList, netlist: &ListNetlist) -> TrafficPorts {
    TrafficPorts::Ring(RingPorts {
        sent: [list.add("s_data", RING_BITS), list.add("s_valid", 1), list.add("s_ready", 1)],
        received: [list.add("m_data", RING_BITS), list.add("m_valid", 1), list.add("m_ready", 1)],
        placed: list.add("placed", 1),
        done: list.add("done", 1),
        errors: [list.add("lacking", 1), list.add("misframed", netlist.nodes())],
    })
}
