//! Optimal gossip: one broadcast tree from the origin, translated to every node, hence one table for the whole torus.

mod beam;
mod fewest;
mod fold;
mod forwarding;
mod greedy;
mod helix;
mod list;
mod narrow;
mod pairs;
mod pinwheel;

use self::fewest::nodes;
use self::fold::FoldKind;
use self::forwarding::Patience;

use super::half_duplex;
use crate::net::{Network, Torus};
use crate::paths::tree::{Tree, TreeArc};
use crate::program::{Demand, Duplex, Program, Run, Source, Title, Track};
use crate::task::{About, Claim, ConstructError, Knob, Scheme, SchemeLinks, Task, Unmet, Woven};

pub use crate::task::StoreMode;
pub use fewest::bound;
pub use list::along_shortest_ways;

/// Scheme `optimal` of the list.
pub struct Optimal;

impl Scheme for Optimal {
    fn about(&self) -> About {
        About {
            name: "optimal",
            summary: "One packet per node in ceil((P-1)/2d) steps, the fewest there are, by one table of times for all nodes of a torus",
            theorem: "time-arc-disjoint broadcast trees (Soch and Tvrdik in two dimensions), translated to every node",
            condition: "a torus; with half-duplex links of one lane or two also a mesh of at most 400 nodes, a path",
            packets: "1",
            preference: 4,
        }
    }

    /// One table for all nodes needs nodes that are alike, and no coordinates.
    fn takes(&self, network: &Network) -> bool {
        network.is_homogeneous() || network.is_grid()
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        if list::is_needed(task.topology) {
            return list::fits_network(task.topology, task.link, task.choice.store);
        }
        if task.link.latency > 1 {
            return list::fits(task.torus_sides()?, task.link.latency, task.choice.store);
        }
        if task.link.duplex.is_full() {
            return fits(task.torus_sides()?, task.choice.store);
        }
        if task.choice.store != StoreMode::Any {
            return Err(Unmet { needs: "store any, if links are half-duplex" });
        }
        half_duplex::optimal_applies(task.topology)
    }

    fn links(&self) -> SchemeLinks {
        SchemeLinks::Both
    }

    fn packets(&self, _: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let program = if list::is_needed(task.topology) {
            translated(&list::tree(task.topology, task.link.latency, task.choice.branches)?, title)
        } else if task.link.latency > 1 {
            translated(&list::tree(&*task.torus()?, task.link.latency, task.choice.branches)?, title)
        } else if task.link.duplex.is_full() {
            let torus = task.torus()?;
            match list::slender(&torus, task) {
                Some(tree) => translated(&tree, title),
                None => program(&torus, task.choice.store, title)?,
            }
        } else {
            half_duplex::optimal(task.topology, task.link, title)?
        };
        Ok(Woven { program, cover: None })
    }

    fn claim(&self, _: &Task) -> Option<Claim> {
        None
    }

    /// With a side of 2 only the search tells whether there is a tree.
    fn steps(&self, task: &Task) -> Option<u32> {
        if !task.link.duplex.is_full() {
            return half_duplex::optimal_steps(task.topology, task.link);
        }
        if list::is_needed(task.topology) {
            return None;
        }
        let dims = task.topology.dims();
        if task.link.latency > 1 {
            return None;
        }
        dims.iter().all(|&side| side >= 3).then(|| bound(dims))
    }

    fn awaits_arrivals(&self, task: &Task) -> bool {
        task.link.duplex.is_full()
    }

    /// All arcs of the tree on a torus go forward.
    fn never_turns(&self, task: &Task) -> bool {
        task.topology.is_product_of_cycles() && task.link.lanes == 1
    }

    fn needs_silence(&self, task: &Task) -> bool {
        let turns = task.link.duplex == Duplex::Pads && !self.never_turns(task);
        turns && !half_duplex::optimal_is_solved(task.topology, task.link)
    }

    fn knobs(&self, task: &Task) -> &'static [Knob] {
        if task.link.duplex.is_full() { &[Knob::Store, Knob::Rom] } else { &[Knob::Rom] }
    }
}

/// The largest torus of three and more axes on which a tree with few stored reads is searched: above, it takes too long.
const SEARCHED_NODES: u64 = 512;

/// The largest shorter side of a rectangle on which a tree with few stored reads is searched.
const SEARCHED_SIDE: u32 = 64;

/// The largest side of a rectangle with an even side on which a tree without a store is known to be found.
const STORELESS_SIDE: u32 = 32;

/// The largest rectangle on which `Any` tries to do without a store.
const STORELESS_NODES: u64 = 64 * 48;

/// Returns true if a tree with few stored reads is known: only those of the nodes with v = -v.
fn few_is_known(dims: &[u32]) -> bool {
    let sides_fit = !dims.contains(&2);
    sides_fit
        && match dims {
            [_] => true,
            [n1, n2] => n1 == n2 || n1.min(n2) <= &SEARCHED_SIDE,
            _ => dims.len() <= BOX_AXES && nodes(dims) <= SEARCHED_NODES,
        }
}

/// Boxes of more axes have too many ways to take a step.
const BOX_AXES: usize = 4;

