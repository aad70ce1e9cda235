//! Lower bounds beside the optima of small networks: no schedule that a solver finds may beat one.

use std::collections::BTreeMap;

use torusweave::net::{Network, NodeId, Port, ShapeName};
use torusweave::program::Link;
use torusweave::study::bounds::{self, Goal};
use torusweave::task::Collective;

use crate::fixtures::optimum::{Answer, Flit, schedule};
use crate::fixtures::ranges::sampled;

/// Effort per question, in learnt clauses.
const QUICK: u32 = 2_000;
const PATIENT: u32 = 20_000;

fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

fn grid(shape: ShapeName, dims: &[u32]) -> Network {
    Network::new(shape, dims).unwrap()
}

/// Networks of at most six live nodes, of every kind.
fn networks() -> Vec<Network> {
    let mut all: Vec<Network> = (2..=6).map(|n| grid(ShapeName::Path, &[n])).collect();
    all.extend((2..=6).map(|n| grid(ShapeName::Cycle, &[n])));
    all.extend([&[2, 2][..], &[2, 3]].map(|dims| grid(ShapeName::Mesh, dims)));
    all.extend([&[2, 2][..], &[2, 3]].map(|dims| grid(ShapeName::Torus, dims)));
    all.extend([0, 1].map(|axis| grid(ShapeName::Torus, &[2, 3]).with_open(&[axis]).unwrap()));
    let lattice = |a, x, b| Network::of_lattice(&[vec![a, x], vec![0, b]]).unwrap();
    all.extend([lattice(1, 2, 5), lattice(2, 1, 2), lattice(2, 1, 3), lattice(1, 2, 6)]);
    let link = (NodeId(0), Port::plus(1));
    all.push(grid(ShapeName::Torus, &[2, 3]).without(&[], &[link]).unwrap());
    all.push(grid(ShapeName::Mesh, &[2, 3]).without(&[], &[link]).unwrap());
    all.push(grid(ShapeName::Torus, &[2, 3]).without(&[NodeId(4)], &[]).unwrap());
    all.push(grid(ShapeName::Mesh, &[2, 4]).without(&[NodeId(3), NodeId(4)], &[]).unwrap());
    all.push(grid(ShapeName::Torus, &[3, 3]).without(&[NodeId(0), NodeId(4), NodeId(8)], &[]).unwrap());
    all
}

/// A collective of so many packets per node, of so many flits, as flits for the solver.
fn flits(network: &Network, collective: Collective, root: NodeId, per_node: u64) -> Vec<Flit> {
    let live: Vec<NodeId> = network.live_ids().collect();
    let others = |node: NodeId| live.iter().copied().filter(move |&other| other != node).collect::<Vec<_>>();
    let times = |flit: Flit| vec![flit; per_node as usize];
    let one_by_one = |from: NodeId| others(from).into_iter().map(move |to| Flit { from: vec![from], to: vec![to] });
    match collective {
        Collective::Gossip => {
            live.iter().flat_map(|&node| times(Flit { from: vec![node], to: others(node) })).collect()
        }
        Collective::Broadcast => times(Flit { from: vec![root], to: others(root) }),
        Collective::Scatter => one_by_one(root).flat_map(times).collect(),
        Collective::Gather => {
            others(root).into_iter().flat_map(|node| times(Flit { from: vec![node], to: vec![root] })).collect()
        }
        Collective::Exchange => live.iter().flat_map(|&from| one_by_one(from)).flat_map(times).collect(),
        Collective::Reduce => times(Flit { from: live.clone(), to: vec![root] }),
        Collective::ReduceScatter => {
            live.iter().flat_map(|&node| times(Flit { from: live.clone(), to: vec![node] })).collect()
        }
        Collective::AllReduce => {
            live.iter().flat_map(|_| times(Flit { from: live.clone(), to: live.clone() })).collect()
        }
    }
}

fn bound(network: &Network, link: Link, collective: Collective, root: NodeId, flits: u64) -> u64 {
    let latency = link.latency;
    let lengths = vec![flits as u32; network.nodes() as usize];
    let goal = match collective {
        Collective::Gossip => Goal::Gossip { flits },
        Collective::Broadcast => Goal::Broadcast { root, flits },
        Collective::Scatter | Collective::Gather => Goal::Scatter { root, lengths: &lengths },
        Collective::Exchange => Goal::Exchange { flits },
        Collective::Reduce => Goal::Reduce { root, flits, latency },
        Collective::ReduceScatter => Goal::ReduceScatter { flits, latency },
        Collective::AllReduce => Goal::AllReduce { words: flits * u64::from(network.live_nodes()), latency },
    };
    bounds::lower_bound(network, link, goal).ticks
}

