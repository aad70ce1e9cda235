//! Meyer and Sibeyn, sections 3.1 and 3.2: the staircase rule, T<->R and B<->L, for two axes with an even side.

use super::links::SharedLinks;
use crate::net::{NodeId, Port, Topology, Torus};
use crate::paths::cover::{Cover, Walk};
use crate::paths::supply::{self, Switching};
use crate::paths::weave::Packets;
use crate::program::{Program, Title};
use crate::task::{About, Claim, Scheme, Woven};
use crate::task::{ConstructError, Unmet};
use crate::task::{Knob, Task};

/// Scheme `staircase` of the list.
pub struct Staircase;

impl Scheme for Staircase {
    fn about(&self) -> About {
        About {
            name: "staircase",
            summary: "Two cycles, a turn at nearly every node: T<->R and B<->L (Meyer and Sibeyn, sections 3.1 and 3.2)",
            theorem: "Meyer and Sibeyn, sections 3.1 and 3.2, Theorems 2 and 3",
            condition: "two axes, n1 or n2 even",
            packets: "2",
            preference: 1,
        }
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        fits(task.torus_sides()?)
    }

    fn packets(&self, _: &Task) -> u16 {
        2
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let cover = cover(&task.torus()?)?;
        let program = supply::program(&cover, Packets::PerCycle, task.choice.switching, title)?;
        Ok(Woven { program, cover: None })
    }

    fn cover(&self, task: &Task) -> Option<Cover> {
        cover(&task.torus().ok()?).ok()
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let &[n1, n2] = task.topology.dims() else { return None };
        let switched = || theorem_3_one_odd_side(n1, n2).filter(|_| task.choice.switching != Switching::None);
        let theorem_2 = theorem_2_even_sides(n1, n2).map(|steps| Claim { theorem: "Theorem 2", steps });
        theorem_2.or_else(|| switched().map(|steps| Claim { theorem: "Theorem 3", steps }))
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        let &[n1, n2] = task.topology.dims() else { return None };
        Some(steps(n1, n2, task.choice.switching))
    }

    fn knobs(&self, task: &Task) -> &'static [Knob] {
        if is_hamiltonian(task.topology.dims()) { &[] } else { &[Knob::Switching] }
    }

    fn is_time_independent(&self, _: &Task) -> bool {
        true
    }
}

/// Theorem 2: two packets per node, n1 and n2 even: n1 n2 / 2 steps.
pub fn theorem_2_even_sides(n1: u32, n2: u32) -> Option<u64> {
    (n1.is_multiple_of(2) && n2.is_multiple_of(2)).then(|| u64::from(n1) * u64::from(n2) / 2)
}

/// Theorem 3: two packets per node, one side odd, with switching: n1 n2 / 2 steps.
pub fn theorem_3_one_odd_side(n1: u32, n2: u32) -> Option<u64> {
    (n1 % 2 != n2 % 2).then(|| u64::from(n1) * u64::from(n2) / 2)
}

/// Theorem 4: two packets per node, both sides odd, with switching: ceil(n1 n2 / 2) steps. The scheme refuses such sides.
pub fn theorem_4_two_odd_sides(n1: u32, n2: u32) -> Option<u64> {
    (n1 % 2 == 1 && n2 % 2 == 1).then(|| (u64::from(n1) * u64::from(n2)).div_ceil(2))
}

/// Measured: the theorems' P/2, but on an odd side n2 (section 3.2) without switching the supporters' distance of 2 n2
/// places costs n2 + 1/2 more, and periodic switching a step where D/h = 2. Two rows have one supporter with two links.
fn steps(n1: u32, n2: u32, switching: Switching) -> u32 {
    let half = (u64::from(n1) * u64::from(n2) / 2) as u32;
    let (even, odd) = if n1.is_multiple_of(2) { (n1, n2) } else { (n2, n1) };
    match switching {
        _ if odd.is_multiple_of(2) => half,
        _ if even == 2 => half + 1,
        Switching::None => half + 1 + odd,
        Switching::Memory => half,
        Switching::Periodic => half + u32::from(!even.is_multiple_of(4)),
    }
}

