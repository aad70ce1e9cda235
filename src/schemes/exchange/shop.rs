//! Every node's message for the node at each offset, as jobs in a shop: an offset is a job, a port a machine, a hop an hour.
//!
//! All nodes do the same at the same time, so one node's ports tell all. Axis after axis without a pause is tried first. Where
//! that takes too long, the hours of a job are in any order, one at a time: an edge colouring of the graph of jobs and ports,
//! which always takes as few hours as its busiest vertex.

use super::load::{Job, MessageLoad};
use super::{flow, spaced, vectors};
use crate::net::{Port, Topology};
use crate::program::Link;
use crate::study::bounds::{self, Goal};

/// The messages of one node, in the order of their offsets, and the ticks in which they are sent. A message is sent on
/// `latency` ticks after it was sent.
pub fn schedule(topology: &Topology, latency: u32) -> (Vec<Job>, u32) {
    let mut jobs = if topology.as_product().is_some() {
        loads(topology)
    } else {
        vectors::loads(topology, bounds::lower_bound(topology, Link::default(), Goal::Exchange { flits: 1 }).ticks)
    };
    let mut busy = vec![0; topology.ports()];
    for (port, hops) in jobs.iter().flat_map(|job| &job.loads) {
        busy[port.index()] += hops;
    }
    if latency > 1 {
        return spaced::schedule(jobs, &busy, latency);
    }
    let longest = jobs.iter().map(MessageLoad::hops).max().unwrap_or(0);
    let ticks = busy.into_iter().max().unwrap_or(0).max(longest);
    let job = |(load, hops): (MessageLoad, Vec<(u32, Port)>)| Job { offset: load.offset, hops };
    if let Some(hops) = flow::schedule(&jobs, topology.ports(), ticks) {
        return (jobs.into_iter().zip(hops).map(job).collect(), ticks);
    }
    let mut hours = Hours::new(jobs.len(), topology.ports(), ticks);
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| std::cmp::Reverse(jobs[job].hops()));
    for job in order {
        for (port, hops) in std::mem::take(&mut jobs[job].loads) {
            for _ in 0..hops {
                hours.place(job, port);
            }
        }
    }
    hours.jobs.iter_mut().for_each(|hops| hops.sort_unstable());
    (jobs.into_iter().zip(hours.jobs).map(job).collect(), ticks)
}

/// Every message the short way along each axis; where both are as long they alternate, so that the ports have equal shares.
fn loads(topology: &Topology) -> Vec<MessageLoad> {
    let mut up = vec![true; topology.axes()];
    let mut load = |offset: Vec<u32>| {
        let mut loads = Vec::new();
        for (axis, (&x, &side)) in offset.iter().zip(topology.dims()).enumerate() {
            let half = 2 * x == side;
            if half {
                up[axis] = !up[axis];
            }
            if x > 0 {
                let plus = if half { !up[axis] } else { 2 * x < side };
                loads.push(if plus { (Port::plus(axis), x) } else { (Port::minus(axis), side - x) });
            }
        }
        MessageLoad { offset, loads }
    };
    topology.node_ids().skip(1).map(|node| load(topology.coords(node))).collect()
}

/// Timetable of jobs and ports.
struct Hours {
    /// the hops of each job so far, in no order
    jobs: Vec<Vec<(u32, Port)>>,
    /// job of each port in each tick, counted from 1
    ports: Vec<Vec<Option<usize>>>,
    /// before this tick a port is always busy
    free: Vec<u32>,
    ticks: u32,
}

impl Hours {
    fn new(jobs: usize, ports: usize, ticks: u32) -> Self {
        let idle = vec![None; ticks as usize + 1];
        Self { jobs: vec![Vec::new(); jobs], ports: vec![idle; ports], free: vec![1; ports], ticks }
    }

    fn port_of(&self, job: usize, tick: u32) -> Option<Port> {
        self.jobs[job].iter().find(|&&(at, _)| at == tick).map(|&(_, port)| port)
    }

    fn job_of(&self, port: Port, tick: u32) -> Option<usize> {
        self.ports[port.index()][tick as usize]
    }

    fn set(&mut self, job: usize, port: Port, tick: u32) {
        self.jobs[job].push((tick, port));
        self.ports[port.index()][tick as usize] = Some(job);
    }

    fn clear(&mut self, job: usize, port: Port, tick: u32) {
        self.jobs[job].retain(|&hop| hop != (tick, port));
        self.ports[port.index()][tick as usize] = None;
        self.free[port.index()] = self.free[port.index()].min(tick);
    }

