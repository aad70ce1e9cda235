//! Hamiltonian cycles: d edge-disjoint ones through all nodes of a torus, in any dimension (section 3.4), one through a
//! mesh; a path has none, and its two directions do instead.
//!
//! Two axes have a closed form (`plane`), which also multiplies any two Hamiltonian cycles; an odd number of axes
//! needs the product of Aubert and Schneider once on the way (`layers`).

mod comb;
mod frozen;
mod half;
mod labels;
mod last_step;
mod layers;
mod path;
mod plan;
mod plane;
mod product;
mod twin;

#[cfg(test)]
mod tests;

use super::half_duplex;
use super::staircase;
use crate::net::{Product, Topology, Torus};
use crate::paths::cover::Cover;
use crate::paths::weave::{self, Packets};
use crate::program::{Link, Program, Title};
use crate::task::Task;
use crate::task::{About, Claim, Scheme, SchemeLinks, Woven};
use crate::task::{ConstructError, Unmet};

/// Scheme `hamiltonian` of the list.
pub struct Hamiltonian;

impl Scheme for Hamiltonian {
    fn about(&self) -> About {
        About {
            name: "hamiltonian",
            summary: "As many edge-disjoint Hamiltonian cycles as a torus has axes, one on a mesh, and no packet twice \
                      anywhere (section 3.4)",
            theorem: "Meyer and Sibeyn, section 3.4; Kotzig; Foregger; Aubert and Schneider",
            condition: "a torus with every n_i at least 3 or two even sides; a mesh of two axes, n1 or n2 even; a mesh of odd sides; a cycle; a path",
            packets: "d (1 on a mesh or a path); twice as many, if so many are asked for, P is even and links are full-duplex",
            preference: 2,
        }
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        fits(task.topology)?;
        if task.link.duplex.is_full() {
            return Ok(());
        }
        let (topology, nodes) = (task.topology, task.topology.nodes());
        if is_odd_mesh(topology) {
            return Err(Unmet { needs: "a side that is even, if links of a mesh are half-duplex" });
        }
        if is_path(topology) {
            return Err(Unmet { needs: "a cycle, if links are half-duplex" });
        }
        if task.link.lanes > 1 && !nodes.is_multiple_of(2) && nodes > half_duplex::MOST_NODES {
            return Err(Unmet {
                needs: "an even number of nodes or at most 4095, if half-duplex links have two lanes",
            });
        }
        Ok(())
    }

    fn links(&self) -> SchemeLinks {
        SchemeLinks::Both
    }

    fn packets(&self, task: &Task) -> u16 {
        let cycles = cycles(task.topology);
        if goes_round(task) { 2 * cycles } else { cycles }
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let program = if goes_round(task) {
            let cover = cover(task.topology).expect("packets go round cycles");
            weave::along_cycles(&cover, Packets::PerWay, task.topology.nodes() - 1, title)
        } else {
            woven(task.topology, task.link, title)?
        };
        Ok(Woven { program, cover: None })
    }

    fn cover(&self, task: &Task) -> Option<Cover> {
        cover(task.topology)
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let nodes = task.topology.nodes();
        let claims = task.topology.is_product_of_cycles() && task.link.duplex.is_full() && !goes_round(task);
        let steps = claims.then(|| section_3_4_hamiltonian_cycles(nodes))?;
        Some(Claim { theorem: "section 3.4", steps })
    }

    /// The lower bound but on a mesh of three axes or more.
    fn steps(&self, task: &Task) -> Option<u32> {
        let nodes = task.topology.nodes();
        Some(match task.link.duplex.is_full() {
            false => half::steps(nodes, task.link.lanes),
            true if is_path(task.topology) || goes_round(task) => nodes - 1,
            true => nodes / 2,
        })
    }

    fn is_time_independent(&self, _: &Task) -> bool {
        true
    }

    /// With one lane packets go round their cycle one way.
    fn never_turns(&self, task: &Task) -> bool {
        task.link.lanes == 1
    }
}

/// Cycles that packets go along; a path counts as one, and the two diagonals of a mesh of odd sides.
fn cycles(topology: &Topology) -> u16 {
    if topology.is_product_of_cycles() { topology.axes() as u16 } else { 1 }
}

