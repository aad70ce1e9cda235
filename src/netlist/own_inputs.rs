//! Inputs of a router for packets of its node's own: one for each packet, or a stream for each output.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::value::Own;
use crate::program::{Class, Program, Run, Source, Track};

/// Inputs of a router for packets of its node's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum OwnInputs {
    /// One for each packet, which holds it while the program plays: the router selects.
    #[default]
    Packets,
    /// One for each output, a stream of the packets that it sends, in that order: a memory and a counter at the node select.
    Streams,
}

impl OwnInputs {
    /// Classes of a program, in which outputs name these inputs instead of packets.
    pub(super) fn classes(self, program: &Program) -> Cow<'_, [Class]> {
        let streamed = if self == Self::Streams { streamed(program) } else { None };
        streamed.map_or(Cow::Borrowed(&program.classes), Cow::Owned)
    }
}

/// Classes whose outputs send from streams, where each can have one.
fn streamed(program: &Program) -> Option<Vec<Class>> {
    let of_class = |(class, streams): (&Class, Vec<Option<Own>>)| Class {
        outputs: class.outputs.iter().zip(streams).map(|(track, stream)| from_stream(track, stream)).collect(),
    };
    Some(program.classes.iter().zip(streams(program)?).map(of_class).collect())
}

/// A track that sends packets of its own from a stream.
fn from_stream(track: &Track, stream: Option<Own>) -> Track {
    let Some(Own { packet, through }) = stream else { return track.clone() };
    let run = |run: &Run| match run.source {
        Source::Own { .. } => Run { source: Source::Own { packet, through }, ..*run },
        _ => *run,
    };
    Track { runs: track.runs.iter().map(run).collect(), ..track.clone() }
}

/// By class and output, the packets of its stream; none at all if some output could not have one.
fn streams(program: &Program) -> Option<Vec<Vec<Option<Own>>>> {
    program.classes.iter().map(|class| of_outputs(class, program).ok()).collect()
}

/// By output of a class, the packets of its stream.
fn of_outputs(class: &Class, program: &Program) -> Result<Vec<Option<Own>>, NoStream> {
    let mut sent = BTreeSet::new();
    class.outputs.iter().map(|track| stream(track, program, &mut sent)).collect()
}

/// An output that cannot send from a stream.
struct NoStream;

/// The packets that an output sends: each whole, one after the other by number, none of them `sent` by another output.
fn stream(track: &Track, program: &Program, sent: &mut BTreeSet<u32>) -> Result<Option<Own>, NoStream> {
    let mut stream: Option<Own> = None;
    for span in track.spans(program.ticks) {
        let Source::Own { packet, through } = span.source else { continue };
        let is_next = stream.is_none_or(|stream| stream.through + 1 == packet);
        let is_whole = packet == through && span.last + 1 - span.first == program.flits;
        if track.inject.is_some() || !is_next || !is_whole || !sent.insert(packet) {
            return Err(NoStream);
        }
        stream = Some(Own { packet: stream.map_or(packet, |stream| stream.packet), through: packet });
    }
    Ok(stream)
}