/// Returns true if a rectangle with an even side can do without a store.
///
/// If both sides are even, age 1 lets even steps reach only nodes of even coordinate sum. With P/4 odd there are two
/// slots too few for them, unless a node sends its own packet late, which no construction here does.
fn storeless_rectangle(dims: &[u32]) -> bool {
    matches!(dims, [n1, n2] if n1.min(n2) > &2 && (n1 % 4 != 2 || n2 % 4 != 2))
}

/// Returns true if a tree without any store is known.
fn none_is_known(dims: &[u32]) -> bool {
    let ring = dims.len() == 1;
    let odd = few_is_known(dims) && dims.iter().all(|side| side % 2 == 1);
    ring || odd || storeless_rectangle(dims) && dims.iter().all(|&side| side <= STORELESS_SIDE)
}

/// Checks that a tree within this store is known for these sides.
pub fn fits(dims: &[u32], store: StoreMode) -> Result<(), Unmet> {
    let needs = match store {
        StoreMode::None if !none_is_known(dims) => {
            "for store none, two sides of 3 to 32 (not both 2 mod 4), n x n with n odd, or odd sides of moderate size"
        }
        StoreMode::Few if !few_is_known(dims) => {
            "for store few, every n_i at least 3 and n x n, two sides one of which is at most 64, or at most 512 nodes"
        }
        _ => return Ok(()),
    };
    Err(Unmet { needs })
}

/// A broadcast tree of [`bound`] steps.
pub fn tree(torus: &Torus, store: StoreMode) -> Result<Tree, Unmet> {
    let dims = torus.dims();
    fits(dims, store)?;
    let arcs = match store {
        StoreMode::None => storeless(torus, Patience::Long),
        // on 3 x 4 the half tree leaves its one self-inverse node no slot
        StoreMode::Few => few(torus).or_else(|| storeless(torus, Patience::Short)),
        StoreMode::Any => {
            let quick = nodes(dims) <= STORELESS_NODES && storeless_rectangle(dims) || none_is_known(dims);
            let first = if quick { storeless(torus, Patience::Short) } else { None };
            let second = || if few_is_known(dims) { few(torus) } else { None };
            first.or_else(second).or_else(|| universal(torus))
        }
    };
    let needs = "sides on which the search finds a tree: it does wherever it was tried with every n_i at least 3";
    let arcs = arcs.ok_or(Unmet { needs })?;
    Ok(pairs::narrowed(torus, Tree::new(torus, arcs).expect("every construction yields a tree")))
}

/// The largest torus that is also scheduled by list: above, it takes seconds.
const LISTED_NODES: u64 = 1 << 16;

/// A tree that needs nothing of the sides. A list mostly gives one that reads what came in more recently.
fn universal(torus: &Torus) -> Option<Vec<TreeArc>> {
    let steps = bound(torus.dims());
    let found = greedy::arcs(torus, steps);
    if nodes(torus.dims()) > LISTED_NODES {
        return found;
    }
    let listed = list::arcs(torus, 1, steps, None).filter(|arcs| arcs.last().is_none_or(|arc| arc.time <= steps));
    let depth = |arcs: &Vec<TreeArc>| Tree::new(torus, arcs.clone()).map_or(u32::MAX, |tree| tree.depth());
    found.into_iter().chain(listed).min_by_key(depth)
}

/// A tree of age 1. On odd sides the fold leaves no node over.
fn storeless(torus: &Torus, patience: Patience) -> Option<Vec<TreeArc>> {
    let dims = torus.dims();
    let is_small = storeless_rectangle(dims) && nodes(dims) <= narrow::MOST_NODES;
    let narrow = if is_small { narrow::arcs(torus, bound(dims)) } else { None };
    narrow.or_else(|| match dims {
        [_] => greedy::arcs(torus, bound(dims)),
        _ if dims.iter().all(|side| side % 2 == 1) => few(torus),
        _ => forwarding::arcs(torus, bound(dims), FoldKind::Flat, patience),
    })
}

/// A tree with at most 2^d - 1 stored reads.
fn few(torus: &Torus) -> Option<Vec<TreeArc>> {
    let dims = torus.dims();
    match dims {
        [_] => greedy::arcs(torus, bound(dims)),
        [n1, n2] if n1 == n2 => Some(pinwheel::arcs(torus)),
        _ => forwarding::arcs(torus, bound(dims), FoldKind::Mirrored, Patience::Long),
    }
}

/// Gossip of one packet a node in [`bound`] steps.
pub fn program(torus: &Torus, store: StoreMode, title: Title) -> Result<Program, Unmet> {
    Ok(translated(&tree(torus, store)?, title))
}

