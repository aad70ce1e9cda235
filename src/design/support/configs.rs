//! Limits that the config alone decides.

use super::{Limit, RefusalRule, With};
use crate::design::config::Config;
use crate::emit;
use crate::netlist::{BlockOrder, BoardPort, BoardStart, Crossbar, HostStreams, OwnInputs, Results};
use crate::program::{Number, Operation};
use crate::schemes::SchemeName;
use crate::task::SchemeLinks;

pub(super) const COLLECTIVE: With = With::Field("collective");
const FIXED: &str = "boards, self-test and memories know one schedule, and no configuration";
/// Cure for a configurable crossbar of other designs.
pub(super) const ONE_GOSSIP: &str = "leave `crossbar` out, or take one `collective: gossip` on full-duplex links";
const CONFIGURABLE: With = With::Field("crossbar");
const ELASTIC: With = With::Field("link.elastic");
const NUMBER: With = With::Field("number");
const RING: &str = "the ring passes on the streams of nodes, a word per clock";

/// Links without a checksum, where one is required: with what, why, and the cure.
pub(super) const UNCHECKED: [&str; 3] = [
    "`link.ports: serial` or `bytes`, `link.start: common`, and boards of `programs`",
    "what comes may be damaged or lost, and words, starts and ends of calls go in frames",
    "say `checksum: crc8` or `crc16`, --checksum crc8",
];

/// Frames that are too long: with what, why, and the cure.
pub(super) const LONG_FRAMES: [&str; 3] = [
    "flits for which a frame has more bits than the checksum covers: 110 with `crc8` on short links; with blocks of nodes a frame \
     has a flit for each link of the cable",
    "in longer frames three wrong bits may cancel",
    "say `checksum: crc16`, --checksum crc16, or take a smaller `link.width` or more boards",
];

/// Cure for rows that a schedule does not give.
pub(super) const OTHER_ROWS: &str = "take `order: arrival` and at most as many words as a node has inputs, lanes counted, or another scheme; or leave `local.words` out";

/// Rows of a stream in the order of the nodes.
pub(super) const ROWS_BY_ORIGIN: Limit = Limit {
    when: "`order: origin`",
    reason: "a row has the words of one step, which come from nodes all over",
    help: OTHER_ROWS,
    ..limit("local.words", With::Field("local.order"), |config| {
        has_rows(config) && config.local.order == Some(BlockOrder::Origin)
    })
};

/// Rows beside a read port.
pub(super) const ROWS_OF_MEMORY: Limit = Limit {
    when: "several words per clock",
    reason: "a read port gives the one word that it is asked for",
    help: "leave `local.words` or `local.results` out",
    ..limit("local.results", With::Field("local.words"), |config| has_read_ports(config) && has_rows(config))
};

