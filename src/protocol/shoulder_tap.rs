//! Algorithm Shoulder-Tap of Bhatt, Pucci, Ranade and Rosenberg on a path: a tap tells each node when its parent is free.

use super::wire::{Event, RegisterContents};
use crate::net::NodeId;
use crate::paths::rooted::Rooted;

/// State of a node's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapState {
    /// Not tapped yet.
    Idle,
    /// Waits: its first flit leaves when the count is 1.
    Wait {
        /// Ticks until the first flit leaves.
        count: u32,
    },
    /// Sends its own flits.
    Send {
        /// The next one.
        flit: u32,
    },
    /// Relays the flits of its child.
    Relay,
}

/// A node of the path, not the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathNode {
    /// Number of the node.
    pub id: NodeId,
    /// The flits of its message.
    pub length: u32,
    /// True if the node has no child.
    pub last: bool,
    /// State of the node's controller.
    pub state: TapState,
    /// The register that its child reads.
    pub down: Option<u32>,
    /// The register that its parent reads: whose flit, and which.
    pub up: Option<(NodeId, u32)>,
}

impl PathNode {
    /// A node before the first tick.
    pub fn new(id: NodeId, length: u32, last: bool) -> Self {
        Self { id, length, last, state: TapState::Idle, down: None, up: None }
    }

    /// One tick: what came from the parent and from the child in the last one.
    pub fn step(&mut self, tap: Option<u32>, from_child: Option<(NodeId, u32)>) {
        (self.down, self.up) = (None, None);
        match self.state {
            TapState::Idle => {
                let Some(tap) = tap else { return };
                if !self.last {
                    self.down = Some((self.length + tap.saturating_sub(2)).max(1));
                }
                let wait = (tap - 1).max(u32::from(!self.last));
                if self.length == 0 {
                    self.state = TapState::Relay;
                } else if wait == 0 {
                    self.send(0);
                } else {
                    self.state = TapState::Wait { count: wait };
                }
            }
            TapState::Wait { count: 1 } => self.send(0),
            TapState::Wait { count } => self.state = TapState::Wait { count: count - 1 },
            TapState::Send { flit } => self.send(flit),
            TapState::Relay => self.up = from_child,
        }
    }

    fn send(&mut self, flit: u32) {
        self.up = Some((self.id, flit));
        self.state = if flit + 1 == self.length { TapState::Relay } else { TapState::Send { flit: flit + 1 } };
    }
}

/// Plays the protocol on a path until every tap and every flit is there. `None` if the tree is no path.
pub fn play(path: &Rooted, lengths: &[u32]) -> Option<Vec<Event>> {
    if !path.is_path() {
        return None;
    }
    let order = path.outwards();
    let last = order.len() - 1;
    let new = |place: usize| PathNode::new(order[place], lengths[order[place].index()], place == last);
    let mut nodes: Vec<PathNode> = (1..=last).map(new).collect();
    let mut owed: u64 = nodes.iter().map(|node| u64::from(node.length)).sum();
    let mut events = vec![Event { tick: 1, from: order[0], to: order[1], word: RegisterContents::Tap(1) }];
    let mut tick = 1;
    while owed > 0 || tick < last as u32 {
        tick += 1;
        let before = nodes.clone();
        for (index, node) in nodes.iter_mut().enumerate() {
            let tap = if index == 0 { (tick == 2).then_some(1) } else { before[index - 1].down };
            node.step(tap, before.get(index + 1).and_then(|child| child.up));
            if let Some(tap) = node.down {
                events.push(Event { tick, from: node.id, to: order[index + 2], word: RegisterContents::Tap(tap) });
            }
            if let Some((of, flit)) = node.up {
                events.push(Event { tick, from: node.id, to: order[index], word: RegisterContents::Flit { of, flit } });
                owed -= u64::from(index == 0);
            }
        }
    }
    Some(events)
}
