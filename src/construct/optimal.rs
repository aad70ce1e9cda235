//! Optimal gossip: one broadcast tree from the origin, translated to every node, hence one table for the whole torus.

mod beam;
mod fold;
mod forwarding;
mod greedy;
mod helix;
mod pinwheel;
mod splitmix;

use super::Unmet;
use crate::program::{Program, Run, Source, Title, Track};
use crate::torus::Torus;
use crate::tree::{Tree, TreeArc};

/// Which ages are acceptable: how much of a packet store the routers need at most. A tree is always the best one that
/// is known for its torus, so `Any` means the least that can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Store {
    /// Age 1 everywhere: what comes in goes on in the next step or never.
    None,
    /// Age 1, except that at most 2^d - 1 entries of the table (3 in two dimensions) read a packet that came in earlier.
    Few,
    /// Packets are read again at any age.
    #[default]
    Any,
}

/// The largest torus of three and more axes on which the mirrored tree is searched: above, the search takes too long.
const SEARCHED_NODES: u32 = 1000;

/// The largest shorter side of a rectangle on which the mirrored tree is searched.
const SEARCHED_SIDE: u32 = 256;

/// The fewest steps in which a broadcast tree with distinct labels can reach every node.
///
/// Every step has 2d slots, but on each axis with a side of 2 both ways lead to the same node, so that in step 1 one of
/// its two slots is idle. No tree is faster than the diameter.
pub fn bound(dims: &[u32]) -> u32 {
    let nodes: u64 = dims.iter().map(|&side| u64::from(side)).product();
    let doubled = dims.iter().filter(|&&side| side == 2).count() as u64;
    let diameter: u32 = dims.iter().map(|side| side / 2).sum();
    (nodes - 1 + doubled).div_ceil(2 * dims.len() as u64).max(u64::from(diameter)) as u32
}

/// Where the tree of a torus comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Construction {
    Pinwheel,
    Mirrored,
    Greedy,
}

/// The construction with the smallest store that applies.
fn construction(dims: &[u32]) -> Construction {
    let nodes: u64 = dims.iter().map(|&side| u64::from(side)).product();
    match dims {
        _ if dims.contains(&2) => Construction::Greedy,
        [n1, n2] if n1 == n2 => Construction::Pinwheel,
        [n1, n2] if n1.min(n2) <= &SEARCHED_SIDE => Construction::Mirrored,
        [_, _, ..] if dims.len() > 2 && dims.len() <= fold::SLOTS && nodes <= u64::from(SEARCHED_NODES) => {
            Construction::Mirrored
        }
        _ => Construction::Greedy,
    }
}

/// Whether a tree with such a store is known for these sides.
pub fn fits(dims: &[u32], store: Store) -> Result<(), Unmet> {
    let unmet = |needs| Err(Unmet { scheme: "optimal", needs });
    // on a ring every packet moves on at once, whichever construction
    let kept = dims.len() == 1 || construction(dims) != Construction::Greedy;
    match store {
        Store::None if !kept || dims.iter().any(|side| side.is_multiple_of(2)) => {
            unmet("every n_i odd (and n1 = n2, or 2 to 4 axes of moderate size) for a schedule without a store")
        }
        Store::Few if !kept => unmet("every n_i at least 3 and moderate sides for a schedule with few stored reads"),
        _ => Ok(()),
    }
}

/// A broadcast tree of [`bound`] steps.
pub fn tree(torus: &Torus, store: Store) -> Result<Tree, Unmet> {
    let dims = torus.dims();
    fits(dims, store)?;
    let steps = bound(dims);
    if std::env::var("FLAT").is_ok() {
        return forwarding::arcs(torus, steps, fold::Kind::Flat)
            .map(|a| Tree::new(torus, a).unwrap())
            .ok_or(Unmet { scheme: "optimal", needs: "flat" });
    }
    let arcs = match construction(dims) {
        Construction::Pinwheel => Some(pinwheel::arcs(torus)),
        Construction::Mirrored => forwarding::arcs(torus, steps, fold::Kind::Mirrored),
        Construction::Greedy => None,
    };
    let arcs = arcs.or_else(|| greedy::arcs(torus, steps));
    let arcs: Vec<TreeArc> = arcs
        .ok_or(Unmet { scheme: "optimal", needs: "sides for which the greedy finds a tree: every n_i at least 3" })?;
    Ok(Tree::new(torus, arcs).expect("the construction yields a tree"))
}

/// Gossip of one packet a node in [`bound`] steps.
pub fn program(torus: &Torus, store: Store, title: Title) -> Result<Program, Unmet> {
    Ok(translated(&tree(torus, store)?, title))
}

