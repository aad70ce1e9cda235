//! A greedy all-gather written from TACOS's description, on any network.

use torusweave::net::Topology;

/// Numbers by chance, the same in every run.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, end: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        (1..all.len()).rev().for_each(|last| all.swap(last, self.below(last + 1)));
    }
}

/// All-gather of some packets per node by matching links with packets in a network that is expanded over time: in each step
/// every link, in an order by chance, carries a packet by chance that its sender has and its receiver will not get otherwise.
/// Returns the steps.
pub fn gather(topology: &Topology, packets: usize) -> u32 {
    let nodes = topology.nodes() as usize;
    let live: Vec<_> = topology.live_ids().collect();
    let words = (nodes * packets).div_ceil(64);
    let mut chance = Chance(1);
    let mut known = vec![0u64; nodes * words];
    for node in &live {
        for packet in node.index() * packets..(node.index() + 1) * packets {
            known[node.index() * words + packet / 64] |= 1 << (packet % 64);
        }
    }
    let mut links: Vec<(usize, usize)> = live
        .iter()
        .flat_map(|&node| topology.port_ids().filter_map(move |port| topology.step(node, port).map(|to| (node, to))))
        .map(|(from, to)| (from.index(), to.index()))
        .collect();
    let mut left = live.len() * (live.len() - 1) * packets;
    let mut steps = 0;
    while left > 0 {
        steps += 1;
        chance.shuffle(&mut links);
        let before = known.clone();
        for &(from, to) in &links {
            let fresh = |word: usize| before[from * words + word] & !known[to * words + word];
            let choices: u32 = (0..words).map(|word| fresh(word).count_ones()).sum();
            if choices == 0 {
                continue;
            }
            let mut which = chance.below(choices as usize) as u32;
            for word in 0..words {
                let mut bits = fresh(word);
                if which >= bits.count_ones() {
                    which -= bits.count_ones();
                    continue;
                }
                (0..which).for_each(|_| bits &= bits - 1);
                known[to * words + word] |= bits & bits.wrapping_neg();
                left -= 1;
                break;
            }
        }
    }
    steps
}
