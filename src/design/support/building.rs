//! Limits that are met while a program or a file is built: conditions of schemes, and sizes.

use super::Limit;
use super::configs::LONG_FRAMES;
use super::uses;

/// Declares rows, and lists them.
macro_rules! rows {
    ($($(#[$about:meta])* $name:ident: $field:literal, $limit:expr;)*) => {
        $($(#[$about])* pub static $name: Limit = {
            let row: Limit = $limit;
            Limit { field: $field, ..row }
        };)*
        /// Every limit that is met while something is built.
        pub(super) static LIMITS: &[&Limit] = &[$(&$name),*];
    };
}

/// Row with the words that others have, too.
const fn as_others([when, reason, help]: [&'static str; 3]) -> Limit {
    row(when, reason, help)
}

const fn row(when: &'static str, reason: &'static str, help: &'static str) -> Limit {
    Limit { when, reason, help, ..Limit::met("") }
}

/// Condition of a scheme that is not met: with what, why, and the cure.
const UNMET: [&str; 3] = [
    "a network, links, a collective or a number of packets that its condition excludes",
    "each construction has a condition under which it is proved",
    "take one that `torusweave schemes` lists as applying, or `scheme: auto`",
];

/// Cure for networks that are too large to be executed.
const SMALLER: &str = "choose a smaller network; `torusweave check --structural` proves schedules of any size, and `torusweave schemes` \
                       tells the steps of schemes that have a formula";

/// Packets that are shorter than the way to the next node.
const SHORT_PACKETS: Limit = row(
    "packets of fewer flits than a flit or a partial is on its way to the next node, unless the scheme waits for arrivals",
    "most schemes forward a packet in the step after it was sent",
    "take packets of as many flits as that way has ticks, or `scheme: auto`, which finds a scheme that waits",
);

rows! {
    /// Condition of a scheme, or of all that `auto` chooses from.
    SCHEME: "scheme", as_others(UNMET);
    /// Switching that loses packets.
    SWITCHING: "scheme", row(
        "`switching: periodic` where a supporter would lose packets",
        "the places of supporters on a cycle decide",
        "take `switching: memory` or `none`",
    );
    /// Packets per node that a named scheme does not have.
    PACKETS: "packets", as_others(UNMET);
    /// Words that one root combines.
    COUNT: "count", row(
        "more than 64 words by a scheme for broadcasts",
        "the root has a register for each result",
        "take `scheme: auto`, or a scheme for gossip, which combine them in blocks",
    );
    /// Groups whose schedules do not go together.
    GROUPS: "groups", as_others(UNMET);
    /// Groups of schemes without a schedule.
    GROUPS_AT_RUN_TIME: "groups", as_others(uses::RUN_TIME);
    /// Links that are longer than packets, for a scheme that forwards a packet in the next step.
    LATENCY: "link.latency", SHORT_PACKETS;
    /// Ticks are counted in 32 bits.
    TOO_LONG: "link.flits", row(
        "schedules of more than 2^32 ticks",
        "ticks are counted in 32 bits",
        "choose fewer flits a packet or a smaller network",
    );
    /// Memory of a reversal.
    TOO_LARGE_TO_REVERSE: "topology", row(
        "reductions of more link-ticks than can be reversed",
        "a reversal takes up to ten bytes per link and tick",
        "choose a smaller network, or fewer flits: the rules are the same",
    );
    /// Axes of a picture.
    PICTURE_AXES: "topology", row(
        "networks of more than 3 axes",
        "three axes can be projected on paper, more cannot",
        "`torusweave program` prints what every node does on any number of axes",
    );
    /// Nodes of a picture.
    PICTURE_NODES: "topology", row(
        "more nodes than a picture shows",
        "the file would be too large for a browser",
        "choose a smaller network, or fewer flits: the rules are the same",
    );
    /// Rows of the papers' tables.
    ROWS: "--format rows", row(
        "a collective without a root",
        "the papers have such tables of a broadcast, scatter or gather only",
        "say --collective broadcast, scatter or gather, or --format json",
    );
    /// Sums that no line of a schedule tells.
    CSV: "--format csv", row(
        "schedules in which every node combines all values by itself",
        "a line says who sends what, and not what is in a sum",
        "say --format json, or choose another scheme",
    );
    /// Arrivals in a table.
    ARRIVALS: "topology", row(
        "more than 2^24 ports and ticks",
        "a table has an entry for each",
        "choose a smaller network, or fewer flits: the rules are the same",
    );
    /// Hops that are followed back for an explanation.
    EXPLAIN: "topology", row(
        "schemes without cycles in which packets take more than 2^31 hops to the node",
        "what arrives is followed back to its origin, packet by packet",
        "choose a smaller network, or fewer flits: the rules are the same",
    );
    /// Changes in a waveform.
    WAVEFORM: "--vcd", row(
        "more than 2^26 registers and ticks",
        "the file has some fifty bytes for each, and no viewer opens so many",
        "choose a smaller network, or fewer flits: the rules are the same",
    );
    /// Packets over links in an exported file.
    EXPORT_MESSAGES: "--to", row(
        "more than 2^21 packets over links",
        "each takes some two kilobytes on the way",
        "choose a smaller network, or fewer packets",
    );
    /// Packets that are torn apart.
    EXPORT_TORN: "--to", row(
        "schedules that tear packets apart",
        "the formats of others send whole packets",
        "leave `link.latency` out, or read program.json",
    );
    /// Partial sums that are sent twice.
    EXPORT_TWICE: "--to", row(
        "schedules in which a node sends a partial result twice",
        "the formats of others combine each value once",
        "say --operation sum: what is combined how is told to the one who runs it, not in the file",
    );
    /// Operations that a reader does not have.
    EXPORT_OPERATION: "--to", row(
        "MSCCL++ with an operation but sum",
        "the reader adds, whatever a plan says",
        "say --operation sum, or --to rccl: what is combined how is told to the one who runs it, not in the file",
    );
    /// Room in the readers of MSCCL, RCCL and MSCCL++.
    EXPORT_STEPS: "--to", row(
        "schedules that the reader of MSCCL, RCCL or MSCCL++ has no room for",
        "a thread block has at most 256 steps in MSCCL and 64 in RCCL, a rank 4,096 elements and 32 channels; in MSCCL++ a \
         rank has 108 thread blocks of 64 operations",
        "choose a smaller network, or --to chakra",
    );
    /// Messages of different lengths.
    EXPORT_LENGTHS: "--to", row(
        "messages of different lengths",
        "the collectives of GPU libraries send as much to every rank",
        "leave `lengths` out, or take `collective: exchange` in place of a halo",
    );
    /// Collectives that the reader does not have.
    EXPORT_COLLECTIVE: "--to", row(
        "a collective that the reader does not have",
        "MSCCL has no scatter and no gather, and no reader has a reduce, groups, or traffic of another kind",
        "take `collective: all-reduce` or `reduce-scatter` in place of a reduce, say --to rccl for a scatter or a gather, or read \
         program.json",
    );
    /// Schedules that a patch mends.
    PATCH: "patch", row(
        "a collective but gossip, groups, packets of several flits, half-duplex links, and schedules that outgrow the tables",
        "a table in memory has a word per tick and output, and room for four times the ticks of the whole network",
        "take `collective: gossip` with packets of one flit, or generate the damaged network anew",
    );
    /// Nodes that are compared.
    COMPARE: "topology", row(
        "more than 2^18 nodes",
        "every scheme is built and checked, some by a search",
        SMALLER,
    );
    /// Designs that the model of clocks does not cover.
    CLOCK: "--device", row(
        "`check` of a collective other than gossip, of a configurable crossbar, or of a router that several programs share",
        "the model of clocks is measured on the wired routers of gossip",
        "`torusweave fpga` places the design and measures its clock",
    );
    /// Runs of boards.
    RUNS: "--runs", row(
        "more runs of boards than take minutes",
        "every run updates every register in every tick",
        "say fewer --runs, or choose a smaller network",
    );
    /// Execution in the model.
    EXECUTE: "topology", row(
        "executing more link-ticks or known packets than fit into hours and memory",
        "the model updates every register in every tick",
        SMALLER,
    );
    /// Flip-flops of a device.
    DEVICE: "device", row(
        "more flip-flops in the routers' outputs than the device has",
        "every output has a register per bit, which nothing can merge or leave out",
        "choose a larger device, fewer nodes or a smaller `link.width`",
    );
    /// Adders that take longer than a scheme waits.
    ADDER: "adder", SHORT_PACKETS;
    /// Values of what is not combined.
    REDUCE: "reduce", row(
        "a collective that moves packets",
        "no values are combined",
        "take `collective: reduce`, `reduce-scatter` or `all-reduce`, with an `operation`",
    );
    /// Values that a file does not have.
    REDUCE_WIDTH: "reduce", row(
        "a `link.width` above 64",
        "a file has values of at most 64 bits",
        "take a `link.width` of at most 64",
    );
    /// Bits of a frame between boards with nodes.
    FRAMES: "link.checksum", as_others(LONG_FRAMES);
    /// Schemes of a list that find lengths out.
    RUN_TIME: "programs.scheme", as_others(uses::RUN_TIME);
}