/// Every limit that the config alone decides.
pub(super) static LIMITS: &[Limit] = &[
    Limit {
        when: "a collective that moves packets",
        reason: "no values are combined",
        help: "leave `operation` out, or take `collective: reduce`, `reduce-scatter` or `all-reduce`",
        ..limit("operation", COLLECTIVE, |config| config.operation.is_some() && !config.collective().is_reduction())
    },
    Limit {
        when: "reduce, reduce-scatter or all-reduce",
        reason: "it says how two values become one",
        help: "say `operation: sum`, --operation sum; `torusweave schema` lists the operations",
        ..missing("operation", COLLECTIVE, |config| config.operation.is_none() && config.collective().is_reduction())
    },
    Limit {
        when: "reduce, reduce-scatter or all-reduce",
        reason: "values are combined on full-duplex links of one lane",
        help: "leave `link.lanes` out, or take `collective: gossip`",
        ..limit("link.lanes", COLLECTIVE, |config| config.link.lanes.get() > 1 && config.collective().is_reduction())
    },
    Limit {
        when: "reduce, reduce-scatter or all-reduce",
        reason: "values are combined on full-duplex links of one lane",
        help: "leave `link.duplex` out, or take `collective: gossip`",
        ..limit("link.duplex", COLLECTIVE, |config| {
            config.link.duplex.is_some_and(|duplex| !duplex.is_full()) && config.collective().is_reduction()
        })
    },
    Limit {
        when: "reduce, reduce-scatter or all-reduce",
        reason: "values are combined on full-duplex links of one lane",
        help: "leave `scheme` out, or take `collective: gossip`",
        ..limit("scheme", COLLECTIVE, |config| {
            matches!(config.scheme, SchemeName::One(scheme) if scheme.links() == SchemeLinks::Half)
                && config.link.duplex.is_none()
                && config.collective().is_reduction()
        })
    },
    Limit {
        when: "reduce, reduce-scatter or all-reduce",
        reason: "the configuration selects an input, and no operation",
        help: ONE_GOSSIP,
        ..limit("crossbar", COLLECTIVE, |config| is_configurable(config) && config.collective().is_reduction())
    },
    Limit {
        when: "half-duplex links",
        reason: "links turn, and a configuration does not say when",
        help: ONE_GOSSIP,
        ..limit("crossbar", With::HalfDuplex, |config| is_configurable(config) && is_half_duplex(config))
    },
    Limit {
        when: "a configurable crossbar",
        reason: FIXED,
        help: "leave `bist` out, or `crossbar`",
        ..limit("bist", CONFIGURABLE, |config| config.bist && is_configurable(config))
    },
    Limit {
        when: "a configurable crossbar",
        reason: FIXED,
        help: "leave `link.elastic` out, or `crossbar`",
        ..limit("link.elastic", CONFIGURABLE, |config| config.link.elastic && is_configurable(config))
    },
    fixed_tables("local.order", "leave `local.order` out, or `crossbar`", |config| {
        config.local.order.is_some() && is_configurable(config)
    }),
    fixed_tables("local.words", "leave `local.words` out, or `crossbar`", |config| {
        has_rows(config) && is_configurable(config)
    }),
    fixed_tables("local.results", "leave `local.results` out, or `crossbar`", |config| {
        has_read_ports(config) && is_configurable(config)
    }),
    fixed_tables("local.elements", "leave `local.elements` out, or `crossbar`", |config| {
        config.local.elements && is_configurable(config)
    }),
    fixed_tables("host", "leave `host` out, or `crossbar`", |config| {
        config.host.streams() == HostStreams::Chain && is_configurable(config)
    }),
    Limit {
        when: "a configurable crossbar",
        reason: "the configuration names a packet, and a stream has several",
        help: "leave `own` out, or `crossbar`",
        ..limit("own", CONFIGURABLE, |config| config.own == Some(OwnInputs::Streams) && is_configurable(config))
    },
    ROWS_BY_ORIGIN,
    Limit {
        when: "`host: chain`",
        reason: RING,
        help: "leave `local.words` out, or `host`: every node then has ports of its own",
        ..limit("local.words", With::Field("host"), |config| {
            has_rows(config) && config.host.streams() == HostStreams::Chain
        })
    },
    ROWS_OF_MEMORY,
    Limit {
        when: "`host: chain`",
        reason: RING,
        help: "leave `local.elements` out, or `host`: every node then has ports of its own",
        ..limit("local.elements", With::Field("host"), |config| {
            config.local.elements && config.host.streams() == HostStreams::Chain
        })
    },
    Limit {
        when: "`host: chain`",
        reason: RING,
        help: "leave `local.results` out, or `host`: every node then has ports of its own",
        ..limit("local.results", With::Field("host"), |config| {
            has_read_ports(config) && config.host.streams() == HostStreams::Chain
        })
    },
    Limit {
        when: "boards",
        reason: "one ring would pass through all of them",
        help: "leave `host` out: each node of a board then has a stream in and one out",
        ..limit("host", ELASTIC, |config| config.link.elastic && config.host.streams() == HostStreams::Chain)
    },
    Limit {
        when: UNCHECKED[0],
        reason: UNCHECKED[1],
        help: UNCHECKED[2],
        ..missing("link.checksum", With::Field("link.ports"), |config| {
            has_wrapper(config) && config.link.elastic && config.link.checksum.is_none()
        })
    },
    Limit {
        when: UNCHECKED[0],
        reason: UNCHECKED[1],
        help: UNCHECKED[2],
        ..missing("link.checksum", With::Field("link.start"), |config| {
            has_common_start(config) && config.link.elastic && config.link.checksum.is_none()
        })
    },
    Limit {
        when: LONG_FRAMES[0],
        reason: LONG_FRAMES[1],
        help: LONG_FRAMES[2],
        ..limit("link.checksum", With::Field("link.width"), |config| {
            let body = emit::body_bits(config.links_per_cable(), config.width(), config.link.latency.get());
            config.link.checksum.is_some_and(|check| body > check.longest())
        })
    },
    Limit {
        when: "half-duplex links, above 1",
        reason: "a link turns before a flit has arrived",
        help: "leave `link.latency` out, or take full-duplex links in place of half-duplex ones",
        ..limit("link.latency", With::HalfDuplex, |config| is_long(config) && is_half_duplex(config))
    },
    Limit {
        when: "a collective that moves packets",
        reason: "no values are combined",
        help: "leave `number` out, or take `collective: reduce`, `reduce-scatter` or `all-reduce`",
        ..limit("number", COLLECTIVE, |config| config.number != Number::Word && !config.collective().is_reduction())
    },
    Limit {
        when: "a collective that moves packets",
        reason: "no values are combined",
        help: "leave `flush` out, or take `collective: reduce`, `reduce-scatter` or `all-reduce`",
        ..limit("flush", COLLECTIVE, |config| config.flush && !config.collective().is_reduction())
    },
    Limit {
        when: "a collective that moves packets",
        reason: "no values are combined",
        help: "leave `adder` out, or take `collective: reduce`, `reduce-scatter` or `all-reduce`",
        ..limit("adder", COLLECTIVE, |config| config.adder.is_some() && !config.collective().is_reduction())
    },
    Limit {
        when: "a number of other bits",
        reason: "a flit is one value",
        help: "leave `link.width` out: it is then the number's, 32 or 16 bits",
        ..limit("link.width", NUMBER, |config| config.number.width().is_some_and(|bits| bits != config.width()))
    },
    Limit {
        when: "`i32` and floats, for `xor`, `and`, `or` and `custom`",
        reason: "their bits are no values of their own, and a combiner of your own says itself what words mean",
        help: "take `operation: sum`, `max` or `min`; or leave `number` out, or take `number: u32`",
        ..limit("operation", NUMBER, |config| config.operation.is_some_and(|it| !config.number.allows(it)))
    },
    Limit {
        when: "words and integers, and floats for `max` and `min`",
        reason: "only sums of floats have subnormal values to flush",
        help: "leave `flush` out, or take `operation: sum` and `number: f32`, `bf16` or `f16`",
        ..limit("flush", NUMBER, |config| {
            config.flush && (!is_float(config) || config.operation.is_some_and(|it| it != Operation::Sum))
        })
    },
    Limit {
        when: "words and integers, but for `operation: custom`",
        reason: "they are combined in the tick in which they meet",
        help: "leave `adder` out, or take `number: f32`, `bf16` or `f16`",
        ..limit("adder", NUMBER, |config| config.adder.is_some() && !config.takes_time())
    },
];

