//! Limits of lists of programs: fields beside `programs`, and what is met while one program or several are lowered to nodes.

use super::configs::{
    ONE_GOSSIP, OTHER_ROWS, ROWS_BY_ORIGIN, ROWS_OF_MEMORY, UNCHECKED, has_common_start, limit, missing,
};
use super::messages::EQUAL_PACKETS;
use super::{Limit, Unsupported, With, all_of, commands, uses};
use crate::design::config::{Config, HostChoice};
use crate::net::{ShapeName, Topology};
use crate::netlist::listed::NotLowered;
use crate::netlist::{BlockOrder, HostStreams};
use crate::program::Duplex;

const EACH: &str = "each program has fields of its own";
const LEAVE: &str = "leave it out: each program has fields of its own";
/// Words of more bits do not pass the registers of the host.
const MOST_BITS: u32 = 32;

/// Every limit of a config with `programs` that the config alone decides.
pub(super) static LIMITS: &[Limit] = &[
    of_one("collective", |config| config.collective != plain().collective),
    of_one("operation", |config| config.operation.is_some()),
    of_one("root", |config| config.root.is_some()),
    of_one("lengths", |config| config.lengths.is_some()),
    of_one("count", |config| config.count.is_some()),
    of_one("reach", |config| config.reach.is_some()),
    of_one("corners", |config| config.corners),
    of_one("groups", |config| config.groups.is_some()),
    of_one("tree", |config| config.tree.is_some()),
    of_one("scheme", |config| config.scheme != plain().scheme),
    of_one("packets", |config| config.packets.is_some()),
    Limit {
        when: "`programs` and a host",
        reason: "the self-test drives the streams of nodes",
        help: "leave `bist` out, or take `host: { bus: streams }`; `torusweave fpga --top bist` puts such nodes in the place of a host",
        ..of_one("bist", |config| config.bist && !config.has_streams_of_nodes())
    },
    of_fabric("crossbar", ONE_GOSSIP, |config| config.crossbar != plain().crossbar),
    of_fabric("own", EQUAL_PACKETS, |config| config.own.is_some()),
    Limit {
        reason: "there is one ring, with words of 33 bits",
        help: "take `host: { bus: uart }`, `axi-lite` or `ring`",
        ..of_one("host", |config| matches!(config.host, HostChoice::Streams(host) if host != HostStreams::default()))
    },
    ROWS_BY_ORIGIN,
    ROWS_OF_MEMORY,
    of_hosts("local.order", "leave `local.order` out, or take `host: { bus: streams }`", |config| {
        config.local.order == Some(BlockOrder::Arrival) && !config.has_streams_of_nodes()
    }),
    of_hosts("local.words", "leave `local.words` out, or take `host: { bus: streams }`", |config| {
        config.local.words.get() > 1 && !config.has_streams_of_nodes()
    }),
    of_hosts("local.results", "leave `local.results` out, or take `host: { bus: streams }`", |config| {
        config.local.results != plain().local.results && !config.has_streams_of_nodes()
    }),
    of_hosts("local.elements", "leave `local.elements` out, or take `host: { bus: streams }`", |config| {
        config.local.elements && !config.has_streams_of_nodes()
    }),
    Limit {
        when: UNCHECKED[0],
        reason: UNCHECKED[1],
        help: UNCHECKED[2],
        ..missing("link.checksum", With::Programs, |config| config.link.elastic && config.link.checksum.is_none())
    },
    Limit {
        when: "`programs` and a host",
        reason: "words of a board come by its own host, which calls it",
        help: "leave `link.start` out, or take `host: { bus: streams }`",
        ..limit("link.start", With::Programs, |config| {
            config.link.elastic && has_common_start(config) && !config.has_streams_of_nodes()
        })
    },
    Limit {
        when: "`pads`, and `programs`",
        reason: "they are of a fabric's routers, each on a board of its own, and `programs` have nodes",
        help: "take `duplex: half`",
        ..of_one("link.duplex", |config| config.link.duplex == Some(Duplex::Pads))
    },
    Limit {
        when: "`programs` and a host, above 32",
        reason: "words pass registers of 32 bits",
        help: "take a `link.width` of at most 32, or `host: { bus: streams }`",
        ..of_one("link.width", |config| config.width() > MOST_BITS && !config.has_streams_of_nodes())
    },
];

const fn of_one(field: &'static str, holds: fn(&Config) -> bool) -> Limit {
    Limit { when: "`programs`", reason: EACH, help: LEAVE, ..limit(field, With::Programs, holds) }
}

/// Field that changes the routers or the ports of a fabric.
const fn of_fabric(field: &'static str, help: &'static str, holds: fn(&Config) -> bool) -> Limit {
    Limit { reason: "it is of a fabric's ports, and `programs` have nodes", help, ..of_one(field, holds) }
}

/// Field that asks for other ports of nodes, beside a host.
const fn of_hosts(field: &'static str, help: &'static str, asks: fn(&Config) -> bool) -> Limit {
    Limit {
        when: "`programs` and a host",
        reason: "words of all nodes leave on one ring",
        help,
        ..limit(field, With::Programs, asks)
    }
}

