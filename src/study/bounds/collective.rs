//! The fewest ticks of broadcast, scatter, gather and total exchange, whatever the schedule.

use super::{Bound, Limit, Travel, latency, layers, quickest};
use crate::net::{Around, NodeId, Topology};
use crate::program::{Demand, From, Link, Pairs, Program, To};

/// The lower bound in steps for what a program achieves, on links as long as its own. Backwards a gossip takes as long, and
/// there and back twice.
pub fn of(program: &Program) -> Bound {
    let Program { topology, demand, flits, latency, .. } = program;
    if program.reduce_latency() > *latency {
        return with_adders(program);
    }
    if *latency > 1 && demand.collective() == "gossip" {
        let per_node = u64::from(demand.most_packets()) * u64::from(*flits);
        let ticks = latency::lower_bound(topology, per_node, *latency);
        return Bound { steps: (parts(program) * ticks.steps).div_ceil((*flits).into()), ..ticks };
    }
    if demand.collective() == "exchange" && !demand.is_even_exchange(topology) {
        let ticks = match Pairs::of(topology, demand) {
            Some(pairs) => super::pairs::lower_bound(topology, &pairs, *latency),
            None => super::pairs::by_senders(topology, demand, *latency),
        };
        return Bound { steps: ticks.steps.div_ceil((*flits).into()), ..ticks };
    }
    let bound = of_demand(topology, program.link(), demand);
    if demand.collective() == "exchange" && *latency > 1 {
        return exchange_on_long_links(topology, bound, *flits, *latency);
    }
    Bound { steps: parts(program) * bound.steps, ..bound }
}

/// Bound of an exchange by one on short links: while the last flits are on their way nothing is sent.
fn exchange_on_long_links(topology: &Topology, short: Bound, flits: u32, latency: u32) -> Bound {
    let in_steps = |ticks: u64| ticks.div_ceil(flits.into());
    let far = u64::from(topology.diameter()) * u64::from(latency);
    let ticks = short.steps * u64::from(flits) + u64::from(latency) - 1;
    if far >= ticks {
        Bound { steps: in_steps(far), due_to: Limit::Diameter }
    } else {
        Bound { steps: in_steps(ticks), ..short }
    }
}

/// Bound for partials that are in flight longer than packets.
fn with_adders(program: &Program) -> Bound {
    let flits = u64::from(program.flits);
    let per_node = u64::from(program.demand.most_packets()) * flits;
    let reduce = latency::lower_bound(&program.topology, per_node, program.reduce_latency());
    let gather = program.gather_part().map_or(0, |part| of(&part).steps * flits);
    Bound { steps: (reduce.steps + gather).div_ceil(flits), ..reduce }
}

/// Explains in words which limit the bound of a program follows from.
pub fn reason(program: &Program) -> String {
    let due_to = of(program).due_to;
    match (parts(program), due_to) {
        (1, Limit::Diameter) if program.latency > 1 => format!("{due_to} of links of {} ticks", program.latency),
        (1, Limit::OneNode { .. }) => due_to.to_string(),
        (1, _) if program.latency > 1 && program.demand.collective() == "exchange" => {
            format!("{due_to}, and {} ticks more on the last link", program.latency - 1)
        }
        (1, _) => due_to.to_string(),
        _ if program.reduce_latency() > program.latency => {
            let back = program.gather_part().map_or(String::new(), |part| reason(&part));
            format!("{due_to}, and {back} back")
        }
        (_, Limit::Latency { .. }) => format!("{due_to}, and as many back"),
        (_, Limit::Ball { .. }) if program.latency > 1 => format!("{due_to}, and as many back"),
        (parts, _) => format!("{parts} * {due_to}"),
    }
}

/// In how many parts, one after the other, a program achieves it.
fn parts(program: &Program) -> u64 {
    let gathers = program.reduction.as_ref().is_some_and(|reduction| reduction.ticks < program.ticks);
    if gathers { 2 } else { 1 }
}

