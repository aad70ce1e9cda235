//! A router that sends anything anywhere, and its control words in memories: those at power-up, and the frames that load others.

use std::iter;

use indexmap::IndexSet;

use super::bits::{WordField, bits_for};
use super::course::Course;
use super::drive::{Drive, PrefetchRegister};
use super::own_inputs::OwnInputs;
use super::router::{Output, Router};
use super::sequence::{Sequence, WordCollector};
use super::value::{LoadedValue, Own};
use super::{LEAVES, Netlist, Rom};
use crate::net::{Channel, Network, NodeId, Port};
use crate::program::{Class, ClassId, Program, Source};

/// A word that says what an output sends in a tick.
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

/// An arrival of this age or older is read from a store: it is written in one tick, read in the next, and loaded in the third.
const STORED: u32 = 3;

/// Store of control words that are loaded: a memory per output with a word per tick.
///
/// A word has the output's fields of the router's word. Those above `Loadable::now_bits` are for what is fetched a tick ahead, and
/// the router is told them a tick before the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loadable {
    /// Ports of a node.
    pub ports: u32,
    /// Ticks of the program.
    pub ticks: u32,
    /// Bits of a tick: each memory has a word for each.
    pub tick_bits: u32,
    /// Bits of a node's number; the number after the last node is that of the count of ticks.
    pub node_bits: u32,
    /// Bits of a port's number; the number after the last port is that of the inputs whose links are alive.
    pub port_bits: u32,
    /// Bits of a frame's word.
    pub load_bits: u32,
    /// Nodes of the network.
    pub nodes: u32,
    packets: u32,
    /// Fields of the word of an output, of which the lowest says that it sends.
    select: WordField,
    next: WordField,
    slot: WordField,
    /// By class and output, words from tick 1.
    tables: Vec<Vec<Vec<u64>>>,
}

