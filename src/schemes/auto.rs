//! `scheme: auto`: the time-independent scheme that takes the fewest steps, and why.

use std::fmt;

use super::SCHEMES;
use crate::program::{Title, count};
use crate::study::bounds;
use crate::task::Collective;
use crate::task::Task;
use crate::task::{ConstructError, Unmet};
use crate::task::{Scheme, Woven};

/// What `auto` took, and what it compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The scheme it took.
    pub scheme: &'static dyn Scheme,
    /// What it achieves.
    pub collective: Collective,
    /// How many packets a node has to contribute, if the config says so.
    pub wanted: Option<u16>,
    /// Every scheme that applies, the one taken among them.
    pub compared: Vec<Candidate>,
}

/// A scheme that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The scheme.
    pub scheme: &'static dyn Scheme,
    /// The packets a node contributes each time it is played.
    pub packets: u16,
    /// Its steps.
    pub steps: u32,
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
    /// Whether it is faster: until `wanted` packets a node have been played, some rounds one after the other, or else a
    /// packet, which is the time it takes when a node's data is split evenly into packets.
    fn beats(&self, other: &Self, wanted: Option<u16>) -> bool {
        let time = |it: &Self| match wanted {
            Some(wanted) => (u64::from(it.steps) * u64::from(it.rounds(wanted)), 1),
            None => (u64::from(it.steps), u64::from(it.packets)),
        };
        let ((steps, a), (other_steps, b)) = (time(self), time(other));
        steps * b < other_steps * a
    }

    fn rounds(&self, wanted: u16) -> u16 {
        wanted.div_ceil(self.packets)
    }
}

/// The time-independent schemes that apply, in the order of the list. If there are none on half-duplex links, all that
/// apply: on many networks nothing but a table will do.
pub(super) fn fitting(task: &Task) -> impl Iterator<Item = &'static dyn Scheme> {
    let all = || SCHEMES.iter().copied().filter(|scheme| scheme.fits(task).is_ok());
    let independent: Vec<_> = all().filter(|scheme| scheme.is_time_independent(task)).collect();
    let others = independent.is_empty() && !task.link.duplex.is_full();
    let others: Vec<_> = if others { all().collect() } else { Vec::new() };
    independent.into_iter().chain(others)
}

/// The packets that a node's data is split into. Messages that have a sender are sent once, however they are split.
fn packets(scheme: &dyn Scheme, task: &Task) -> u16 {
    if task.collective() == Collective::Gossip { scheme.packets(task) } else { 1 }
}

const NOTHING_FITS: Unmet = Unmet { needs: "a network to which some time-independent scheme applies" };

/// Whether there is anything to choose from.
pub fn fits(task: &Task) -> Result<(), Unmet> {
    fitting(task).next().map(|_| ()).ok_or_else(|| lacking(task))
}

/// Of the schemes for a collective other than gossip the last in the list asks for least: what it lacks all do.
fn lacking(task: &Task) -> Unmet {
    if task.collective() == Collective::Gossip {
        return NOTHING_FITS;
    }
    let last = SCHEMES.iter().rfind(|scheme| scheme.collectives().contains(&task.collective()));
    last.and_then(|scheme| scheme.fits(task).err()).unwrap_or(NOTHING_FITS)
}

/// Of all time-independent schemes that apply the fastest; among equals the earlier in the list. A scheme that says its
/// steps is built only if it is taken.
pub fn choose(task: &Task, title: &Title) -> Result<(Woven, Reason), ConstructError> {
    let weave = |scheme: &dyn Scheme| scheme.woven(task, Title { scheme: scheme.to_string(), ..title.clone() });
    let mut best: Option<(Candidate, Option<Woven>)> = None;
    let (mut compared, mut refused) = (Vec::new(), None);
    for scheme in fitting(task) {
        let (steps, woven) = match scheme.foreseen_steps(task) {
            Some(steps) => (steps, None),
            None => match weave(scheme) {
                Ok(woven) => (woven.program.ticks, Some(woven)),
                Err(error) => {
                    refused = Some(error);
                    continue;
                }
            },
        };
        let candidate = Candidate { scheme, packets: packets(scheme, task), steps };
        compared.push(candidate);
        if best.as_ref().is_none_or(|(best, _)| candidate.beats(best, task.choice.packets)) {
            best = Some((candidate, woven));
        }
    }
    let Some((Candidate { scheme, .. }, woven)) = best else {
        return Err(refused.unwrap_or_else(|| lacking(task).into()));
    };
    let woven = woven.map_or_else(|| weave(scheme), Ok)?;
    Ok((woven, Reason { scheme, collective: task.collective(), wanted: task.choice.packets, compared }))
}

/// The scheme that `auto` takes, as far as formulas and lower bounds tell without building anything.
pub fn foreseen(task: &Task) -> Option<&'static dyn Scheme> {
    if task.collective() != Collective::Gossip {
        let mut fitting = fitting(task);
        return fitting.next().filter(|_| fitting.next().is_none());
    }
    let mut best: Option<(Candidate, bool)> = None;
    let mut count = 0;
    for scheme in fitting(task) {
        count += 1;
        let (packets, known) = (scheme.packets(task), scheme.foreseen_steps(task));
        let least = || bounds::lower_bound_on(task.topology, task.link, packets).steps as u32;
        let candidate = Candidate { scheme, packets, steps: known.unwrap_or_else(least) };
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
            None => write!(f, "{} takes the fewest steps a packet:", self.scheme)?,
            Some(wanted) => {
                let packets = count(wanted.into(), "packet");
                write!(f, "{} takes the fewest steps for {packets} a node:", self.scheme)?;
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
    use super::*;
    use crate::net::Torus;
    use crate::program::Link;
    use crate::task::Choice;

    fn taken(dims: &[u32], packets: Option<u16>) -> Reason {
        let torus = Torus::new(dims).unwrap();
        let task = Task { topology: &torus, link: Link::default(), choice: Choice { packets, ..Choice::default() } };
        let title = Title::new("t", "");
        let (woven, reason) = choose(&task, &title).unwrap();
        assert_eq!(woven.program.title.scheme, reason.scheme.to_string());
        // what is foreseen is what is taken
        assert!(foreseen(&task).is_none_or(|scheme| scheme == reason.scheme), "{dims:?}");
        reason
    }

    #[test]
    fn the_packets_a_node_decide() {
        let taken = |dims: &[u32], packets| taken(dims, packets).scheme.to_string();
        assert_eq!(taken(&[7, 8], None), "hamiltonian");
        assert_eq!(taken(&[7, 8], Some(2)), "hamiltonian");
        // one packet a node would leave half of the Hamiltonian cycles' slots empty
        assert_eq!(taken(&[8, 12], Some(1)), "zigzag");
        assert_eq!(taken(&[8, 12], Some(4)), "staircase");
    }

    #[test]
    fn the_reason_names_what_was_compared() {
        let text = taken(&[8, 6], Some(3)).to_string();
        assert_eq!(
            text,
            "staircase takes the fewest steps for 3 packets a node: staircase 24 for 2 packets, 2 times; hamiltonian 24 \
             for 2 packets, 2 times; zigzag 20 for 1 packet, 3 times"
        );
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