/// The fewest ticks in which every node has sent and received so many words for each other node, whatever the schedule: each
/// way there and back is a word more (Patarasuk and Yuan, Theorem 1).
pub fn reduction(topology: &Topology, words: u64) -> u64 {
    let ports = u64::from(topology.fewest_links());
    (words * u64::from(topology.live_nodes() - 1)).div_ceil(ports)
}

fn of_demand(topology: &Topology, link: Link, demand: &Demand) -> Bound {
    let root = |end: fn(&crate::program::Message) -> Option<NodeId>| demand.messages().iter().find_map(end);
    let sender = || root(|message| if let From::Node(node) = message.from { Some(node) } else { None });
    let receiver = || root(|message| if let To::Node(node) = message.to { Some(node) } else { None });
    match demand.collective() {
        "broadcast" => broadcast(topology, sender().expect("somebody broadcasts"), demand.flits(), link.latency),
        "scatter" => {
            let mut lengths = vec![0; topology.nodes() as usize];
            for message in demand.messages() {
                if let To::Node(node) = message.to {
                    lengths[node.index()] += message.flits;
                }
            }
            scatter(&Around::new(topology, sender().expect("somebody scatters")), &lengths, link.latency)
        }
        "gather" => {
            let lengths: Vec<u32> = topology.node_ids().map(|node| demand.own_flits(node) as u32).collect();
            scatter(&Around::new(topology, receiver().expect("somebody gathers")), &lengths, link.latency)
        }
        "exchange" => super::exchange::lower_bound(topology),
        _ => super::lower_bound_on(topology, link, demand.most_packets() as u16),
    }
}

/// A node's links bring a flit per tick each, from when the message can have come through them.
fn broadcast(topology: &Topology, root: NodeId, flits: u64, latency: u32) -> Bound {
    let around = Around::new(topology, root);
    let far = around.depth().saturating_sub(1);
    let steps = topology.live_ids().filter(|&node| around.distance(node) >= far).map(|node| {
        let beyond = topology.linked_ports(node).filter_map(|port| topology.step(node, port));
        let mut distances: Vec<u32> = beyond.map(|there| around.distance(there)).collect();
        distances.sort_unstable();
        // with the nearest k ends alone flits = k * ticks - the ticks of ways by them
        let mut sum = 0;
        let ticks = (1..).zip(&distances).map(|(ends, distance)| {
            sum += Travel { radius: *distance, latency }.ticks();
            (flits + sum).div_ceil(ends)
        });
        ticks.min().unwrap_or(0)
    });
    let intake = Bound { steps: steps.max().unwrap_or(0), due_to: Limit::Intake { flits } };
    let is_needed = !topology.is_product_of_cycles();
    let flow = if is_needed { quickest::lower_bound(topology, root, flits, latency) } else { None };
    flow.filter(|flow| flow.steps > intake.steps).unwrap_or(intake)
}

