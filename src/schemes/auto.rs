//! `scheme: auto`: the scheme that takes the fewest steps, then the least hardware, and why.
//!
//! Time-independent schemes come first: their routers need no table. Others are looked at where no such scheme is made for the
//! network, or where one on a mesh takes more steps than there have to be.

use std::fmt;

use super::SCHEMES;
use crate::program::{Program, Title, count};
use crate::study::bounds;
use crate::task::Collective;
use crate::task::Task;
use crate::task::{ConstructError, Unmet};
use crate::task::{Scheme, Woven};

/// Reason for the choice of `auto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The scheme it took.
    pub scheme: &'static dyn Scheme,
    /// Collective to achieve.
    pub collective: Collective,
    /// Number of packets per node, if the config sets it.
    pub wanted: Option<u16>,
    /// Every scheme that applies, the one taken among them.
    pub compared: Vec<Candidate>,
}

/// A scheme that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Scheme that is compared.
    pub scheme: &'static dyn Scheme,
    /// The packets a node contributes each time it is played.
    pub packets: u16,
    /// Number of steps.
    pub steps: u32,
    /// Cost of the hardware, if the program is at hand.
    pub hardware: Option<Cost>,
}

/// Cost of the hardware of a program: the first field decides, then the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Units that combine values and take ticks, in all outputs.
    pub adders: u64,
    /// Words of the tables of all classes.
    pub words: u64,
    /// Age of the oldest packet that is read.
    pub age: u32,
}

impl Cost {
    /// Cost of a program.
    pub fn of(program: &Program) -> Self {
        let tracks = || program.classes.iter().flat_map(|class| &class.outputs);
        Self {
            adders: program.adders(),
            words: tracks().map(|track| track.runs.len() as u64).sum(),
            age: program.depth(),
        }
    }
}

impl Reason {
    /// Reason for a collective that is made of the compared gossips: a reduce-scatter is one played backwards, an all-reduce that
    /// reduce-scatter, a tick for its last results, and the gossip.
    #[must_use]
    pub fn of(self, collective: Collective) -> Self {
        let steps = |steps: u32| match collective {
            Collective::AllReduce => steps.saturating_mul(2).saturating_add(1),
            _ => steps,
        };
        let compared = self.compared.into_iter().map(|it| Candidate { steps: steps(it.steps), ..it }).collect();
        Self { collective, compared, ..self }
    }
}

impl Candidate {
    /// Returns true if this candidate is faster. With `wanted` packets per node, rounds are counted; otherwise the time
    /// per packet, as if a node's data were split evenly into packets.
    fn beats(&self, other: &Self, wanted: Option<u16>) -> bool {
        let time = |it: &Self| match wanted {
            Some(wanted) => (u64::from(it.steps) * u64::from(it.rounds(wanted)), 1),
            None => (u64::from(it.steps), u64::from(it.packets)),
        };
        let ((steps, a), (other_steps, b)) = (time(self), time(other));
        let is_cheaper = || self.hardware.zip(other.hardware).is_some_and(|(own, other)| own < other);
        steps * b < other_steps * a || steps * b == other_steps * a && is_cheaper()
    }

    fn rounds(&self, wanted: u16) -> u16 {
        wanted.div_ceil(self.packets)
    }
}

