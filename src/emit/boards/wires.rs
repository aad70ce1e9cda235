//! Frames over a wire, bit by bit: the sender and the receiver, for boards and whatever else has frames.

use askama::Template;

use crate::emit::shared::words;
use crate::netlist::bits_for;

/// Clocks per bit by default: the fewest.
pub const DIVISOR: u32 = 4;

/// Clocks by which a receiver may be off at the last bit, by the clocks per bit.
const fn margin(divisor: u32) -> u32 {
    (divisor - 1) / 2
}

/// Bits of a frame on the wire: with its start bit and its stop bit.
pub const fn on_wire(bits: u32) -> u32 {
    bits + 2
}

/// Parts per million by which two clocks may differ, for frames of so many bits.
fn tolerance(bits: u32, divisor: u32) -> u64 {
    1_000_000 * u64::from(margin(divisor)) / (u64::from(on_wire(bits)) * u64::from(divisor))
}

/// Log2 of the intervals between frames without a token after which a silent link is down.
pub const INTERVALS: u32 = 3;

/// Log2 of the clocks between frames without a token, for wires with as few clocks per bit as may be: more than two frames last.
pub fn interval(bits: u32) -> u32 {
    bits_for(2 * u64::from(on_wire(bits)) * u64::from(DIVISOR) + 3)
}

/// Log2 of the clocks after which a silent link is down, for the same wires.
pub fn patience(bits: u32) -> u32 {
    interval(bits) + INTERVALS
}

/// A module at one end of a wire: its name, what is said of it besides, and the bits of a frame.
pub struct WireEnd {
    pub module: String,
    pub notes: Vec<String>,
    pub bits: u32,
}

#[derive(Template)]
#[template(path = "elastic/wire_out.v", escape = "none")]
pub struct WireOut {
    module: String,
    notes: Vec<String>,
    bits: u32,
    divisor: u32,
}

#[derive(Template)]
#[template(path = "elastic/wire_in.v", escape = "none")]
pub struct WireIn {
    module: String,
    notes: Vec<String>,
    bits: u32,
    divisor: u32,
}

impl WireOut {
    pub fn new(wire: WireEnd) -> Self {
        let line = "The line is high while idle. A frame has a start bit, low, its bits from the highest to the lowest, and a stop bit, high; \
                    (BITS + 2) * DIVISOR + 1 clocks later the next may begin.";
        let training = "A receiver that begins to listen in the middle of a frame takes a bit for the start bit. It finds the next frame once the \
                        line has been idle for as long as a frame: let that be now and then, until the receiver answers.";
        let notes = [vec![line.to_owned(), training.to_owned()], wire.notes].concat();
        Self { module: wire.module, notes: words::wrap_all(&notes), bits: wire.bits, divisor: DIVISOR }
    }
}

impl WireIn {
    pub fn new(wire: WireEnd) -> Self {
        let clocks = format!(
            "Bits are sampled in their middle, counted from the beginning of the start bit. So the clocks of both ends may differ as long as \
             BITS + 2 bits drift by less than half a bit and the clock in which the start bit is seen, (DIVISOR - 1) / 2 clocks in whole: by \
             {} ppm with {} bits and a DIVISOR of {DIVISOR}.",
            tolerance(wire.bits, DIVISOR),
            wire.bits,
        );
        let stop = "A frame without its stop bit is left out. Pull the pin up, so that a cable that is out is idle.";
        let notes = [vec![clocks, stop.to_owned()], wire.notes].concat();
        Self { module: wire.module, notes: words::wrap_all(&notes), bits: wire.bits, divisor: DIVISOR }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_may_differ_by_2_in_1000_with_frames_of_100_bits() {
        assert_eq!([tolerance(100, 4), tolerance(100, 5), tolerance(47, 4)], [2450, 3921, 5102]);
        assert_eq!([4, 5, 8, 9].map(margin), [1, 2, 3, 4]);
    }
}