/// The fewest ticks for messages of these lengths, one per node, from a root or to it: those for nodes at distance d or more take
/// their flits by the root's ports to leave, and the last one needs the ticks of d links to arrive.
pub fn scatter(around: &Around, lengths: &[u32], latency: u32) -> Bound {
    let ports = around.topology().linked_ports(around.root()).count() as u64;
    let mut at = vec![0u64; around.depth() as usize + 1];
    for node in around.topology().live_ids().filter(|&node| node != around.root()) {
        at[around.distance(node) as usize] += u64::from(lengths[node.index()]);
    }
    let mut bound = Bound { steps: 0, due_to: Limit::Diameter };
    let mut flits = 0;
    for (distance, more) in at.iter().enumerate().skip(1).rev() {
        flits += more;
        let way = Travel { radius: distance as u32 - 1, latency };
        let steps = flits.div_ceil(ports) + way.ticks();
        if flits > 0 && steps > bound.steps {
            bound = Bound { steps, due_to: Limit::Root { flits, ports, way } };
        }
    }
    let layers = || layers::lower_bound(around, &at, latency);
    let is_needed = !around.topology().is_product_of_cycles();
    is_needed.then(layers).filter(|layers| layers.steps > bound.steps).unwrap_or(bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Shape;

    fn torus(dims: &[u32]) -> Topology {
        Topology::new(Shape::Torus, dims).unwrap()
    }

    /// A node of a ring has two ports, one in the corner of a mesh a port an axis.
    #[test]
    fn a_reduction_takes_a_word_for_each_other_node_by_all_ports_of_the_corner() {
        let ticks = |shape, dims: &[u32], words| reduction(&Topology::new(shape, dims).unwrap(), words);
        assert_eq!([ticks(Shape::Torus, &[4, 4], 1), ticks(Shape::Torus, &[4, 5], 3)], [4, 15]);
        assert_eq!(
            [ticks(Shape::Cycle, &[5], 3), ticks(Shape::Path, &[3], 2), ticks(Shape::Mesh, &[3, 4], 2)],
            [6, 4, 11]
        );
    }

    #[test]
    fn messages_without_receivers_take_no_time() {
        let path = Topology::new(Shape::Path, &[5]).unwrap();
        let around = Around::new(&path, NodeId(0));
        let bound = |lengths: [u32; 5]| scatter(&around, &lengths, 1).steps;
        assert_eq!(
            [bound([0; 5]), bound([9, 1, 0, 0, 0]), bound([0, 0, 3, 0, 0]), bound([0, 1, 1, 1, 1])],
            [0, 1, 4, 4]
        );
    }

    /// Backwards it is the scatter of the same lengths.
    #[test]
    fn a_gather_is_limited_as_the_scatter_is() {
        let torus = torus(&[4, 5]);
        let root = NodeId(7);
        let lengths: Vec<u32> = torus.node_ids().map(|node| if node == root { 0 } else { node.0 % 4 }).collect();
        let to = |node: NodeId| crate::program::Message {
            from: From::Node(node),
            to: To::Node(root),
            flits: lengths[node.index()],
        };
        let demand = Demand::new(&torus, torus.node_ids().filter(|&node| lengths[node.index()] > 0).map(to).collect());
        let bound = of_demand(&torus, Link::default(), &demand);
        assert_eq!((demand.collective(), bound), ("gather", scatter(&Around::new(&torus, root), &lengths, 1)));
    }

    #[test]
    fn on_even_sides_the_bound_of_broadcast_is_a_formula() {
        let cases: [(&[u32], u64, u64); 6] = [
            (&[8, 8], 1, 8),
            (&[8, 8], 8, 9),
            (&[8, 8], 64, 23),
            (&[16, 16], 64, 31),
            (&[4, 4, 4], 64, 16),
            (&[8, 8], 1024, 263),
        ];
        for (dims, flits, expected) in cases {
            let torus = torus(dims);
            assert_eq!(broadcast(&torus, NodeId(5), flits, 1).steps, expected);
            let (depth, ports) = (dims.iter().map(|side| u64::from(side / 2)).sum::<u64>(), torus.ports() as u64);
            assert_eq!(expected, depth - 1 + flits.div_ceil(ports));
        }
    }

    #[test]
    fn the_root_limits_a_scatter_and_the_hops_an_exchange() {
        let scatter = |dims: &[u32], flits| {
            let torus = torus(dims);
            scatter(&Around::new(&torus, NodeId(3)), &vec![flits; torus.nodes() as usize], 1).steps
        };
        assert_eq!([scatter(&[8, 8], 1), scatter(&[2, 2, 10], 1), scatter(&[2; 5], 1)], [16, 7, 5]);
        let exchange = |dims: &[u32]| crate::study::bounds::exchange::lower_bound(&torus(dims)).steps;
        assert_eq!([exchange(&[6, 6]), exchange(&[16, 16]), exchange(&[5, 6]), exchange(&[3, 3, 3])], [27, 512, 23, 9]);
        // opposite corners are three hops apart, and four hops along an axis are shared by two directions
        assert_eq!(exchange(&[2, 2, 2]), 3);
    }
}
