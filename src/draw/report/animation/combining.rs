//! The part of a reduction in which values are combined, register by register.

use serde::Serialize;

use crate::net::{Channel, NodeId};
use crate::play::{Combiner, Player, Values};
use crate::program::{FlitId, Number, Operation, Program, Reduction};

/// More partials on links than these would make a page too large.
const MOST_SENDS: u64 = 400_000;
/// More values at nodes would take too much memory in a browser.
const MOST_VALUES: u64 = 1 << 24;

/// Sends of every register while values are combined.
#[derive(Serialize)]
pub(super) struct Combining {
    /// values of every result that a node has in the end; 0 where it is dead
    values: Vec<u32>,
    /// by tick: register and flit, one pair after the other, as they arrive
    sends: Vec<Vec<u32>>,
    /// place of each result that grows in a tick, counted node after node, and by how many values; where every node combines all
    #[serde(skip_serializing_if = "Option::is_none")]
    gains: Option<Vec<Vec<u32>>>,
}

impl Combining {
    /// Plays a reduction; nothing for other programs, and the reason where a page cannot show it.
    pub(super) fn of(program: &Program) -> Result<Option<Self>, String> {
        let Some(reduction) = &program.reduction else { return Ok(None) };
        let topology = &program.topology;
        let flits = program.demand.flits();
        let nodes = topology.live_ids().count() as u64;
        if nodes.saturating_mul(flits) > MOST_VALUES.min(MOST_SENDS) {
            let why =
                format!("Not shown: {nodes} nodes combine too many values for a page; look at a smaller network.");
            return Err(why);
        }
        if reduction.everywhere {
            return Ok(Some(Self::everywhere(program, reduction)));
        }
        let mut player = Player::new(program);
        let mut sends = Vec::new();
        while player.tick() < reduction.ticks {
            player.step();
            let held = |register| player.flit(register).map(|flit| [register as u32, flit.0]);
            sends.push((0..program.registers()).filter_map(held).flatten().collect());
        }
        let combining = Self { values: values(program), sends, gains: None };
        if combining.is_complete(program) {
            Ok(Some(combining))
        } else {
            Err("Not shown: some values are sent more than once, and partials cannot be followed.".into())
        }
    }

    /// Every node has a one for each flit, and all are added up: what it has says how many values are in it.
    fn everywhere(program: &Program, reduction: &Reduction) -> Self {
        let counted = Reduction { operation: Operation::Sum, number: Number::Word, ..reduction.clone() };
        let counted = Program { reduction: Some(counted.into()), ..program.clone() };
        let topology = &program.topology;
        let flits = program.demand.flits() as u32;
        let places = topology.nodes() as usize * flits as usize;
        let ones = Values::given(&counted, u32::BITS, vec![1; places]);
        let mut combiner = Combiner::with(&counted, ones).expect("it is a reduction");
        let mut has = vec![1; places];
        let (mut sends, mut gains) = (Vec::new(), Vec::new());
        while combiner.tick() < reduction.ticks {
            combiner.step();
            let held = |register| combiner.flit(register).map(|FlitId(flit)| [register as u32, flit]);
            sends.push((0..program.registers()).filter_map(held).flatten().collect());
            let mut grown = Vec::new();
            let own = |node| program.results_of(node).map(move |flit| (node, flit as u32));
            for (node, flit) in topology.live_ids().flat_map(own) {
                let (place, values) = (node.0 * flits + flit, combiner.result(node, flit)[0] as u32);
                let had = std::mem::replace(&mut has[place as usize], values);
                if values != had {
                    grown.extend([place, values - had]);
                }
            }
            gains.push(grown);
        }
        Self { values: values(program), sends, gains: Some(gains) }
    }

    /// Returns true if every value reaches the node of its packet, when each node sends on all that it has.
    fn is_complete(&self, program: &Program) -> bool {
        let topology = &program.topology;
        let (flits, outputs) = (program.demand.flits() as usize, program.outputs());
        let channels: Vec<Channel> = program.channels().collect();
        let mut values = vec![0_u32; topology.nodes() as usize * flits];
        for node in topology.live_ids() {
            values[node.index() * flits..][..flits].fill(1);
        }
        for sends in &self.sends {
            let mut partials = Vec::new();
            for pair in sends.chunks_exact(2) {
                let (register, flit) = (pair[0] as usize, pair[1] as usize);
                let node = NodeId((register / outputs) as u32);
                let Some(there) = topology.step(node, channels[register % outputs].port) else { return false };
                partials.push((there, flit, std::mem::take(&mut values[node.index() * flits + flit])));
            }
            for (there, flit, carried) in partials {
                values[there.index() * flits + flit] += carried;
            }
        }
        let mut own = topology.live_ids().flat_map(|node| program.demand.flits_of(node).map(move |flit| (node, flit)));
        own.all(|(node, flit)| values[node.index() * flits + flit as usize] == self.values[node.index()])
    }
}

/// Nodes of each node's group; none of a dead node.
fn values(program: &Program) -> Vec<u32> {
    let Program { topology, demand, .. } = program;
    let size = |node| if topology.is_live(node) { demand.group_size(topology, node) } else { 0 };
    topology.node_ids().map(size).collect()
}