/// Checks that the rule applies to these sides.
pub fn fits(dims: &[u32]) -> Result<(), Unmet> {
    match dims {
        [n1, n2] if n1.is_multiple_of(2) || n2.is_multiple_of(2) => Ok(()),
        // section 3.3 leaves one node without the second cycle, see theorem_4_fails_for_the_pattern_of_section_3_3
        [_, _] => Err(Unmet { needs: "n1 or n2 even; for two odd sides take hamiltonian" }),
        _ => Err(Unmet { needs: "two axes, n1 or n2 even" }),
    }
}

/// Returns true if both cycles pass every node: both sides are even (section 3.1).
pub fn is_hamiltonian(dims: &[u32]) -> bool {
    dims.len() == 2 && dims.iter().all(|side| side.is_multiple_of(2))
}

/// Gossip of two packets per node; P/2 steps on even sides (Theorem 2) and, with switching, on others (Theorem 3).
pub fn program(torus: &Torus, switching: Switching, title: Title) -> Result<Program, ConstructError> {
    Ok(supply::program(&cover(torus)?, Packets::PerCycle, switching, title)?)
}

/// Two edge-disjoint cycles; both pass node (0,0). Hamiltonian on even sides. With an odd number of columns the nodes
/// of the last but one lie on one cycle each, alternately, and count double.
pub fn cover(torus: &Torus) -> Result<Cover, Unmet> {
    fits(torus.dims())?;
    let rule = StaircaseRule::new(torus);
    let walks =
        [rule.right, rule.bottom].map(|first| trace(torus, NodeId(0), first, |node, from| rule.out(node, from)));
    let cover = Cover::new(torus, &walks, |node| rule.turn(node) == PortPairing::Straight);
    Ok(cover.expect("the staircase rule yields two cycles (Theorems 2 and 3)"))
}

/// Pairing of a node's ports.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PortPairing {
    /// T<->R and B<->L.
    Rising,
    /// T<->L and B<->R.
    Falling,
    /// L<->R, both ways.
    Straight,
}

/// The rule with the rows along an even side.
struct StaircaseRule<'a> {
    torus: &'a Torus,
    /// the axis across the columns
    columns: usize,
    top: Port,
    bottom: Port,
    left: Port,
    right: Port,
}

impl<'a> StaircaseRule<'a> {
    fn new(torus: &'a Torus) -> Self {
        let rows = usize::from(!torus.side(0).is_multiple_of(2));
        let columns = 1 - rows;
        let (top, left) = (Port::minus(rows), Port::minus(columns));
        Self { torus, columns, top, bottom: top.opposite(), left, right: left.opposite() }
    }

    fn turn(&self, node: NodeId) -> PortPairing {
        let (column, count) = (self.torus.coord(node, self.columns), self.torus.side(self.columns));
        if column.is_multiple_of(2) || column + 1 == count {
            PortPairing::Rising
        } else if !count.is_multiple_of(2) && column + 2 == count {
            PortPairing::Straight
        } else {
            PortPairing::Falling
        }
    }

    /// Pairs of ports that the node joins.
    fn joined(&self, node: NodeId) -> [(Port, Port); 2] {
        match self.turn(node) {
            PortPairing::Rising => [(self.top, self.right), (self.bottom, self.left)],
            PortPairing::Falling => [(self.top, self.left), (self.bottom, self.right)],
            PortPairing::Straight => [(self.left, self.right); 2],
        }
    }

    /// The port by which what came in at `from` goes out.
    fn out(&self, node: NodeId, from: Port) -> Port {
        let pairs = self.joined(node).into_iter().flat_map(|(one, other)| [(one, other), (other, one)]);
        let (_, to) =
            pairs.into_iter().find(|&(port, _)| port == from).expect("no cycle enters a straight column by T or B");
        to
    }
}

/// The rule on two even sides, node by node: which two ports a cycle joins, not which of the two cycles it is.
pub struct Turns<'a>(StaircaseRule<'a>);

