//! Ports of the nodes of a list: streams, or a stream in and a read port; and those of all nodes together.

use crate::emit::node::ListDesign;
use crate::emit::node::sizes::WireSizes;
use crate::emit::node::width::WordWidth;

/// Port of all nodes together.
#[derive(Clone, Copy, Debug)]
pub struct SystemPort {
    /// Name in the module.
    pub name: &'static str,
    /// True if the nodes read it.
    pub is_input: bool,
    /// Bits of the port.
    pub bits: u32,
}

impl ListDesign<'_> {
    /// Ports beside clock, reset and streams, in the order of the module: those before the streams, and those behind.
    pub(in crate::emit) fn system_ports(&self, sizes: &WireSizes) -> [Vec<SystemPort>; 2] {
        let input = |name, bits| SystemPort { name, is_input: true, bits };
        let output = |name, bits| SystemPort { name, is_input: false, bits };
        let ended = [output("busy", 1), output("done", 1)];
        if self.is_one() {
            return [[&[input("start", 1)], &ended[..], &[output("misframed", 1)]].concat(), Vec::new()];
        }
        let call = [input("program_number", sizes.program), input("root", sizes.node)];
        let before = [&[input("start", 1), output("ready", 1)], &call[..], &ended, &[output("absent", 1)]].concat();
        let nodes = self.netlist.nodes();
        let misframed = sizes.has_blocks().then(|| output("misframed", nodes));
        [before, misframed.into_iter().chain([output("astray", nodes)]).collect()]
    }
}

/// Signal of a node's streams or of its read port.
#[derive(Clone, Copy, Debug)]
pub struct StreamPort {
    /// Name behind that of the node.
    pub name: &'static str,
    /// True if the node reads it.
    pub is_input: bool,
    /// Bits of a vector.
    pub bits: Option<u32>,
    /// Bits of a word, and the number of words, where it has words.
    words: Option<(WordWidth, u32)>,
}

impl StreamPort {
    /// Bits of the signal.
    pub fn width(&self) -> u32 {
        self.bits.unwrap_or(1)
    }

    /// Range of a vector behind a space.
    pub fn vector(&self) -> String {
        match (self.words, self.bits) {
            (Some((width, words)), _) => format!(" {}", width.vector(words)),
            (None, Some(bits)) => format!(" {}", WordWidth { bits, is_parameter: false }.vector(1)),
            (None, None) => String::new(),
        }
    }

    /// Returns true for the first signal of what goes out.
    pub fn is_first_out(&self) -> bool {
        matches!(self.name, "m_axis_tdata" | "m_ram_full")
    }
}

/// Signal between a node and what gives it its words: its streams, or its place on the ring.
pub(in crate::emit) struct InnerSignal {
    pub name: &'static str,
    /// Range in a declaration, with a space behind it.
    pub range: String,
}

impl WireSizes {
    /// Bits beside a word that waits at a stream out: what it keeps, its nodes, and the end.
    pub fn beside_word(&self) -> u32 {
        let keep = if self.lanes() > 1 { self.lanes() } else { 0 };
        let user = if self.has_blocks() { self.lanes() * self.user() } else { 0 };
        keep + user + 1
    }

    /// Signals that all nodes have in common, in the order of their ports.
    pub(in crate::emit) fn common_signals(&self) -> Vec<&'static str> {
        let banks: &[&str] = match (self.has_calls(), self.is_one) {
            (true, _) => &["in_bank", "play_bank", "out_bank"],
            (_, true) => &["play_bank"],
            _ => &[],
        };
        let some = |has: bool, signals: &'static [&'static str]| if has { signals } else { &[] };
        let all = [
            banks,
            some(self.has_track_banks(), &["put_bank", "track_bank"]),
            some(self.has_calls(), &["play_kept", "out_kept"]),
            &["put", "put_all", "put_position", "put_header", "put_number", "put_data"],
            some(self.has_blocks(), &["put_root"]),
            &["origin", "begins", "plays", "tick", "shared"],
            some(!self.is_one, &["in_first"]),
        ];
        all.concat()
    }

    /// Signals between a node and what gives it its words.
    pub(in crate::emit) fn inner_signals(&self) -> Vec<InnerSignal> {
        let bit = |name| InnerSignal { name, range: String::new() };
        let vector = |name, bits| InnerSignal { name, range: WordWidth { bits, is_parameter: false }.vector(1) + " " };
        let words = |name, words| InnerSignal { name, range: self.width.vector(words) + " " };
        let bank = |name| InnerSignal { name, range: self.bank_number().to_owned() };
        let (blocks, lanes) = (self.has_blocks(), self.lanes());
        let mut signals = vec![bit("in_put"), words("in_data", 1)];
        if self.is_one {
            signals.extend([bank("in_bank"), bank("out_bank"), bit("in_none"), bit("in_over")]);
        }
        signals.extend(blocks.then(|| bit("in_ends")));
        if self.has_read_port() {
            signals.push(vector("out_at", self.ram()));
        } else {
            signals.extend([bit("out_first"), bit("out_next")]);
            signals.extend(self.has_moves().then(|| bit("out_moves")));
            signals.extend(blocks.then(|| bit("out_ends")));
        }
        signals.extend(self.has_streams.then(|| vector("out_words", self.total)));
        signals.extend(blocks.then(|| vector("out_user", lanes * self.user())));
        signals.extend((lanes > 1).then(|| vector("out_keep", lanes)));
        signals.push(words("out_data", lanes));
        signals
    }

    /// Signals of a node's streams, in order.
    pub fn stream_ports(&self) -> Vec<StreamPort> {
        let input = |name, bits| StreamPort { name, is_input: true, bits, words: None };
        let output = |name, bits| StreamPort { name, is_input: false, bits, words: None };
        let of_words = |name, is_input, words| StreamPort {
            name,
            is_input,
            bits: Some(words * self.width.bits),
            words: Some((self.width, words)),
        };
        let (program, user, lanes) = (Some(self.program), Some(self.lanes() * self.user()), self.lanes());
        let mut ports =
            vec![of_words("s_axis_tdata", true, 1), input("s_axis_tvalid", None), output("s_axis_tready", None)];
        if self.has_blocks() {
            ports.push(input("s_axis_tlast", None));
        }
        ports.extend((!self.is_one).then(|| input("s_axis_tdest", program)));
        if self.has_read_port() {
            ports.extend([
                output("m_ram_full", None),
                input("m_ram_free", None),
                input("m_ram_en", None),
                input("m_ram_addr", Some(self.ram())),
                output("m_ram_valid", None),
                of_words("m_ram_data", false, 1),
            ]);
            ports.extend(self.has_blocks().then(|| output("m_ram_user", user)));
            ports.extend((!self.is_one).then(|| output("m_ram_dest", program)));
            return ports;
        }
        ports.push(of_words("m_axis_tdata", false, lanes));
        ports.extend((lanes > 1).then(|| output("m_axis_tkeep", Some(lanes))));
        ports.extend([output("m_axis_tvalid", None), input("m_axis_tready", None), output("m_axis_tlast", None)]);
        ports.extend(self.has_blocks().then(|| output("m_axis_tuser", user)));
        ports.extend((!self.is_one).then(|| output("m_axis_tdest", program)));
        ports
    }
}
