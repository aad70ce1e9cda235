//! Meyer and Sibeyn, section 3.1: the staircase rule, T<->R and B<->L, for two even sides.

use super::Unmet;
use super::weave::{self, Packets};
use crate::cover::{Cover, Walk};
use crate::program::{Program, Title};
use crate::torus::{NodeId, Port, Torus};

const T: Port = Port::minus(0);
const B: Port = Port::plus(0);
const L: Port = Port::minus(1);
const R: Port = Port::plus(1);

/// Whether the rule applies to these sides.
pub fn fits(dims: &[u32]) -> Result<(), Unmet> {
    match dims {
        [n1, n2] if n1.is_multiple_of(2) && n2.is_multiple_of(2) => Ok(()),
        _ => Err(Unmet { scheme: "staircase", needs: "two axes with n1 and n2 even" }),
    }
}

/// Gossip of two packets a node in P/2 steps (Theorem 2).
pub fn program(torus: &Torus, title: Title) -> Result<Program, Unmet> {
    fits(torus.dims())?;
    Ok(weave::along_cycles(&cover(torus), Packets::PerCycle, torus.nodes() / 2, title))
}

/// Two edge-disjoint Hamiltonian cycles; both pass node (0,0), one leaves it by R and the other by B.
pub fn cover(torus: &Torus) -> Cover {
    let walks = [R, B].map(|first| trace(torus, NodeId(0), first, |node, from| turn(torus, node, from)));
    Cover::new(torus, &walks, |_| false).expect("the staircase rule yields two cycles on even sides (Theorem 2)")
}

/// The port by which what came in at `from` goes out.
fn turn(torus: &Torus, node: NodeId, from: Port) -> Port {
    let column = torus.coord(node, 1);
    let mirrored = column + 1 < torus.side(1) && column % 2 == 1;
    match from {
        from if from == T => {
            if mirrored {
                L
            } else {
                R
            }
        }
        from if from == B => {
            if mirrored {
                R
            } else {
                L
            }
        }
        from if from == L => {
            if mirrored {
                T
            } else {
                B
            }
        }
        _ => {
            if mirrored {
                B
            } else {
                T
            }
        }
    }
}

/// Follows a rule from `start`, out by `first`, until it comes back to where and how it began.
fn trace(torus: &Torus, start: NodeId, first: Port, turn: impl Fn(NodeId, Port) -> Port) -> Walk {
    let (mut node, mut port) = (start, first);
    let mut moves = Vec::new();
    loop {
        moves.push(port);
        node = torus.neighbour(node, port);
        port = turn(node, port.opposite());
        if (node, port) == (start, first) {
            return Walk { start, moves };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Knowledge, Machine};

    /// Theorem 2: two packets a node, both sides even, P/2 steps.
    #[test]
    fn theorem_2_gossip_in_half_p_steps_on_even_sides() {
        for (n1, n2) in (2..=24).step_by(2).flat_map(|n1| (2..=24).step_by(2).map(move |n2| (n1, n2))) {
            let torus = Torus::new(&[n1, n2]).unwrap();
            let title = Title { name: "t".into(), collective: "gossip".into(), scheme: "staircase".into() };
            let program = program(&torus, title).unwrap();
            let mut machine = Machine::new(&program);
            let mut knowledge = Knowledge::new(&program);
            while knowledge.incomplete().next().is_some() {
                machine.step();
                for (node, _, flit) in machine.arrivals() {
                    knowledge.learn(node, flit);
                }
            }
            assert_eq!(machine.tick(), n1 * n2 / 2, "{n1}x{n2}");
        }
    }
}
