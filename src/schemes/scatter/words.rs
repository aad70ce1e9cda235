//! Words about the place of a node in a tree and its turn.

use super::assign::MessageSlot;
use crate::net::NodeId;
use crate::paths::rooted::Rooted;
use crate::program::port_name;
use crate::task::Collective;
use crate::task::Task;

/// Describes the place of a node in a tree.
pub fn place(tree: &Rooted, node: NodeId) -> Vec<String> {
    let topology = tree.topology();
    let name = |port| port_name(topology.axes(), port);
    let children =
        tree.downs(node).into_iter().map(|(child, port)| format!("{} by {}", topology.show(child), name(port)));
    let children = match children.collect::<Vec<_>>() {
        none if none.is_empty() => "no children".to_owned(),
        some => format!("children {}", some.join(", ")),
    };
    vec![match (tree.up(node), tree.parent(node)) {
        (Some(up), Some(parent)) => {
            format!(
                "parent {} by {}, depth {} of {}, {children}",
                topology.show(parent),
                name(up),
                tree.depth(node),
                tree.height()
            )
        }
        _ => format!("the root, {children}"),
    }]
}

/// When a message is under way.
pub fn timed(task: &Task, slot: &MessageSlot, depth: u32, ticks: u32) -> String {
    let MessageSlot { before, flits, .. } = *slot;
    if task.collective() == Collective::Gather {
        let first = ticks + 2 - before - flits - depth;
        format!(
            "its window is ticks {first} to {}: the scatter backwards, in which {} ticks go before it; T - tau - L - delta + 2 \
             = {ticks} - {before} - {flits} - {depth} + 2",
            first + flits - 1,
            before
        )
    } else {
        let first = before + depth;
        format!(
            "its message leaves the root in ticks {} to {} and arrives in ticks {first} to {}: tau = {before} ticks go before it",
            before + 1,
            before + flits,
            first + flits - 1
        )
    }
}
