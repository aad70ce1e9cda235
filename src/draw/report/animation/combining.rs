//! The part of a reduction in which values are combined, register by register.

use serde::Serialize;

use crate::net::{Channel, NodeId};
use crate::play::Player;
use crate::program::Program;

/// More partials on links than these would make a page too large.
const MOST_SENDS: u64 = 400_000;
/// More values at nodes would take too much memory in a browser.
const MOST_VALUES: u64 = 1 << 24;

/// Sends of every register while values are combined.
#[derive(Serialize)]
pub(super) struct Combining {
    /// values of every result
    values: u32,
    /// by tick: register and flit, one pair after the other, as they arrive
    sends: Vec<Vec<u32>>,
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
        let mut player = Player::new(program);
        let mut sends = Vec::new();
        while player.tick() < reduction.ticks {
            player.step();
            let held = |register| player.flit(register).map(|flit| [register as u32, flit.0]);
            sends.push((0..program.registers()).filter_map(held).flatten().collect());
        }
        let combining = Self { values: nodes as u32, sends };
        if combining.is_complete(program) {
            Ok(Some(combining))
        } else {
            Err("Not shown: some values are sent more than once, and partials cannot be followed.".into())
        }
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
        own.all(|(node, flit)| values[node.index() * flits + flit as usize] == self.values)
    }
}
