//! Question that a design answers: its task, roots, and the fewest ticks that it could take.

use super::{Design, GroupKind};
use crate::net::NodeId;
use crate::program::Program;
use crate::study::bounds::{self, Bound, Goal};
use crate::task::Task;

impl Design {
    /// The lower bound in ticks for this design.
    pub fn bound(&self) -> Bound {
        if let Some(bound) = self.groups.iter().map(|kind| kind.design.bound()).max_by_key(|bound| bound.ticks) {
            return bound;
        }
        let Program { topology, .. } = &self.program;
        match self.config.vector_words() {
            // blocks are padded
            Some(words) => {
                let goal = Goal::AllReduce { words: words.into(), latency: self.program.reduce_latency() };
                bounds::lower_bound(topology, self.program.link(), goal)
            }
            None => bounds::of(&self.program),
        }
    }

    /// Task that the scheme was given: that of the first group, if there are several.
    pub fn task(&self) -> Task<'_> {
        if let Some(kind) = self.groups.first() {
            return kind.design.task();
        }
        let task = self.config.task(&self.program.topology, self.word_messages());
        let mut task = task.expect("what is wrong with it had stopped the design");
        // a scheme goes by the packets that were asked for
        task.choice.packets = Some(self.program.packets());
        task
    }

    /// The node that broadcasts, scatters, gathers or reduces, if one does: that of the first group, if there are several.
    pub fn root(&self) -> Option<NodeId> {
        self.roots().first().copied()
    }

    /// Nodes that broadcast, scatter, gather or reduce: one for each group, in the order of the groups.
    pub fn roots(&self) -> Vec<NodeId> {
        if !self.config.collective().has_root() {
            return Vec::new();
        }
        if self.groups.is_empty() {
            return vec![self.task().root()];
        }
        let of_kind = |kind: &GroupKind| {
            let root = kind.design.task().root();
            kind.places.iter().map(|places| (places[0], places[root.index()])).collect::<Vec<_>>()
        };
        let mut roots: Vec<(NodeId, NodeId)> = self.groups.iter().flat_map(of_kind).collect();
        roots.sort_unstable();
        roots.into_iter().map(|(_, root)| root).collect()
    }
}
