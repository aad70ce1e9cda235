//! The parts of Verilog that several templates share, each with a template of its own under `templates/rtl/parts/`.

use askama::Template;

use crate::emit::shared::names;
use crate::net::{Channel, Ports};
use crate::netlist::{LoadedValue, Router, WordField, digits};

/// Columns for the parts of a word, behind the longest name that they are given.
const TOLD_COLUMNS: usize = 60;
/// Columns of the widest range in a list of ports, that of a flit, and the space after it.
const WIDEST_RANGE: usize = 12;

/// An input that a router reads, and whether it asks for its valid bit.
pub struct ReadPort {
    pub name: String,
    pub is_heard: bool,
}

impl ReadPort {
    /// Inputs of a router, in their order.
    pub fn all(axes: usize, router: &Router) -> Vec<Self> {
        let read = |&input: &Channel| Self { name: names::channel(axes, input), is_heard: router.hears(input) };
        router.inputs.iter().map(read).collect()
    }
}

/// Some bits of a vector: `[2]`, `[3:0]`.
#[derive(Template, Clone, Copy)]
#[template(path = "rtl/parts/bits.v", escape = "none")]
pub struct BitSlice {
    low: u32,
    count: u32,
}

/// Some words of a vector of words: `[WIDTH-1:0]`, `[3*WIDTH-1:2*WIDTH]`.
#[derive(Template, Clone, Copy)]
#[template(path = "rtl/parts/words.v", escape = "none")]
pub struct WordSlice {
    low: u32,
    end: u32,
}

/// The range of a declaration and the space after it: `[3:0] `; nothing for a plain bit.
#[derive(Template, Clone, Copy)]
#[template(path = "rtl/parts/range.v", escape = "none")]
pub struct BitRange {
    bits: u32,
    vector: bool,
}

impl BitSlice {
    pub fn new(low: u32, count: u32) -> Self {
        Self { low, count }
    }

    pub fn of(field: WordField) -> Self {
        Self { low: field.low, count: field.bits }
    }
}

impl WordSlice {
    pub fn new(low: u32, count: u32) -> Self {
        Self { low, end: low + count }
    }
}

impl BitRange {
    /// Range of a register of this many bits; one bit is a scalar.
    pub fn of(bits: u32) -> Self {
        Self { bits, vector: bits > 1 }
    }

    /// Range of a register that counts up to `last`.
    pub fn up_to(last: u32) -> Self {
        Self::of(digits(last))
    }

    /// Range of a vector, even with one bit.
    pub fn vector(bits: u32) -> Self {
        Self { bits, vector: true }
    }

    /// Padding to the widest range in a list of ports.
    pub fn gap(self) -> String {
        " ".repeat(WIDEST_RANGE.saturating_sub(self.to_string().len()))
    }
}

/// The word of a router, made of its sequence's by name: `word_a`, `{4{word_a}}`, `{word_a[1:0], word_a}`.
#[derive(Template)]
#[template(path = "rtl/parts/told.v", escape = "none")]
pub struct RouterControl<'n> {
    name: String,
    /// from the lowest bits up
    parts: &'n [WordField],
    /// number of bits in the sequence's word
    bits: u32,
}

impl<'n> RouterControl<'n> {
    pub fn of(router: &'n Router, name: String) -> Self {
        Self { name, parts: &router.word, bits: router.word[0].bits }
    }

    fn is_repeated(&self) -> bool {
        self.parts.iter().all(|part| part.bits == self.bits)
    }

    /// The parts from the highest bits down, as many a line as there is room for.
    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (index, part) in self.parts.iter().enumerate().rev() {
            let bits = if part.bits < self.bits { BitSlice::of(*part).to_string() } else { String::new() };
            let text = format!("{}{bits}{}", self.name, if index > 0 { "," } else { "" });
            match lines.last_mut() {
                Some(line) if line.len() + 1 + text.len() <= TOLD_COLUMNS => *line += &format!(" {text}"),
                _ => lines.push(text),
            }
        }
        lines
    }
}

/// A register that counts up to `last`.
#[derive(Clone, Copy)]
pub struct UpCounter {
    pub range: BitRange,
    pub bits: u32,
    pub last: u32,
}

impl UpCounter {
    pub fn up_to(last: u32) -> Self {
        Self { range: BitRange::up_to(last), bits: digits(last), last }
    }

    /// Counter for `number` values; `None` if there is only one.
    pub fn of_several(number: u32) -> Option<Self> {
        (number > 1).then(|| Self::up_to(number - 1))
    }

    /// A word of so many bits.
    pub fn of_bits(bits: u32) -> Self {
        Self { range: BitRange::of(bits), bits, last: 0 }
    }

    /// Padding to the widest range in a list of ports.
    pub fn gap(&self) -> String {
        self.range.gap()
    }
}

