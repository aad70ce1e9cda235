//! Boards with blocks of nodes, and their kinds: boards are of one kind if the nodes at every place of their blocks have the same classes.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::shared::axis::NetworkAxis;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::parts::UpCounter;
use crate::net::{Channel, NodeBlocks, NodeId};
use crate::netlist::Own;
use crate::program::ClassId;

/// The blocks of nodes, and the kinds of boards that there are.
pub struct BoardKinds {
    pub blocks: NodeBlocks,
    /// kind of each board
    pub of: Vec<u32>,
    /// classes of each kind by the place in the block, in lexicographic order: kinds of one node are numbered as its classes
    all: Vec<Vec<ClassId>>,
}

impl BoardKinds {
    pub fn of(design: &EmitDesign) -> Self {
        let blocks = design.blocks();
        let classes = |board: NodeId| -> Vec<ClassId> {
            (0..blocks.sites()).map(|site| design.program.class_of[blocks.node(board, site).index()]).collect()
        };
        let each: Vec<Vec<ClassId>> = blocks.boards().node_ids().map(classes).collect();
        let mut numbers: BTreeMap<&Vec<ClassId>, u32> = each.iter().map(|classes| (classes, 0)).collect();
        numbers.values_mut().zip(0..).for_each(|(number, at)| *number = at);
        let of = each.iter().map(|classes| numbers[classes]).collect();
        let all = numbers.into_keys().cloned().collect();
        Self { blocks, of, all }
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns true if boards differ.
    pub fn differ(&self) -> bool {
        self.count() > 1
    }

    /// Returns true if boards need their coordinates: their kinds, borders or dead links differ, or their neighbours check them.
    pub fn need_places(&self, design: &EmitDesign) -> bool {
        let is_grid = !self.blocks.boards().open().is_empty();
        self.differ() || is_grid || design.options.checksum.is_some() || design.program.topology.dead().is_some()
    }

    /// The number of a kind.
    pub fn number(&self) -> UpCounter {
        UpCounter::up_to(self.count() as u32 - 1)
    }

    /// Classes of the nodes at a place of the block.
    pub fn classes(&self, site: u32) -> BTreeSet<ClassId> {
        self.all.iter().map(|classes| classes[site as usize]).collect()
    }

    /// Kinds in which the node at a place is of a class; none if it is in all.
    pub fn with(&self, site: u32, class: ClassId) -> Vec<u32> {
        let has = |kind: &u32| self.all[*kind as usize][site as usize] == class;
        let with: Vec<u32> = (0..self.count() as u32).filter(has).collect();
        if with.len() == self.count() { Vec::new() } else { with }
    }

    /// Own packets of the nodes at a place of the block.
    pub fn owns(&self, design: &EmitDesign, site: u32) -> BTreeSet<Own> {
        let classes = self.classes(site);
        let driven = design.netlist.driven().filter(|(class, _)| classes.contains(class));
        driven.flat_map(|(_, router)| router.packets.clone()).collect()
    }
}

/// Axes with several boards, by the coordinates of boards.
pub fn axes(blocks: &NodeBlocks) -> Vec<NetworkAxis> {
    NetworkAxis::all(blocks.boards()).into_iter().filter(|axis| axis.last > 0).collect()
}

/// Lanes of the ports of a board, in their order.
pub fn sides<'d>(design: &'d EmitDesign) -> impl Iterator<Item = Channel> + 'd {
    let blocks = design.blocks();
    design.program.channels().filter(move |channel| blocks.is_cut(channel.port))
}
