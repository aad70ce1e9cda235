//! Routers whose tables of times are in memory: fields of a word, the words at power-up, and the frames that load others.

use super::bits::bits_for;
use crate::net::{Network, NodeId, Port};
use crate::program::{Class, Program, Source};

/// A word of a router's table, which says what an output sends in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchWord {
    /// Tick in which it is sent, counted from 1.
    pub tick: u32,
    /// Node of the router.
    pub node: NodeId,
    /// Output of the router.
    pub port: Port,
    /// Packet that is sent.
    pub source: Source,
}

/// Room for longer schedules: memories have this number of times the ticks of the first one.
const ROOM: u64 = 4;

/// Routers of a program whose tables are in memory.
#[derive(Clone, Debug)]
pub struct Loadable {
    /// Packets of a node.
    pub packets: u32,
    /// Ports of a node.
    pub ports: u32,
    /// Ticks of the program.
    pub ticks: u32,
    /// Bits of a tick: each table has a word for each.
    pub tick_bits: u32,
    /// Bits that select what an output sends; how many ticks ago it arrived stands above them.
    pub select_bits: u32,
    /// Bits of a node's number; the number after the last node is that of the sequencer.
    pub node_bits: u32,
    /// Bits of a port's number; the number after the last port is that of the inputs whose links are alive.
    pub port_bits: u32,
    /// Bits of a frame's word.
    pub load_bits: u32,
    nodes: u32,
    /// By class and output, words from tick 1.
    tables: Vec<Vec<Vec<u64>>>,
}

impl Loadable {
    /// Routers of a program; none if it has other sources than single packets and arrivals.
    pub fn of(program: &Program) -> Option<Self> {
        let (packets, ports, ticks) = (program.demand.most_packets(), program.topology.ports() as u32, program.ticks);
        let tick_bits = bits_for(ROOM * (u64::from(ticks) + 1));
        let select_bits = bits_for(u64::from(packets) + u64::from(ports) + 1);
        let nodes = program.topology.nodes();
        let mut loadable = Self {
            packets,
            ports,
            ticks,
            tick_bits,
            select_bits,
            node_bits: bits_for(u64::from(nodes) + 1),
            port_bits: bits_for(u64::from(ports) + 1),
            load_bits: (tick_bits + select_bits).max(ports),
            nodes,
            tables: Vec::new(),
        };
        let table = |class: &Class| -> Option<Vec<Vec<u64>>> {
            let words = |sources: &mut dyn Iterator<Item = Source>| {
                (1..).zip(sources).map(|(tick, source)| loadable.word(tick, source)).collect::<Option<Vec<u64>>>()
            };
            class.outputs.iter().map(|track| words(&mut track.sources(ticks))).collect()
        };
        let tables = program.classes.iter().map(table).collect::<Option<_>>()?;
        loadable.tables = tables;
        Some(loadable)
    }

    /// Bits of a table's word.
    pub fn word_bits(&self) -> u32 {
        self.tick_bits + self.select_bits
    }

    /// Bits of a frame.
    pub fn frame_bits(&self) -> u32 {
        self.node_bits + self.port_bits + self.tick_bits + self.load_bits
    }

    /// The most ticks of a schedule that can be loaded.
    pub fn most_ticks(&self) -> u32 {
        (1 << self.tick_bits) - 1
    }

    /// Selection of a packet of the node's own.
    pub fn select_own(packet: u32) -> u32 {
        1 + packet
    }

    /// Selection of an input.
    pub fn select_input(&self, port: Port) -> u32 {
        1 + self.packets + port.index() as u32
    }

    /// Word for what an output sends in a tick; none for other sources than a packet and an arrival.
    fn word(&self, tick: u32, source: Source) -> Option<u64> {
        match source {
            Source::Idle => Some(0),
            Source::Own { packet, through } => (packet == through).then(|| Self::select_own(packet).into()),
            // before the first tick nothing has arrived
            Source::In { lane: 0, age, .. } if age >= tick => Some(0),
            Source::In { port, lane: 0, age } => {
                Some(u64::from(age - 1) << self.select_bits | u64::from(self.select_input(port)))
            }
            _ => None,
        }
    }

    /// The words of a table at power-up as hexadecimal digits, that of tick 1 in the lowest bits.
    pub fn table(&self, class: usize, output: usize) -> String {
        let bits = self.word_bits();
        let words = &self.tables[class][output];
        let mut all = vec![false; (bits as usize * words.len()).next_multiple_of(4)];
        for (place, &word) in words.iter().enumerate() {
            (0..bits).for_each(|bit| all[place * bits as usize + bit as usize] = word >> bit & 1 == 1);
        }
        let digit = |bits: &[bool]| bits.iter().rev().fold(0, |digit, &bit| digit << 1 | u32::from(bit));
        all.chunks(4).rev().map(|bits| char::from_digit(digit(bits), 16).expect("four bits")).collect()
    }

    /// The frames that make of the program one for a network with dead parts: its ticks, the inputs whose links are alive where
    /// some are not, and the words. Each frame is sent from its highest bit down.
    pub fn frames(&self, whole: &Network, damaged: &Network, ticks: u32, words: &[PatchWord]) -> Vec<Vec<bool>> {
        let mut frames = vec![self.frame(self.nodes, 0, 0, ticks.into())];
        for node in damaged.live_ids() {
            let is_cut = |&port: &Port| whole.step(node, port).is_some() && damaged.step(node, port).is_none();
            if damaged.port_ids().any(|port| is_cut(&port)) {
                let alive = damaged.port_ids().filter(|&port| damaged.step(node, port).is_some());
                let mask = alive.fold(0, |mask, port| mask | 1 << port.index());
                frames.push(self.frame(node.0, self.ports, 0, mask));
            }
        }
        let word = |word: &PatchWord| {
            let source = self.word(word.tick, word.source).expect("a patch sends single packets");
            self.frame(word.node.0, word.port.index() as u32, word.tick, source)
        };
        frames.extend(words.iter().map(word));
        frames
    }

    fn frame(&self, node: u32, port: u32, tick: u32, word: u64) -> Vec<bool> {
        let fields = [
            (node.into(), self.node_bits),
            (port.into(), self.port_bits),
            (tick.into(), self.tick_bits),
            (word, self.load_bits),
        ];
        let bits = |(value, bits): (u64, u32)| (0..bits).rev().map(move |bit| value >> bit & 1 == 1);
        fields.into_iter().flat_map(bits).collect()
    }
}
