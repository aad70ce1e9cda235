//! Adders that take ticks: partials are on their way longer than packets, and results are there later.
//!
//! An adder of A ticks before the register of an output is a link that is A ticks longer, as long as partials are sent. A node that
//! completes its own values takes such ticks too: where nothing else waits for that long, the reduce part ends in ticks of rest.

use std::sync::Arc;

use crate::program::{Class, Operands, Program, Reduction, Run, Source, Track};

impl Program {
    /// Reduction on links of a latency of which `latency` are those of the links themselves, and the rest of combining; none if
    /// they are longer.
    pub(super) fn with_adders(self, latency: u32) -> Option<Self> {
        let adding = self.reduce_latency().checked_sub(latency)?;
        let reduction = self.reduction.as_deref()?.clone();
        Some(Self { latency, reduction: Some(Arc::new(Reduction { adding, ..reduction })), ..self })
    }

    /// Reduction with this many more ticks in which nothing is sent; none if they cannot be counted.
    pub(super) fn with_rest(self, rest: u32) -> Option<Self> {
        if rest == 0 {
            return Some(self);
        }
        let ticks = self.ticks.checked_add(rest)?;
        let longer = |track: &Track| {
            let spans =
                track.spans(self.ticks).map(|span| Run { source: span.source, ticks: span.last + 1 - span.first });
            let mut runs: Vec<Run> = spans.collect();
            match runs.last_mut() {
                Some(last) if last.source == Source::Idle => last.ticks += rest,
                _ => runs.push(Run { source: Source::Idle, ticks: rest }),
            }
            Track { runs, repeat_from: None, inject: track.inject }
        };
        self.over(ticks, longer, |age| age.checked_add(rest))
    }

    /// The inverse of [`Program::with_rest`]: what combines up to the tick of the last partial.
    pub(super) fn without_rest(self) -> Option<Self> {
        let tracks = self.classes.iter().flat_map(|class| &class.outputs);
        let sent = tracks.flat_map(|track| track.spans(self.ticks)).filter(|span| span.source != Source::Idle);
        let ticks = sent.map(|span| span.last).max().unwrap_or(self.ticks);
        let rest = self.ticks - ticks;
        if rest == 0 {
            return Some(self);
        }
        let shorter = |track: &Track| {
            let spans = track.spans(ticks).map(|span| Run { source: span.source, ticks: span.last + 1 - span.first });
            Track { runs: spans.collect(), repeat_from: None, inject: track.inject }
        };
        self.over(ticks, shorter, |age| age.checked_sub(rest).filter(|&age| age > 0))
    }

    fn over(&self, ticks: u32, track: impl Fn(&Track) -> Track, age: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let reduction = self.reduction.as_deref()?;
        let of_class =
            |results: &Vec<Operands>| results.iter().map(|result| result.scaled(&age)).collect::<Option<Vec<_>>>();
        let results = reduction.results.iter().map(of_class).collect::<Option<_>>()?;
        let class = |class: &Class| Class { outputs: class.outputs.iter().map(&track).collect() };
        Some(Self {
            ticks,
            classes: self.classes.iter().map(class).collect(),
            reduction: Some(Arc::new(Reduction { ticks, results, ..reduction.clone() })),
            ..self.clone()
        })
    }
}