    /// The first tick in which a port has nothing to do.
    fn first_free(&mut self, port: Port) -> u32 {
        let row = &self.ports[port.index()];
        let free = &mut self.free[port.index()];
        while *free <= self.ticks && row[*free as usize].is_some() {
            *free += 1;
        }
        *free
    }

    /// Gives a job one more hop by a port: in the first tick that suits both, else by making one.
    fn place(&mut self, job: usize, port: Port) {
        let first = self.first_free(port);
        let suits = |tick: &u32| self.job_of(port, *tick).is_none() && self.port_of(job, *tick).is_none();
        let tick = (first..=self.ticks).find(suits).unwrap_or_else(|| {
            let of_job = (1..=self.ticks)
                .find(|&tick| self.port_of(job, tick).is_none())
                .expect("a job has no more hops than ticks");
            self.swap_along(port, of_job, first);
            of_job
        });
        self.set(job, port, tick);
    }

    /// Swaps two ticks along the chain of hops in either, which begins at a port that has none in `other`: then it has none in `tick`.
    fn swap_along(&mut self, port: Port, tick: u32, other: u32) {
        let mut chain = Vec::new();
        let mut at = port;
        while let Some(job) = self.job_of(at, tick) {
            chain.push((job, at, tick));
            let Some(next) = self.port_of(job, other) else { break };
            chain.push((job, next, other));
            at = next;
        }
        for &(job, port, at) in &chain {
            self.clear(job, port, at);
        }
        for (job, port, at) in chain {
            self.set(job, port, if at == tick { other } else { tick });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::net::{NodeId, ShapeName};

    fn ticks(dims: &[u32]) -> u32 {
        let torus = Topology::new(ShapeName::Torus, dims).unwrap();
        let (jobs, ticks) = schedule(&torus, 1);
        let mut used = HashSet::new();
        for job in &jobs {
            let mut at = torus.node(&vec![0; dims.len()]);
            for &(tick, port) in &job.hops {
                assert!(tick <= ticks && used.insert((port, tick)), "{torus}: two hops by {port} in tick {tick}");
                at = torus.step(at, port).unwrap();
            }
            assert_eq!(torus.coords(at), job.offset);
            assert!(job.hops.windows(2).all(|pair| pair[0].0 < pair[1].0), "{torus}: one hop a tick");
        }
        assert_eq!(jobs.len() as u32, torus.nodes() - 1);
        ticks
    }

    #[test]
    fn no_port_has_two_jobs_and_no_job_two_ports() {
        let planes = (2..=7).flat_map(|n1| (2..=7).map(move |n2| vec![n1, n2]));
        for dims in planes.chain([vec![9], vec![2], vec![3, 4, 5], vec![2, 2, 2, 3]]) {
            ticks(&dims);
        }
    }

    #[test]
    fn every_message_arrives_as_soon_as_the_links_allow() {
        let cases: [(&[u32], u32); 8] = [
            (&[6, 6], 27),
            (&[7, 7], 42),
            (&[5, 7], 30),
            (&[4, 6, 5], 90),
            (&[3, 3, 3], 9),
            (&[10, 12], 180),
            (&[5, 6], 24),
            (&[16, 16], 512),
        ];
        for (dims, expected) in cases {
            assert_eq!(ticks(dims), expected, "{dims:?}");
        }
    }

    #[test]
    fn on_squares_every_link_is_busy_in_every_tick() {
        for side in 3..=12 {
            let torus = Topology::new(ShapeName::Torus, &[side, side]).unwrap();
            let (jobs, ticks) = schedule(&torus, 1);
            let hops: usize = jobs.iter().map(|job| job.hops.len()).sum();
            assert_eq!(hops, 4 * ticks as usize, "{torus}");
        }
    }

    #[test]
    fn hops_of_a_message_are_as_far_apart_as_links_are_long() {
        for (dims, latency, most) in [(&[4, 4][..], 3, 12), (&[8, 8], 3, 68), (&[3, 4, 5], 2, 36), (&[5], 4, 5)] {
            let torus = Topology::new(ShapeName::Torus, dims).unwrap();
            let (jobs, ticks) = schedule(&torus, latency);
            assert!(ticks <= most, "{torus}: {ticks}");
            let mut used = HashSet::new();
            for job in &jobs {
                let end = job.hops.iter().fold(NodeId(0), |at, &(_, port)| torus.step(at, port).unwrap());
                assert_eq!(torus.coords(end), job.offset);
                assert!(job.hops.iter().all(|&(tick, port)| tick <= ticks && used.insert((port, tick))), "{torus}");
                assert!(job.hops.windows(2).all(|pair| pair[1].0 - pair[0].0 >= latency), "{torus}");
            }
            assert_eq!(jobs.len() as u32, torus.nodes() - 1);
        }
    }
}
