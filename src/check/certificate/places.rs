//! Places of every node on its cycles: one walk along each cycle, by two walkers at a time.

use super::slots::{PortSlot, Slots};
use crate::net::{NodeId, Walker};
use crate::program::Program;

const UNSEEN: u8 = u8::MAX;
/// Cycles are numbered with a bit for the direction in a byte.
const MOST_CYCLES: usize = 127;

/// The places of every slot of every node.
pub(super) struct Places {
    slots: usize,
    /// by node and slot, the first of its coordinates; behind the start of the cycle below 0
    first: Vec<i32>,
    /// by node and slot, the cycle and whether it is walked from `b` to `a`
    of: Vec<u8>,
    /// the length of each cycle
    pub(super) lengths: Vec<u32>,
}

/// The place of a slot of a node.
#[derive(Clone, Copy)]
pub(super) struct SlotPlace {
    pub(super) cycle: usize,
    /// the smallest of its own coordinates
    pub(super) first: i64,
    /// true if coordinates grow from the slot's `a` to its `b`
    pub(super) is_forward: bool,
}

impl Places {
    /// Walks along all cycles; none if a stream comes from nowhere, or if there are too many cycles or too long ones.
    pub(super) fn walk(program: &Program, slots: &Slots) -> Option<Self> {
        let (nodes, most) = (program.topology.nodes() as usize, slots.most());
        let mut places =
            Self { slots: most, first: vec![0; nodes * most], of: vec![UNSEEN; nodes * most], lengths: Vec::new() };
        for (node, class) in program.topology.node_ids().zip(&program.class_of) {
            for slot in 0..slots.of_class(class.index()).len() {
                if places.of[node.index() * most + slot] == UNSEEN {
                    places.walk_from(program, slots, node, slot)?;
                }
            }
        }
        Some(places)
    }

    /// Two walkers leave a slot by its two ports, and take steps in turn until they meet.
    fn walk_from(&mut self, program: &Program, slots: &Slots, node: NodeId, slot: usize) -> Option<()> {
        let topology = &program.topology;
        let cycle = self.lengths.len();
        if cycle == MOST_CYCLES {
            return None;
        }
        let PortSlot { a, b, age, .. } = slots.of_class(program.class_of[node.index()].index())[slot];
        let mut walkers = [b, a].map(|to| Walker::new(topology, node, to));
        self.lay(node, slot, cycle, 0, true);
        // coordinates `low` to `next` have been laid
        let (mut low, mut next) = (0i64, i64::from(age));
        loop {
            for (way, walker) in walkers.iter_mut().enumerate() {
                let arrived = walker.go(topology)?;
                let at = walker.node;
                let class = program.class_of[at.index()].index();
                let slot = slots.at(class, arrived)?;
                // slots join ports in pairs, as links do: the first one that is met again is where the other walker is
                if self.of[at.index() * self.slots + slot] != UNSEEN {
                    self.lengths.push(u32::try_from(next - low).ok().filter(|&length| i32::try_from(length).is_ok())?);
                    return Some(());
                }
                let PortSlot { a, b, age, .. } = slots.of_class(class)[slot];
                walker.to = if arrived == a { b } else { a };
                if way == 0 {
                    self.lay(at, slot, cycle, i32::try_from(next).ok()?, arrived == a);
                    next += i64::from(age);
                } else {
                    low -= i64::from(age);
                    self.lay(at, slot, cycle, i32::try_from(low).ok()?, arrived == b);
                }
            }
        }
    }

    fn lay(&mut self, node: NodeId, slot: usize, cycle: usize, first: i32, is_forward: bool) {
        let index = node.index() * self.slots + slot;
        self.first[index] = first;
        self.of[index] = (cycle * 2 + usize::from(!is_forward)) as u8;
    }

    /// The place of a slot of a node.
    pub(super) fn at(&self, node: NodeId, slot: usize) -> SlotPlace {
        let index = node.index() * self.slots + slot;
        let of = self.of[index];
        SlotPlace { cycle: usize::from(of / 2), first: self.first[index].into(), is_forward: of.is_multiple_of(2) }
    }

    /// Returns the node at a coordinate of a cycle, with its slot and place.
    pub(super) fn resident(
        &self,
        program: &Program,
        slots: &Slots,
        cycle: usize,
        coordinate: u32,
    ) -> Option<(NodeId, usize, SlotPlace)> {
        let length = i64::from(self.lengths[cycle]);
        program.topology.node_ids().zip(&program.class_of).find_map(|(node, class)| {
            slots.of_class(class.index()).iter().enumerate().find_map(|(slot, PortSlot { age, .. })| {
                let place = self.at(node, slot);
                let at = (i64::from(coordinate) - place.first).rem_euclid(length);
                (place.cycle == cycle && at < i64::from(*age)).then_some((node, slot, place))
            })
        })
    }
}
