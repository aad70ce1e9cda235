//! Networks of every kind against their definition, and against breadth-first search.

use std::collections::{BTreeMap, BTreeSet};

use super::splitmix::Splitmix;
use super::*;

fn lattice(rows: &[&[i64]]) -> Network {
    Network::of_lattice(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
}

fn link(node: u32, port: Port) -> (NodeId, Port) {
    (NodeId(node), port)
}

/// Every kind: named shapes, lattices with long and short rows, loops, parallel links, cylinders, dead parts.
fn networks() -> Vec<Network> {
    let torus = |dims: &[u32]| Network::new(ShapeName::Torus, dims).unwrap();
    let mut all: Vec<Network> = [&[2, 2][..], &[6, 8], &[3, 4, 5], &[7], &[2, 3, 2, 4]]
        .into_iter()
        .flat_map(|dims| [ShapeName::Torus, ShapeName::Mesh].map(|shape| Network::new(shape, dims).unwrap()))
        .collect();
    all.extend([
        lattice(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]]),
        lattice(&[&[3, 1], &[0, 5]]),
        lattice(&[&[1, 3], &[0, 10]]),
        lattice(&[&[1, 0], &[0, 7]]),
        lattice(&[&[2, 1], &[0, 2]]),
        lattice(&[&[2, 1, 1], &[0, 3, 2], &[0, 0, 4]]),
        lattice(&[&[1, 1], &[0, 2]]),
        lattice(&[&[-3, 5], &[4, 4]]),
        torus(&[6, 8]).with_open(&[1]).unwrap(),
        torus(&[3, 2, 4]).with_open(&[0, 2]).unwrap(),
        torus(&[6, 8]).without(&[NodeId(9)], &[link(0, Port::plus(1))]).unwrap(),
        torus(&[2, 5]).without(&[], &[link(3, Port::plus(0))]).unwrap(),
        lattice(&[&[4, 2], &[0, 6]]).without(&[NodeId(5), NodeId(11)], &[link(0, Port::minus(0))]).unwrap(),
        torus(&[4, 5]).with_open(&[0]).unwrap().without(&[NodeId(7)], &[]).unwrap(),
    ]);
    let mut chance = Splitmix(1);
    let entry = |chance: &mut Splitmix| (chance.next() % 11) as i64 - 5;
    let mut made = 0;
    while made < 40 {
        let axes = 1 + made % 3;
        let rows: Vec<Vec<i64>> = (0..axes).map(|_| (0..axes).map(|_| entry(&mut chance)).collect()).collect();
        if let Ok(network) = Network::of_lattice(&rows) {
            all.push(network);
            made += 1;
        }
    }
    all
}

/// Returns true if a point of the grid is in the lattice, by the rows as they are: solved from the first axis on.
fn is_in(rows: &[Vec<u32>], point: &[i64]) -> bool {
    let mut rest = point.to_vec();
    rows.iter().enumerate().all(|(axis, row)| {
        let times = rest[axis] / i64::from(row[axis]);
        rest.iter_mut().zip(row).for_each(|(x, &entry)| *x -= times * i64::from(entry));
        rest[axis] == 0
    })
}

/// The node across by trying all: the one that differs from the next point by a vector of the lattice.
fn across(network: &Network, node: NodeId, port: Port) -> Option<NodeId> {
    let mut next: Vec<i64> = network.coords(node).into_iter().map(i64::from).collect();
    next[port.axis()] += if port.way() == AxisDirection::Plus { 1 } else { -1 };
    let is_it = |there: &NodeId| {
        let point: Vec<i64> = network.coords(*there).iter().zip(&next).map(|(&x, y)| y - i64::from(x)).collect();
        is_in(network.lattice().rows(), &point)
    };
    let there = network.node_ids().find(is_it).unwrap();
    let is_over = !(0..i64::from(network.side(port.axis()))).contains(&next[port.axis()]);
    (there != node && !(is_over && network.open().contains(&port.axis()))).then_some(there)
}

