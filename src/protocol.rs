//! Protocols that find out lengths while they run: a state machine a node, one register per output, tick by tick.
//!
//! Contents of a register after tick t have arrived at the neighbour in tick t, and the neighbour acts on them in tick t + 1.

pub mod certification;
pub mod shoulder_tap;
mod wire;

use crate::paths::rooted::Rooted;
pub use wire::{Event, RegisterContents, rows};

/// Protocols that can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolKind {
    /// Taps down a path.
    ShoulderTap,
    /// Certificates up a tree, orders down, one word per node and tick.
    Certification,
    /// Certificates with all ports at once.
    CertificationAllPort,
}

/// A protocol on a tree, with the lengths that its testbench plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Protocol that is run.
    pub kind: ProtocolKind,
    /// Tree along which messages are sent; a path for shoulder taps.
    pub tree: Rooted,
    /// Flits of every node's message; the root's is not sent.
    pub lengths: Vec<u32>,
}

impl Protocol {
    /// Everything that any register ever holds, for messages of these lengths.
    pub fn play(&self, lengths: &[u32]) -> Vec<Event> {
        match self.kind {
            ProtocolKind::ShoulderTap => shoulder_tap::play(&self.tree, lengths).expect("the tree is a path"),
            ProtocolKind::Certification => certification::play(&self.tree, lengths, certification::Children::Single),
            ProtocolKind::CertificationAllPort => {
                certification::play(&self.tree, lengths, certification::Children::All)
            }
        }
    }

    /// Bits of a length and of a number of ticks: enough for messages of as many flits as these, and for 16 bits of them.
    pub fn count_bits(&self) -> u32 {
        let flits: u64 = self.lengths.iter().map(|&flits| u64::from(flits)).sum();
        // longest possible run: down and up the tree for every node, and then all flits
        let most = flits + 4 * u64::from(self.tree.topology().nodes()) + 4;
        (u64::BITS - most.leading_zeros()).max(16)
    }

    /// Describes in a sentence how a node behaves.
    pub fn rule(&self) -> &'static str {
        match self.kind {
            ProtocolKind::ShoulderTap => {
                "Tapped by its parent, a node tells its child when it will be free itself, waits until its parent is, \
                 sends its message, and then passes on what comes from its child."
            }
            ProtocolKind::Certification => {
                "Asked by a token, a node asks its children one after the other and certifies how many flits it can send \
                 without a gap and how long after an order; ordered by its parent, it orders its children, one per tick."
            }
            ProtocolKind::CertificationAllPort => {
                "Asked by a token, a node asks its children and certifies how many flits it can send without a gap and \
                 how long after an order; ordered by its parent, it orders all its children at once."
            }
        }
    }
}

#[cfg(test)]
mod tests;
