//! Extremes over all nodes: the fewest links, the longest shortest way.

use super::{Network, NodeId, OUTSIDE};

impl Network {
    /// The number of links of the node that has the fewest.
    pub fn fewest_links(&self) -> u32 {
        if let Some(product) = self.as_product() {
            return (0..self.axes()).map(|axis| if product.wraps(axis) { 2 } else { 1 }).sum();
        }
        let first = self.orbits().first().to_vec();
        first.into_iter().map(|node| self.linked_ports(node).count() as u32).min().unwrap_or(0)
    }

    /// The distance of the two nodes that are farthest apart.
    pub fn diameter(&self) -> u32 {
        if let Some(product) = self.as_product() {
            let across = |axis| if product.wraps(axis) { self.side(axis) / 2 } else { self.side(axis) - 1 };
            return (0..self.axes()).map(across).sum();
        }
        let mut neighbours = Vec::with_capacity(self.registers());
        self.sweep(0..self.nodes(), |_, there| neighbours.extend_from_slice(there));
        let mut search = DistanceSearch::new(self.ports(), neighbours);
        self.orbits().first().chunks(SEARCHES).map(|nodes| search.depth(nodes)).max().unwrap_or(0)
    }
}

/// Number of searches at a time.
const SEARCHES: usize = u64::BITS as usize * WORDS;
const WORDS: usize = 8;

/// A bit for each search.
type SearchBits = [u64; WORDS];

/// Returns true if no search is among them. All words are looked at, since that is faster than to stop at the first.
fn is_none(searches: &SearchBits) -> bool {
    searches.iter().fold(0, |all, word| all | word) == 0
}

/// Buffers of searches from some nodes at a time, without coordinates.
struct DistanceSearch {
    ports: usize,
    neighbours: Vec<NodeId>,
    /// By node, a bit for each search that has found it.
    found: Vec<SearchBits>,
    /// By node, the searches that found it in the last step, and those that find it in this one.
    fresh: [Vec<SearchBits>; 2],
}

impl DistanceSearch {
    fn new(ports: usize, neighbours: Vec<NodeId>) -> Self {
        let none = vec![[0; WORDS]; neighbours.len() / ports.max(1)];
        Self { ports, neighbours, found: none.clone(), fresh: [none.clone(), none] }
    }

    /// Distance of the two nodes that are farthest apart, one of them among these.
    fn depth(&mut self, from: &[NodeId]) -> u32 {
        let Self { ports, neighbours, found, fresh: [last, now] } = self;
        found.fill([0; WORDS]);
        for (search, node) in from.iter().enumerate() {
            let (word, bit) = (search / 64, 1 << (search % 64));
            found[node.index()][word] = bit;
            last[node.index()][word] = bit;
        }
        let (mut layer, mut next) = (from.to_vec(), Vec::new());
        for depth in 0.. {
            for node in layer.drain(..) {
                let searches = std::mem::take(&mut last[node.index()]);
                let there = neighbours[node.index() * *ports..][..*ports].iter().filter(|&&there| there != OUTSIDE);
                for there in there.map(|there| there.index()) {
                    let new: SearchBits = std::array::from_fn(|word| searches[word] & !found[there][word]);
                    if is_none(&new) {
                        continue;
                    }
                    if is_none(&now[there]) {
                        next.push(NodeId(there as u32));
                    }
                    for word in 0..WORDS {
                        found[there][word] |= new[word];
                        now[there][word] |= new[word];
                    }
                }
            }
            if next.is_empty() {
                return depth;
            }
            std::mem::swap(&mut layer, &mut next);
            std::mem::swap(last, now);
        }
        unreachable!("a search ends when nothing is new")
    }
}

#[cfg(test)]
mod tests {
    use crate::net::{Around, NodeId, Port, ShapeName, Topology};

    #[test]
    fn diameters_are_the_largest_distances() {
        let lattice = Topology::of_lattice(&[vec![4, 2], vec![0, 6]]).unwrap();
        let torus = Topology::new(ShapeName::Torus, &[4, 5]).unwrap();
        let link = (NodeId(3), Port::plus(1));
        // more nodes than are searched from at a time
        let large = Topology::new(ShapeName::Torus, &[24, 23]).unwrap();
        let networks = [
            lattice.clone(),
            large.without(&[NodeId(550)], &[(NodeId(40), Port::plus(1))]).unwrap(),
            lattice.without(&[NodeId(7)], &[link]).unwrap(),
            torus.clone().without(&[NodeId(0), NodeId(8)], &[link]).unwrap(),
            torus.with_open(&[0]).unwrap().without(&[NodeId(6)], &[]).unwrap(),
        ];
        for network in networks {
            let far = network.live_ids().map(|node| Around::new(&network, node).depth()).max();
            assert_eq!(Some(network.diameter()), far, "{}", network.describe());
        }
    }
}
