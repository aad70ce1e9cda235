//! Form of a network in files: `{"torus":[6,8]}`, `{"torus":[6,8],"wrap":[true,false]}`, `{"lattice":[[4,2],[0,4]]}`, and what is
//! dead beside it.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::{Dead, Network, NetworkError, NodeId, Port, ShapeName};

/// A network as it is written: one shape, and what is open or dead.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "NetworkNames")]
pub struct WrittenNetwork(NetworkNames);

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct NetworkNames {
    torus: Option<Vec<u32>>,
    mesh: Option<Vec<u32>>,
    cycle: Option<u32>,
    path: Option<u32>,
    lattice: Option<Vec<Vec<i64>>>,
    wrap: Option<Vec<bool>>,
    dead: Option<WrittenDead>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDead {
    #[serde(default)]
    nodes: Vec<u32>,
    #[serde(default)]
    links: Vec<(u32, String)>,
}

impl TryFrom<NetworkNames> for WrittenNetwork {
    type Error = NetworkError;

    fn try_from(fields: NetworkNames) -> Result<Self, NetworkError> {
        let NetworkNames { torus, mesh, cycle, path, lattice, .. } = &fields;
        let named = [torus.is_some(), mesh.is_some(), cycle.is_some(), path.is_some(), lattice.is_some()];
        if named.iter().filter(|&&is_named| is_named).count() == 1 {
            Ok(Self(fields))
        } else {
            Err(NetworkError::NotOneShape)
        }
    }
}

impl WrittenNetwork {
    /// Lays the network out.
    pub fn lay_out(&self) -> Result<Network, NetworkError> {
        let NetworkNames { torus, mesh, cycle, path, lattice, wrap, dead } = &self.0;
        let mut network = match (torus, mesh, cycle, path, lattice) {
            // a side of 1 has no link, whether it is open or not
            (Some(sides), None, None, None, None) if wrap.is_some() && sides.contains(&1) => {
                let row = |axis: usize| (0..sides.len()).map(move |at| if at == axis { sides[axis].into() } else { 0 });
                Network::of_lattice(&(0..sides.len()).map(|axis| row(axis).collect()).collect::<Vec<_>>())
            }
            (Some(sides), None, None, None, None) => Network::new(ShapeName::Torus, sides),
            (None, Some(sides), None, None, None) => Network::new(ShapeName::Mesh, sides),
            (None, None, &Some(nodes), None, None) => Network::new(ShapeName::Cycle, &[nodes]),
            (None, None, None, &Some(nodes), None) => Network::new(ShapeName::Path, &[nodes]),
            (None, None, None, None, Some(rows)) => Network::of_lattice(rows),
            _ => return Err(NetworkError::NotOneShape),
        }?;
        if let Some(wrap) = wrap {
            if torus.is_none() || wrap.len() != network.axes() {
                return Err(NetworkError::Wrap { axes: network.axes(), entries: wrap.len() });
            }
            network = network.with_open(&(0..wrap.len()).filter(|&axis| !wrap[axis]).collect::<Vec<_>>())?;
        }
        let Some(dead) = dead else { return Ok(network) };
        let nodes: Vec<NodeId> = dead.nodes.iter().copied().map(NodeId).collect();
        let link = |(node, port): &(u32, String)| {
            let port = Port::named(port).ok_or_else(|| NetworkError::NoSuchPort { node: *node, port: port.clone() })?;
            Ok((NodeId(*node), port))
        };
        network.without(&nodes, &dead.links.iter().map(link).collect::<Result<Vec<_>, _>>()?)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let open = self.open();
        match (self.shape(), self.dims()) {
            (Some(shape), [nodes]) if shape.is_line() => map.serialize_entry(shape.name(), nodes)?,
            (Some(shape), sides) => map.serialize_entry(shape.name(), sides)?,
            (None, _) if !self.is_of_sides() && open.is_empty() => {
                map.serialize_entry("lattice", self.lattice().rows())?;
            }
            (None, sides) => {
                map.serialize_entry("torus", sides)?;
                if !open.is_empty() {
                    let wrap: Vec<bool> = (0..self.axes()).map(|axis| !open.contains(&axis)).collect();
                    map.serialize_entry("wrap", &wrap)?;
                }
            }
        }
        if let Some(dead) = self.dead() {
            map.serialize_entry("dead", dead)?;
        }
        map.end()
    }
}

impl Serialize for Dead {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes: Vec<u32> = self.nodes().iter().map(|node| node.0).collect();
        let links: Vec<(u32, String)> =
            self.named_links().iter().map(|(node, port)| (node.0, port.to_string())).collect();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("nodes", &nodes)?;
        map.serialize_entry("links", &links)?;
        map.end()
    }
}
