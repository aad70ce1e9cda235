//! What a router remembers besides its outputs: counters that tell time, delay lines for what is sent on late.

use super::course::{Clock, Courses};
use super::names;
use crate::net::Port;
use crate::program::Source;

/// Delay lines up to this age are shift registers, deeper ones rings in memory.
pub const SHIFTED: u32 = 32;

/// Counts the ticks played, up to `last` or round and round.
pub struct Counter {
    pub what: String,
    pub name: String,
    pub range: String,
    pub zero: String,
    pub one: String,
    pub last: String,
    pub start: String,
    pub wraps: bool,
}

/// A delay line in shift registers.
pub struct Line {
    pub what: String,
    pub port: String,
    pub data_range: String,
    pub valid_range: String,
    pub next_data: String,
    pub next_valid: String,
    pub none: String,
}

/// A delay line in memory.
pub struct Ring {
    pub what: String,
    pub name: String,
    pub words: u32,
    pub slot_range: String,
    pub arrival: String,
    pub first: String,
    pub last: String,
}

/// The wires of a source.
pub struct Wires {
    /// `None` if nothing is sent, so that the data does not matter
    pub data: Option<String>,
    pub valid: String,
}

impl Wires {
    /// The assignments that load an output's register from them.
    pub fn loads(self, output: &str) -> Vec<String> {
        let data = self.data.map(|data| format!("{output}_out_data  <= {data};"));
        data.into_iter().chain([format!("{output}_out_valid <= {};", self.valid)]).collect()
    }
}

/// The counters of a router.
pub struct Counters(Vec<Count>);

struct Count {
    clock: Clock,
    name: String,
    last: u32,
}

impl Counters {
    /// One counter for the plain courses, one for each kind of round.
    pub fn of(courses: &Courses) -> Self {
        let clocks = courses.clocks();
        let rounds = clocks.iter().filter(|clock| matches!(clock, Clock::Round { .. })).count();
        let count = |(index, &clock): (usize, &Clock)| match clock {
            Clock::Steady | Clock::First | Clock::Table => None,
            Clock::Tick => Some(Count { clock, name: "tick".to_owned(), last: courses.last_threshold() }),
            Clock::Round { last, .. } => {
                let name = if rounds == 1 { "round".to_owned() } else { format!("round_{index}") };
                Some(Count { clock, name, last })
            }
        };
        Self(clocks.iter().enumerate().filter_map(count).collect())
    }

    /// The condition that fewer than `count` ticks of a clock have passed.
    pub fn below(&self, clock: Clock, count: u32) -> String {
        match self.0.iter().find(|counter| counter.clock == clock) {
            None => "first".to_owned(),
            Some(counter) => format!("{} < {}", counter.name, literal(count, counter.last)),
        }
    }

    /// What the template says about them.
    pub fn views(&self) -> Vec<Counter> {
        let view = |count: &Count| {
            let last = count.last;
            let (what, start) = match count.clock {
                Clock::Round { start, last } => {
                    (format!("ticks played; ticks {} to {} come over and over", start + 1, last + 1), Some(start))
                }
                _ => (format!("ticks played, counted up to {last}"), None),
            };
            Counter {
                what,
                name: count.name.clone(),
                range: range(last),
                zero: literal(0, last),
                one: literal(1, last),
                last: literal(last, last),
                start: literal(start.unwrap_or(0), last),
                wraps: start.is_some(),
            }
        };
        self.0.iter().map(view).collect()
    }
}

/// The inputs of a router with the ages they are read at, other than from a store.
pub struct Delays {
    axes: usize,
    inputs: Vec<(Port, Vec<u32>)>,
}

impl Delays {
    pub fn of(courses: &Courses, axes: usize) -> Self {
        let on_wires =
            |port: Port, age: u32| courses.table.as_ref().is_none_or(|table| table.is_direct(Source::In { port, age }));
        let inputs = courses
            .inputs
            .iter()
            .map(|(port, ages)| (*port, ages.iter().copied().filter(|&age| on_wires(*port, age)).collect()));
        Self { axes, inputs: inputs.collect() }
    }

    /// The largest age at which an input is read from its shift registers; 1 is the wire itself.
    fn shifted(ages: &[u32]) -> u32 {
        ages.iter().copied().filter(|&age| age <= SHIFTED).max().unwrap_or(1)
    }

    pub fn lines(&self) -> Vec<Line> {
        let deepest = self.inputs.iter().map(|(port, ages)| (*port, Self::shifted(ages)));
        deepest.filter(|&(_, age)| age > 1).map(|(port, age)| Line::new(self.axes, port, age)).collect()
    }

