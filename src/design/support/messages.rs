//! Limits of messages that the config alone decides: who sends how much to whom.

use super::configs::{COLLECTIVE, limit};
use super::{Limit, With};
use crate::design::config::{CollectiveName, Config};
use crate::netlist::OwnInputs;
use crate::task::Collective;

const ONE_TREE: &str = "leave `tree` out, or take `collective: scatter` or `gather` with a scheme by its name";
/// Cure for own streams of other collectives than an exchange.
pub(super) const EQUAL_PACKETS: &str =
    "leave `own` out, or take one `collective: exchange` with messages of one length";
const NEIGHBOURS: &str = "only in a halo each node has neighbours";

/// Every limit of messages.
pub(super) static LIMITS: &[Limit] = &[
    Limit {
        when: "a collective without a root",
        reason: "all nodes are equal in it",
        help: "leave `root` out, or take `collective: broadcast`, `scatter`, `gather` or `reduce`",
        ..limit("root", COLLECTIVE, |config| config.root.is_some() && !config.collective().has_root())
    },
    Limit {
        when: "a collective of equal messages, and halo",
        reason: "only a scatter or gather has a length per node, and an exchange one per pair of nodes",
        help: "leave `lengths` out, or take `collective: scatter`, `gather` or `exchange`; a halo has `count`",
        ..limit("lengths", COLLECTIVE, |config| {
            config.lengths.is_some() && (!config.collective().has_lengths() || is_halo(config))
        })
    },
    flits_beside(With::Field("lengths"), |config| has_flits(config) && config.lengths.is_some() && !is_halo(config)),
    flits_beside(With::Field("count"), |config| has_flits(config) && config.count.is_some() && !is_halo(config)),
    flits_beside(COLLECTIVE, |config| has_flits(config) && is_halo(config)),
    Limit {
        when: "a collective but halo",
        reason: NEIGHBOURS,
        help: "leave `reach` out, or take `collective: halo`",
        ..limit("reach", COLLECTIVE, |config| config.reach.is_some() && !is_halo(config))
    },
    Limit {
        when: "a collective but halo",
        reason: NEIGHBOURS,
        help: "leave `corners` out, or take `collective: halo`",
        ..limit("corners", COLLECTIVE, |config| config.corners && !is_halo(config))
    },
    Limit {
        when: "the schedule of a file",
        reason: "the file says along which links messages travel",
        help: ONE_TREE,
        ..limit("tree", With::Field("scheme"), |config| config.tree.is_some() && config.scheme.file().is_some())
    },
    Limit {
        when: "a collective but all-reduce and halo",
        reason: "only vectors of an all-reduce may be cut into blocks or kept whole, and only a halo has neighbours",
        help: "leave `count` out and say `link.flits`, or take `collective: all-reduce` or `halo`",
        ..limit("count", COLLECTIVE, |config| {
            config.count.is_some() && config.collective() != Collective::AllReduce && !is_halo(config)
        })
    },
    Limit {
        when: "`packets`",
        reason: "`auto` takes the fastest scheme for so many words, whatever its packets",
        help: "leave one of the two out",
        ..limit("count", With::Field("packets"), |config| config.count.is_some() && config.packets.is_some())
    },
    Limit {
        when: "a collective but scatter and gather",
        reason: "only a scatter or gather keeps to one tree",
        help: ONE_TREE,
        ..limit("tree", COLLECTIVE, |config| config.tree.is_some() && !config.collective().has_tree())
    },
    Limit {
        when: "a collective but exchange",
        reason: "only in an exchange every packet leaves by one output, and other collectives have their streams anyway",
        help: EQUAL_PACKETS,
        ..limit("own", COLLECTIVE, |config| config.own.is_some() && config.collective() != Collective::Exchange)
    },
    Limit {
        when: "lengths of messages, and halo",
        reason: "their flits are numbered by the receivers",
        help: EQUAL_PACKETS,
        ..limit("own", COLLECTIVE, |config| config.own == Some(OwnInputs::Streams) && config.tells_lengths())
    },
];

/// Field that says by itself how long messages are.
const fn flits_beside(with: With, holds: fn(&Config) -> bool) -> Limit {
    Limit {
        when: "`lengths`, `count` or halo, above 1",
        reason: "they say how long every message is",
        help: "leave `link.flits` out, and say `count` or `lengths`; or leave those out",
        ..limit("link.flits", with, holds)
    }
}

fn has_flits(config: &Config) -> bool {
    config.link.flits.get() > 1
}

fn is_halo(config: &Config) -> bool {
    config.collective == CollectiveName::Halo
}
