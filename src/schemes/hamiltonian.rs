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

use super::{Unmet, staircase};
use crate::net::Torus;
use crate::paths::cover::Cover;
use crate::program::{Program, Title};

/// Whether d edge-disjoint Hamiltonian cycles are known to exist: on every torus without a side of 2 (Kotzig; Foregger;
/// Aubert and Schneider), and with one on two axes if both are even. The number of axes does not matter.
pub fn fits(dims: &[u32]) -> Result<(), Unmet> {
    if dims.iter().all(|&side| side >= 3) || staircase::is_hamiltonian(dims) {
        return Ok(());
    }
    Err(Unmet { scheme: "hamiltonian", needs: "every n_i at least 3, or two axes with n1 and n2 even" })
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
    woven(torus, title).map(|(_, program)| program)
}

/// The same with the cycles it runs along.
pub fn woven(torus: &Torus, title: Title) -> Result<(Cover, Program), Unmet> {
    fits(torus.dims())?;
    let cover = cover(torus);
    let program = last_step::program(&cover, title);
    Ok((cover, program))
}
