//! A maximum matching of a node's in-links and the packets that they can bring, by augmenting paths.

/// A packet that an in-link can bring: the smaller its key, the better.
#[derive(Clone, Copy, Debug)]
pub struct PacketCandidate {
    /// Order of preference.
    pub key: u64,
    /// Packet in the receiver's frame.
    pub packet: u32,
    /// Source at the sender's output.
    pub word: u32,
}

/// Buffers that are kept from one matching to the next.
#[derive(Debug, Default)]
pub struct Matching {
    /// By link, the position of its packet among its candidates.
    taken: Vec<Option<usize>>,
    order: Vec<usize>,
    seen: Vec<u32>,
}

impl Matching {
    /// Different packets for as many links as possible, those first that have the fewest candidates; by link, the position of
    /// its packet.
    pub fn of(&mut self, candidates: &[Vec<PacketCandidate>]) -> &[Option<usize>] {
        let Self { taken, order, .. } = self;
        taken.clear();
        taken.resize(candidates.len(), None);
        order.clear();
        order.extend(0..candidates.len());
        order.sort_by_key(|&link| candidates[link].len());
        for place in 0..candidates.len() {
            self.seen.clear();
            let link = self.order[place];
            self.augment(candidates, link);
        }
        &self.taken
    }

    /// The last matching.
    pub fn taken(&self) -> &[Option<usize>] {
        &self.taken
    }

    /// Finds a packet for a link, where links that have one may take others.
    fn augment(&mut self, candidates: &[Vec<PacketCandidate>], link: usize) -> bool {
        for (position, candidate) in candidates[link].iter().enumerate() {
            let packet = candidate.packet;
            if self.seen.contains(&packet) {
                continue;
            }
            self.seen.push(packet);
            let has = |&other: &usize| self.taken[other].is_some_and(|at| candidates[other][at].packet == packet);
            let holder = (0..candidates.len()).find(has);
            if holder.is_none_or(|other| self.augment(candidates, other)) {
                self.taken[link] = Some(position);
                return true;
            }
        }
        false
    }
}
