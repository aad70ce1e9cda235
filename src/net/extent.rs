//! Extremes over all nodes: the fewest links, the longest shortest way.

use super::{Around, Network};

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
        let first = self.orbits().first().to_vec();
        first.into_iter().map(|node| Around::new(self, node).depth()).max().unwrap_or(0)
    }
}
