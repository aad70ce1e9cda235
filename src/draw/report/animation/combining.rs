//! The part of a reduction in which values are combined, tick by tick: what registers hold, and by how many values results grow.

use std::collections::BTreeMap;

use super::film::{Camera, Film, Frame};
use crate::net::NodeId;
use crate::play::{Combiner, Player, Values};
use crate::program::{Number, Operation, Program, Reduction};

/// More values at nodes would make a page too large.
const MOST_VALUES: u64 = 400_000;

/// A reduce part that was played.
pub(super) struct CombinedFilm {
    pub(super) film: Film,
    /// by tick, places of values that a node has for a flit, counted node after node, and how many more there are then. A
    /// place is told by how far it is from the one before.
    pub(super) gains: Vec<Vec<i64>>,
}

/// By place, how many more values there are.
type Gains = BTreeMap<usize, i64>;

impl CombinedFilm {
    /// Plays a reduction; nothing for other programs, and the reason where a page cannot show it.
    pub(super) fn of(program: &Program) -> Result<Option<Self>, String> {
        let Some(reduction) = &program.reduction else { return Ok(None) };
        let nodes = program.topology.live_ids().count() as u64;
        if nodes.saturating_mul(program.demand.flits()) > MOST_VALUES {
            let why =
                format!("Not shown: {nodes} nodes combine too many values for a page; look at a smaller network.");
            return Err(why);
        }
        if reduction.everywhere {
            return Ok(Some(Self::everywhere(program, reduction)));
        }
        let mut values = Partials::new(program);
        let mut player = Player::new(program);
        let mut camera = Camera::new(program);
        let mut gains = Vec::new();
        while player.tick() < reduction.ticks {
            player.step();
            let frame = Frame::of(program, |register| player.flit(register));
            gains.push(by_gaps(&values.moved(&frame)));
            camera.take(frame);
        }
        if values.are_complete() {
            Ok(Some(Self { film: camera.develop(), gains }))
        } else {
            Err("Not shown: some values are sent more than once, and partials cannot be followed.".into())
        }
    }

    /// Every node has a one for each flit, and all are added up: what it has says how many values are in it.
    fn everywhere(program: &Program, reduction: &Reduction) -> Self {
        let counted = Reduction { operation: Operation::Sum, number: Number::Word, ..reduction.clone() };
        let counted = Program { reduction: Some(counted.into()), ..program.clone() };
        let flits = program.demand.flits() as usize;
        let places = program.topology.nodes() as usize * flits;
        let ones = Values::given(&counted, u32::BITS, vec![1; places]);
        let mut combiner = Combiner::with(&counted, ones).expect("it is a reduction");
        let mut camera = Camera::new(&counted);
        let mut has = vec![1; places];
        let mut gains = Vec::new();
        while combiner.tick() < reduction.ticks {
            combiner.step();
            camera.take(Frame::of(program, |register| combiner.flit(register)));
            let mut grown = Gains::new();
            for node in program.topology.live_ids() {
                for flit in program.results_of(node) {
                    let (place, values) =
                        (node.index() * flits + flit as usize, combiner.result(node, flit as u32)[0] as i64);
                    let had = std::mem::replace(&mut has[place], values);
                    if values != had {
                        grown.insert(place, values - had);
                    }
                }
            }
            gains.push(by_gaps(&grown));
        }
        Self { film: camera.develop(), gains }
    }
}

/// Places by how far each is from the one before, and their gains.
fn by_gaps(gains: &Gains) -> Vec<i64> {
    let mut before = 0;
    let pair = |(&place, &more)| [place as i64 - std::mem::replace(&mut before, place as i64), more];
    gains.iter().flat_map(pair).collect()
}

/// Values that nodes have for each flit. What a node sends of one takes along all that it has.
struct Partials<'p> {
    program: &'p Program,
    flits: usize,
    values: Vec<i64>,
}

impl<'p> Partials<'p> {
    fn new(program: &'p Program) -> Self {
        let (topology, flits) = (&program.topology, program.demand.flits() as usize);
        let own = |node| vec![i64::from(topology.is_live(node)); flits];
        Self { program, flits, values: topology.node_ids().flat_map(own).collect() }
    }

    /// Moves what registers hold to the nodes at the other ends of their links.
    fn moved(&mut self, frame: &Frame) -> Gains {
        let Self { program, flits, values } = self;
        let channels: Vec<_> = program.channels().collect();
        let (mut gains, mut arrivals) = (Gains::new(), Vec::new());
        for (register, flit) in frame.held() {
            let node = NodeId((register / channels.len()) as u32);
            let Some(there) = program.topology.step(node, channels[register % channels.len()].port) else { continue };
            let [from, to] = [node, there].map(|node| node.index() * *flits + flit as usize);
            let carried = std::mem::take(&mut values[from]);
            *gains.entry(from).or_default() -= carried;
            arrivals.push((to, carried));
        }
        for (to, carried) in arrivals {
            values[to] += carried;
            *gains.entry(to).or_default() += carried;
        }
        gains.retain(|_, more| *more != 0);
        gains
    }

    /// Returns true if every value is with the node of its packet.
    fn are_complete(&self) -> bool {
        let Program { topology, demand, .. } = self.program;
        let has_all = |node: NodeId| {
            let own = &self.values[node.index() * self.flits..][..self.flits];
            let all = i64::from(demand.group_size(topology, node));
            demand.flits_of(node).all(|flit| own[flit as usize] == all)
        };
        topology.live_ids().all(has_all)
    }
}