/// Schemes in the order in which `auto` prefers those of equal time, whatever the order of the list.
fn preferred(list: &[&'static dyn Scheme]) -> Vec<&'static dyn Scheme> {
    let mut list = list.to_vec();
    list.sort_by_key(|scheme| (scheme.about().preference, scheme.about().name));
    list
}

/// The time-independent schemes that apply, the preferred one first. If there are none, all that apply: on many networks
/// nothing but a table will do. So it is if they take more steps than there have to be on a network that is no torus.
fn fitting_of(list: &[&'static dyn Scheme], task: &Task) -> Vec<&'static dyn Scheme> {
    let all = |task: &Task| -> Vec<&'static dyn Scheme> {
        preferred(list).into_iter().filter(|scheme| scheme.fits(task).is_ok()).collect()
    };
    let fast = |scheme: &&dyn Scheme| is_fast(*scheme, task);
    let found: Vec<_> = all(task).into_iter().filter(|scheme| scheme.is_time_independent(task)).collect();
    if found.iter().any(fast) { found } else { all(task) }
}

/// The schemes of the list that `auto` chooses from.
pub(super) fn fitting(task: &Task) -> Vec<&'static dyn Scheme> {
    fitting_of(SCHEMES, task)
}

/// Returns true if no other scheme can be much faster: always on a torus, where the closed forms are at home.
fn is_fast(scheme: &dyn Scheme, task: &Task) -> bool {
    if task.collective() != Collective::Gossip || !task.link.duplex.is_full() || task.topology.is_product_of_cycles() {
        return true;
    }
    let packets = scheme.packets(task);
    let least = bounds::lower_bound_on(task.topology, task.link, packets).steps;
    scheme.foreseen_steps(task).is_none_or(|steps| u64::from(steps) <= least)
}

/// The packets that a node's data is split into. Messages that have a sender are sent once, however they are split.
fn packets(scheme: &dyn Scheme, task: &Task) -> u16 {
    if task.collective() == Collective::Gossip { scheme.packets(task) } else { 1 }
}

const NOTHING_FITS: Unmet = Unmet { needs: "a network to which some scheme applies" };

/// Checks that at least one scheme applies.
pub fn fits(task: &Task) -> Result<(), Unmet> {
    if fitting(task).is_empty() { Err(lacking(SCHEMES, task)) } else { Ok(()) }
}

/// Requirement that no scheme meets. For collectives other than gossip, the least preferred scheme requires least.
fn lacking(list: &[&'static dyn Scheme], task: &Task) -> Unmet {
    if task.collective() == Collective::Gossip {
        return NOTHING_FITS;
    }
    let list = preferred(list);
    let last = list.iter().rfind(|scheme| scheme.collectives().contains(&task.collective()));
    last.and_then(|scheme| scheme.fits(task).err()).unwrap_or(NOTHING_FITS)
}

/// Chooses the fastest time-independent scheme that applies; among equals the preferred one. A scheme that says its
/// steps is built only if it is taken.
pub fn choose(task: &Task, title: &Title) -> Result<(Woven, Reason), ConstructError> {
    choose_of(SCHEMES, task, title)
}

fn choose_of(list: &[&'static dyn Scheme], task: &Task, title: &Title) -> Result<(Woven, Reason), ConstructError> {
    let weave = |scheme: &dyn Scheme| scheme.woven(task, Title { scheme: scheme.to_string(), ..title.clone() });
    let mut contest = Contest::new(task);
    // the general scheme is the slowest to build, and not needed where another one meets the lower bound
    let least = |packets| bounds::lower_bound_on(task.topology, task.link, packets).steps;
    for scheme in fitting_of(list, task) {
        let is_done = |(best, _): &(Candidate, _)| u64::from(best.steps) <= least(best.packets);
        let is_gossip = task.collective() == Collective::Gossip;
        if scheme.stands_in() && is_gossip && contest.best.as_ref().is_some_and(is_done) {
            continue;
        }
        contest.enter(
            scheme,
            match scheme.foreseen_steps(task) {
                Some(steps) => Ok((steps, None, None)),
                None => weave(scheme).map(|woven| (woven.program.ticks, Some(Cost::of(&woven.program)), Some(woven))),
            },
        );
    }
    match contest.decided(task.collective())? {
        Some((woven, reason)) => Ok((woven.map_or_else(|| weave(reason.scheme), Ok)?, reason)),
        None => Err(lacking(list, task).into()),
    }
}

/// Chooses among programs that somebody else builds, which are more than their gossips: takes the one of the fewest ticks, then of
/// the least hardware. A scheme that stands in is not built where another one meets the bound that `least` says.
pub fn choose_built<E>(
    task: &Task,
    build: impl Fn(&'static dyn Scheme) -> Result<Program, E>,
    least: impl Fn(&Program) -> u64,
) -> Result<Option<(Program, Reason)>, E> {
    let mut contest: Contest<Program, E> = Contest::new(task);
    for scheme in fitting(task) {
        let is_done = |(_, program): &(_, Program)| u64::from(program.ticks) <= least(program);
        // other schemes already have one tree for all nodes where these are alike
        let is_needed = |best: &_| !is_done(best) && !task.topology.is_homogeneous();
        if scheme.stands_in() && !contest.best.as_ref().is_none_or(is_needed) {
            continue;
        }
        contest.enter(scheme, build(scheme).map(|program| (program.ticks, Some(Cost::of(&program)), program)));
    }
    contest.decided(task.choice.traffic.collective)
}

/// Comparison of schemes, the preferred one first.
struct Contest<'t, T, E> {
    task: &'t Task<'t>,
    best: Option<(Candidate, T)>,
    compared: Vec<Candidate>,
    /// error of the last scheme that failed
    refused: Option<E>,
}

impl<'t, T, E> Contest<'t, T, E> {
    fn new(task: &'t Task<'t>) -> Self {
        Self { task, best: None, compared: Vec::new(), refused: None }
    }

    /// Enters a scheme with its steps, its hardware if that is known, and what was built.
    fn enter(&mut self, scheme: &'static dyn Scheme, built: Result<(u32, Option<Cost>, T), E>) {
        match built {
            Ok((steps, hardware, built)) => {
                let candidate = Candidate { scheme, packets: packets(scheme, self.task), steps, hardware };
                self.compared.push(candidate);
                if self.best.as_ref().is_none_or(|(best, _)| candidate.beats(best, self.task.choice.packets)) {
                    self.best = Some((candidate, built));
                }
            }
            Err(error) => self.refused = Some(error),
        }
    }

    /// Returns the winner with the reason, in steps of a collective; none if no scheme was entered.
    fn decided(self, collective: Collective) -> Result<Option<(T, Reason)>, E> {
        let Self { task, best, compared, refused } = self;
        match (best, refused) {
            (Some((Candidate { scheme, .. }, built)), _) => {
                let wanted = task.choice.packets;
                Ok(Some((built, Reason { scheme, collective, wanted, compared })))
            }
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }
}

/// The scheme that `auto` takes, as far as formulas and lower bounds tell without building anything.
pub fn foreseen(task: &Task) -> Option<&'static dyn Scheme> {
    foreseen_of(SCHEMES, task)
}

fn foreseen_of(list: &[&'static dyn Scheme], task: &Task) -> Option<&'static dyn Scheme> {
    let fitting = fitting_of(list, task);
    if task.collective() != Collective::Gossip {
        return if let [one] = fitting.as_slice() { Some(*one) } else { None };
    }
    let mut best: Option<(Candidate, bool)> = None;
    let count = fitting.len();
    for scheme in fitting {
        let (packets, known) = (scheme.packets(task), scheme.foreseen_steps(task));
        let least = || bounds::lower_bound_on(task.topology, task.link, packets).steps as u32;
        let candidate = Candidate { scheme, packets, steps: known.unwrap_or_else(least), hardware: None };
        if best.as_ref().is_none_or(|(best, _)| candidate.beats(best, task.choice.packets)) {
            best = Some((candidate, known.is_some()));
        }
    }
    best.filter(|&(_, known)| known || count == 1).map(|(best, _)| best.scheme)
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.collective != Collective::Gossip {
            let ticks = self.compared.iter().map(|candidate| format!("{} {}", candidate.scheme, candidate.steps));
            let ticks = ticks.collect::<Vec<_>>().join(", ");
            return if self.compared.len() == 1 {
                write!(f, "{} is the one that applies: {ticks}", self.scheme)
            } else {
                write!(f, "{} takes the fewest ticks, the first of equals: {ticks}", self.scheme)
            };
        }
        match self.wanted {
            None => write!(f, "{} takes the fewest steps per packet:", self.scheme)?,
            Some(wanted) => {
                let packets = count(wanted.into(), "packet");
                write!(f, "{} takes the fewest steps for {packets} per node:", self.scheme)?;
            }
        }
        for (index, candidate) in self.compared.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            let (steps, packets) = (candidate.steps, count(candidate.packets.into(), "packet"));
            write!(f, "{separator} {} {steps} for {packets}", candidate.scheme)?;
            if let Some(rounds) = self.wanted.map(|wanted| candidate.rounds(wanted)).filter(|&rounds| rounds > 1) {
                write!(f, ", {rounds} times")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::net::splitmix::mix;
    use crate::net::{Shape, Topology, Torus};
    use crate::program::{Duplex, Link};
    use crate::task::{Choice, Traffic};

    fn taken(dims: &[u32], packets: Option<u16>) -> Reason {
        let torus = Torus::new(dims).unwrap();
        let task = Task { topology: &torus, link: Link::default(), choice: Choice { packets, ..Choice::default() } };
        let title = Title::new("t", "");
        let (woven, reason) = choose(&task, &title).unwrap();
        assert_eq!(woven.program.title.scheme, reason.scheme.to_string());
        // the predicted scheme is the chosen one
        assert!(foreseen(&task).is_none_or(|scheme| scheme == reason.scheme), "{dims:?}");
        reason
    }

    #[test]
    fn the_packets_a_node_decide() {
        let taken = |dims: &[u32], packets| taken(dims, packets).scheme.to_string();
        assert_eq!(taken(&[7, 8], None), "hamiltonian");
        assert_eq!(taken(&[7, 8], Some(2)), "hamiltonian");
        // one packet per node would leave half of the Hamiltonian cycles' slots empty
        assert_eq!(taken(&[8, 12], Some(1)), "zigzag");
        assert_eq!(taken(&[8, 12], Some(4)), "staircase");
    }

    #[test]
    fn the_reason_names_what_was_compared() {
        let text = taken(&[8, 6], Some(3)).to_string();
        assert_eq!(
            text,
            "staircase takes the fewest steps for 3 packets per node: staircase 24 for 2 packets, 2 times; hamiltonian 24 \
             for 2 packets, 2 times; zigzag 20 for 1 packet, 3 times"
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
            Topology::new(Shape::Torus, &[8, 6]),
            Topology::new(Shape::Torus, &[4, 4]),
            Topology::new(Shape::Torus, &[3, 4, 3]),
            Topology::new(Shape::Mesh, &[3, 4]),
            Topology::new(Shape::Cycle, &[6]),
            Topology::new(Shape::Path, &[4]),
        ];
        for (topology, collective) in
            networks.iter().flat_map(|it| Collective::ALL.map(|of| (it.as_ref().unwrap(), of)))
        {
            for duplex in [Duplex::Full, Duplex::Half] {
                let choice = Choice { traffic: Traffic::of(collective, 2).into(), ..Choice::default() };
                let task = Task { topology, link: Link { duplex, ..Link::default() }, choice };
                let title = Title::new("t", "");
                let taken = |list: &Vec<&'static dyn Scheme>| {
                    let chosen = choose_of(list, &task, &title).map(|(_, reason)| reason);
                    (chosen, foreseen_of(list, &task), lacking(list, &task))
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
            let foreseen = foreseen(&Task { topology: &torus, link: Link::default(), choice: Choice::default() });
            assert!(foreseen.is_some(), "{n1}x{n2}");
        }
    }
}
