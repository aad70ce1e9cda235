//! Gossip on any network in as few steps as its links allow, by search: a spanning tree per packet, such that no link is
//! planned for more than the steps left, and a schedule that keeps that so.
//!
//! Directions of packets over a link cost nothing: only their number counts. A link that has nothing ready takes
//! over what another one was to bring.

mod plan;
mod round;

use self::plan::{LinkNetwork, TreePlan};
use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Topology};
use crate::paths::moves::PacketMove;

/// Tries of one round, with more and more noise on what is urgent.
const TRIES: u32 = 40;
/// Number of rounds to go back after that.
const BACK: usize = 3;
/// Number of failures of a round before the plan is given up.
const FAILURES: u32 = 6;

/// Effort per seed: a fixed number of rounds plus a number per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedEffort {
    /// Rounds a step.
    pub a_step: u32,
    /// Rounds beside those.
    pub rounds: u32,
}

/// A gossip of at most `steps` rounds with so many lanes per link, if the search finds one with this seed.
pub fn moves(topology: &Topology, lanes: u32, steps: u32, seed: u64, patience: SeedEffort) -> Option<Vec<PacketMove>> {
    let network = LinkNetwork::new(topology);
    let sent = TreeSearch { plan: TreePlan::new(&network, lanes, seed), steps, sent: Vec::new() }.run(patience)?;
    let moves = sent.into_iter().map(|SentPacket { tick, from, to, token }| {
        let from = NodeId(from.into());
        let leads = |&port: &_| topology.step(from, port) == Some(NodeId(to.into()));
        let by = topology.port_ids().find(leads).expect("links join neighbours");
        PacketMove { tick, from, by, token: NodeId(token.into()) }
    });
    Some(moves.collect())
}

/// A packet over a link, by dense numbers.
#[derive(Clone, Copy, Debug)]
struct SentPacket {
    tick: u32,
    from: u16,
    to: u16,
    token: u16,
}

/// A place to go back to.
struct SavedPlace<'a> {
    plan: TreePlan<'a>,
    sent: usize,
}

struct TreeSearch<'a> {
    plan: TreePlan<'a>,
    steps: u32,
    sent: Vec<SentPacket>,
}

impl<'a> TreeSearch<'a> {
    fn run(mut self, patience: SeedEffort) -> Option<Vec<SentPacket>> {
        let lanes = self.plan.lanes;
        // in round 1 a node has one packet only, so that lanes stay empty
        let tries = 64 * (self.plan.left as u32).max(1000);
        if !self.plan.balance(lanes * self.steps - lanes + 1, tries) {
            return None;
        }
        let most = self.steps * patience.a_step + patience.rounds;
        let mut failures = vec![0; self.steps as usize + 1];
        let mut places: Vec<SavedPlace> = Vec::new();
        let mut total = 0;
        let mut tick = 1;
        while tick <= self.steps {
            places.truncate(tick as usize - 1);
            places.push(SavedPlace { plan: self.plan.clone(), sent: self.sent.len() });
            let mut found = false;
            for attempt in 0..TRIES {
                total += 1;
                let noise = if attempt > 0 { 1 + 4 * (attempt % 4) } else { 0 };
                found = self.round(tick, noise);
                if found {
                    break;
                }
                self.restore(&places[tick as usize - 1]);
            }
            if found {
                if self.plan.left == 0 {
                    return Some(self.sent);
                }
                tick += 1;
                continue;
            }
            failures[tick as usize] += 1;
            if failures[tick as usize] > FAILURES || total > most {
                return None;
            }
            tick = (tick as usize).saturating_sub(BACK).max(1) as u32;
            self.restore(&places[tick as usize - 1]);
        }
        None
    }

    /// Back to a place, on with fresh randomness.
    fn restore(&mut self, place: &SavedPlace<'a>) {
        let Splitmix(random) = self.plan.random;
        self.plan.restore(&place.plan);
        self.plan.random = Splitmix(random);
        self.sent.truncate(place.sent);
    }
}
