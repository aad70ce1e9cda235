//! Inputs from which a router takes what is its node's own, and the ticks in which it must take a flit.

use std::collections::BTreeMap;

use crate::emit::formal::class::Ticks;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::net::Channel;
use crate::netlist::{Own, OwnInputs};
use crate::program::{ClassId, Source};

/// Ticks in which flits of an own input have to be taken.
pub struct FlitTakes {
    /// Name of the input.
    pub packet: String,
    /// True if one is taken before the first tick.
    pub at_once: bool,
    /// Ticks that are over when one is taken, for the tick to come or the next.
    pub spans: Vec<Ticks>,
}

/// Returns true if own values are taken one tick before they are sent, as late as the results of a reduction allow.
pub fn takes_ahead(design: &EmitDesign) -> bool {
    design.program.mixes_forwards()
}

/// Inputs of a class that are taken one by one, and when.
pub fn takes(design: &EmitDesign, class: ClassId) -> Vec<FlitTakes> {
    let program = design.program;
    if !design.netlist.streams {
        return Vec::new();
    }
    let ahead = 1 + u32::from(takes_ahead(design));
    let tracks = program.channels().zip(&program.classes[class.index()].outputs).filter(|(_, track)| !track.is_idle());
    let mut taken: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for (output, track) in tracks {
        if program.reduction.is_some() {
            taken.entry(stream_of_output(design, output)).or_default();
        }
        for span in track.spans(program.ticks) {
            let own = match span.source {
                Source::Own { .. } | Source::Sum { .. } => own_input(design, class, output, span.source),
                _ => continue,
            };
            taken.entry(own).or_default().push((span.first, span.last));
        }
    }
    let take = |(packet, spans): (String, Vec<(u32, u32)>)| {
        let later = spans.iter().filter(|(_, last)| *last >= ahead);
        FlitTakes {
            packet,
            at_once: ahead > 1 && spans.first().is_some_and(|&(first, _)| first == 1),
            spans: later
                .map(|(first, last)| Ticks { first: first.saturating_sub(ahead), last: last - ahead })
                .collect(),
        }
    };
    taken.into_iter().map(take).collect()
}

/// The stream of own values of an output.
pub fn stream_of_output(design: &EmitDesign, output: Channel) -> String {
    let packet = design.program.output_index(output) as u32;
    names::own(Own { packet, through: packet })
}

/// The input from which an output takes what is the node's own.
pub fn own_input(design: &EmitDesign, class: ClassId, output: Channel, source: Source) -> String {
    let track = &design.program.classes[class.index()].outputs[design.program.output_index(output)];
    let of_stream = track.own_packets().filter(|_| design.options.own == OwnInputs::Streams);
    match (source, of_stream) {
        _ if design.program.reduction.is_some() => stream_of_output(design, output),
        (_, Some((packet, through))) | (Source::Own { packet, through }, None) => names::own(Own { packet, through }),
        _ => unreachable!("only reductions combine"),
    }
}
