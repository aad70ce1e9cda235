//! `collective: halo` of a config: messages to the nodes nearby, as offsets of an exchange.

use std::collections::HashSet;

use super::halo_error::HaloError;
use super::lengths_error::LengthsError;
use super::offsets::{self, Offsets};
use super::{CollectiveName, Config, ConfigError, Count, lengths};
use crate::net::{NodeId, Topology};
use crate::program::Pairs;
use crate::task::Collective;

/// Neighbours of every node, and the words for each of them.
#[derive(Clone, Copy, Debug)]
struct Halo {
    /// Number of hops along an axis.
    reach: u32,
    /// True if hops along several axes count, too.
    has_corners: bool,
    words: u32,
}

impl Halo {
    /// Offsets of all neighbours: along one axis at a time, nearest first, in the order of the ports; then the diagonal ones in ascending
    /// order, along axes of more than one node and without neighbours along the others. None if these are more than can be told apart.
    fn offsets(self, topology: &Topology) -> Option<Offsets> {
        let (axes, reach) = (topology.axes(), i32::try_from(self.reach).ok()?);
        let width = 2 * u64::from(self.reach) + 1;
        let count = match u32::try_from(axes) {
            Ok(axes) if self.has_corners => width.saturating_pow(axes),
            _ => width.saturating_mul(axes as u64),
        };
        // two offsets of one length may lead to the same node, along each axis
        if count >> axes > u64::from(topology.nodes()) {
            return None;
        }
        let along = |axis: usize, hops: i32| {
            let mut offset = vec![0; axes];
            offset[axis] = hops;
            offset
        };
        let is_long = |axis: usize| topology.side(axis) > 1;
        // an axis of side 1 may lead to another node: on a hexagonal torus along both other axes
        let leads_away = |&axis: &usize| {
            is_long(axis) || topology.displaced(NodeId(0), &along(axis, 1)).is_some_and(|there| there != NodeId(0))
        };
        let leading: Vec<usize> = (0..axes).filter(leads_away).collect();
        let at = |hops: i32| leading.iter().flat_map(move |&axis| [-hops, hops].map(|hops| along(axis, hops)));
        let straight: Vec<Vec<i32>> = (1..=reach).flat_map(at).collect();
        let mut corners = if self.has_corners { diagonals(axes, reach) } else { Vec::new() };
        corners.retain(|offset| (0..axes).all(|axis| offset[axis] == 0 || is_long(axis)));
        let short: Vec<&Vec<i32>> =
            straight.iter().filter(|offset| (0..axes).any(|axis| offset[axis] != 0 && !is_long(axis))).collect();
        if !short.is_empty() {
            leave_out(topology, &mut corners, &short);
        }
        Some(straight.into_iter().chain(corners).map(|offset| (offset, self.words)).collect())
    }

    /// Offsets that lead somewhere else each, or the reason why these do not.
    fn checked(self, topology: &Topology) -> Result<Offsets, Option<LengthsError>> {
        let offsets = self.offsets(topology).ok_or(None)?;
        offsets::check(topology, &offsets).map_err(Some)?;
        Ok(offsets)
    }
}

/// Leaves out offsets that lead to the same node as one of some others.
fn leave_out(topology: &Topology, offsets: &mut Vec<Vec<i32>>, others: &[&Vec<i32>]) {
    for from in topology.node_ids() {
        let reached: HashSet<NodeId> = others.iter().filter_map(|other| topology.displaced(from, other)).collect();
        offsets.retain(|offset| topology.displaced(from, offset).is_none_or(|there| !reached.contains(&there)));
    }
}

/// Offsets of at most so many hops along each axis, and some along two axes at least.
fn diagonals(axes: usize, reach: i32) -> Vec<Vec<i32>> {
    let mut offsets = vec![Vec::new()];
    for _ in 0..axes {
        let longer = |offset: &Vec<i32>| {
            let offset = offset.clone();
            (-reach..=reach).map(move |hops| [&offset[..], &[hops]].concat())
        };
        offsets = offsets.iter().flat_map(longer).collect();
    }
    offsets.retain(|offset| offset.iter().filter(|&&hops| hops != 0).count() > 1);
    offsets
}

impl Config {
    /// Words by offset, where each message goes as far from every node.
    pub fn offsets(&self, topology: &Topology) -> Result<Option<Offsets>, ConfigError> {
        if self.collective != CollectiveName::Halo {
            let lengths = self.lengths.as_ref().filter(|_| self.collective() == Collective::Exchange);
            return Ok(lengths.and_then(|lengths| lengths.offsets()).cloned());
        }
        let reach = self.reach.map_or(1, Count::get);
        let halo = Halo { reach, has_corners: self.corners, words: self.count.map_or(1, Count::get) };
        halo.checked(topology).map(Some).map_err(|why| {
            let fits = |reach: &u32| Halo { reach: *reach, ..halo }.checked(topology).is_ok();
            let most = (1..reach.min(topology.nodes())).rev().find(fits);
            HaloError::Reach { reach, most, network: topology.describe(), why }.into()
        })
    }

    /// Flits of each pair's message, where each message goes as far from every node.
    pub(super) fn pairs_by_offset(&self, topology: &Topology) -> Result<Option<Pairs>, ConfigError> {
        let Some(offsets) = self.offsets(topology)? else { return Ok(None) };
        let pairs = lengths::pairs_by_offset(topology, &offsets);
        pairs.map(Some).map_err(|source| match self.collective {
            CollectiveName::Halo => HaloError::Messages { source }.into(),
            CollectiveName::One(_) => source.into(),
        })
    }

    /// Returns true if the config says how long each message is.
    pub fn tells_lengths(&self) -> bool {
        self.lengths.is_some() || self.collective == CollectiveName::Halo
    }
}