/// Fails if boards cannot have their calls in common. Their tokens name program and root in so many bits.
pub fn check_common_calls(config: &Config, topology: &Topology, tag: u32) -> Result<(), Unsupported> {
    all_of(uses::of_common_calls(config, topology, tag))
}

/// Row that a lowering to nodes meets, and the program that meets it.
pub(super) fn of_lowering(error: &NotLowered) -> (&'static Limit, Option<usize>) {
    match *error {
        NotLowered::Repeated { program } => (&REPEATED, Some(program)),
        NotLowered::Lengths { program } => (&LENGTHS, Some(program)),
        NotLowered::Operations { program, .. } => (&OPERATIONS, Some(program)),
        // ports are those of all programs
        NotLowered::Rows { .. } => (&ROWS, None),
        NotLowered::TooLarge { .. } | NotLowered::TooLong { .. } => (&TABLES, None),
    }
}

fn plain() -> Config {
    Config::of(ShapeName::Torus, vec![3, 3])
}

/// Declares rows that are met while a list is built, and collects them.
macro_rules! rows {
    ($($(#[$about:meta])* $name:ident: $field:literal, $when:expr, $reason:expr, $help:expr;)*) => {
        $($(#[$about])* pub static $name: Limit =
            Limit { when: $when, reason: $reason, help: $help, ..Limit::met($field) };)*
        /// Every limit that is met while a list is built.
        pub(super) static MET: &[&Limit] = &[$(&$name),*];
    };
}

rows! {
    /// Calls of boards whose hosts are software.
    HOSTS_OF_BOARDS: "simulate --engine icarus, verilator", "`link.elastic` with a host",
        "each board has a host of its own, and all of them together make a call",
        "take `simulate --serve` and Python, which are those hosts, or `host: { bus: streams }`";
    /// Pace of calls that one board takes for all.
    PACE: "pace", commands::LATE_REPORTS[0], commands::LATE_REPORTS[1], commands::LATE_REPORTS[2];
    /// Proof of all nodes together.
    WHOLE_PROOF: "prove --part whole", "`programs` on boards", "nodes that are proved together are those of one device",
        "leave --part out: routers, the wires of all boards and the ports are proved";
    /// Server of a list without a host.
    NO_HOST: "host.bus", "`streams`, with `simulate --serve`", "nodes have streams, and nothing carries bytes",
        "take another bus, as in `host: { bus: uart }`; `simulate --engine icarus` plays the bench";
    /// Number of programs.
    PROGRAMS: "programs", "more than 16 programs", "one register chooses the program", "list at most 16, or generate two designs";
    /// Ring of a host.
    RING: "host", "`programs`, and more than 65,535 words of a node in a call, or 4,096 nodes of a device", "a header of the ring counts words in 16 bits, and nodes in 12",
        "take `host: { bus: streams }`, fewer flits, or more boards";
    /// Root that is chosen for each call.
    ANY_ROOT: "programs.root", "`any` where nodes differ, as on a mesh or by `lengths`, or no node is the root",
        "a program is moved to another root, which takes nodes that all look alike",
        "name a node, as in `root: [0, 0]`, and list the program again for another; or leave `root` out";
    /// Programs that are not played at once.
    TOGETHER: "together", "programs with `root: any` or with different operations; and `bist`, `local.elements`, `local.results: memory` and several `local.words`",
        "one run has one root and one operation, and each program has a block of a node, which these do not tell from one another",
        "leave them out, or leave `together` out and call the programs one after the other";
    /// Self-test of sums of groups.
    TESTED_GROUPS: "programs.groups", "`bist`, in a reduction", "the self-test knows what all nodes combine, and not what some do",
        "leave `bist` out: the bench and `simulate --engine verilator` compare what groups combine";
    /// Words that are sent twice.
    REPEATED: "scheme", "nodes with streams or a host, and schedules in which an output sends a word of its node twice",
        "a send bank is read in order", "choose `scheme: optimal`, which sends each word of a node once, or another one";
    /// Blocks of different lengths.
    LENGTHS: "lengths", "`local.elements`, and in a list read ports with `order: arrival`",
        "an element counts the words of a block, and a number does not tell which block is read, and how long it is",
        "leave `local.elements` out, or take `order: origin`";
    /// Words of a bank that do not come in the order of their blocks.
    ROWS: "local.words", "schedules whose words arrive in another order than that of their blocks", "a row has the next word of each bank",
        OTHER_ROWS;
    /// Operations of the reductions.
    OPERATIONS: "programs.operation", "a second operation, of floats or beside `custom`", "units of floats and of your own do one thing",
        "give all reductions one operation, or generate a design for each";
    /// Size of the tables, and length of the schedules.
    TABLES: "topology", "nodes with streams or a host, and tables of more than 2^22 entries or schedules of more than 2^24 registers in all ticks",
        "no device has block RAM for them, and they are lowered node by node, which takes gigabytes",
        "choose fewer flits, fewer programs or a smaller network, or leave `local` and `host` out";
    /// Pins to other boards.
    PINS: "fpga --device", "`programs` on boards with more ports than there are pins for", "the constraints name pins of the board's header",
        "take `--device hx8k`, or `hx1k` and `up5k`, which have no constraints, or cut the network along fewer axes";
}
