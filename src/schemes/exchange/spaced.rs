//! Jobs in a shop whose hours may not follow each other at once: a message is sent on when a long link has brought it.
//!
//! In every tick each port takes the job with most hops left that is ready, the port with most hops left first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::load::{Job, MessageLoad};
use crate::net::Port;
use crate::net::splitmix::mixed;

/// Tries with different orders of equal jobs.
const SEEDS: u64 = 8;

/// Tick and port of each hop of each job, and the ticks of all; `busy` has the hops by each port.
pub fn schedule(jobs: Vec<MessageLoad>, busy: &[u32], latency: u32) -> (Vec<Job>, u32) {
    let longest = jobs.iter().map(|job| job.hops().saturating_sub(1) * latency + 1).max().unwrap_or(0);
    let least = busy.iter().copied().max().unwrap_or(0).max(longest);
    let mut best: Option<(Vec<SpacedHops>, u32)> = None;
    for seed in 0..SEEDS {
        let limit = best.as_ref().map_or(u32::MAX, |&(_, ticks)| ticks - 1);
        best = list(&jobs, busy, latency, seed, limit).or(best);
        if best.as_ref().is_some_and(|&(_, ticks)| ticks <= least) {
            break;
        }
    }
    let (hops, ticks) = best.expect("the first try has no limit");
    let jobs = jobs.into_iter().zip(hops).map(|(load, hops)| Job { offset: load.offset, hops });
    (jobs.collect(), ticks)
}

/// Tick and port of each hop of a job.
type SpacedHops = Vec<(u32, Port)>;

/// One try; none if it takes more ticks than the limit.
fn list(jobs: &[MessageLoad], busy: &[u32], latency: u32, seed: u64, limit: u32) -> Option<(Vec<SpacedHops>, u32)> {
    let mut left: Vec<Vec<(Port, u32)>> = jobs.iter().map(|job| job.loads.clone()).collect();
    let mut to_go: Vec<u32> = jobs.iter().map(MessageLoad::hops).collect();
    let mut hops: Vec<SpacedHops> = vec![Vec::new(); jobs.len()];
    let mut busy = busy.to_vec();
    let mut queues: Vec<BinaryHeap<(u32, u64, usize)>> = vec![BinaryHeap::new(); busy.len()];
    let mut travelling: VecDeque<(u32, usize)> = (0..jobs.len()).map(|job| (1, job)).collect();
    let (mut all, mut tick) = (busy.iter().sum::<u32>(), 0);
    while all > 0 {
        tick += 1;
        if tick > limit {
            return None;
        }
        while let Some(&(_, job)) = travelling.front().filter(|&&(ready, _)| ready <= tick) {
            travelling.pop_front();
            let chance = mixed(seed * 7919 + job as u64) & 1023;
            let ports = left[job].iter().filter(|&&(_, hops)| hops > 0);
            ports.for_each(|(port, _)| queues[port.index()].push((to_go[job], chance, job)));
        }
        let mut ports: Vec<usize> = (0..busy.len()).filter(|&port| busy[port] > 0).collect();
        ports.sort_by_key(|&port| Reverse(busy[port]));
        for port in ports {
            // jobs that another port has taken since they were queued have fewer hops to go
            let Some(job) = std::iter::from_fn(|| queues[port].pop())
                .find_map(|(hops, _, job)| (to_go[job] == hops).then_some(job))
            else {
                continue;
            };
            let port = Port::from_index(port);
            let load = left[job].iter_mut().find(|load| load.0 == port).expect("a job is queued where it has hops");
            load.1 -= 1;
            busy[port.index()] -= 1;
            to_go[job] -= 1;
            all -= 1;
            hops[job].push((tick, port));
            if to_go[job] > 0 {
                travelling.push_back((tick + latency, job));
            }
        }
    }
    Some((hops, tick))
}
