//! Links that are longer than a tick.
//!
//! All is sent at the same time as before: what was read at some age has then arrived so many ticks later, so that it is
//! that much younger. So a program runs on links of latency l if it never reads anything younger than l, and it lasts l - 1
//! ticks longer, in which outputs are idle and the last flits arrive. What completes a node's own values is read after these
//! ticks, as old as before.

use std::sync::Arc;

use crate::program::{Class, Program, Reduction, Run, Source, Span, Track};

impl Program {
    /// Rewrites the program for links of the given latency. `None` if it forwards sooner than the links deliver, if the
    /// ticks do not fit, or if its latency is already above 1.
    pub fn on_links_of_latency(&self, latency: u32) -> Option<Self> {
        if let Some([reduce, gather]) = self.parts() {
            return reduce.on_links_of_latency(latency)?.followed_by(&gather.on_links_of_latency(latency)?);
        }
        if self.latency != 1 {
            return None;
        }
        let more = latency.checked_sub(1)?;
        let ticks = self.ticks.checked_add(more)?;
        let outputs =
            |class: &Class| class.outputs.iter().map(|track| track.over(self.ticks, more)).collect::<Option<_>>();
        let class = |class| Some(Class { outputs: outputs(class)? });
        let classes = self.classes.iter().map(class).collect::<Option<_>>()?;
        Some(Self { ticks, latency, classes, reduction: self.reduction_over(ticks), ..self.clone() })
    }

    /// The program that this one was before it went on [such links](Program::on_links_of_latency): it sends the same in every
    /// tick, so that it is right if and only if this one is. None if anything is sent too late to arrive.
    pub fn on_short_links(&self) -> Option<Self> {
        if let Some([reduce, gather]) = self.parts() {
            return reduce.on_short_links()?.followed_by(&gather.on_short_links()?);
        }
        if self.reduce_latency() > self.latency {
            return self.reduce_part()?.on_short_links();
        }
        let more = self.latency.checked_sub(1)?;
        let ticks = self.ticks.checked_sub(more)?;
        let outputs = |class: &Class| {
            class.outputs.iter().map(|track| track.under(ticks, self.ticks, more)).collect::<Option<_>>()
        };
        let class = |class| Some(Class { outputs: outputs(class)? });
        let classes = self.classes.iter().map(class).collect::<Option<_>>()?;
        let short = Self { ticks, latency: 1, classes, reduction: self.reduction_over(ticks), ..self.clone() };
        if self.reduction.as_ref().is_some_and(|reduction| reduction.arithmetic().is_ordered()) {
            return short.without_rest();
        }
        Some(short)
    }

    /// Copies the reduction for a reduce part of `ticks` ticks.
    fn reduction_over(&self, ticks: u32) -> Option<Arc<Reduction>> {
        let reduction = self.reduction.as_deref()?;
        Some(Arc::new(Reduction { ticks, ..reduction.clone() }))
    }
}

impl Track {
    /// Returns true if nothing would arrive after the last tick on links that take `more` additional ticks.
    pub fn ends_in_time(&self, ticks: u32, more: u32) -> bool {
        self.spans(ticks).all(|span| span.source == Source::Idle || span.last <= ticks.saturating_sub(more))
    }

    /// The inverse of [`Track::over`].
    fn under(&self, ticks: u32, last: u32, more: u32) -> Option<Self> {
        if more == 0 {
            return Some(self.clone());
        }
        let older = |age: u32| age.checked_add(more);
        let run = |span: Span| Some(Run { source: span.source.scaled(older)?, ticks: span.last - span.first + 1 });
        let runs = self.spans(ticks).map(run).collect::<Option<_>>()?;
        self.ends_in_time(last, more).then_some(Self { runs, repeat_from: None, inject: self.inject })
    }

    /// Copies the track for inputs that arrive `more` ticks later, followed by as many idle ticks.
    fn over(&self, ticks: u32, more: u32) -> Option<Self> {
        if more == 0 {
            return Some(self.clone());
        }
        let mut runs: Vec<Run> = Vec::new();
        let younger = |age: u32| age.checked_sub(more).filter(|&age| age > 0);
        let played = self.spans(ticks).map(|span| (span.source, span.last - span.first + 1));
        for (source, ticks) in played.chain([(Source::Idle, more)]) {
            let source = source.scaled(younger)?;
            match runs.last_mut() {
                Some(last) if last.source == source && !matches!(source, Source::Own { .. }) => last.ticks += ticks,
                _ => runs.push(Run { source, ticks }),
            }
        }
        Some(Self { runs, repeat_from: None, inject: self.inject })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Port;

    #[test]
    fn delayed_reads_are_younger_and_the_last_ticks_idle() {
        let (own, input) = (Source::own(0), |age| Source::input(Port::plus(0), age));
        let run = |source, ticks| Run { source, ticks };
        let track =
            Track { runs: vec![run(own, 4), run(input(4), 2), run(input(8), 2)], repeat_from: Some(1), inject: None };
        let longer = track.over(10, 3).unwrap();
        let expected = [run(own, 4), run(input(1), 2), run(input(5), 2), run(input(1), 2), run(Source::Idle, 3)];
        assert_eq!((longer.runs.as_slice(), longer.repeat_from), (&expected[..], None));
        assert_eq!(
            longer.under(10, 13, 3).unwrap().sources(10).collect::<Vec<_>>(),
            track.sources(10).collect::<Vec<_>>()
        );
        assert!(longer.under(11, 13, 2).is_some() && longer.under(9, 13, 4).is_none(), "something is sent in tick 10");
        assert_eq!(track.over(10, 0).as_ref(), Some(&track));
        assert_eq!(track.over(10, 4), None, "what is 4 ticks old has not arrived on links of latency 5");
    }
}