/// Numbers of questions by what the solver said.
#[derive(Default)]
struct Tally {
    proved: u32,
    unsettled: u32,
    tight: u32,
    beaten: Vec<String>,
}

impl Tally {
    /// Looks for a schedule that is faster than the bound, and for one that meets it.
    fn ask(&mut self, network: &Network, link: Link, collective: Collective, root: NodeId, per_node: u64, most: u32) {
        let bound = bound(network, link, collective, root, per_node);
        let flits = flits(network, collective, root, per_node);
        let find = |ticks: u64| schedule(network, link, &flits, ticks as u32, most);
        match bound.checked_sub(1).map_or(Answer::Impossible, find) {
            Answer::Found => self.beaten.push(format!(
                "{collective} of {per_node} on a {}, {}, root {}: less than {bound}",
                network.describe(),
                link.describe(),
                root.0
            )),
            Answer::Impossible => self.proved += 1,
            Answer::Unsettled => self.unsettled += 1,
        }
        self.tight += u32::from(find(bound) == Answer::Found);
    }
}

/// No bound is above the optimum, on full-duplex links, for one or two packets of one to three flits per node and links of one or two
/// ticks.
#[test]
fn no_schedule_beats_a_bound() {
    let most = if is_full() { PATIENT } else { QUICK };
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for network in networks() {
        for collective in Collective::ALL {
            let tally = tallies.entry(collective.name()).or_default();
            let roots =
                if collective.has_root() { network.orbits().first().to_vec() } else { vec![network.first_live()] };
            for root in roots {
                for (flits, latency) in
                    sampled([1, 2], 2).flat_map(|latency| [1, 2, 3, 4, 6].map(|flits| (flits, latency)))
                {
                    let is_sum = collective.is_reduction() && flits > 1 && network.live_nodes() > 4;
                    let is_large = is_sum || flits > 3 || (flits, latency) == (3, 2);
                    if is_large && !is_full() {
                        continue;
                    }
                    let link = Link { latency, ..Link::default() };
                    tally.ask(&network, link, collective, root, flits, most);
                }
            }
        }
    }
    report("full-duplex", &tallies);
}

/// No bound of gossip on half-duplex links is above the optimum.
#[test]
fn no_half_duplex_schedule_beats_a_bound() {
    let most = if is_full() { PATIENT } else { QUICK };
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let whole = networks().into_iter().filter(|network| network.dead().is_none());
    for network in whole {
        for (flits, lanes) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)] {
            let tally = tallies.entry("gossip").or_default();
            tally.ask(&network, Link::half(lanes), Collective::Gossip, network.first_live(), flits, most);
        }
    }
    report("half-duplex", &tallies);
}

fn report(links: &str, tallies: &BTreeMap<&str, Tally>) {
    let mut beaten = Vec::new();
    for (name, Tally { proved, unsettled, tight, beaten: by }) in tallies {
        println!("{links} {name}: {proved} proved, {unsettled} unsettled, {tight} met, {} beaten", by.len());
        assert!(*proved > 0 && *tight > 0, "{name}: nothing was settled");
        beaten.extend(by);
    }
    assert!(beaten.is_empty(), "{} bounds are beaten:\n{beaten:#?}", beaten.len());
}

/// The solver sees what it must: a schedule of a tick less than the bound of a slower network is found, and a bound that is one too
/// large is beaten.
#[test]
fn a_bound_that_is_too_large_is_beaten() {
    let mut beaten = 0;
    for network in networks() {
        for collective in [Collective::Gossip, Collective::Exchange, Collective::AllReduce] {
            let root = network.first_live();
            let bound = bound(&network, Link::default(), collective, root, 1);
            let flits = flits(&network, collective, root, 1);
            beaten += u32::from(schedule(&network, Link::default(), &flits, bound as u32, QUICK) == Answer::Found);
        }
    }
    assert!(beaten > 40, "{beaten} of {} bounds were found to be optima", 3 * networks().len());
}

/// Optima of all-reduces that were found by another solver.
#[test]
fn all_reduces_have_these_optima() {
    let optimum = |network: &Network, per_node| {
        let (link, root) = (Link::default(), network.first_live());
        let flits = flits(network, Collective::AllReduce, root, per_node);
        (1..64).find(|&ticks| schedule(network, link, &flits, ticks, PATIENT) == Answer::Found).unwrap()
    };
    let cases = [
        (grid(ShapeName::Cycle, &[4]), 1, 3),
        (grid(ShapeName::Path, &[4]), 1, 6),
        (grid(ShapeName::Mesh, &[2, 2]), 1, 3),
        (grid(ShapeName::Path, &[3]), 2, 7),
    ];
    for (network, per_node, ticks) in cases {
        assert_eq!(optimum(&network, per_node), ticks, "{}", network.describe());
    }
}
