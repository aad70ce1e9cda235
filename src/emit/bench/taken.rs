//! Number of times that own packets are taken in.

use crate::program::{Program, Source};

/// Returns true if no output sends a packet of its node twice, so that every flit is taken once.
pub fn once(program: &Program) -> bool {
    let most = program.demand.messages().iter().map(|message| message.flits).max().unwrap_or(0);
    let is_once = |own: &[(u32, u32, u32)]| {
        own.iter().enumerate().all(|(at, &(packet, through, ticks))| {
            let is_first = !own[..at].iter().any(|sent| (sent.0, sent.1) == (packet, through));
            is_first && (packet != through || ticks <= most)
        })
    };
    let mut tracks = program.classes.iter().flat_map(|class| &class.outputs);
    program.reduction.is_some()
        || tracks.all(|track| {
            let own = track.spans(program.ticks).filter_map(|span| match span.source {
                Source::Own { packet, through } => Some((packet, through, span.last - span.first + 1)),
                _ => None,
            });
            is_once(&own.collect::<Vec<_>>())
        })
}