#[test]
fn steps_match_the_definition_and_are_reversible() {
    for network in networks() {
        let mut links = 0;
        for (node, port) in network.node_ids().flat_map(|node| network.port_ids().map(move |port| (node, port))) {
            let there = network.step(node, port);
            let defined = across(&network, node, port);
            let is_named = network.dead().is_some_and(|dead| {
                let is_end = |link: &(NodeId, Port)| {
                    *link == (node, port) || defined.is_some_and(|there| *link == (there, port.opposite()))
                };
                let is_dead = |node: NodeId| dead.nodes().contains(&node);
                dead.named_links().iter().any(is_end) || is_dead(node) || defined.is_some_and(is_dead)
            });
            assert_eq!(there, defined.filter(|_| !is_named), "{} at {} {port}", network.describe(), node.0);
            if let Some(there) = there {
                links += 1;
                assert_eq!(network.step(there, port.opposite()), Some(node), "{}", network.describe());
            }
        }
        assert_eq!(network.links(), links, "{}", network.describe());
        assert_eq!(network.has_every_link(), links == network.registers() as u64);
    }
}

#[test]
fn cursors_and_sweeps_go_where_steps_lead_on_every_kind_of_network() {
    for network in networks() {
        for first in [0, network.nodes() / 2] {
            let mut met = Vec::new();
            network.sweep(first..network.nodes(), |node, neighbours| {
                let expected = network.port_ids().map(|port| network.step(node, port).unwrap_or(OUTSIDE));
                assert!(neighbours.iter().copied().eq(expected), "{} at {}", network.describe(), node.0);
                met.push(node.0);
            });
            assert!(met.into_iter().eq(first..network.nodes()));
        }
        for (node, port) in network.node_ids().flat_map(|node| network.port_ids().map(move |port| (node, port))) {
            let mut walker = Walker::new(&network, node, port);
            let arrived = walker.go(&network);
            assert_eq!(arrived, network.step(node, port).map(|_| port.opposite()), "{}", network.describe());
            assert_eq!(walker.node, network.step(node, port).unwrap_or(node));
            // a second step uses the coordinates that the first one left
            for to in network.port_ids() {
                let mut on = walker.clone();
                on.to = to;
                on.go(&network);
                assert_eq!(on.node, network.step(walker.node, to).unwrap_or(walker.node), "{}", network.describe());
            }
        }
    }
}

fn distances(network: &Network, root: NodeId) -> BTreeMap<NodeId, u32> {
    let mut found = BTreeMap::from([(root, 0)]);
    let mut ring = vec![root];
    for distance in 1.. {
        let next: BTreeSet<NodeId> = ring
            .iter()
            .flat_map(|&node| network.port_ids().filter_map(move |port| network.step(node, port)))
            .filter(|node| !found.contains_key(node))
            .collect();
        if next.is_empty() {
            break;
        }
        found.extend(next.iter().map(|&node| (node, distance)));
        ring = next.into_iter().collect();
    }
    found
}

#[test]
fn distances_are_those_of_breadth_first_search_from_every_root() {
    for network in networks() {
        let mut diameter = 0;
        for root in network.node_ids().filter(|&node| network.is_live(node)) {
            let (found, around) = (distances(&network, root), Around::new(&network, root));
            assert_eq!(found.len(), network.node_ids().filter(|&node| network.is_live(node)).count());
            assert!(found.iter().all(|(&node, &distance)| around.distance(node) == distance), "{}", network.describe());
            assert_eq!(found.values().max(), Some(&around.depth()));
            assert_eq!(found.values().copied().map(u64::from).sum::<u64>(), around.hops());
            diameter = diameter.max(around.depth());
        }
        assert_eq!(network.diameter(), diameter, "{}", network.describe());
        let live = network.node_ids().filter(|&node| network.is_live(node));
        let fewest = live.map(|node| network.linked_ports(node).count() as u32).min();
        assert_eq!(Some(network.fewest_links()), fewest, "{}", network.describe());
    }
}

/// Returns true if a translation maps the live network onto itself, tried at every port.
fn keeps(network: &Network, by: NodeId) -> bool {
    network.node_ids().all(|node| {
        let moved = network.translated(node, by);
        network.is_live(node) == network.is_live(moved)
            && network.port_ids().all(|port| {
                let [here, there] = [node, moved].map(|node| network.step(node, port));
                here.map(|node| network.translated(node, by)) == there
            })
    })
}

