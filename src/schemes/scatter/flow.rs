//! A largest flow through a small network: Dinic's algorithm.

use std::collections::VecDeque;

/// An arc by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcId(usize);

#[derive(Clone, Copy, Debug)]
struct FlowArc {
    to: usize,
    left: u64,
}

/// A network of arcs with capacities. Arc i and its way back, i ^ 1, stand side by side.
#[derive(Clone, Debug, Default)]
pub struct FlowNetwork {
    arcs: Vec<FlowArc>,
    leaving: Vec<Vec<usize>>,
}

impl FlowNetwork {
    /// Adds a place; its number.
    pub fn place(&mut self) -> usize {
        self.leaving.push(Vec::new());
        self.leaving.len() - 1
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.leaving.len()
    }

    /// Adds an arc.
    pub fn arc(&mut self, from: usize, to: usize, capacity: u64) -> ArcId {
        let id = self.arcs.len();
        self.arcs.extend([FlowArc { to, left: capacity }, FlowArc { to: from, left: 0 }]);
        self.leaving[from].push(id);
        self.leaving[to].push(id + 1);
        ArcId(id)
    }

    /// Amount of flow along an arc.
    pub fn along(&self, ArcId(id): ArcId) -> u64 {
        self.arcs[id ^ 1].left
    }

    /// Lets as much flow from one place to another as can; how much that is.
    pub fn fill(&mut self, from: usize, to: usize) -> u64 {
        let mut total = 0;
        while let Some(levels) = self.levels(from, to) {
            let mut next = vec![0; self.leaving.len()];
            loop {
                let more = self.push(from, to, u64::MAX, &levels, &mut next);
                if more == 0 {
                    break;
                }
                total += more;
            }
        }
        total
    }

    /// Distance of every place along arcs with room left; `None` if the target cannot be reached.
    fn levels(&self, from: usize, to: usize) -> Option<Vec<u32>> {
        let mut levels = vec![u32::MAX; self.leaving.len()];
        levels[from] = 0;
        let mut reached = VecDeque::from([from]);
        while let Some(place) = reached.pop_front() {
            for arc in self.leaving[place].iter().map(|&id| self.arcs[id]) {
                if arc.left > 0 && levels[arc.to] == u32::MAX {
                    levels[arc.to] = levels[place] + 1;
                    reached.push_back(arc.to);
                }
            }
        }
        (levels[to] < u32::MAX).then_some(levels)
    }

    fn push(&mut self, from: usize, to: usize, most: u64, levels: &[u32], next: &mut [usize]) -> u64 {
        if from == to {
            return most;
        }
        while let Some(&id) = self.leaving[from].get(next[from]) {
            let arc = self.arcs[id];
            if arc.left > 0 && levels[arc.to] == levels[from] + 1 {
                let pushed = self.push(arc.to, to, most.min(arc.left), levels, next);
                if pushed > 0 {
                    self.arcs[id].left -= pushed;
                    self.arcs[id ^ 1].left += pushed;
                    return pushed;
                }
            }
            next[from] += 1;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flow has to turn back over the arc in the middle.
    #[test]
    fn flow_turns_back_where_that_makes_room() {
        let mut flow = FlowNetwork::default();
        let [s, a, b, t] = [(); 4].map(|()| flow.place());
        let arcs =
            [(s, a, 3), (s, b, 2), (a, b, 3), (a, t, 2), (b, t, 3)].map(|(from, to, most)| flow.arc(from, to, most));
        assert_eq!(flow.fill(s, t), 5);
        assert_eq!(flow.along(arcs[0]) + flow.along(arcs[1]), 5);
        assert_eq!([flow.along(arcs[3]), flow.along(arcs[4])], [2, 3]);
    }
}