    pub fn rings(&self) -> Vec<Ring> {
        let ages = self.inputs.iter().flat_map(|(port, ages)| ages.iter().map(move |&age| (*port, age)));
        ages.filter(|&(_, age)| age > SHIFTED).map(|(port, age)| Ring::new(self.axes, port, age)).collect()
    }

    /// Where a source is found.
    pub fn wires(&self, source: Source) -> Wires {
        match source {
            Source::Idle => Wires { data: None, valid: "1'b0".to_owned() },
            Source::Own { packet } => Wires { data: Some(format!("own_{packet}")), valid: "1'b1".to_owned() },
            Source::In { port, age } => {
                let deepest = self.inputs.iter().find(|(input, _)| *input == port).map(|(_, ages)| Self::shifted(ages));
                let port = names::port(self.axes, port);
                let whole = String::new;
                let (register, data, valid) = match age {
                    1 => (format!("{port}_in"), whole(), whole()),
                    age if age > SHIFTED => (ring_name(&port, age), whole(), whole()),
                    _ if deepest == Some(2) => (format!("{port}_line"), whole(), whole()),
                    age => (format!("{port}_line"), words(age - 2, 1), format!("[{}]", age - 2)),
                };
                Wires { data: Some(format!("{register}_data{data}")), valid: format!("{register}_valid{valid}") }
            }
        }
    }
}

impl Line {
    /// The line that gives what arrived up to `age` ticks ago: one stage less, since the wire itself is one tick old.
    fn new(axes: usize, port: Port, age: u32) -> Self {
        let (label, port) = (names::label(axes, port), names::port(axes, port));
        let stages = age - 1;
        let (what, next_data, next_valid) = if stages == 1 {
            (format!("what arrived at {label} 2 ticks ago"), format!("{port}_in_data"), format!("{port}_in_valid"))
        } else {
            let (kept_words, kept_bits) = (words(0, stages - 1), bits(0, stages - 1));
            (
                format!("what arrived at {label} 2 to {age} ticks ago, the latest in the lowest bits"),
                format!("{{{port}_line_data{kept_words}, {port}_in_data}}"),
                format!("{{{port}_line_valid{kept_bits}, {port}_in_valid}}"),
            )
        };
        let valid_range = if stages == 1 { String::new() } else { format!("{} ", bits(0, stages)) };
        Self {
            what,
            data_range: words(0, stages),
            valid_range,
            next_data,
            next_valid,
            none: format!("{stages}'d0"),
            port,
        }
    }
}

impl Ring {
    /// A slot is read when it is as old as the ring is long; the arrival was a tick old when it was written, and what
    /// is read waits one tick for its use.
    fn new(axes: usize, port: Port, age: u32) -> Self {
        let words = age - 2;
        let (label, port) = (names::label(axes, port), names::port(axes, port));
        Self {
            what: format!("what arrived at {label} {age} ticks ago"),
            name: ring_name(&port, age),
            words,
            slot_range: range(words),
            arrival: format!("{{{port}_in_valid, {port}_in_data}}"),
            first: literal(1, words),
            last: literal(words, words),
        }
    }
}

fn ring_name(port: &str, age: u32) -> String {
    format!("{port}_ring_{age}")
}

/// The range of `count` words from word `from` on.
fn words(from: u32, count: u32) -> String {
    let bound = |words: u32| match words {
        1 => "WIDTH".to_owned(),
        _ => format!("{words}*WIDTH"),
    };
    match from {
        0 => format!("[{}-1:0]", bound(count)),
        _ => format!("[{}-1:{}]", bound(from + count), bound(from)),
    }
}

/// The range of `count` bits from bit `from` on.
fn bits(from: u32, count: u32) -> String {
    match count {
        1 => format!("[{from}]"),
        _ => format!("[{}:{from}]", from + count - 1),
    }
}

/// How many bits a register needs that counts up to `last`.
pub fn digits(last: u32) -> u32 {
    (u32::BITS - last.leading_zeros()).max(1)
}

/// The range and the space after it of a register that counts up to `last`; one bit needs none.
pub fn range(last: u32) -> String {
    match digits(last) {
        1 => String::new(),
        digits => format!("[{}:0] ", digits - 1),
    }
}

/// A number as wide as the counter that reaches `last`.
pub fn literal(value: u32, last: u32) -> String {
    format!("{}'d{value}", digits(last))
}
