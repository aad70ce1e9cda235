//! One round of a search: every link sends what is most urgent, and one that has nothing to send takes over from others.

use super::plan::TreePlan;
use super::{SentPacket, TreeSearch};

/// Tries to bring the plan in order after a round: at most so many, and so many a packet and node.
const BALANCE: [usize; 2] = [60_000, 64];

/// Load of a link in a round: packets, and the end that receives them.
#[derive(Clone, Debug, Default)]
struct LinkLoad {
    to: Option<u16>,
    tokens: Vec<u16>,
}

/// A round in the making.
struct SearchRound<'s, 'a> {
    plan: &'s mut TreePlan<'a>,
    /// Packets a link that the rounds after this one can carry.
    most: u32,
    loads: Vec<LinkLoad>,
    /// packets that arrive at every node
    coming: Vec<Vec<u16>>,
}

impl TreeSearch<'_> {
    /// One round; whether the plan can still be met.
    pub(super) fn round(&mut self, tick: u32, noise: u32) -> bool {
        self.plan.survey();
        let most = self.plan.lanes * (self.steps - tick);
        let network = self.plan.network;
        let loads = vec![LinkLoad::default(); network.links.len()];
        let mut round = SearchRound { plan: &mut self.plan, most, loads, coming: vec![Vec::new(); network.nodes] };
        round.fill(noise);
        round.top_up();
        let loads = round.loads;
        for (link, load) in loads.into_iter().enumerate() {
            let Some(to) = load.to else { continue };
            for token in load.tokens {
                let [a, b] = network.links[link];
                self.sent.push(SentPacket { tick, from: if a == to { b } else { a }, to, token });
                self.plan.arrive(token, to);
            }
        }
        if self.plan.left == 0 {
            return true;
        }
        if self.plan.left > network.links.len() * most as usize {
            return false;
        }
        self.plan.survey();
        let tries = BALANCE[0].min(BALANCE[1] * network.nodes * network.nodes);
        self.plan.balance(most, tries as u32)
    }
}

impl SearchRound<'_, '_> {
    /// Every link takes the direction whose most urgent packets weigh more.
    fn fill(&mut self, noise: u32) {
        let lanes = self.plan.lanes as usize;
        for link in 0..self.loads.len() {
            let ends = self.plan.network.links[link];
            let mut ready: [Vec<(u64, u16)>; 2] = Default::default();
            for index in 0..self.plan.on[link].len() {
                let (token, node) = self.plan.on[link][index];
                let at = self.plan.at(token, node);
                let parent = self.plan.at(token, self.plan.parent[at]);
                if self.plan.has[parent] {
                    let noise = if noise > 0 { self.plan.random.below(noise) } else { 0 };
                    let urgency = 4 * u64::from(self.plan.height[at]) + u64::from(noise);
                    let tie = u64::from(self.plan.random.below(1 << 16));
                    ready[usize::from(node == ends[1])].push(((urgency + 1) << 16 | tie, token));
                }
            }
            // a packet counts as much as six hops of a chain, so that lanes fill up
            let weight = |ready: &mut Vec<(u64, u16)>| {
                ready.sort_unstable_by(|a, b| b.cmp(a));
                ready.truncate(lanes);
                ready.iter().map(|(urgency, _)| urgency + (6 << 16)).sum::<u64>()
            };
            let weights = ready.each_mut().map(weight);
            if weights != [0; 2] {
                let end = usize::from(weights[1] > weights[0]);
                for &(_, token) in &ready[end] {
                    self.send(link, token, ends[end]);
                }
            }
        }
    }

    fn send(&mut self, link: usize, token: u16, to: u16) {
        let load = &mut self.loads[link];
        debug_assert!(load.to.is_none_or(|end| end == to), "a link has one direction a round");
        load.to = Some(to);
        load.tokens.push(token);
        self.coming[to as usize].push(token);
    }

    /// Links with lanes to spare take over what helps most.
    fn top_up(&mut self) {
        let lanes = self.plan.lanes as usize;
        let mut idle: Vec<usize> =
            (0..self.loads.len()).filter(|&link| self.loads[link].tokens.len() < lanes).collect();
        self.plan.random.shuffle(&mut idle);
        for link in idle {
            while self.loads[link].tokens.len() < lanes {
                if !self.steal(link) && !self.take_over(link) {
                    break;
                }
            }
        }
    }

    /// Carries a packet that the one end has and the other lacks and does not get now, from an overloaded link if possible.
    fn steal(&mut self, link: usize) -> bool {
        let ends = self.plan.network.links[link];
        let mut best: Option<(u64, u16, u16, u16)> = None;
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            if self.loads[link].to.is_some_and(|end| end != to) {
                continue;
            }
            for token in 0..self.plan.network.nodes as u16 {
                let at = self.plan.at(token, to);
                if !self.plan.has[self.plan.at(token, from)] || self.plan.has[at] || self.is_coming(to, token) {
                    continue;
                }
                let load = self.plan.load[self.plan.via[at] as usize];
                let excess = (load + 3).saturating_sub(self.most);
                let urgency = u64::from(excess * 8 + u32::from(self.plan.height[at]));
                let weight = urgency << 10 | u64::from(self.plan.random.below(1 << 10));
                if best.is_none_or(|(most, ..)| weight > most) {
                    best = Some((weight, token, from, to));
                }
            }
        }
        let Some((_, token, from, to)) = best else { return false };
        self.plan.hang(token, to, from, link as u16);
        self.send(link, token, to);
        true
    }

    fn is_coming(&self, node: u16, token: u16) -> bool {
        self.coming[node as usize].contains(&token)
    }

    /// Carries what another link was to bring to the same node, and that one carries something else.
    fn take_over(&mut self, link: usize) -> bool {
        let network = self.plan.network;
        let ends = network.links[link];
        for (from, to) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            if self.loads[link].to.is_some_and(|end| end != to) {
                continue;
            }
            for &(_, other) in &network.around[to as usize] {
                let other = other as usize;
                if other == link || self.loads[other].to != Some(to) {
                    continue;
                }
                for place in 0..self.loads[other].tokens.len() {
                    let token = self.loads[other].tokens[place];
                    if self.plan.has[self.plan.at(token, from)] && self.relieve(other, place) {
                        self.plan.hang(token, to, from, link as u16);
                        self.loads[link].to = Some(to);
                        self.loads[link].tokens.push(token);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Has a link carry something else than the packet at this place, which still comes to the same node otherwise.
    fn relieve(&mut self, link: usize, place: usize) -> bool {
        let token = self.loads[link].tokens.swap_remove(place);
        let to = self.loads[link].to.expect("it carries something");
        let is_empty = self.loads[link].tokens.is_empty();
        if is_empty {
            self.loads[link].to = None;
        }
        let planned = self.plan.on[link].iter().filter(|&&(other, node)| {
            let at = self.plan.at(other, node);
            let parent = self.plan.at(other, self.plan.parent[at]);
            self.plan.via[at] as usize == link
                && self.plan.has[parent]
                && !(other == token && node == to)
                && !self.is_coming(node, other)
                && (is_empty || node == to)
        });
        let planned: Vec<(u16, u16)> = planned.copied().collect();
        if !planned.is_empty() {
            let (other, node) = planned[self.plan.random.below(planned.len() as u32) as usize];
            self.send(link, other, node);
            return true;
        }
        if self.steal(link) {
            return true;
        }
        self.loads[link].to = Some(to);
        self.loads[link].tokens.push(token);
        false
    }
}
