//! The class of dead nodes: it sends nothing, comes last, and is not written.

use std::sync::Arc;

use super::{Class, ClassId, ClassMap, Program, Reduction, Run, Source, Track};

impl Class {
    /// A class of so many outputs that never sends.
    fn idle(outputs: usize, ticks: u32) -> Self {
        let track = Track { runs: vec![Run { source: Source::Idle, ticks }], repeat_from: None, inject: None };
        Self { outputs: vec![track; outputs] }
    }
}

impl Program {
    /// Class of the dead nodes, if there are any: the last one, which no live node has.
    pub fn dead_class(&self) -> Option<ClassId> {
        let has_dead = self.topology.live_nodes() < self.topology.nodes();
        has_dead.then(|| ClassId(self.classes.len() as u32 - 1))
    }

    /// Number of classes that live nodes have: the first ones.
    pub fn live_classes(&self) -> usize {
        self.classes.len() - usize::from(self.dead_class().is_some())
    }

    /// The program with a last class for its dead nodes and all others in the order in which they first occur, whatever class
    /// dead nodes had.
    #[must_use]
    pub fn with_dead_class(self) -> Self {
        if self.topology.live_nodes() == self.topology.nodes() {
            return self;
        }
        let mut number: Vec<Option<u32>> = vec![None; self.classes.len()];
        let mut kept: Vec<usize> = Vec::new();
        for node in self.topology.live_ids() {
            let class = self.class_of[node.index()].index();
            if number[class].is_none() {
                number[class] = Some(kept.len() as u32);
                kept.push(class);
            }
        }
        let dead = ClassId(kept.len() as u32);
        let class_of = self.topology.node_ids().map(|node| {
            let class = self.class_of.get(node).and_then(|class| number.get(class.index()).copied().flatten());
            class.filter(|_| self.topology.is_live(node)).map_or(dead, ClassId)
        });
        let class_of: ClassMap = class_of.collect();
        let reduction = self.reduction.as_deref().map(|reduction| {
            let results = kept.iter().map(|&class| reduction.results[class].clone()).chain([Vec::new()]).collect();
            Arc::new(Reduction { results, ..reduction.clone() })
        });
        let idle = Class::idle(self.outputs(), self.ticks);
        let classes = kept.iter().map(|&class| self.classes[class].clone()).chain([idle]).collect();
        Self { classes, class_of, reduction, ..self }
    }
}
