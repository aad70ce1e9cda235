//! Operands that are combined with a node's own value: sets of inputs and ages.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use crate::net::Port;

/// Arrival at a port, a number of ticks ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// The input port.
    pub port: Port,
    /// At least 1.
    pub age: u32,
}

/// Some operands, in the order in which they are combined.
// Few differ, and a source is copied everywhere: each is kept once, as long as the process lives. A pointer to a list is half
// of one to a slice, and large programs are mostly sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operands(&'static Vec<Operand>);

impl Operands {
    /// Interns a set of operands.
    pub fn of(operands: impl IntoIterator<Item = Operand>) -> Self {
        static KNOWN: LazyLock<Mutex<HashSet<&'static Vec<Operand>>>> = LazyLock::new(Mutex::default);
        let operands: Vec<Operand> = operands.into_iter().collect();
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(operands) = known.get(&operands) {
            return Self(operands);
        }
        let kept: &'static Vec<Operand> = Box::leak(Box::new(operands));
        known.insert(kept);
        Self(kept)
    }

    /// Units in a row that a node's own value passes, if neighbours are combined pairwise.
    pub fn rows(self) -> u32 {
        (self.0.len() as u32 + 1).next_power_of_two().trailing_zeros()
    }

    /// Each of them.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Operand> + Clone {
        self.0.iter().copied()
    }

    /// Copies the operands with their ages changed by `scale`; `None` if it refuses one.
    pub(crate) fn scaled(self, scale: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let scaled = |operand: Operand| Some(Operand { age: scale(operand.age)?, ..operand });
        Some(Self::of(self.iter().map(scaled).collect::<Option<Vec<_>>>()?))
    }
}