/// Every node as the root of its own copy of the tree.
///
/// Where the tree reaches u + delta at step t, every node sends the packet of the node u before it: the packet that came
/// in over the port by which the tree enters u.
fn translated(tree: &Tree, title: Title) -> Program {
    let torus = tree.torus();
    let mut outputs = vec![Track::default(); torus.ports()];
    let mut played = vec![0; torus.ports()];
    for &arc in tree.arcs() {
        let parent = tree.parent(arc);
        let source = match tree.entered(parent) {
            None => Source::Own { packet: 0 },
            Some(entered) => Source::In { port: entered.opposite(), age: arc.time - tree.arrival(parent) },
        };
        let (track, played) = (&mut outputs[arc.by.index()], &mut played[arc.by.index()]);
        extend(track, Source::Idle, arc.time - 1 - *played);
        extend(track, source, 1);
        *played = arc.time;
    }
    for (track, played) in outputs.iter_mut().zip(played) {
        extend(track, Source::Idle, tree.steps() - played);
    }
    Program::uniform(torus, tree.steps(), 1, outputs, title)
}

/// Lengthens a track; equal behaviour stays an equal track.
fn extend(track: &mut Track, source: Source, ticks: u32) {
    match track.runs.last_mut() {
        Some(last) if last.source == source => last.ticks += ticks,
        _ if ticks > 0 => track.runs.push(Run { source, ticks }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Knowledge, Machine};
    use crate::table::Figures;

    fn torus(dims: &[u32]) -> Torus {
        Torus::new(dims).unwrap()
    }

    fn title() -> Title {
        Title { name: "t".into(), collective: "gossip".into(), scheme: "optimal".into() }
    }

    /// Plays the program: every packet arrives everywhere once, the last ones in the last step.
    fn assert_gossips(dims: &[u32], store: Store) -> Figures {
        let program = program(&torus(dims), store, title()).unwrap();
        assert_eq!(program.ticks, bound(dims), "{dims:?}");
        let mut machine = Machine::new(&program);
        let mut knowledge = Knowledge::new(&program);
        while !machine.is_done() {
            assert!(knowledge.incomplete().next().is_some(), "{dims:?}: done before the last step");
            machine.step();
            for (node, port, flit) in machine.arrivals() {
                let news = knowledge.learn(node, flit);
                assert!(news, "{dims:?}: node {} gets {flit:?} again by {port}", node.0);
            }
        }
        assert_eq!(knowledge.incomplete().next(), None, "{dims:?}");
        let [figures] = &Figures::of(&program)[..] else { panic!("one class") };
        figures.clone()
    }

    #[test]
    fn squares_gossip_in_the_bound_with_n_runs() {
        for n in 3..=16 {
            let figures = assert_gossips(&[n, n], Store::Few);
            assert!(figures.distinct <= 5 && figures.runs <= n, "{n}: {figures:?}");
            assert!(figures.stored <= if n % 2 == 0 { 2 } else { 0 }, "{n}: {figures:?}");
        }
        let large = assert_gossips(&[31, 31], Store::None);
        assert_eq!((large.words, large.runs, large.depth, large.stored), (240, 31, 1, 0));
    }

    #[test]
    fn rectangles_gossip_in_the_bound_with_at_most_3_stored_reads() {
        for dims in [[3, 4], [4, 3], [3, 30], [9, 14], [12, 20], [20, 11], [16, 18]] {
            let figures = assert_gossips(&dims, Store::Few);
            assert!(figures.stored <= 3, "{dims:?}: {figures:?}");
        }
    }

    #[test]
    fn odd_sides_need_no_store() {
        for dims in [&[3, 5][..], &[7, 7], &[15, 9], &[3, 3, 3], &[3, 5, 5], &[7]] {
            let figures = assert_gossips(dims, Store::None);
            assert_eq!((figures.depth, figures.stored), (1, 0), "{dims:?}");
        }
    }

    #[test]
    fn boxes_gossip_in_the_bound() {
        for dims in [&[5, 6, 7][..], &[8, 8, 8], &[3, 4, 5, 6]] {
            assert_gossips(dims, Store::Any);
        }
    }

    #[test]
    fn the_greedy_reaches_the_bound_with_every_side_at_least_3() {
        let sizes: [&[u32]; 8] =
            [&[3], &[10], &[3, 3], &[5, 30], &[3, 3, 3], &[4, 7, 8], &[20, 30, 40], &[3, 3, 3, 3, 3]];
        for dims in sizes {
            let torus = torus(dims);
            let tree = Tree::new(&torus, greedy::arcs(&torus, bound(dims)).expect("a tree")).unwrap();
            assert_eq!(tree.steps(), bound(dims), "{dims:?}");
        }
    }

    #[test]
    fn the_same_torus_gives_the_same_tree() {
        for dims in [&[9, 14][..], &[4, 4, 5], &[20, 20, 20]] {
            let [first, second] = [(); 2].map(|()| tree(&torus(dims), Store::Any).unwrap());
            assert_eq!(first.arcs(), second.arcs());
        }
    }
}