/// Every node as the root of its own copy of the tree.
///
/// At step t, in which the tree reaches u + delta, every node sends the packet of the node u before it: the packet that came
/// in over the port by which the tree enters u.
fn translated(tree: &Tree, title: Title) -> Program {
    let network = tree.network();
    let mut outputs = vec![Track::default(); network.ports()];
    let mut played = vec![0; network.ports()];
    for &arc in tree.arcs() {
        let parent = tree.parent(arc);
        let source = match tree.entered(parent) {
            None => Source::own(0),
            Some(entered) => Source::input(entered.opposite(), arc.time - tree.arrival(parent)),
        };
        let (track, played) = (&mut outputs[arc.by.index()], &mut played[arc.by.index()]);
        extend(track, Source::Idle, arc.time - 1 - *played);
        extend(track, source, 1);
        *played = arc.time;
    }
    for (track, played) in outputs.iter_mut().zip(played) {
        extend(track, Source::Idle, tree.steps() - played);
    }
    Program::uniform(network, tree.steps(), Demand::gossip(network, 1), outputs, title)
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
    use crate::play::{Knowledge, Machine};
    use crate::study::figures::ClassFigures;

    fn torus(dims: &[u32]) -> Torus {
        Torus::new(dims).unwrap()
    }

    /// Plays the program: every packet arrives everywhere once, the last ones in the last step.
    fn assert_gossips(dims: &[u32], store: StoreMode) -> ClassFigures {
        let program = program(&torus(dims), store, Title::new("t", "optimal")).unwrap();
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
        let [figures] = &ClassFigures::of(&program)[..] else { panic!("one class") };
        figures.clone()
    }

    #[test]
    fn squares_gossip_in_the_bound_with_n_runs() {
        for n in 3..=16 {
            let figures = assert_gossips(&[n, n], StoreMode::Few);
            assert!(figures.distinct <= 5 && figures.runs <= n, "{n}: {figures:?}");
            assert!(figures.stored <= if n % 2 == 0 { 2 } else { 0 }, "{n}: {figures:?}");
        }
        let large = assert_gossips(&[31, 31], StoreMode::None);
        assert_eq!((large.words, large.runs, large.depth, large.stored), (240, 31, 1, 0));
    }

    #[test]
    fn rectangles_gossip_in_the_bound_with_at_most_3_stored_reads() {
        for dims in [[3, 4], [4, 3], [3, 30], [9, 14], [12, 20], [20, 11], [16, 18], [6, 6], [10, 14]] {
            let figures = assert_gossips(&dims, StoreMode::Few);
            assert!(figures.stored <= 3, "{dims:?}: {figures:?}");
        }
    }

    #[test]
    fn odd_sides_need_no_store() {
        for dims in [&[3, 5][..], &[7, 7], &[15, 9], &[3, 3, 3], &[3, 5, 5], &[7]] {
            let figures = assert_gossips(dims, StoreMode::None);
            assert_eq!((figures.depth, figures.stored), (1, 0), "{dims:?}");
        }
    }

    #[test]
    fn rectangles_need_no_store_unless_both_sides_are_2_modulo_4() {
        for dims in [[3, 4], [4, 6], [8, 8], [9, 14], [6, 8], [12, 20]] {
            let figures = assert_gossips(&dims, StoreMode::None);
            assert_eq!((figures.depth, figures.stored), (1, 0), "{dims:?}");
        }
        assert!(fits(&[6, 10], StoreMode::None).is_err());
    }

    #[test]
    fn any_store_means_none_where_that_is_found_quickly() {
        for dims in [[8, 8], [9, 14], [12, 20], [64, 48]] {
            let tree = tree(&torus(&dims), StoreMode::Any).unwrap();
            assert_eq!((tree.steps(), tree.depth(), tree.stored()), (bound(&dims), 1, 0), "{dims:?}");
        }
    }

    #[test]
    fn boxes_gossip_in_the_bound() {
        for (dims, most) in [(&[5, 6, 7][..], 1), (&[8, 8, 8], 7), (&[3, 4, 5, 6], 3)] {
            let figures = assert_gossips(dims, StoreMode::Few);
            assert!(figures.stored <= most, "{dims:?}: {figures:?}");
        }
        let large = assert_gossips(&[8, 9, 10], StoreMode::Any);
        assert!(large.stored > 7, "what needs nothing of the sides reads its store all the time");
    }

    #[test]
    fn parallel_links_are_used_at_once() {
        for dims in [&[2][..], &[2, 2], &[2, 3], &[2, 9], &[5, 2], &[2, 2, 2], &[2, 3, 4], &[2, 2, 2, 2, 2, 2]] {
            assert_gossips(dims, StoreMode::Any);
        }
    }

    #[test]
    fn stores_that_are_too_small_are_refused() {
        for (dims, store) in [(&[2, 5][..], StoreMode::Few), (&[65, 66], StoreMode::Few), (&[4, 4, 4], StoreMode::None)]
        {
            assert_eq!(tree(&torus(dims), store).err(), fits(dims, store).err(), "{dims:?}");
            assert!(fits(dims, store).is_err() && fits(dims, StoreMode::Any).is_ok(), "{dims:?}");
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
    fn trees_are_deterministic() {
        for dims in [&[9, 14][..], &[4, 4, 5], &[20, 20, 20]] {
            let [first, second] = [(); 2].map(|()| tree(&torus(dims), StoreMode::Any).unwrap());
            assert_eq!(first.arcs(), second.arcs());
        }
    }
}
