//! Outputs that never send an invalid flit: the program proves it, so they need no valid bit.
//!
//! Suppose of every output that what it sends is valid whenever it is told to send, and take that back where it reads what a
//! neighbour was not told to send, or sends by an output of which it was taken back, until nothing changes. What is left
//! holds, by induction over the ticks: own packets are valid, and what arrived was sent in an earlier tick.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::drive::arrived;
use crate::net::Channel;
use crate::program::{Program, Reduction, Source, Span, Track};

/// Sends of an output.
struct CertainSends {
    /// The ticks in which it is told to: stretches with gaps between them.
    told: Vec<(u32, u32)>,
    /// inputs that are forwarded, with the ticks in which the flits were sent
    arrived: Vec<(Channel, u32, u32)>,
    is_certain: bool,
}

/// For each output of each class, class after class, whether what it sends is always valid.
pub(super) fn certain(program: &Program) -> Vec<bool> {
    let tracks = program.classes.iter().flat_map(|class| &class.outputs);
    let mut sending: Vec<CertainSends> = tracks.map(|track| CertainSends::of(program, track)).collect();
    let senders = senders(program);
    loop {
        let brings = |index: usize, &(input, first, last): &(Channel, u32, u32)| {
            let input = index / program.outputs() * program.outputs() + program.output_index(input);
            senders[input].iter().all(|sender| sender.is_some_and(|there| sending[there].has_sent(first, last)))
        };
        let is_doubtful =
            |&index: &usize| sending[index].is_certain && !sending[index].arrived.iter().all(|it| brings(index, it));
        let doubtful: Vec<usize> = (0..sending.len()).filter(is_doubtful).collect();
        if doubtful.is_empty() {
            return sending.into_iter().map(|it| it.is_certain).collect();
        }
        for index in doubtful {
            sending[index].is_certain = false;
        }
    }
}

/// For each input of each class, class after class, the outputs whose flits arrive there at any of its nodes; none where no
/// link leads.
pub(super) fn senders(program: &Program) -> Vec<BTreeSet<Option<usize>>> {
    let outputs = program.outputs();
    let mut senders = vec![BTreeSet::new(); program.classes.len() * outputs];
    for (node, class) in program.topology.node_ids().zip(&program.class_of) {
        for (index, input) in program.channels().enumerate() {
            let sender = program.arriving(node, input).map(|register| {
                let (there, _) = program.owner(register);
                program.class_of[there.index()].index() * outputs + register % outputs
            });
            senders[class.index() * outputs + index].insert(sender);
        }
    }
    senders
}

impl CertainSends {
    fn of(program: &Program, track: &Track) -> Self {
        let Program { ticks, latency, reduction, .. } = program;
        let mut sending = Self { told: Vec::new(), arrived: Vec::new(), is_certain: track.inject.is_none() };
        for Span { first, last, source } in track.spans(*ticks).flat_map(|span| arrived(span, *latency)) {
            match source {
                Source::Idle => continue,
                // a sum includes the node's own value, so it is valid
                Source::Own { .. } | Source::Sum { .. } => {}
                Source::In { port, lane, age } => {
                    let ago = age + *latency - 1;
                    sending.arrived.push((Channel { port, lane }, first - ago, last - ago));
                    // in a reduction this is the gather part, to which earlier sends do not count
                    let is_after = |it: &Arc<Reduction>| it.everywhere || first - ago > it.ticks + 1;
                    sending.is_certain &= reduction.iter().all(is_after);
                }
                // the program does not tell which of them has an arrival
                Source::Any { .. } => sending.is_certain = false,
            }
            match sending.told.last_mut() {
                Some((_, end)) if *end + 1 == first => *end = last,
                _ => sending.told.push((first, last)),
            }
        }
        sending
    }

