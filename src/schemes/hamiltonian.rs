//! Hamiltonian decompositions: d edge-disjoint cycles through all nodes, in any dimension (section 3.4).
//!
//! Two axes have a closed form (`plane`), which also multiplies any two Hamiltonian cycles; an odd number of axes
//! needs the product of Aubert and Schneider once on the way (`layers`).

mod frozen;
mod labels;
mod last_step;
mod layers;
mod plan;
mod plane;
mod product;

#[cfg(test)]
mod tests;

use super::scheme::{About, Claim, Scheme, Woven};
use super::staircase;
use super::task::Task;
use super::unmet::{ConstructError, Unmet};
use crate::net::Torus;
use crate::paths::cover::Cover;
use crate::program::{Program, Title};

/// The scheme.
pub struct Hamiltonian;

impl Scheme for Hamiltonian {
    fn about(&self) -> About {
        About {
            name: "hamiltonian",
            summary: "As many edge-disjoint Hamiltonian cycles as there are axes, and no packet twice anywhere (section 3.4)",
            theorem: "Meyer and Sibeyn, section 3.4; Kotzig; Foregger; Aubert and Schneider",
            condition: "every n_i at least 3, or two axes with n1 and n2 even",
            packets: "d",
        }
    }

    fn fits(&self, task: &Task) -> Result<(), Unmet> {
        fits(task.torus_sides()?)
    }

    fn packets(&self, task: &Task) -> u16 {
        task.topology.axes() as u16
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        Ok(woven(&task.torus()?, title)?)
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        Some(Claim { theorem: "section 3.4", steps: section_3_4_hamiltonian_cycles(task.topology.nodes()) })
    }

    /// The lower bound, everywhere.
    fn steps(&self, task: &Task) -> Option<u32> {
        Some(task.topology.nodes() / 2)
    }

    fn is_time_independent(&self) -> bool {
        true
    }
}

/// Section 3.4: d packets a node on d Hamiltonian cycles: P/2 steps.
pub fn section_3_4_hamiltonian_cycles(nodes: u32) -> u64 {
    u64::from(nodes).div_ceil(2)
}

/// Whether d edge-disjoint Hamiltonian cycles are known to exist: on every torus without a side of 2 (Kotzig; Foregger;
/// Aubert and Schneider), and with one on two axes if both are even. The number of axes does not matter.
pub fn fits(dims: &[u32]) -> Result<(), Unmet> {
    if dims.iter().all(|&side| side >= 3) || staircase::is_hamiltonian(dims) {
        return Ok(());
    }
    Err(Unmet { needs: "every n_i at least 3, or two axes with n1 and n2 even" })
}

/// As many edge-disjoint Hamiltonian cycles as there are axes. Only for sides that [`fits`] accepts.
///
/// Two even sides take the staircase of section 3.1: two pairings, and the only rule for a side of 2.
pub fn cover(torus: &Torus) -> Cover {
    if staircase::is_hamiltonian(torus.dims()) {
        return staircase::cover(torus).expect("two even sides are what the staircase is made for");
    }
    let walks = product::decompose(torus);
    Cover::new(torus, &walks, |_| false).expect("the products of Hamiltonian cycles are edge-disjoint cycles")
}

/// Gossip of d packets a node in ceil((P-1)/2) steps (section 3.4), with no packet twice anywhere.
pub fn program(torus: &Torus, title: Title) -> Result<Program, Unmet> {
    woven(torus, title).map(|woven| woven.program)
}

fn woven(torus: &Torus, title: Title) -> Result<Woven, Unmet> {
    fits(torus.dims())?;
    let cover = cover(torus);
    Ok(Woven { program: last_step::program(&cover, title), cover: Some(cover) })
}
