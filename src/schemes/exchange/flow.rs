//! Jobs in a shop in which each goes from axis to axis in one order, and takes all its hops by a port without a pause.
//!
//! So an output sends words of the node's own, words that go straight on, and words that turn: few inputs, a small router.
//! In every tick each idle port takes the job that ranks first of those that have arrived. Several rankings and orders of the
//! axes are tried.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::load::MessageLoad;
use crate::net::Port;
use crate::net::splitmix::mixed;

/// Tries with different orders of equal jobs.
const SEEDS: u64 = 16;
/// With more jobs the first try that is in time has to do.
const MOST_COMPARED: usize = 1 << 12;
/// Axes of which all orders are tried.
const MOST_PERMUTED: usize = 4;
/// Ticks for which a word waits at a turn if it is read from a memory there: none of them is sent on at once.
const FROM_MEMORY: u32 = 3;
/// Late inputs of a router that are read from delay lines; with more they come from a memory.
const MOST_LINES: usize = 8;

/// Tick and port of each hop of a job.
type JobHops = Vec<(u32, Port)>;

/// Tick and port of each hop of each job, where all can be over in so many ticks; of several ways the one with the fewest
/// inputs of outputs.
pub fn schedule(jobs: &[MessageLoad], ports: usize, ticks: u32) -> Option<Vec<JobHops>> {
    let mut best: Option<((usize, u32), Vec<JobHops>)> = None;
    for axes in orders(ports / 2) {
        let legs: Vec<Vec<(Port, u32)>> = jobs.iter().map(|job| in_order(job, &axes)).collect();
        for (ranking, pause, seed) in tries() {
            let Some(begins) = list(&legs, ports, (ranking, pause, seed), ticks) else { continue };
            let hops: Vec<JobHops> = legs.iter().zip(&begins).map(|(legs, begins)| hops(legs, begins)).collect();
            let cost = cost(&hops);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, hops));
            }
            if jobs.len() > MOST_COMPARED {
                return best.map(|(_, hops)| hops);
            }
        }
    }
    best.map(|(_, hops)| hops)
}

/// Order in which a port takes jobs.
#[derive(Clone, Copy)]
enum Ranking {
    /// Most hops on later axes first, then the fewest by this port.
    Later,
    /// Most hops to go first.
    ToGo,
    /// Johnson's rule for two machines: those with more to do later, the short ones first; then the others, the long ones first.
    Johnson,
    /// Jobs that will turn, in an order by chance; after a turn those that came first. So no job waits for long.
    Arrival,
}

fn tries() -> impl Iterator<Item = (Ranking, u32, u64)> {
    let kinds = [Ranking::Arrival, Ranking::Later, Ranking::ToGo, Ranking::Johnson].into_iter();
    let paused = kinds.flat_map(|ranking| [1, FROM_MEMORY].map(|pause| (ranking, pause)));
    paused.flat_map(|(ranking, pause)| (0..SEEDS).map(move |seed| (ranking, pause, seed)))
}

/// Orders of the axes: all of them where they are few, else each axis as the first one.
fn orders(axes: usize) -> Vec<Vec<usize>> {
    if axes > MOST_PERMUTED {
        return (0..axes).map(|first| (0..axes).map(|axis| (axis + first) % axes).collect()).collect();
    }
    let mut orders = vec![Vec::new()];
    for axis in 0..axes {
        let insert = |order: Vec<usize>| {
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, axis);
                order
            })
        };
        orders = orders.into_iter().flat_map(insert).collect();
    }
    orders
}

/// Hops of a job by its ports, in this order of the axes.
fn in_order(job: &MessageLoad, axes: &[usize]) -> Vec<(Port, u32)> {
    let of_axis = |&axis: &usize| job.loads.iter().copied().filter(move |(port, _)| port.axis() == axis);
    axes.iter().flat_map(of_axis).collect()
}

/// Jobs that wait for a port, those that rank first on top.
type JobQueue = BinaryHeap<Reverse<(u64, u64, u64, usize)>>;

