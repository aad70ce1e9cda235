//! The parts of a reduction: in one values are combined, in the other what they became is gathered.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Class, ClassId, ClassMap, Program, Reduction, Run, Source, Track};

impl Program {
    /// The part in which values are combined, if there is one.
    pub fn reduce_part(&self) -> Option<Self> {
        let reduction = self.reduction.as_ref()?;
        let ticks = reduction.ticks;
        let part = |track: &Track| {
            let spans = track.spans(self.ticks).take_while(|span| span.first <= ticks);
            let runs = spans.map(|span| Run { source: span.source, ticks: span.last.min(ticks) - span.first + 1 });
            Track { runs: runs.collect(), repeat_from: None, inject: None }
        };
        let class = |class: &Class| Class { outputs: class.outputs.iter().map(part).collect() };
        // on its own it is a program whose links are as much longer as combining takes
        let alone = Reduction { adding: 0, ..(**reduction).clone() };
        let reduction = if reduction.adding == 0 { reduction.clone() } else { Arc::new(alone) };
        Some(Self {
            ticks,
            latency: self.reduce_latency(),
            classes: self.classes.iter().map(class).collect(),
            reduction: Some(reduction),
            ..self.clone()
        })
    }

    /// The part of an all-reduce that comes after the tick of silence, as a gossip of its own.
    pub fn gather_part(&self) -> Option<Self> {
        let before = self.reduction.as_ref().filter(|reduction| reduction.ticks < self.ticks)?.ticks + 1;
        let rest = |track: &Track| {
            let spans = track.spans(self.ticks).filter(|span| span.last > before);
            let runs = spans.map(|span| Run { source: span.source, ticks: span.last - before.max(span.first - 1) });
            Track { runs: runs.collect(), repeat_from: None, inject: None }
        };
        let class = |class: &Class| Class { outputs: class.outputs.iter().map(rest).collect() };
        Some(Self {
            ticks: self.ticks - before,
            classes: self.classes.iter().map(class).collect(),
            reduction: None,
            ..self.clone()
        })
    }

    /// Copies a broadcast with a packet for every flit, as the results of a reduce are. Flits keep their numbers.
    #[must_use]
    pub fn by_flits(&self) -> Self {
        let mut program = Self { demand: self.demand.by_flits(&self.topology), ..self.clone() };
        let Some(root) = self.topology.node_ids().find(|&node| self.demand.packets_of(node) > 0) else {
            return program;
        };
        let of_packet = |packet| self.demand.flits_of_packet(root, packet);
        let class = &mut program.classes[self.class_of[root.index()].index()];
        for run in class.outputs.iter_mut().flat_map(|track| &mut track.runs) {
            if let Source::Own { packet, through } = run.source {
                let (first, last) = (of_packet(packet).start as u32, of_packet(through).end as u32 - 1);
                run.source = Source::Own { packet: first, through: last };
            }
        }
        program
    }

    /// Both parts, if there are two.
    pub fn parts(&self) -> Option<[Self; 2]> {
        Some([self.reduce_part()?, self.gather_part()?])
    }

    /// Joins a reduction, a silent tick, and a gossip of the results, of as many flits; none if it does not combine or the ticks
    /// cannot be counted. Links of the gossip may be shorter: the difference is what combining takes.
    pub fn followed_by(&self, gather: &Self) -> Option<Self> {
        let ticks = self.ticks.checked_add(gather.ticks)?.checked_add(1)?;
        let reduction = self.reduction.as_deref()?;
        let adding = self.reduce_latency().checked_sub(gather.latency)?;
        let (mut pairs, mut ids) = (Vec::new(), HashMap::new());
        let mut class_of = ClassMap::with_capacity(0);
        for pair in self.class_of.iter().copied().zip(gather.class_of.iter().copied()) {
            class_of.push(*ids.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                ClassId(pairs.len() as u32 - 1)
            }));
        }
        let joined = |&(before, after): &(ClassId, ClassId)| {
            let outputs = self.classes[before.index()].outputs.iter().zip(&gather.classes[after.index()].outputs);
            Class { outputs: outputs.map(|(before, after)| one_after_the_other(before, after, gather.ticks)).collect() }
        };
        let results = pairs.iter().map(|(before, _)| reduction.results[before.index()].clone()).collect();
        let joined = Self {
            ticks,
            latency: gather.latency,
            classes: pairs.iter().map(joined).collect(),
            class_of,
            reduction: Some(Arc::new(Reduction { adding, results, ..reduction.clone() })),
            ..self.clone()
        };
        Some(joined.with_dead_class())
    }
}

fn one_after_the_other(before: &Track, after: &Track, ticks: u32) -> Track {
    let mut runs = before.runs.clone();
    let after = after.spans(ticks).map(|span| Run { source: span.source, ticks: span.last - span.first + 1 });
    for run in std::iter::once(Run { source: Source::Idle, ticks: 1 }).chain(after) {
        match runs.last_mut() {
            Some(last) if last.source == Source::Idle && run.source == Source::Idle => last.ticks += run.ticks,
            _ => runs.push(run),
        }
    }
    Track { runs, repeat_from: None, inject: None }
}