impl<'a> Turns<'a> {
    /// For a torus that [`is_hamiltonian`].
    pub fn new(torus: &'a Torus) -> Self {
        debug_assert!(is_hamiltonian(torus.dims()));
        Self(StaircaseRule::new(torus))
    }
}

impl SharedLinks for Turns<'_> {
    fn topology(&self) -> &Topology {
        self.0.torus
    }

    fn cycles(&self) -> usize {
        2
    }

    fn at(&self, node: NodeId, _: &[NodeId], cycles: &mut [usize]) {
        for (cycle, (one, other)) in self.0.joined(node).into_iter().enumerate() {
            cycles[one.index()] = cycle;
            cycles[other.index()] = cycle;
        }
    }

    /// Returns `None` for each cycle: every node joins a row link with a column link, so a cycle has as many of each.
    fn main_axes(&self) -> Option<Vec<Option<usize>>> {
        Some(vec![None; 2])
    }
}

/// Follows a rule from `start`, out by `first`, until it comes back to where and how it began. The rule says by which
/// port of a node goes out what came in at another.
fn trace(torus: &Torus, start: NodeId, first: Port, out: impl Fn(NodeId, Port) -> Port) -> Walk {
    let (mut node, mut port) = (start, first);
    let mut moves = Vec::new();
    loop {
        moves.push(port);
        node = torus.neighbour(node, port);
        port = out(node, port.opposite());
        if (node, port) == (start, first) {
            return Walk { start, moves };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::cover::CoverError;
    use crate::play::steps_to_complete;

    /// Steps by execution; the program must last exactly as long.
    fn steps(dims: [u32; 2], switching: Switching) -> u32 {
        let torus = Torus::new(&dims).unwrap();
        let title = Title::new("t", "staircase");
        let program = program(&torus, switching, title).unwrap();
        assert_eq!(steps_to_complete(&program), Some(program.ticks), "{torus} {switching}");
        program.ticks
    }

    /// Theorem 2: two packets per node, both sides even, P/2 steps.
    #[test]
    fn theorem_2_gossip_in_half_p_steps_on_even_sides() {
        for (n1, n2) in (2..=24).step_by(2).flat_map(|n1| (2..=24).step_by(2).map(move |n2| (n1, n2))) {
            assert_eq!(steps([n1, n2], Switching::None), n1 * n2 / 2, "{n1}x{n2}");
        }
    }

    /// Theorem 3: two packets per node, one side odd, P/2 steps with switching.
    #[test]
    fn theorem_3_gossip_in_half_p_steps_on_one_odd_side() {
        for (n1, n2) in (4..=14).step_by(2).flat_map(|n1| (3..=9).step_by(2).map(move |n2| (n1, n2))) {
            assert_eq!(steps([n1, n2], Switching::Memory), n1 * n2 / 2, "{n1}x{n2}");
            assert_eq!(steps([n2, n1], Switching::Memory), n1 * n2 / 2, "{n2}x{n1}");
        }
    }

    /// Section 3.2 without switching: the supporters' distance costs 2 n2 places, seen from both ends.
    #[test]
    fn one_odd_side_without_switching_costs_one_more_row() {
        for (n1, n2) in (4..=14).step_by(2).flat_map(|n1| (3..=9).step_by(2).map(move |n2| (n1, n2))) {
            assert_eq!(steps([n1, n2], Switching::None), (n1 * n2 + 1).div_ceil(2) + n2, "{n1}x{n2}");
        }
    }

    #[test]
    fn the_paper_promises_steps_on_an_odd_side_only_with_switching() {
        let claim = |dims: [u32; 2], switching| {
            let torus = Torus::new(&dims).unwrap();
            let choice = crate::task::Choice { switching, ..Default::default() };
            Staircase.claim(&Task { topology: &torus, link: crate::program::Link::default(), choice })
        };
        assert_eq!(claim([6, 7], Switching::None), None);
        assert_eq!(claim([6, 7], Switching::Memory), Some(Claim { theorem: "Theorem 3", steps: 21 }));
        assert_eq!(claim([6, 8], Switching::None), Some(Claim { theorem: "Theorem 2", steps: 24 }));
        assert_eq!(theorem_4_two_odd_sides(7, 7), Some(25));
    }

    #[test]
    fn supporters_on_one_odd_side_stand_two_rows_apart() {
        for (n1, n2) in [(4, 3), (6, 7), (10, 9), (14, 5)] {
            let cover = cover(&Torus::new(&[n1, n2]).unwrap()).unwrap();
            assert_eq!([cover.length(0), cover.length(1)], [n1 * n2; 2]);
            let supplies = supply::supplies(&cover).unwrap();
            assert_eq!(supplies.len() as u32, n1);
            assert!(supplies.iter().all(|supply| supply.distance == 2 * n2), "{n1}x{n2}");
        }
    }

    /// n1 = 0 mod 4 gives D/h = 1, other even n1 D/h = 2.
    #[test]
    fn periodic_switching_needs_no_delay_line_on_one_odd_side() {
        for (n1, n2) in (4..=14).step_by(2).flat_map(|n1| (3..=9).step_by(2).map(move |n2| (n1, n2))) {
            let extra = u32::from(n1 % 4 != 0);
            assert_eq!(steps([n1, n2], Switching::Periodic), n1 * n2 / 2 + extra, "{n1}x{n2}");
        }
    }

    /// Section 3.3's pattern for two odd sides leads one cycle through node (n1-2, n2-1) twice. All its links belong to
    /// that cycle, so nothing can supply it with the other one, and Theorem 4 does not hold for the pattern.
    #[test]
    fn theorem_4_fails_for_the_pattern_of_section_3_3() {
        let [top, bottom, left, right] = ["T", "B", "L", "R"].map(|letter| Port::parse(letter).unwrap());
        for (n1, n2) in (3..=13).step_by(2).flat_map(|n1| (3..=13).step_by(2).map(move |n2| (n1, n2))) {
            let torus = Torus::new(&[n1, n2]).unwrap();
            let rule = StaircaseRule { torus: &torus, columns: 1, top, bottom, left, right };
            let twice = torus.node(&[n1 - 2, n2 - 1]);
            let out = |node, from: Port| {
                if torus.coord(node, 0) + 2 == n1 && node != twice { from.opposite() } else { rule.out(node, from) }
            };
            let walk = trace(&torus, twice, right, out);
            assert!(walk.moves.len() as u32 > n1 * n2 / 2);
            assert_eq!(
                Cover::new(&torus, &[walk], |_| false).unwrap_err(),
                CoverError::Revisit { cycle: 0, node: twice },
                "{n1}x{n2}"
            );
        }
    }

    #[test]
    fn one_odd_side_has_three_classes_at_every_size_with_memory() {
        for (n1, n2) in (6..=14).step_by(2).flat_map(|n1| (5..=11).step_by(2).map(move |n2| (n1, n2))) {
            let torus = Torus::new(&[n1, n2]).unwrap();
            let title = Title::new("t", "staircase");
            assert_eq!(program(&torus, Switching::Memory, title).unwrap().classes.len(), 3, "{n1}x{n2}");
        }
    }

    #[test]
    fn two_rows_leave_one_supporter_with_two_links() {
        for n2 in [3, 5, 7] {
            for (switching, dims) in Switching::ALL.into_iter().flat_map(|s| [(s, [2, n2]), (s, [n2, 2])]) {
                assert_eq!(steps(dims, switching), n2 + 1, "{dims:?} {switching}");
            }
        }
    }

    #[test]
    fn sides_that_do_not_fit_are_refused_with_the_condition() {
        for dims in [&[7][..], &[5, 7], &[4, 4, 4]] {
            assert!(fits(dims).is_err(), "{dims:?}");
        }
        assert_eq!(fits(&[5, 7]).unwrap_err().to_string(), "needs n1 or n2 even; for two odd sides take hamiltonian");
    }
}
