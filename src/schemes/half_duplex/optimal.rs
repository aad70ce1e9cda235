//! The scheme `optimal` on half-duplex links: one table for every node of a torus, a search on a mesh.

use super::search::{self, SeedEffort};
use super::{formula, fresh, line, torus, tree};
use crate::net::{Topology, Torus};
use crate::paths::moves::{self, PacketMove};
use crate::program::{Duplex, Link, Program, Title};
use crate::study::bounds::{self, Goal};
use crate::task::Unmet;

/// The largest tori on which trees that seldom read the store are searched, with two axes and with three: above, it takes
/// too long, and more axes have too many ways to take a step.
const FRESH_NODES: [u32; 2] = [150, 64];

/// The largest mesh that is searched: above, it takes minutes.
const SEARCHED_NODES: u32 = 400;

/// The longest mesh of two rows that is left to a solver: above, it takes too long.
const SOLVED_SIDE: u32 = 16;

/// The largest network that is left to a solver where others meet the bound seldom: with two lanes, or links that are silent before
/// they turn.
const SOLVED_NODES: u32 = 9;

/// Effort before the search restarts; plans that succeed mostly do so early.
const SOON: SeedEffort = SeedEffort { a_step: 1, rounds: 20 };
const LATER: SeedEffort = SeedEffort { a_step: 4, rounds: 100 };

/// Checks that a gossip is known.
pub fn applies(topology: &Topology) -> Result<(), Unmet> {
    let is_small = topology.nodes() <= SEARCHED_NODES;
    if topology.axes() == 1 || topology.is_product_of_cycles() || is_small {
        return Ok(());
    }
    Err(Unmet { needs: "at most 400 nodes of a half-duplex mesh" })
}

/// Returns true if a solver finds a gossip that is faster than what is known: it knows when links turn.
pub fn is_solved(topology: &Topology, link: Link) -> bool {
    let turns = link.duplex == Duplex::Pads && !(topology.is_product_of_cycles() && link.lanes == 1);
    let is_mesh = topology.axes() > 1 && !topology.is_product_of_cycles();
    topology.nodes() <= SOLVED_NODES && topology.dead().is_none() && (turns || link.lanes > 1 && is_mesh)
}

/// The steps, where they are known before anything is searched.
pub fn steps(topology: &Topology, link: Link) -> Option<u32> {
    let lanes = link.lanes;
    match (topology.axes(), topology.is_product_of_cycles()) {
        _ if is_solved(topology, link) => None,
        (1, _) => Some(line::steps(topology, lanes)),
        (_, true) if lanes == 1 => Some(torus::bound(topology.dims(), 1)),
        _ => None,
    }
}

/// Gossip of one packet a node in the fewest steps that are found.
pub fn program(topology: &Topology, link: Link, title: Title) -> Result<Program, Unmet> {
    applies(topology)?;
    let lanes = link.lanes;
    if is_solved(topology, link) {
        let least = bounds::lower_bound(topology, link, Goal::Gossip { flits: 1 }).ticks as u32;
        let mut found = (least..).filter_map(|steps| formula::moves(topology, link, steps));
        let moves = found.next().expect("with a step per link and packet there is a schedule");
        return Ok(moves::program(topology, lanes, moves, None, title));
    }
    if topology.axes() == 1 {
        return Ok(line::program(topology, lanes, title));
    }
    Ok(match Torus::of(topology) {
        Some(torus) => tree::program(&torus, lanes, &arcs(&torus, lanes), title),
        None => moves::program(topology, lanes, searched(topology, lanes), None, title),
    })
}

/// A tree on two axes or more that reads the store as seldom as can be found quickly.
pub fn arcs(torus: &Torus, lanes: u8) -> Vec<tree::TimedArc> {
    let is_small = FRESH_NODES.get(torus.axes() - 2).is_some_and(|&most| torus.nodes() <= most);
    let fresh = if lanes == 1 && is_small { fresh::arcs(torus) } else { None };
    fresh.unwrap_or_else(|| torus::arcs(torus, lanes))
}

/// Moves of as few steps as the seeds find.
fn searched(mesh: &Topology, lanes: u8) -> Vec<PacketMove> {
    let least = bounds::lower_bound(mesh, Link::half(lanes), Goal::Gossip { flits: 1 }).ticks as u32;
    if lanes == 1 {
        match *mesh.dims() {
            [2, side] | [side, 2] if side <= SOLVED_SIDE => {
                if let Some(moves) = (least..=least + 1).find_map(|steps| formula::moves(mesh, Link::half(1), steps)) {
                    return moves;
                }
            }
            _ => {}
        }
    }
    // with two lanes or two rows the search seldom meets the bound
    let is_rare = lanes > 1 || mesh.dims().contains(&2);
    let first: &[(u64, SeedEffort)] = if is_rare { &[(4, SOON)] } else { &[(16, SOON), (4, LATER)] };
    let seeds = |steps| if steps == least { first } else { &[(16, SOON)] };
    let tries = (least..).flat_map(|steps| {
        let seeds = seeds(steps).iter();
        seeds.flat_map(move |&(seeds, patience)| (0..seeds).map(move |seed| (steps, seed, patience)))
    });
    let mut found =
        tries.filter_map(|(steps, seed, patience)| search::moves(mesh, lanes.into(), steps, seed, patience));
    found.next().expect("with a step per link and packet there is a schedule")
}
