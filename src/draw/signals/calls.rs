//! The first call after a reset, at the streams of a node that plays several programs.

use super::words::DrawnWords;
use super::{CalledProgram, SignalValue, Wave, Waves};
use crate::emit::names;
use crate::net::NodeId;
use crate::netlist::{NodeLowering, StreamWord};

/// Clocks until `rst` has fallen; the call is taken in the one that follows.
const BEFORE: usize = 2;
/// Clocks in which a program is placed, beside one for each of its records.
const PLACING: usize = 9;
/// Clocks from the last word that comes in to the first tick.
const BEGINNING: usize = 4;
/// Clocks from the end of the last tick to the first word that goes out, and to the end of a node that has none.
const LOOKED_UP: usize = 6;
const EMPTY: usize = 3;
/// Clocks after the end of the call.
const AFTER: usize = 3;

/// A call, of which the words wait; the reader waits once.
pub fn call_streams(called: &CalledProgram, node: NodeId) -> Waves {
    let CalledProgram { name, netlist, program, number, roots, .. } = called;
    let number = *number;
    let topology = &program.topology;
    let placed = called.placed();
    let records = |number: u32| {
        let (first, end) = netlist.programs[number as usize].records;
        PLACING + (end - first) as usize
    };
    let root = roots.first().map_or(0, |&root| topology.rank(root) as u32);
    // a reset places the first program for the first node, or for the one root that it has
    let is_first = number == 0 && (root == 0 || !placed.is_moved);
    let placing = records(0) + if is_first { 0 } else { records(number) };
    let fills = BEFORE + placing + 1;
    let most = |of: fn(&(u32, u32)) -> u32| placed.words.iter().map(of).max().unwrap_or(0) as usize;
    let full = fills + most(|words| words.0);
    let after = |tick: u32| full + BEGINNING + tick as usize;
    let over = after(placed.ticks);
    let first_out = over + LOOKED_UP;

    let nodes = NodeLowering::of_flits(program, roots);
    let [taken, given] = nodes.stream_words(node).map(|words| values(node, &words));
    let last_out = |words: usize| if words == 0 { over + EMPTY } else { first_out + DrawnWords::clocks(words) };
    let drained = last_out(most(|words| words.1));
    let clocks = drained + 1 + AFTER;
    let words = DrawnWords { taken, offered: BEFORE, fills, given, first_out, clocks };

    let bits = |name: &str, is_high: &dyn Fn(usize) -> bool| Wave::bits(name, clocks, is_high);
    let port = |name: &str| format!("{}_{name}", names::node(topology, node));
    let is_taking = |clock: usize| (fills..fills + words.taken.len()).contains(&clock);
    let number_at = |name: String, number: u32, holds: &dyn Fn(usize) -> bool| {
        let value = |clock| if holds(clock) { SignalValue::Number(number) } else { SignalValue::Anything };
        Wave { name, values: (0..clocks).map(value).collect() }
    };
    let last = words.begins(words.given.len().saturating_sub(1));
    let is_called = |clock: usize| clock == BEFORE;
    let ports = vec![
        bits("rst", &|clock| clock < BEFORE),
        bits("start", &is_called),
        bits("ready", &|clock| clock <= BEFORE || clock > full),
        number_at("program_number".into(), number, &is_called),
        number_at("root".into(), root, &is_called),
        words.offers(port("s_axis_tvalid")),
        bits(&port("s_axis_tready"), &is_taking),
        words.word_in(port("s_axis_tdata")),
        number_at(port("s_axis_tdest"), number, &|clock| words.taken_in(clock).is_some()),
        bits("busy", &|clock| (BEFORE + 1..=drained).contains(&clock)),
        bits("done", &|clock| clock == drained + 1),
        words.gives(port("m_axis_tvalid")),
        words.takes(port("m_axis_tready")),
        words.word_out(port("m_axis_tdata")),
        words.data(port("m_axis_tlast"), |clock| words.given_in(clock).map(|_| SignalValue::Bit(clock >= last))),
        number_at(port("m_axis_tdest"), number, &|clock| words.given_in(clock).is_some()),
    ];
    let mut ticks = vec![None; clocks];
    (1..=program.ticks).for_each(|tick| ticks[after(tick)] = Some(tick));
    let moved = [fills + words.taken.len(), first_out, words.begins(2), words.begins(words.given.len()), drained];
    let landmarks = [BEFORE, fills, full, after(1), over].into_iter().chain(moved);
    let landmarks = landmarks.filter(|&clock| clock < clocks).collect();
    let about = format!("node {} at the ports of {name}_system.v", topology.show(node));
    Waves { about, zero: BEFORE - 1, ports, ticks, landmarks }
}

/// Words of a stream as values.
fn values(node: NodeId, words: &[StreamWord]) -> Vec<SignalValue> {
    let value = |&word: &StreamWord| match word {
        StreamWord::Flit(flit) => SignalValue::Flit(flit),
        StreamWord::OfItself(index) => SignalValue::OfItself(node, index),
    };
    words.iter().map(value).collect()
}
