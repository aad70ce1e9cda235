//! List scheduling of messages on their ways: in every tick each link sends the message that has most before it.

use std::collections::{BinaryHeap, VecDeque};

use super::graph::Graph;
use super::routes::RoutedMessage;
use crate::net::splitmix::mixed;

/// Tries, each kind of urgency three times.
const SEEDS: u64 = 12;

/// By message, the ticks of its hops, and the ticks of all; `least` is a number that no schedule can be below.
/// A message is sent on `latency` ticks after it was sent.
pub fn schedule(graph: &Graph, messages: &[RoutedMessage], latency: u32, least: u32) -> (Vec<Vec<u32>>, u32) {
    let mut load = vec![0u64; graph.links()];
    let links: Vec<Vec<u32>> = messages.iter().map(|message| links(graph, message)).collect();
    links.iter().flatten().for_each(|&link| load[link as usize] += 1);
    let busiest = load.iter().copied().max().unwrap_or(0);
    let least = u64::from(least).max(busiest) as u32;
    let mut best: Option<(Vec<Vec<u32>>, u32)> = None;
    for seed in 0..SEEDS {
        let urgency: Vec<Vec<u64>> = links.iter().map(|links| urgency(links, &load, busiest, seed % 4)).collect();
        let limit = best.as_ref().map_or(u32::MAX, |&(_, ticks)| ticks - 1);
        if let Some(found) = list(&links, &urgency, load.len(), (latency, seed), limit) {
            let is_done = found.1 <= least;
            best = Some(found);
            if is_done {
                break;
            }
        }
    }
    best.expect("the first try has no limit")
}

/// Kinds of the links of a message's hops.
fn links(graph: &Graph, message: &RoutedMessage) -> Vec<u32> {
    let mut node = message.from;
    let link = |&port: &u8| {
        let link = graph.link(node, port.into()) as u32;
        node = graph.step(node, port.into()).expect("a way keeps to links");
        link
    };
    message.way.iter().map(link).collect()
}

/// By hop, how urgent it is: hops to go, hops weighted by their links' loads, critical links ahead, or hops to go and made.
fn urgency(links: &[u32], load: &[u64], busiest: u64, kind: u64) -> Vec<u64> {
    let mut urgency = vec![0; links.len()];
    let (mut sum, mut is_critical) = (0, false);
    for (hop, &link) in links.iter().enumerate().rev() {
        let load = load[link as usize];
        sum += if kind == 1 { 1000 + 3000 * load.pow(4) / busiest.pow(4).max(1) } else { 1000 };
        urgency[hop] = match kind {
            2 if is_critical => sum + 1_000_000,
            3 => sum + 10 * hop as u64,
            _ => sum,
        };
        is_critical |= load + 1 >= busiest;
    }
    urgency
}

/// One try; none if it takes more ticks than the limit.
fn list(
    links: &[Vec<u32>],
    urgency: &[Vec<u64>],
    kinds: usize,
    (latency, seed): (u32, u64),
    limit: u32,
) -> Option<(Vec<Vec<u32>>, u32)> {
    let mut queues: Vec<BinaryHeap<(u64, u64, u32)>> = vec![BinaryHeap::new(); kinds];
    let mut when: Vec<Vec<u32>> = vec![Vec::new(); links.len()];
    let put = |queues: &mut Vec<BinaryHeap<(u64, u64, u32)>>, message: usize, hop: usize| {
        let chance = mixed(message as u64 * 131 + seed * 7) & 1023;
        queues[links[message][hop] as usize].push((urgency[message][hop], chance, message as u32));
    };
    (0..links.len()).for_each(|message| put(&mut queues, message, 0));
    let (mut left, mut tick) = (links.len(), 0);
    let mut moved = Vec::new();
    // messages on long links, with the tick in which they can be sent on
    let mut travelling: VecDeque<(u32, usize)> = VecDeque::new();
    while left > 0 {
        tick += 1;
        if tick > limit {
            return None;
        }
        while let Some(&(_, message)) = travelling.front().filter(|&&(ready, _)| ready <= tick) {
            travelling.pop_front();
            put(&mut queues, message, when[message].len());
        }
        moved.extend(queues.iter_mut().filter_map(BinaryHeap::pop));
        for (_, _, message) in moved.drain(..) {
            let message = message as usize;
            when[message].push(tick);
            match when[message].len() {
                hops if hops == links[message].len() => left -= 1,
                _ => travelling.push_back((tick + latency, message)),
            }
        }
    }
    Some((when, tick))
}