impl Loadable {
    /// Control words of a program; none if it has other sources than single packets and arrivals.
    pub fn of(program: &Program) -> Option<Self> {
        let (packets, ports, ticks) = (program.demand.most_packets(), program.topology.ports() as u32, program.ticks);
        let tick_bits = bits_for(ROOM * (u64::from(ticks) + 1));
        let mut told = WordCollector::default();
        told.next(1);
        let select = told.next(bits_for(u64::from(1 + 2 * ports)));
        let next = told.next(bits_for(u64::from(packets) + u64::from(ports)));
        let slot = told.next(tick_bits);
        let nodes = program.topology.nodes();
        let mut loadable = Self {
            ports,
            ticks,
            tick_bits,
            node_bits: bits_for(u64::from(nodes) + 1),
            port_bits: bits_for(u64::from(ports) + 1),
            load_bits: (slot.low + slot.bits).max(ports),
            nodes,
            packets,
            select,
            next,
            slot,
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

    /// The registers of a program whose words are loaded: all nodes have the same router.
    pub fn netlist(self, program: &Program, width: u32) -> Netlist {
        let (router, sequence) = self.router();
        let classes = program.classes.len();
        Netlist {
            width,
            ticks: program.ticks,
            flits: 1,
            streams: false,
            own: OwnInputs::Packets,
            takes_ahead: false,
            unit: None,
            rom: Rom::PerNode,
            leaves: LEAVES,
            routers: vec![router; classes],
            sequences: IndexSet::from([sequence]),
            sequence_of: vec![0; classes],
            settings: vec![Vec::new(); classes],
            modules: vec![ClassId(0); classes],
            loadable: Some(self),
        }
    }

    /// A router whose outputs send any packet of the node's own and any arrival of any age, and the form of its words: one for
    /// each output, and above them the number of the word that is read, which is where arrivals are stored.
    fn router(&self) -> (Router, Sequence) {
        let mut told = WordCollector::default();
        let channels = (0..self.ports as usize).map(|port| Channel::first(Port::from_index(port)));
        let wires = || channels.clone().map(|input| LoadedValue::Wire { input });
        let stores = || channels.clone().map(|input| LoadedValue::Store { input });
        let owns = || (0..self.packets).map(|packet| LoadedValue::Own(Own { packet, through: packet }));
        let output = |channel| {
            let [sends, select, next, slot] =
                [1, self.select.bits, self.next.bits, self.slot.bits].map(|bits| told.next(bits));
            let early = PrefetchRegister { select: Some(next), values: owns().chain(wires()).collect() };
            let drive = Drive {
                sends: Some(sends),
                select: Some(select),
                values: iter::once(LoadedValue::Early).chain(wires()).chain(stores()).collect(),
                early: Some(early),
                slot: Some(slot),
                ..Drive::default()
            };
            Output { channel, course: Course { legs: Vec::new(), round: None }, drive, inject: None }
        };
        let outputs: Vec<Output> = channels.clone().map(output).collect();
        let mut router = Router::with(outputs, 1, Some(self.most_ticks()), &mut told);
        let sequence = told.sequence(self.ticks, None);
        router.word = vec![WordField { low: 0, bits: sequence.bits }];
        (router, sequence)
    }

    /// Bits of an output's word.
    pub fn word_bits(&self) -> u32 {
        self.slot.low + self.slot.bits
    }

    /// Bits of an output's word that the router is told in the tick itself; it is told the others a tick ahead.
    pub fn now_bits(&self) -> u32 {
        self.next.low
    }

    /// Bits of a frame.
    pub fn frame_bits(&self) -> u32 {
        self.node_bits + self.port_bits + self.tick_bits + self.load_bits
    }

    /// The most ticks of a schedule that can be loaded.
    pub fn most_ticks(&self) -> u32 {
        (1 << self.tick_bits) - 1
    }

    /// Word for what an output sends in a tick; none for other sources than a packet and an arrival. Arrivals are stored under the
    /// number of the word that is read meanwhile, which is two ticks ahead.
    fn word(&self, tick: u32, source: Source) -> Option<u64> {
        let (select, next, slot) = match source {
            Source::Idle => return Some(0),
            Source::Own { packet, through } if packet == through => (0, packet, 0),
            // before the first tick nothing has arrived
            Source::In { lane: 0, age, .. } if age >= tick => return Some(0),
            Source::In { port, lane: 0, age: 1 } => (1 + port.index() as u32, 0, 0),
            Source::In { port, lane: 0, age: 2 } => (0, self.packets + port.index() as u32, 0),
            Source::In { port, lane: 0, age } => (1 + self.ports + port.index() as u32, 0, tick + STORED - age),
            _ => return None,
        };
        let fields = [(self.select, select), (self.next, next), (self.slot, slot)];
        Some(fields.iter().fold(1, |word, (field, value)| word | u64::from(*value) << field.low))
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

    /// The frames that make of the program one for a network with dead parts: one less than its ticks, the inputs whose links are
    /// alive where some are not, and the words. Each frame is sent from its highest bit down.
    pub fn frames(&self, whole: &Network, damaged: &Network, ticks: u32, words: &[PatchWord]) -> Vec<Vec<bool>> {
        let mut frames = vec![self.frame(self.nodes, 0, 0, u64::from(ticks) - 1)];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::paths::supply::Switching;
    use crate::program::Title;
    use crate::schemes::staircase;

    /// Words for nodes with two packets each.
    fn loadable() -> (Program, Loadable) {
        let torus = Torus::new(&[3, 4]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let loadable = Loadable::of(&program).unwrap();
        (program, loadable)
    }

    #[test]
    fn packets_and_arrivals_of_two_ticks_ago_are_fetched_ahead_and_older_ones_are_stored() {
        let (_, loadable) = loadable();
        let Loadable { select, next, slot, .. } = loadable;
        assert_eq!([select.low, next.low, slot.low], [1, 5, 8]);
        let word = |tick, source| {
            let word = loadable.word(tick, source).unwrap();
            let part = |field: WordField| word >> field.low & ((1 << field.bits) - 1);
            [word & 1, part(select), part(next), part(slot)]
        };
        let port = Port::from_index(2);
        assert_eq!(word(1, Source::Idle), [0, 0, 0, 0]);
        assert_eq!(word(1, Source::own(0)), [1, 0, 0, 0]);
        assert_eq!(word(5, Source::input(port, 1)), [1, 3, 0, 0]);
        assert_eq!(word(5, Source::input(port, 2)), [1, 0, 4, 0]);
        // an arrival of the third tick before is stored while the word of this tick is read
        assert_eq!(word(5, Source::input(port, 3)), [1, 7, 0, 5]);
        assert_eq!(word(5, Source::input(port, 4)), [1, 7, 0, 4]);
        assert_eq!(word(5, Source::input(port, 5)), [0, 0, 0, 0]);
        assert_eq!(loadable.word(1, Source::Own { packet: 0, through: 1 }), None);
    }

    #[test]
    fn all_nodes_have_one_router_whose_word_has_a_part_for_each_output() {
        let (program, loadable) = loadable();
        let bits = loadable.word_bits();
        let outputs = loadable.ports;
        let netlist = loadable.clone().netlist(&program, 8);
        assert!(netlist.routers.iter().all(|router| *router == netlist.routers[0]));
        let router = &netlist.routers[0];
        assert_eq!(router.word_bits(), outputs * bits + loadable.tick_bits);
        for (index, output) in (0..).zip(&router.outputs) {
            let drive = &output.drive;
            assert_eq!(drive.sends.unwrap().low, index * bits);
            assert_eq!(drive.select.unwrap().low, index * bits + loadable.select.low);
            assert_eq!(drive.slot.unwrap().low, index * bits + loadable.slot.low);
        }
        assert!(router.stores.iter().all(|store| store.write.low == outputs * bits && store.readers.len() == 4));
    }
}