pub(super) const fn limit(field: &'static str, with: With, holds: fn(&Config) -> bool) -> Limit {
    Limit { rule: RefusalRule::Config(with, holds), ..Limit::met(field) }
}

pub(super) const fn missing(field: &'static str, with: With, holds: fn(&Config) -> bool) -> Limit {
    Limit { rule: RefusalRule::Missing(with, holds), ..Limit::met(field) }
}

/// Field that asks for nodes with memories, beside a crossbar that is loaded.
const fn fixed_tables(field: &'static str, help: &'static str, holds: fn(&Config) -> bool) -> Limit {
    Limit { when: "a configurable crossbar", reason: FIXED, help, ..limit(field, CONFIGURABLE, holds) }
}

fn is_configurable(config: &Config) -> bool {
    config.crossbar == Crossbar::Configurable
}

/// Returns true if nodes hand out several words per clock.
fn has_rows(config: &Config) -> bool {
    config.local.words.get() > 1
}

/// Returns true if nodes have read ports.
fn has_read_ports(config: &Config) -> bool {
    config.local.results == Results::Memory
}

pub(super) fn has_common_start(config: &Config) -> bool {
    config.link.start == BoardStart::Common
}

/// Returns true if a module around the board has other ports.
pub(super) fn has_wrapper(config: &Config) -> bool {
    config.link.ports != BoardPort::Stream
}

fn is_half_duplex(config: &Config) -> bool {
    !config.capacity().duplex.is_full()
}

fn is_float(config: &Config) -> bool {
    config.number.float().is_some()
}

fn is_long(config: &Config) -> bool {
    config.link.latency.get() > 1
}