/// Ticks in which the legs of each job begin; none if not all are over in time.
fn list(
    legs: &[Vec<(Port, u32)>],
    ports: usize,
    (ranking, pause, seed): (Ranking, u32, u64),
    ticks: u32,
) -> Option<Vec<Vec<u32>>> {
    let mut ready = vec![Vec::new(); ticks as usize + 2];
    ready[1] = (0..legs.len()).collect();
    let mut queues: Vec<JobQueue> = vec![BinaryHeap::new(); ports];
    let mut idle_from = vec![1; ports];
    let mut begins: Vec<Vec<u32>> = vec![Vec::new(); legs.len()];
    let mut left: usize = legs.iter().map(Vec::len).sum();
    for tick in 1..=ticks {
        for job in std::mem::take(&mut ready[tick as usize]) {
            let leg = begins[job].len();
            let chance = mixed(seed * 7919 + job as u64) & 1023;
            let (first, second) = match ranking {
                Ranking::Arrival if leg > 0 => (tick.into(), 0),
                _ => rank(ranking, &legs[job][leg..]),
            };
            queues[legs[job][leg].0.index()].push(Reverse((first, second, chance, job)));
        }
        for (queue, idle_from) in queues.iter_mut().zip(&mut idle_from).filter(|(_, idle_from)| **idle_from <= tick) {
            let Some(Reverse((.., job))) = queue.pop() else { continue };
            let (_, hops) = legs[job][begins[job].len()];
            begins[job].push(tick);
            *idle_from = tick + hops;
            left -= 1;
            let next = tick + hops + pause - 1;
            if *idle_from > ticks + 1 || begins[job].len() < legs[job].len() && next > ticks {
                return None;
            }
            if begins[job].len() < legs[job].len() {
                ready[next as usize].push(job);
            }
        }
    }
    (left == 0).then_some(begins)
}

/// Place of a job in a port's queue, by its legs from that one on, where the first one begins.
fn rank(ranking: Ranking, legs: &[(Port, u32)]) -> (u64, u64) {
    let here = u64::from(legs[0].1);
    let later: u64 = legs[1..].iter().map(|&(_, hops)| u64::from(hops)).sum();
    match ranking {
        Ranking::Later => (u64::MAX - later, here),
        Ranking::ToGo => (u64::MAX - later - here, 0),
        Ranking::Johnson if later > here => (0, here),
        Ranking::Johnson => (1, u64::MAX - later),
        Ranking::Arrival => (u64::from(later == 0), 0),
    }
}

fn hops(legs: &[(Port, u32)], begins: &[u32]) -> JobHops {
    let leg = |(&(port, hops), &begin): (&(Port, u32), &u32)| (begin..begin + hops).map(move |tick| (tick, port));
    legs.iter().zip(begins).flat_map(leg).collect()
}

/// Number of inputs of all outputs, and then the longest wait.
fn cost(jobs: &[JobHops]) -> (usize, u32) {
    let forwarded =
        jobs.iter().flat_map(|hops| hops.windows(2)).map(|pair| (pair[1].1, pair[0].1, pair[1].0 - pair[0].0));
    let inputs: BTreeSet<(Port, Port, u32)> = forwarded.collect();
    let late: BTreeSet<(Port, u32)> =
        inputs.iter().filter(|it| it.2 >= FROM_MEMORY).map(|&(_, from, age)| (from, age)).collect();
    let most = if late.len() > MOST_LINES { FROM_MEMORY } else { u32::MAX };
    let places: BTreeSet<(Port, Port, u32)> = inputs.iter().map(|&(to, from, age)| (to, from, age.min(most))).collect();
    (places.len(), inputs.iter().map(|it| it.2).max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{ShapeName, Topology};
    use crate::schemes::exchange::shop;

    /// A message turns only to a later axis, and passes straight through nodes without a wait.
    #[test]
    fn messages_go_on_at_once_until_they_turn() {
        let sides: [&[u32]; 9] =
            [&[2, 2], &[3, 3], &[4, 4], &[8, 8], &[4, 6], &[5, 7], &[3, 3, 3], &[3, 4, 5], &[4, 4, 4]];
        for dims in sides {
            let torus = Topology::new(ShapeName::Torus, dims).unwrap();
            let (jobs, ticks) = shop::schedule(&torus, 1);
            let mut turns = BTreeSet::new();
            for job in &jobs {
                for pair in job.hops.windows(2) {
                    let [(before, from), (tick, port)] = [pair[0], pair[1]];
                    assert!(tick <= ticks && (from != port || tick == before + 1), "{torus}");
                    turns.insert((from.axis(), port.axis()));
                }
            }
            assert!(turns.iter().all(|&(from, to)| from == to || !turns.contains(&(to, from))), "{torus}: {turns:?}");
        }
    }

    #[test]
    fn a_shop_without_time_for_it_has_no_such_order() {
        let jobs = [MessageLoad { offset: vec![1, 1], loads: vec![(Port::plus(0), 1), (Port::plus(1), 1)] }];
        assert_eq!(schedule(&jobs, 4, 1), None);
        assert_eq!(schedule(&jobs, 4, 2).unwrap()[0].len(), 2);
    }

    #[test]
    fn all_orders_of_a_few_axes_are_tried() {
        assert_eq!(orders(3).into_iter().collect::<BTreeSet<_>>().len(), 6);
        assert_eq!(orders(5).len(), 5);
    }
}