    /// Returns true if the output certainly sends in all of these ticks.
    fn has_sent(&self, first: u32, last: u32) -> bool {
        let next = self.told.partition_point(|&(start, _)| start <= first);
        self.is_certain && next > 0 && last <= self.told[next - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Port, ShapeName, Topology};
    use crate::program::{Demand, Entries, Operation, PartialOrder, Reduction, Run, Title};

    /// Certainty of the outputs on a cycle of five nodes with these tracks.
    fn of(left: &[(Source, u32)], right: &[(Source, u32)]) -> Vec<bool> {
        certain(&program(left, right))
    }

    fn program(left: &[(Source, u32)], right: &[(Source, u32)]) -> Program {
        let run = |&(source, ticks): &(Source, u32)| Run { source, ticks };
        let track =
            |runs: &[(Source, u32)]| Track { runs: runs.iter().map(run).collect(), repeat_from: None, inject: None };
        let topology = Topology::new(ShapeName::Torus, &[5]).unwrap();
        let demand = Demand::gossip(&topology, 1);
        let title = Title::new("cycle", "none");
        let ticks = left.iter().map(|(_, ticks)| ticks).sum();
        Program::uniform(&topology, ticks, demand, vec![track(left), track(right)], title)
    }

    #[test]
    fn forwarded_sends_are_certain_and_others_in_doubt() {
        let own = Source::own(0);
        // arrivals at the minus port were sent to the right
        let (from_left, from_right) = (Source::input(Port::minus(0), 1), Source::input(Port::plus(0), 1));
        let steady = [(own, 1), (from_left, 3)];
        assert_eq!(of(&[(own, 1), (from_right, 3)], &steady), [true, true]);
        let pausing = [(own, 1), (Source::Idle, 1), (from_right, 2)];
        assert_eq!(of(&pausing, &steady), [false, true], "the pause comes round to the node that goes on");
        assert_eq!(of(&pausing, &[(own, 1), (from_right, 3)]), [false, false], "so does doubt");
        let late = Source::input(Port::plus(0), 2);
        assert_eq!(of(&[(own, 1), (Source::Idle, 1), (late, 2)], &steady), [false, true], "the last reads the pause");
        assert_eq!(of(&[(own, 1), (Source::Idle, 1), (late, 1), (Source::Idle, 1)], &steady), [true, true]);
        // no flit has arrived before the first tick, so no output sends
        assert_eq!(of(&[(late, 2), (own, 2)], &[(own, 3), (Source::Idle, 1)]), [true, true]);
    }

    #[test]
    fn gathered_flits_of_an_earlier_part_are_in_doubt() {
        let gathered = |age: u32| {
            let [left, right] =
                [1, 0].map(|port| [(Source::own(0), 4), (Source::input(Port::from_index(port), age), 2)]);
            let order = PartialOrder { entries: Entries::Offsets(Vec::new()), starts: false };
            let reduction = Reduction::of_words(Operation::Sum, 2, order, Vec::new());
            certain(&Program { reduction: Some(reduction.into()), ..program(&left, &right) })
        };
        assert_eq!(gathered(1), [true, true], "the fourth tick is the first of the gather part");
        assert_eq!(gathered(2), [false, false], "the third is one of silence");
        assert_eq!(gathered(3), [false, false], "the second is one of the reduce part");
    }

    #[test]
    fn inputs_without_a_link_are_in_doubt() {
        let topology = Topology::new(ShapeName::Mesh, &[5]).unwrap();
        let forward = Track {
            runs: vec![
                Run { source: Source::own(0), ticks: 1 },
                Run { source: Source::input(Port::minus(0), 1), ticks: 3 },
            ],
            repeat_from: None,
            inject: None,
        };
        let idle = Track { runs: vec![Run { source: Source::Idle, ticks: 4 }], repeat_from: None, inject: None };
        let title = Title::new("path", "none");
        let program = Program::uniform(&topology, 4, Demand::gossip(&topology, 1), vec![idle, forward], title);
        assert_eq!(certain(&program), [true, false], "the first node of a path has no neighbour before it");
    }
}
