//! Arrivals at every port in one tick, laid out so that nodes can be looked at one by one.

use std::ops::{Deref, DerefMut};

use super::receive::NOTHING;

/// Number of ticks that are moved before the inboxes are looked at.
pub(super) const BATCH: u32 = 32;

/// Arrivals at every port in one tick, at the index of the register of that node, port and lane.
#[derive(Default)]
pub(super) struct Inbox {
    flits: Vec<u32>,
    /// offset of the first arrival
    skew: usize,
}

/// The words of a cache line.
const LINE: usize = 16;

impl Inbox {
    /// The n-th begins n lines later than a page: what one node receives in many ticks would otherwise come to lie in one
    /// set of the cache.
    pub(super) fn new(index: usize, registers: usize) -> Self {
        let skew = index % BATCH as usize * LINE;
        Self { flits: vec![NOTHING; registers + skew], skew }
    }
}

impl Deref for Inbox {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.flits[self.skew..]
    }
}

impl DerefMut for Inbox {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.flits[self.skew..]
    }
}
