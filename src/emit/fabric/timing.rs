//! Timing signals of the routers: whether the program plays, the number of the flit due, and control words.

use askama::Template;

use crate::emit::fabric::loaded::LAST_COUNT;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::parts::{BitRange, BitSlice, UpCounter};
use crate::netlist::Loadable;

/// Wires and registers of the timing.
#[derive(Template)]
#[template(path = "rtl/parts/timing.v", escape = "none")]
pub struct ControlTiming {
    /// wire with one less than the number of ticks, if that is loaded
    last_count: Option<&'static str>,
    /// one less than the number of ticks
    last: u32,
    /// the counter of ticks
    count: UpCounter,
    /// the counter of flits, there if a packet has more than one
    pub flit: Option<UpCounter>,
    /// registers between `go` and the routers
    pub way: u32,
    /// own packets are taken flit by flit
    streams: bool,
    /// links have registers, which hold nothing before the routers play
    long: bool,
    /// number of clocks since `go` that are recorded, the last that any user needs
    pub playing: u32,
    /// the one in which own packets are taken
    pub taking: u32,
    /// ties off the clock enable, which is never used
    ce: bool,
    controls: Vec<SequenceControl>,
}

/// A sequence, and the module that plays it.
pub struct SequenceControl {
    /// the first class that listens
    pub class: String,
    pub module: String,
    pub bits: u32,
    pub range: BitRange,
    /// bits of its word that clear outputs, if any
    pub clear: Option<BitSlice>,
}

impl ControlTiming {
    /// With the sequences that are played here.
    pub fn of(design: &EmitDesign, controls: Vec<SequenceControl>) -> Self {
        let long = design.program.latency > 1;
        let routers = design.netlist.way() - 1;
        let count =
            UpCounter::up_to(design.netlist.loadable.as_ref().map_or(design.netlist.ticks, Loadable::most_ticks));
        let taking = routers - u32::from(design.netlist.takes_ahead);
        Self {
            last_count: design.netlist.loadable.as_ref().map(|_| LAST_COUNT),
            last: design.netlist.ticks - 1,
            count,
            flit: UpCounter::of_several(design.netlist.flits),
            way: design.netlist.way(),
            streams: design.netlist.streams,
            long,
            playing: if long { routers } else { taking },
            taking,
            ce: design.options.elastic,
            controls,
        }
    }
}

impl SequenceControl {
    /// By the number of the sequence.
    pub fn of(design: &EmitDesign, number: usize) -> Self {
        let first = design.netlist.told_first(number);
        let bits = design.netlist.sequences[number].bits;
        Self {
            class: design.program.class_name(first),
            module: names::control(design.program, first),
            bits,
            range: BitRange::vector(bits),
            clear: design.netlist.begins(number).map(BitSlice::of),
        }
    }
}
