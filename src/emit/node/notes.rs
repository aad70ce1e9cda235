//! Words at the top of a node's module: its streams, its read port, and whose a word is.

use super::super::design::EmitDesign;
use super::super::words;
use super::parts::NetworkAxis;
use crate::netlist::{NodeKind, ReadingTables, Results, StreamSize};
use crate::program::count;

/// Notes on the streams of a kind of node.
pub fn notes(design: &EmitDesign, reading: &ReadingTables, kind: &NodeKind) -> Vec<String> {
    let words = |stream: StreamSize| {
        count(u64::from(stream.entries) * u64::from(stream.words) * u64::from(reading.flits), "word")
    };
    let (taken, given, what) = if reading.is_direct() {
        let each = count(u64::from(reading.packets), "packet");
        let flits = count(u64::from(design.program.flits), "word");
        let all = count(design.program.demand.packets(), "packet");
        (format!("{each} of {flits}"), format!("{all} of them"), "packet")
    } else {
        (words(kind.taken), words(kind.given), "block")
    };
    let (results, whose) = (design.results(), told(design, reading));
    let user = user_name(results);
    let (streams, arrivals) = match results {
        Results::Stream => (
            format!(
                "s_axis takes {taken} for a collective, m_axis gives {given}, tlast with the last word of each{}; {user} is whose \
                 it is: {whose}.",
                if what == "block" { " block" } else { "" }
            ),
            "Arrivals are written at once, whatever m_axis does: a reader that waits delays only the next collective.",
        ),
        Results::Memory => (
            format!(
                "s_axis takes {taken} for a collective. m_ram reads {given}, in any order: {user}, which comes with a word, is \
                 whose it is: {whose}."
            ),
            "Arrivals are written at once, whatever m_ram does: results that are not freed delay only the next collective \
             but one.",
        ),
    };
    words::wrap_all(&[streams, arrivals.to_owned(), design.generated()])
}

/// Name of the output that says whose a word is.
pub fn user_name(results: Results) -> &'static str {
    match results {
        Results::Stream => "tuser",
        Results::Memory => "m_ram_user",
    }
}

/// Describes the fields of `tuser`, the highest first.
pub fn told(design: &EmitDesign, reading: &ReadingTables) -> String {
    let axes = NetworkAxis::all(&design.program.topology);
    let fields =
        axes.iter().map(|axis| axis.name.as_str()).chain((reading.packets > 1).then_some("the packet's number"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}