/// Returns true if packets go all the way round, twice as many: one each way round each cycle, in P - 1 steps. Of an even number of
/// nodes it saves the last arrivals, half of which are silent where packets go half the way. Only for as many packets as were asked
/// for: what comes first comes later.
fn goes_round(task: &Task) -> bool {
    let (nodes, cycles) = (task.topology.nodes(), u32::from(cycles(task.topology)));
    let is_cyclic = !is_path(task.topology) && !is_odd_mesh(task.topology);
    let is_asked = task.choice.packets.is_some_and(|packets| {
        let times = |packets_once: u32| u64::from(u32::from(packets).div_ceil(packets_once));
        times(2 * cycles) * u64::from(nodes - 1) < times(cycles) * u64::from(nodes / 2)
    });
    is_asked && is_cyclic && task.link.duplex.is_full() && nodes.is_multiple_of(2)
}

/// Section 3.4: d packets a node on d Hamiltonian cycles: P/2 steps.
pub fn section_3_4_hamiltonian_cycles(nodes: u32) -> u64 {
    u64::from(nodes).div_ceil(2)
}

/// Checks that the cycles are known to exist, or that the network is a path.
///
/// On every torus without a side of 2 there are d (Kotzig; Foregger; Aubert and Schneider), and with one on two axes if
/// both are even. A mesh is bipartite like a chessboard, so that a cycle through all nodes needs as many black ones as
/// white ones. In three dimensions one cycle would not use the corners' third link: no bound is met, none is built.
pub fn fits(topology: &Topology) -> Result<(), Unmet> {
    let (dims, nodes) = (topology.dims(), topology.nodes());
    if topology.axes() == 1 {
        return Ok(());
    }
    if topology.is_product_of_cycles() {
        let known = dims.iter().all(|&side| side >= 3) || staircase::is_hamiltonian(dims);
        return if known {
            Ok(())
        } else {
            Err(Unmet { needs: "every n_i at least 3, or two axes with n1 and n2 even" })
        };
    }
    let is_mesh = topology.as_product().is_some_and(Product::is_open);
    match dims {
        [n1, n2] if is_mesh && (n1.is_multiple_of(2) || n2.is_multiple_of(2)) => Ok(()),
        _ if is_odd_mesh(topology) && nodes <= twin::MOST_NODES => Ok(()),
        [_, _] if is_mesh => Err(Unmet { needs: "n1 or n2 even, or at most 4096 nodes" }),
        _ => Err(Unmet { needs: "a torus, a mesh of two axes, or a mesh of odd sides" }),
    }
}

/// Returns true for a mesh on which the corner's diagonal stands in for the corner.
fn is_odd_mesh(topology: &Topology) -> bool {
    topology.as_product().is_some_and(Product::is_open) && twin::is_odd(topology.dims())
}

fn is_path(topology: &Topology) -> bool {
    topology.axes() == 1 && !topology.has_every_link()
}

/// Returns edge-disjoint Hamiltonian cycles: one per axis on a torus, one on a mesh; `None` on a path. Only for
/// networks that [`fits`] accepts.
///
/// Two even sides take the staircase of section 3.1: two pairings, and the only rule for a side of 2.
pub fn cover(topology: &Topology) -> Option<Cover> {
    let walks = match Torus::of(topology) {
        Some(torus) if staircase::is_hamiltonian(torus.dims()) => {
            return Some(staircase::cover(&torus).expect("two even sides are what the staircase is made for"));
        }
        Some(torus) => product::walks(&product::decompose(&torus)),
        None if is_path(topology) || is_odd_mesh(topology) => return None,
        None => vec![comb::walk(topology)],
    };
    Some(Cover::new(topology, &walks, |_| false).expect("Hamiltonian cycles are closed, the products' edge-disjoint"))
}

/// Gossip of d packets a node in ceil((P-1)/2) steps (section 3.4), one on a mesh, with no packet twice anywhere; of one
/// in P-1 on a path.
pub fn program(topology: &Topology, title: Title) -> Result<Program, Unmet> {
    woven(topology, Link::default(), title)
}

fn woven(topology: &Topology, link: Link, title: Title) -> Result<Program, Unmet> {
    fits(topology)?;
    let whole = link.duplex.is_full();
    if is_odd_mesh(topology) {
        return twin::program(topology, title);
    }
    Ok(match Torus::of(topology) {
        Some(torus) if whole && staircase::is_hamiltonian(torus.dims()) => {
            last_step::program(&staircase::Turns::new(&torus), title)
        }
        Some(torus) if whole => last_step::program(&product::decompose(&torus), title),
        _ => match cover(topology) {
            Some(cover) if !whole => half::program(&cover, link.lanes, title),
            Some(cover) => last_step::program(&cover, title),
            None => path::program(topology, title),
        },
    })
}