/// Signals that hold a value, for the templates that use its data and valid bit.
#[derive(Clone)]
pub struct RegisterPlace {
    /// True if it is valid whenever it is read.
    pub always: bool,
    pub data: Data,
    pub valid: ValidSignal,
}

#[derive(Template, Clone)]
#[template(path = "rtl/parts/data.v", escape = "none")]
pub struct Data(NamedSignal);

#[derive(Template, Clone)]
#[template(path = "rtl/parts/valid.v", escape = "none")]
pub struct ValidSignal(NamedSignal);

/// A value as it is kept: with its valid bit above it, if that is ever read.
#[derive(Template, Clone)]
#[template(path = "rtl/parts/kept.v", escape = "none")]
pub struct KeptValue {
    pub place: RegisterPlace,
    pub is_checked: bool,
}

/// The range of what is kept.
#[derive(Template)]
#[template(path = "rtl/parts/kept_range.v", escape = "none")]
pub struct KeptRange {
    pub is_checked: bool,
}

impl KeptValue {
    /// Arrival at an input.
    pub fn arrival(axes: usize, input: Channel, is_checked: bool) -> Self {
        Self { place: RegisterPlace::arrival(axes, input), is_checked }
    }

    pub fn range(&self) -> KeptRange {
        KeptRange { is_checked: self.is_checked }
    }
}

#[derive(Clone)]
struct NamedSignal {
    /// name of the signal, or prefix of the names of its data and valid bit
    name: String,
    /// An input of the router, valid whenever it is asked for.
    own: bool,
    /// Read from a memory, the valid bit above the data.
    word: bool,
    /// One of several stages of a delay line.
    stage: Option<PipelineStage>,
}

#[derive(Clone)]
struct PipelineStage {
    index: u32,
    words: WordSlice,
    /// one valid bit only; otherwise there are several as well
    is_one_bit: bool,
}

impl RegisterPlace {
    /// Signals at which an output of a router finds a value.
    pub fn of(axes: usize, router: &Router, output: Channel, value: LoadedValue) -> Self {
        let name = |channel| names::channel(axes, channel);
        let pair = NamedSignal::pair;
        let word = |name| NamedSignal { word: true, ..pair(name) };
        let named = match value {
            LoadedValue::Own(own) => NamedSignal { own: true, ..pair(names::own(own)) },
            LoadedValue::Early => word(early(&name(output))),
            LoadedValue::Packet => NamedSignal { own: true, ..pair(configured_packet(&name(output))) },
            LoadedValue::Route => pair(configured_route(&name(output))),
            LoadedValue::Wire { input } => return Self::arrival(axes, input),
            LoadedValue::Any { ports } => pair(join(axes, ports)),
            LoadedValue::Line { input, age } => {
                let stage = router.line(input).filter(|line| line.stages > 1).map(|&line| PipelineStage {
                    index: age - 2,
                    words: WordSlice::new(age - 2, 1),
                    is_one_bit: router.valid_stages(line) > 1,
                });
                NamedSignal { stage, ..pair(format!("{}_line", name(input))) }
            }
            LoadedValue::Ring { input, age } => word(format!("{}_word", ring(&name(input), age))),
            LoadedValue::Store { input } => word(read(&name(output), &name(input))),
        };
        named.into()
    }

    /// Arrival at an input.
    fn arrival(axes: usize, input: Channel) -> Self {
        NamedSignal::pair(format!("{}_in", names::channel(axes, input))).into()
    }
}

impl From<NamedSignal> for RegisterPlace {
    fn from(named: NamedSignal) -> Self {
        Self { always: named.own, data: Data(named.clone()), valid: ValidSignal(named) }
    }
}

impl NamedSignal {
    /// A signal for the data and one for the valid bit.
    fn pair(name: String) -> Self {
        Self { name, own: false, word: false, stage: None }
    }
}

/// The packet of the node's own that an output sends, as configured.
pub fn configured_packet(output: &str) -> String {
    format!("{output}_own")
}

/// Name of the signal that an output forwards as configured.
pub fn configured_route(output: &str) -> String {
    format!("{output}_routed")
}

/// Name of an output's prefetch register.
fn early(output: &str) -> String {
    format!("{output}_early")
}

/// Name of the OR of some inputs: `any_t_b`.
pub fn join(axes: usize, ports: Ports) -> String {
    ports.iter().fold("any".to_owned(), |name, port| format!("{name}_{}", names::port(axes, port)))
}

/// The ring that delays what arrives at a port.
pub fn ring(port: &str, age: u32) -> String {
    format!("{port}_ring_{age}")
}

/// Name of the word that an output has read from an input's store.
pub fn read(output: &str, input: &str) -> String {
    format!("{output}_from_{input}")
}
