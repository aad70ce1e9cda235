//! Limits of boards, whatever a design plays on them.

use super::configs::{has_common_start, has_wrapper, limit};
use super::{Limit, With};
use crate::netlist::{BoardPort, PortClock};

const ELASTIC: With = With::Field("link.elastic");

/// Every limit of boards that the config alone decides.
pub(super) static LIMITS: &[Limit] = &[
    Limit {
        when: "one device",
        reason: "only boards have cables",
        help: "leave `link.boards` out, or say `link.elastic: true`",
        ..limit("link.boards", ELASTIC, |config| config.link.boards.is_some() && !config.link.elastic)
    },
    Limit {
        when: "one device",
        reason: "only boards have cables",
        help: "leave `link.checksum` out, or say `link.elastic: true`",
        ..limit("link.checksum", ELASTIC, |config| config.link.checksum.is_some() && !config.link.elastic)
    },
    Limit {
        when: "one device",
        reason: "only boards have cables",
        help: "leave `link.clocks` out, or say `link.elastic: true`",
        ..limit("link.clocks", ELASTIC, |config| config.link.clocks == PortClock::Cable && !config.link.elastic)
    },
    Limit {
        when: "one device",
        reason: "only boards have cables",
        help: "leave `link.start` out, or say `link.elastic: true`",
        ..limit("link.start", ELASTIC, |config| has_common_start(config) && !config.link.elastic)
    },
    Limit {
        when: "one device",
        reason: "only boards have cables",
        help: "leave `link.ports` out, or say `link.elastic: true`",
        ..limit("link.ports", ELASTIC, |config| has_wrapper(config) && !config.link.elastic)
    },
    Limit {
        when: "`serial`, and ports in the clock of their cable",
        reason: "bits of a wire are sampled in the clock of the board",
        help: "leave `link.clocks` or `link.ports` out",
        ..limit("link.ports", With::Field("link.clocks"), |config| {
            config.link.ports == BoardPort::Serial && config.link.elastic && config.link.clocks == PortClock::Cable
        })
    },
    Limit {
        when: "ports of another form",
        reason: "only ports of whole bytes send frames in beats",
        help: "leave `link.bytes` out, or say `link.ports: bytes`",
        ..limit("link.bytes", With::Field("link.ports"), |config| {
            config.link.bytes.is_some() && config.link.ports != BoardPort::Bytes
        })
    },
    Limit {
        when: "a lattice whose twist is no multiple of a block's sides",
        reason: "the links that cross one side of a block have to lead to one board",
        help: "take more boards, or leave `link.boards` out for a board at each node",
        ..limit("link.boards", With::Field("topology"), |config| {
            config.link.elastic
                && config.topology.lay_out().is_ok_and(|network| matches!(config.blocks(&network), Ok(None)))
        })
    },
];
