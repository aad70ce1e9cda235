//! `scheme: auto`: the scheme whose design takes the fewest ticks, then the least hardware, and why.
//!
//! `scheme: independent` chooses among the time-independent schemes alone: their routers need no table.

mod contest;
mod reason;

use self::contest::{Contest, Least};
use super::{SCHEMES, SchemeName};
use crate::program::{Program, Title};
use crate::task::Collective;
use crate::task::Task;
use crate::task::{ConstructError, Unmet};
use crate::task::{Scheme, Woven};
use crate::transform::Form;

pub use self::reason::{Among, HardwareCost, Reason, SchemeCandidate};

/// Most ports of nodes that are all alike for which schemes are built that stand in.
const MOST_ALIKE: usize = 1 << 8;

/// Schemes that a choice is made from.
#[derive(Clone, Copy, Debug)]
pub struct Choosing<'a> {
    /// True if only time-independent schemes are wanted.
    pub is_independent: bool,
    /// Schemes that are not wanted, because the rest of the design does not support them.
    pub without: &'a [&'static dyn Scheme],
    /// Form that the programs are brought into.
    pub form: Form,
}

impl Choosing<'_> {
    /// The choice of `auto` or `independent`, for packets of one flit on short links.
    pub const fn plain(is_independent: bool) -> Self {
        Self { is_independent, without: &[], form: Form::PLAIN }
    }

    fn among(&self) -> Among {
        Among { is_independent: self.is_independent, is_restricted: !self.without.is_empty() }
    }

    /// Schemes that apply, the preferred one first, whatever the order of the list. Smaller routers are preferred.
    fn fitting_of(&self, list: &[&'static dyn Scheme], task: &Task) -> Vec<&'static dyn Scheme> {
        let is_wanted = |scheme: &&dyn Scheme| {
            scheme.fits(task).is_ok()
                && !self.without.contains(scheme)
                && (!self.is_independent || scheme.is_time_independent(task))
        };
        preferred(list).into_iter().filter(is_wanted).collect()
    }

    /// The schemes of the list that are chosen from.
    pub(super) fn fitting(&self, task: &Task) -> Vec<&'static dyn Scheme> {
        self.fitting_of(SCHEMES, task)
    }

    /// Checks that at least one scheme applies.
    pub fn fits(&self, task: &Task) -> Result<(), Unmet> {
        if self.fitting(task).is_empty() { Err(self.lacking(SCHEMES, task)) } else { Ok(()) }
    }

    /// Requirement that no scheme meets. For collectives other than gossip, the least preferred scheme requires least.
    fn lacking(&self, list: &[&'static dyn Scheme], task: &Task) -> Unmet {
        if self.is_independent {
            return Unmet { needs: "a network to which some time-independent scheme applies" };
        }
        let nothing = Unmet { needs: "a network to which some scheme applies" };
        if task.collective() == Collective::Gossip {
            return nothing;
        }
        let list = preferred(list);
        let last = list.iter().rfind(|scheme| scheme.collectives().contains(&task.collective()));
        last.and_then(|scheme| scheme.fits(task).err()).unwrap_or(nothing)
    }

    /// Chooses the fastest scheme that applies; among equals the one of less hardware, or the preferred one. A scheme that says its
    /// steps is built only if it is taken, and one that cannot be faster is not built.
    pub fn choose(&self, task: &Task, title: &Title) -> Result<(Woven, Reason), ConstructError> {
        self.choose_of(SCHEMES, task, title)
    }

    fn choose_of(
        &self,
        list: &[&'static dyn Scheme],
        task: &Task,
        title: &Title,
    ) -> Result<(Woven, Reason), ConstructError> {
        let weave = |scheme: &dyn Scheme| scheme.woven(task, Title { scheme: scheme.to_string(), ..title.clone() });
        let mut contest = Contest::new(task);
        let mut least = Least::new(task);
        for scheme in self.fitting_of(list, task) {
            let entered = match scheme.foreseen_steps(task) {
                Some(steps) => Ok((steps, None, None)),
                None if contest.is_won(&self.candidate(scheme, task, least.steps(packets(scheme, task)), None)) => {
                    continue;
                }
                None => weave(scheme)
                    .map(|woven| (woven.program.ticks, Some(HardwareCost::of(&woven.program)), Some(woven))),
            };
            contest
                .enter(entered.map(|(steps, hardware, built)| (self.candidate(scheme, task, steps, hardware), built)));
        }
        match contest.decided(self.among())? {
            Some((woven, reason)) => Ok((woven.map_or_else(|| weave(reason.scheme), Ok)?, reason)),
            None => Err(self.lacking(list, task).into()),
        }
    }

    fn candidate(
        &self,
        scheme: &'static dyn Scheme,
        task: &Task,
        steps: u32,
        hardware: Option<HardwareCost>,
    ) -> SchemeCandidate {
        SchemeCandidate { scheme, packets: packets(scheme, task), steps, ticks: self.form.ticks(steps), hardware }
    }

    /// Chooses among programs that somebody else builds, which are more than their gossips: takes the one of the fewest ticks, then
    /// of the least hardware. A scheme that stands in is not built where another one meets the bound that `least` says, or on many nodes
    /// that are alike: other schemes have one tree for all of them there, and it takes minutes to search.
    pub fn choose_built<E>(
        &self,
        task: &Task,
        build: impl Fn(&'static dyn Scheme) -> Result<Program, E>,
        least: impl Fn(&Program) -> u64,
    ) -> Result<Option<(Program, Reason)>, E> {
        let mut contest: Contest<Program, E> = Contest::new(task);
        for scheme in self.fitting(task) {
            let is_done = |(_, program): &(_, Program)| u64::from(program.ticks) <= least(program);
            let are_alike = task.topology.is_homogeneous();
            let is_idle = |best: &_| is_done(best) || are_alike && task.topology.registers() > MOST_ALIKE;
            if scheme.stands_in() && contest.best.as_ref().is_some_and(is_idle) {
                continue;
            }
            contest.enter(build(scheme).map(|program| {
                let (steps, ticks) = (program.steps(), program.ticks.into());
                // one tree for all nodes is preferred to a search that is not faster
                let hardware = Some(HardwareCost::of(&program)).filter(|_| !(are_alike && scheme.stands_in()));
                (SchemeCandidate { scheme, packets: packets(scheme, task), steps, ticks, hardware }, program)
            }));
        }
        contest.decided(self.among())
    }

    /// The scheme that is taken, as far as formulas and lower bounds tell without building anything.
    pub fn foreseen(&self, task: &Task) -> Option<&'static dyn Scheme> {
        self.foreseen_of(SCHEMES, task)
    }

    fn foreseen_of(&self, list: &[&'static dyn Scheme], task: &Task) -> Option<&'static dyn Scheme> {
        let fitting = self.fitting_of(list, task);
        if let [one] = fitting.as_slice() {
            return Some(*one);
        }
        let mut least = Least::new(task);
        let mut best: Option<(SchemeCandidate, bool)> = None;
        for scheme in fitting {
            let known = scheme.foreseen_steps(task);
            let steps = known.unwrap_or_else(|| least.steps(packets(scheme, task)));
            let candidate = self.candidate(scheme, task, steps, None);
            if best.as_ref().is_none_or(|(best, _)| candidate.beats(best, task.choice.packets)) {
                best = Some((candidate, known.is_some()));
            }
        }
        best.filter(|&(_, known)| known).map(|(best, _)| best.scheme)
    }
}

/// Schemes in the order in which `auto` prefers those of equal time, whatever the order of the list.
fn preferred(list: &[&'static dyn Scheme]) -> Vec<&'static dyn Scheme> {
    let mut list = list.to_vec();
    list.sort_by_key(|scheme| (scheme.about().preference, scheme.about().name));
    list
}

/// The packets that a node's data is split into. Messages that have a sender are sent once, however they are split.
fn packets(scheme: &dyn Scheme, task: &Task) -> u16 {
    if task.collective() == Collective::Gossip { scheme.packets(task) } else { 1 }
}

impl SchemeName {
    /// Schemes that are chosen from, unless one is named.
    pub(super) fn choosing(self) -> Option<Choosing<'static>> {
        match self {
            Self::Auto => Some(Choosing::plain(false)),
            Self::Independent => Some(Choosing::plain(true)),
            Self::One(_) | Self::File(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::net::splitmix::mix;
    use crate::net::{ShapeName, Topology, Torus};
    use crate::program::{Duplex, Link};
    use crate::task::{Choice, CollectiveTraffic};

    const AUTO: Choosing<'static> = Choosing::plain(false);

    fn taken(dims: &[u32], packets: Option<u16>) -> Reason {
        let torus = Torus::new(dims).unwrap();
        let task = Task { topology: &torus, link: Link::default(), choice: Choice { packets, ..Choice::default() } };
        let title = Title::new("t", "");
        let (woven, reason) = AUTO.choose(&task, &title).unwrap();
        assert_eq!(woven.program.title.scheme, reason.scheme.to_string());
        // the predicted scheme is the chosen one
        assert!(AUTO.foreseen(&task).is_none_or(|scheme| scheme == reason.scheme), "{dims:?}");
        reason
    }

    #[test]
    fn the_packets_a_node_decide() {
        let taken = |dims: &[u32], packets| taken(dims, packets).scheme.to_string();
        assert_eq!(taken(&[7, 8], None), "hamiltonian");
        assert_eq!(taken(&[7, 8], Some(2)), "hamiltonian");
        // one packet per node would leave half of the Hamiltonian cycles' slots empty
        assert_eq!(taken(&[8, 12], Some(1)), "optimal");
        assert_eq!(taken(&[8, 12], Some(2)), "staircase");
        // all the way round saves a step
        assert_eq!(taken(&[8, 12], Some(4)), "hamiltonian");
    }

    #[test]
    fn the_reason_names_what_was_compared() {
        let text = taken(&[8, 6], Some(3)).to_string();
        assert_eq!(
            text,
            "optimal takes the fewest ticks for 3 packets per node: staircase 24 for 2 packets, 2 times; hamiltonian 47 \
             for 4 packets; zigzag 20 for 1 packet, 3 times; optimal 12 for 1 packet, 3 times"
        );
    }

    /// Orders of the list: as it is, backwards, and drawn at random.
    fn orders() -> Vec<Vec<&'static dyn Scheme>> {
        let drawn = |seed: u64| {
            let mut list = SCHEMES.to_vec();
            list.sort_by_key(|scheme| scheme.about().name.bytes().fold(seed, |hash, byte| mix(hash ^ u64::from(byte))));
            list
        };
        let backwards = SCHEMES.iter().rev().copied().collect();
        [SCHEMES.to_vec(), backwards].into_iter().chain((1..5).map(drawn)).collect()
    }

    #[test]
    fn choice_and_its_reason_do_not_depend_on_the_order_of_the_list() {
        let networks = [
            Topology::new(ShapeName::Torus, &[8, 6]),
            Topology::new(ShapeName::Torus, &[4, 4]),
            Topology::new(ShapeName::Torus, &[3, 4, 3]),
            Topology::new(ShapeName::Mesh, &[3, 4]),
            Topology::new(ShapeName::Cycle, &[6]),
            Topology::new(ShapeName::Path, &[4]),
        ];
        for (topology, collective) in
            networks.iter().flat_map(|it| Collective::ALL.map(|of| (it.as_ref().unwrap(), of)))
        {
            for duplex in [Duplex::Full, Duplex::Half] {
                let choice = Choice { traffic: CollectiveTraffic::of(collective, 2).into(), ..Choice::default() };
                let task = Task { topology, link: Link { duplex, ..Link::default() }, choice };
                let title = Title::new("t", "");
                let taken = |list: &Vec<&'static dyn Scheme>| {
                    let chosen = AUTO.choose_of(list, &task, &title).map(|(_, reason)| reason);
                    (chosen, AUTO.foreseen_of(list, &task), AUTO.lacking(list, &task))
                };
                let all: Vec<_> = orders().iter().map(taken).collect();
                assert!(all.iter().all(|one| *one == all[0]), "{} {collective} {duplex}", topology.describe());
            }
        }
        assert!(orders().iter().any(|list| list[0].about().name != SCHEMES[0].about().name));
    }

    #[test]
    fn no_two_schemes_are_preferred_alike() {
        let places: BTreeSet<u8> = SCHEMES.iter().map(|scheme| scheme.about().preference).collect();
        assert_eq!(places.len(), SCHEMES.len());
    }

    #[test]
    fn without_packets_the_choice_is_foreseen_on_every_plane() {
        for (n1, n2) in (2..=9).flat_map(|n1| (2..=9).map(move |n2| (n1, n2))) {
            taken(&[n1, n2], None);
            let torus = Torus::new(&[n1, n2]).unwrap();
            let foreseen = AUTO.foreseen(&Task { topology: &torus, link: Link::default(), choice: Choice::default() });
            assert!(foreseen.is_some(), "{n1}x{n2}");
        }
    }
}