#[test]
fn orbits_are_those_of_all_translations_that_keep_the_network() {
    for network in networks() {
        let kept: Vec<NodeId> = network.node_ids().filter(|&by| keeps(&network, by)).collect();
        let orbits = network.orbits();
        for node in network.node_ids() {
            let Some(orbit) = orbits.of(node) else {
                assert!(!network.is_live(node));
                continue;
            };
            let first = orbits.first()[orbit];
            let images: BTreeSet<NodeId> = kept.iter().map(|&by| network.translated(first, by)).collect();
            assert!(images.contains(&node), "{}", network.describe());
            assert_eq!(images.first(), Some(&first), "{}", network.describe());
            assert!(kept.contains(&orbits.by(node)));
            assert_eq!(network.translated(first, orbits.by(node)), node);
        }
        assert_eq!(network.is_homogeneous(), kept.len() == network.nodes() as usize, "{}", network.describe());
    }
    let cylinder = Network::new(ShapeName::Torus, &[6, 8]).unwrap().with_open(&[1]).unwrap();
    assert_eq!(cylinder.orbits().first().len(), 8, "an orbit per position along the open axis");
    assert_eq!(lattice(&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]]).orbits().first(), [NodeId(0)]);
}

#[test]
fn translations_and_offsets_undo_each_other_on_every_lattice() {
    for network in networks() {
        for (node, by) in network.node_ids().flat_map(|node| network.node_ids().map(move |by| (node, by))) {
            let there = network.translated(node, by);
            assert_eq!(network.away(node, &network.coords(by)), there);
            assert_eq!(network.offset(node, there), network.coords(by), "{}", network.describe());
            assert_eq!(network.node(&network.coords(node)), node);
        }
    }
}

#[test]
fn products_are_the_networks_whose_distances_split_by_axis() {
    for network in networks() {
        let Some(product) = network.as_product() else { continue };
        for (one, other) in network.node_ids().flat_map(|one| network.node_ids().map(move |other| (one, other))) {
            let apart: u32 = (0..network.axes()).map(|axis| product.apart(axis, one, other)).sum();
            assert_eq!(apart, Around::new(&network, one).distance(other), "{}", network.describe());
        }
    }
    let twisted = lattice(&[&[3, 1], &[0, 5]]);
    assert!(twisted.as_product().is_none() && twisted.is_homogeneous() && twisted.has_every_link());
    assert!(lattice(&[&[1, 0], &[0, 7]]).as_product().is_none(), "an axis without links");
    let cylinder = Network::new(ShapeName::Torus, &[3, 4]).unwrap().with_open(&[0]).unwrap();
    let product = cylinder.as_product().unwrap();
    assert_eq!(
        (product.wraps(0), product.wraps(1), product.is_closed(), product.is_open()),
        (false, true, false, false)
    );
}

#[test]
fn common_networks_keep_their_names() {
    let named = |network: Network| (network.shape(), network.describe());
    let torus = || Network::new(ShapeName::Torus, &[6, 8]).unwrap();
    assert_eq!(named(lattice(&[&[6, 0], &[0, 8]])), (Some(ShapeName::Torus), "6x8 torus".to_owned()));
    assert_eq!(named(torus().with_open(&[0, 1]).unwrap()), (Some(ShapeName::Mesh), "6x8 mesh".to_owned()));
    assert_eq!(named(torus().with_open(&[1]).unwrap()), (None, "6x8 cylinder".to_owned()));
    assert_eq!(named(torus().without(&[], &[]).unwrap()), (Some(ShapeName::Torus), "6x8 torus".to_owned()));
    let cycle = Network::new(ShapeName::Cycle, &[8]).unwrap();
    assert_eq!(named(cycle.with_open(&[0]).unwrap()), (Some(ShapeName::Path), "path of 8".to_owned()));
    assert_eq!(named(lattice(&[&[4, 2], &[0, 4]])), (None, "4,2/0,4 twisted torus".to_owned()));
}

