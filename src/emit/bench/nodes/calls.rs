//! Calls of the testbench of nodes with streams, and their words.

use crate::emit::bench::nodes::{BenchCall, sequence};
use crate::emit::node::ListDesign;
use crate::emit::shared::call_words::{CallWords, MovedSchedule, WayOut};
use crate::netlist::NodePorts;

/// Calls of the sequence, each once.
pub fn kinds(design: &ListDesign<'_>) -> Vec<BenchCall> {
    if design.is_one() { vec![BenchCall { program: 0, root: 0 }] } else { sequence(design) }
}

/// Words of each call of the sequence; found once.
pub fn all_words<'d>(design: &'d ListDesign<'_>) -> &'d [CallWords] {
    let units = design.netlist.union.parts.units;
    let NodePorts { order, words: lanes, by_message, .. } = design.ports;
    let way = WayOut { order, lanes, units, by_message };
    let of = |call: BenchCall| {
        let root = design.netlist.topology.live_ids().nth(call.root as usize).expect("a root is a live node");
        let called = design.netlist.parts(call.program).into_iter().map(|part| {
            let planned = &design.schedules[part.program as usize];
            // programs that are played at once have roots of their own
            let own = if part.program == call.program { None } else { planned.roots.first().copied() };
            MovedSchedule::of(planned, own.unwrap_or(root))
        });
        CallWords::of(&called.collect::<Vec<_>>(), way)
    };
    design.words.get_or_init(|| kinds(design).into_iter().map(of).collect())
}
