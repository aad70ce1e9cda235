//! A config's network laid out: names become numbers, and what makes no sense is refused by its field.

use super::super::ConfigError;
use super::{BaseNetwork, LinkName, NetworkFields, NodeBox, NodePlace};
use crate::net::{NetworkError, NodeId, Port, Topology};

impl NetworkFields {
    /// The topology, if there is such a network.
    pub fn lay_out(&self) -> Result<Topology, ConfigError> {
        let refused = |source| ConfigError::Topology { base: self.base_name(), shape: self.shape(), source };
        let whole = match &self.base {
            BaseNetwork::Shape(shape, sides) => Topology::new(*shape, sides),
            BaseNetwork::Lattice(rows) => Topology::of_lattice(rows),
        };
        let open: Vec<usize> = self.open.iter().map(|axis| axis.0).collect();
        let whole = whole.and_then(|whole| whole.with_open(&open)).map_err(refused)?;
        let nodes = self.dead.nodes.iter().map(|place| Ok((place, node(&whole, "topology.dead.nodes", place)?)));
        let nodes: Vec<(&NodePlace, NodeId)> = nodes.collect::<Result<_, ConfigError>>()?;
        let links = self.dead.links.iter().map(|link| end(&whole, link)).collect::<Result<Vec<_>, _>>()?;
        let Some(part) = &self.part else {
            let nodes: Vec<NodeId> = nodes.into_iter().map(|(_, node)| node).collect();
            return whole.without(&nodes, &links).map_err(refused);
        };
        let cut = part.cut_out(&whole)?;
        let inside = |node: NodeId| part.number(&whole, &cut, node);
        let nodes: Vec<NodeId> = nodes.into_iter().filter_map(|(_, node)| inside(node)).collect();
        // a link that leads out of the part is dead as it is
        let links = links.into_iter().filter_map(|(node, port)| Some((inside(node)?, port)));
        let links: Vec<_> = links.filter(|&(node, port)| cut.step(node, port).is_some()).collect();
        cut.without(&nodes, &links).map_err(refused)
    }
}

/// The node at some coordinates.
fn node(network: &Topology, field: &'static str, NodePlace(at): &NodePlace) -> Result<NodeId, ConfigError> {
    let is_inside = at.len() == network.axes() && at.iter().zip(network.dims()).all(|(x, side)| x < side);
    if is_inside {
        return Ok(network.node(at));
    }
    let last = network.show(NodeId(network.nodes() - 1));
    Err(ConfigError::NoPlace { field, typed: NodePlace(at.clone()).to_string(), network: network.describe(), last })
}

/// The end of a link that there is.
fn end(network: &Topology, link: &LinkName) -> Result<(NodeId, Port), ConfigError> {
    let node = node(network, "topology.dead.links", &link.at)?;
    let is_link = link.port.index() < network.ports() && network.step(node, link.port).is_some();
    let ports: Vec<String> = network.linked_ports(node).map(|port| port.to_string()).collect();
    let refused = || ConfigError::NoLink { typed: link.to_string(), network: network.describe(), ports };
    if is_link { Ok((node, link.port)) } else { Err(refused()) }
}

impl NodeBox {
    /// The box as a network of its own: an axis wraps if all of it is inside and it did before.
    fn cut_out(&self, whole: &Topology) -> Result<Topology, ConfigError> {
        let refused = |reason| ConfigError::NoPart { reason, network: whole.describe() };
        if !whole.lattice().is_diagonal() {
            return Err(refused("requires a network that is not twisted"));
        }
        for corner in [&self.from, &self.to] {
            node(whole, "topology.part", &NodePlace(corner.clone()))?;
        }
        if self.from.iter().zip(&self.to).any(|(from, to)| from > to) {
            return Err(refused("`from` must not lie beyond `to`"));
        }
        let sides: Vec<i64> = self.from.iter().zip(&self.to).map(|(&from, &to)| i64::from(to - from) + 1).collect();
        let axes = 0..whole.axes();
        let rows: Vec<Vec<i64>> = axes
            .clone()
            .map(|axis| axes.clone().map(|at| if at == axis { sides[axis] } else { 0 }).collect())
            .collect();
        let is_open = |&axis: &usize| whole.open().contains(&axis) || sides[axis] < i64::from(whole.side(axis));
        let open: Vec<usize> = axes.filter(is_open).collect();
        let cut = Topology::of_lattice(&rows).and_then(|cut| cut.with_open(&open));
        cut.map_err(|error| match error {
            NetworkError::TooFewNodes { .. } => refused("must have at least 2 nodes"),
            source => ConfigError::Topology { base: "part", shape: None, source },
        })
    }

    /// Number of a node of the whole in the part, if it is inside.
    fn number(&self, whole: &Topology, cut: &Topology, node: NodeId) -> Option<NodeId> {
        let coordinates = whole.coords(node);
        let corners = self.from.iter().zip(&self.to);
        let inside =
            coordinates.iter().zip(corners).map(|(&x, (&from, &to))| (x <= to).then(|| x.checked_sub(from))?);
        Some(cut.node(&inside.collect::<Option<Vec<u32>>>()?))
    }
}