#[test]
fn impossible_networks_are_refused_by_their_cause() {
    use NetworkError::*;
    let torus = || Network::new(ShapeName::Torus, &[3, 4]).unwrap();
    let path = || Network::new(ShapeName::Path, &[5]).unwrap();
    let twisted = || lattice(&[&[4, 2], &[0, 6]]);
    let refused = [
        (Network::of_lattice(&[vec![1, 0], vec![0, 1]]), TooFewNodes { live: 1 }),
        (Network::of_lattice(&[vec![2, 1], vec![4, 2]]), Dependent { row: 2 }),
        (Network::of_lattice(&[vec![2, 1], vec![4]]), NotSquare { row: 2, entries: 1, axes: 2 }),
        (twisted().with_open(&[1]), OpenTwisted { axis: 2 }),
        (torus().with_open(&[2]), NoSuchAxis { axis: 3, axes: 2 }),
        (torus().without(&[NodeId(12)], &[]), NoSuchNode { node: 12, nodes: 12 }),
        (torus().without(&[], &[link(12, Port::plus(0))]), NoSuchNode { node: 12, nodes: 12 }),
        (torus().without(&[], &[link(0, Port::plus(2))]), NoSuchLink { node: 0, port: Port::plus(2) }),
        (path().without(&[], &[link(0, Port::minus(0))]), NoSuchLink { node: 0, port: Port::minus(0) }),
        (path().without(&[], &[link(1, Port::plus(0))]), Cut { parts: vec![(2, 3), (0, 2)] }),
        (path().without(&[NodeId(1)], &[]), Cut { parts: vec![(2, 3), (0, 1)] }),
        (path().without(&[0, 1, 2, 3].map(NodeId), &[]), TooFewNodes { live: 1 }),
    ];
    for (network, error) in refused {
        assert_eq!(network.map(|network| network.describe()), Err(error));
    }
    let huge = vec![vec![65_536, 1], vec![0, 65_536]];
    assert_eq!(Network::of_lattice(&huge), Err(LatticeTooLarge { rows: huge }));
    let cut = path().without(&[NodeId(1)], &[]).unwrap_err().to_string();
    assert_eq!(cut, "the network is cut into 2 parts: 3 nodes with node 2, 1 node with node 0");
}

#[test]
fn dead_parts_may_be_named_twice_and_of_parallel_links_only_one_dies() {
    let torus = || Network::new(ShapeName::Torus, &[2, 5]).unwrap();
    let ends = [link(0, Port::plus(0)), link(5, Port::minus(0))];
    let dead = torus().without(&[], &ends).unwrap();
    assert_eq!(dead, torus().without(&[], &ends[..1]).unwrap());
    assert_eq!(dead.dead().unwrap().named_links(), [ends[0]]);
    assert_eq!((dead.step(NodeId(0), Port::plus(0)), dead.step(NodeId(0), Port::minus(0))), (None, Some(NodeId(5))));
    let with_link = torus().without(&[NodeId(3)], &[link(3, Port::plus(1))]).unwrap();
    assert_eq!(with_link.links(), torus().without(&[NodeId(3)], &[]).unwrap().links());
    let twice = torus().without(&[NodeId(3)], &[]).unwrap().without(&[NodeId(6)], &[]).unwrap();
    assert_eq!(twice, torus().without(&[NodeId(6), NodeId(3)], &[]).unwrap());
}

#[test]
fn networks_read_back_what_they_write() {
    for network in networks() {
        let written = serde_json::to_string(&network).unwrap();
        let read: WrittenNetwork = serde_json::from_str(&written).unwrap();
        assert_eq!(read.lay_out(), Ok(network), "{written}");
    }
    let written = serde_json::to_string(&networks()[21]).unwrap();
    assert_eq!(written, "{\"torus\":[2,5],\"dead\":{\"nodes\":[],\"links\":[[3,\"x1+\"]]}}");
    for text in ["{}", "{\"torus\":[3,4],\"mesh\":[3,4]}"] {
        let error = serde_json::from_str::<WrittenNetwork>(text).unwrap_err().to_string();
        assert!(error.starts_with(&NetworkError::NotOneShape.to_string()), "{error}");
    }
    for (text, error) in [
        ("{\"torus\":[3,4],\"wrap\":[true]}", NetworkError::Wrap { axes: 2, entries: 1 }),
        ("{\"mesh\":[3,4],\"wrap\":[true,true]}", NetworkError::Wrap { axes: 2, entries: 2 }),
        (
            "{\"torus\":[3,4],\"dead\":{\"links\":[[0,\"R\"]]}}",
            NetworkError::NoSuchPort { node: 0, port: "R".to_owned() },
        ),
    ] {
        assert_eq!(serde_json::from_str::<WrittenNetwork>(text).unwrap().lay_out(), Err(error), "{text}");
    }
}
