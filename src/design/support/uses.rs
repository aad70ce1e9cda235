//! Ways of use, and the limits of those that a config can ask for, which the built program decides.

use std::cell::OnceCell;

use super::configs::OTHER_ROWS;
use super::{Limit, RefusalRule, UnsupportedSetting};
use crate::design::Design;
use crate::design::config::Config;
use crate::emit::boards::{self, NoBoards};
use crate::emit::selftest::{self, NoBist};
use crate::net::{NodeBlocks, Topology};
use crate::netlist::listed::{ListNetlist, NotLowered};
use crate::netlist::{BoardStart, Crossbar, NoCrossbar};

/// Way of use of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesignUse {
    /// Nodes with memories and streams.
    Nodes,
    /// Self-test in hardware.
    SelfTest,
    /// One board per node, or per block of nodes.
    Boards,
    /// Pace of boards.
    Pace,
    /// Crossbar that is set while nothing runs.
    Crossbar,
    /// The system of nodes on an FPGA.
    SystemOnFpga,
    /// The self-test on an FPGA.
    SelfTestOnFpga,
    /// Any top on an FPGA.
    Fpga,
    /// Proof of the generated Verilog by parts.
    Proof,
    /// Proof of fabric and routers as a whole.
    WholeProof,
    /// Proofs of the buffer between two clocks.
    CrossingProof,
    /// Proofs of the receiver of checked links.
    ReceiverProof,
    /// Picture of packets on their way.
    Picture,
    /// Picture of the modules.
    Modules,
    /// Picture of the fabric's ports over time.
    Waves,
    /// Picture of a node's streams over time.
    Streams,
    /// Waveform file of Verilator.
    VerilatorWaveform,
    /// Play of random lengths.
    RandomLengths,
    /// Play of modules that Verilator compiles one by one.
    Parts,
    /// Schedule in the format of another tool.
    Export,
}

impl DesignUse {
    /// Every way of use that a config can ask for.
    pub(super) const OF_CONFIGS: [Self; 4] = [Self::Nodes, Self::SelfTest, Self::Boards, Self::Crossbar];

    /// Returns true if a config asks for it.
    pub(super) fn is_asked_for(self, config: &Config) -> bool {
        match self {
            Self::Nodes => config.local().is_some(),
            Self::SelfTest => config.bist,
            Self::Boards => config.link.elastic,
            Self::Crossbar => config.crossbar == Crossbar::Configurable,
            _ => false,
        }
    }

    /// Flag that asks for what a config can ask for, too, with the setting and the way of use of that config.
    pub(super) const fn as_setting(self) -> Option<(&'static str, &'static str, Self)> {
        match self {
            Self::SystemOnFpga => Some(("--top system", "local.order=arrival", Self::Nodes)),
            Self::SelfTestOnFpga => Some(("--top bist", "bist=true", Self::SelfTest)),
            _ => None,
        }
    }
}

const ONE_INPUT: &str = "leave `crossbar` out, or take a scheme whose outputs forward one input for ever: `hamiltonian`, \
                         `zigzag` with `switching: none`, or `staircase` on a torus of two even sides";
const OTHER_TESTED: &str = "leave `bist` out, or choose a smaller network or another scheme";
const OTHER_BOARDS: &str = "leave `link.elastic` out, or choose full-duplex links and a scheme for gossip, broadcast, \
                            exchange, reduce-scatter or all-reduce";

pub(super) const fn row(
    (field, of): (&'static str, DesignUse),
    [when, reason, help]: [&'static str; 3],
    found: fn(&Facts) -> Option<String>,
) -> Limit {
    Limit { field, when, reason, help, rule: RefusalRule::Use(of, found) }
}

/// Schemes without a schedule: with what, why, and the cure.
pub(super) const RUN_TIME: [&str; 3] = [
    "schemes that find out lengths while they run",
    "their routers are state machines, and no schedule says what is where and when",
    "take another scheme, or `auto` with `lengths`; docs/rtl.md says how to drive this fabric, and `torusweave simulate` with \
     --engine verilator or --engine icarus --vcd FILE shows what it does",
];

/// Row of a way of use that goes by a schedule.
pub(super) const fn of_run_time(way: (&'static str, DesignUse)) -> Limit {
    row(way, RUN_TIME, run_time)
}

const NODES: (&str, DesignUse) = ("local.order", DesignUse::Nodes);
const ROWS: (&str, DesignUse) = ("local.words", DesignUse::Nodes);
const SELF_TEST: (&str, DesignUse) = ("bist", DesignUse::SelfTest);
const BOARDS: (&str, DesignUse) = ("link.elastic", DesignUse::Boards);
const CROSSBAR: (&str, DesignUse) = ("crossbar", DesignUse::Crossbar);

/// Tables of a self-test; those of a list of programs are counted when it is built.
pub(super) const SELF_TEST_TABLES: Limit = row(
    SELF_TEST,
    [
        "tables of too many bits",
        "the self-test knows what arrives in every tick, or every word that goes out",
        OTHER_TESTED,
    ],
    |facts| untested(facts, |why| if let NoBist::Tables { bits } = why { Some(format!("{bits} bits")) } else { None }),
);

const COMMON_START: (&str, DesignUse) = ("link.start", DesignUse::Boards);

/// Board that no start reaches.
const UNREACHED_BOARD: Limit = row(
    COMMON_START,
    [
        "`common`, and a board all of whose nodes are dead",
        "starts go from board to board, and none reaches it",
        "leave `link.start` out, or put the dead nodes on boards with others",
    ],
    |facts| unreached(&common_boards(&facts.design.config, &facts.design.program.topology)?),
);

/// Token that a status of a board does not fit.
const NARROW_STATUS: Limit = row(
    COMMON_START,
    [
        "`common`, and tokens in which the coordinates of a board and three bits do not fit, or four with `programs`",
        "a board tells in place of a token which board is not ready",
        "take the `link.width` that the error names, or leave `link.start` out",
    ],
    |facts| {
        let Design { config, program, .. } = facts.design;
        let least = boards::least_width(&common_boards(config, &program.topology)?);
        (config.width() < least).then(|| enough(config, least))
    },
);

/// Boards that have a start in common.
fn common_boards(config: &Config, topology: &Topology) -> Option<NodeBlocks> {
    let blocks = config.blocks(topology).ok().flatten();
    blocks.filter(|_| config.link.elastic && config.link.start == BoardStart::Common)
}

fn unreached(blocks: &NodeBlocks) -> Option<String> {
    let boards = blocks.boards();
    let board = boards.node_ids().find(|&board| boards.linked_ports(board).next().is_none())?;
    Some(format!("board {}", boards.show(board)))
}

fn enough(config: &Config, least: u32) -> String {
    format!("{}; `link.width: {least}` is enough", config.width())
}

/// Returns every violation of the common start of a list whose tokens name program and root in so many bits.
pub(super) fn of_common_calls(config: &Config, topology: &Topology, tag: u32) -> Vec<UnsupportedSetting> {
    let Some(blocks) = common_boards(config, topology) else { return Vec::new() };
    let flits = boards::least_token(&blocks, true).saturating_sub(tag);
    let least = flits.div_ceil(blocks.narrowest().max(1)).max(1);
    let narrow = (config.width() < least).then(|| enough(config, least));
    let found = [(&UNREACHED_BOARD, unreached(&blocks)), (&NARROW_STATUS, narrow)];
    found.into_iter().filter_map(|(limit, value)| Some(limit.of_use(&value?))).collect()
}

/// Every limit of a way of use that a config can ask for.
pub(super) static LIMITS: &[Limit] = &[
    of_run_time(NODES),
    row(ROWS, ["more words than a node has inputs", "a row has the words of one step", OTHER_ROWS], |facts| {
        let words = facts.design.config.local.words.get();
        (words as usize > facts.design.program.outputs()).then(|| words.to_string())
    }),
    of_run_time(SELF_TEST),
    SELF_TEST_TABLES,
    row(
        SELF_TEST,
        [
            "reductions by `max`, `min`, `and` or `or`, and of floats, in which a partial goes into several others",
            "the value that decides could come either way",
            OTHER_TESTED,
        ],
        |facts| untested(facts, |why| (why == NoBist::Reused).then(|| scheme(facts))),
    ),
    of_run_time(BOARDS),
    row(
        BOARDS,
        [
            "`link.duplex: pads`",
            "both ends drive the wires of a link, in ticks that are the same for both",
            OTHER_BOARDS,
        ],
        |facts| unboarded(facts, NoBoards::Pads, "pads"),
    ),
    row(
        BOARDS,
        ["`link.duplex: one-way`", "nothing comes back, so that nobody knows when to wait", OTHER_BOARDS],
        |facts| unboarded(facts, NoBoards::OneWay, "one-way"),
    ),
    row(
        BOARDS,
        ["schemes with other times at each node of a class", "a board knows the times of its class", OTHER_BOARDS],
        |facts| unboarded(facts, NoBoards::Windows, &facts.design.program.title.scheme),
    ),
    UNREACHED_BOARD,
    NARROW_STATUS,
    row(
        CROSSBAR,
        ["outputs that forward more than one input", "a configuration says which input an output forwards", ONE_INPUT],
        |facts| changing(facts, "forwards"),
    ),
    row(
        CROSSBAR,
        ["outputs that send more than one own packet", "a configuration says which packet an output sends", ONE_INPUT],
        |facts| changing(facts, "sends of the node's own"),
    ),
    of_run_time(CROSSBAR),
    row(
        CROSSBAR,
        ["own packets that are taken flit by flit", "a configuration does not say when a flit is taken", ONE_INPUT],
        |facts| unset(facts, &NoCrossbar::Streams),
    ),
    row(CROSSBAR, ["schedules in which no output has a choice", "there is nothing to configure", ONE_INPUT], |facts| {
        unset(facts, &NoCrossbar::NoChoice)
    }),
];

/// A design, and what the rows ask of it, each found out once.
pub(super) struct Facts<'d> {
    /// Name of the design.
    pub design: &'d Design,
    unset: OnceCell<Option<NoCrossbar>>,
}

impl<'d> Facts<'d> {
    pub fn new(design: &'d Design) -> Self {
        Self { design, unset: OnceCell::new() }
    }

    /// Returns true if routers find out lengths while they run.
    pub fn has_protocol(&self) -> bool {
        self.design.protocol().is_some()
    }

    /// Reason for which the nodes that the config asks for cannot play the program.
    pub fn unlowered(&self) -> Option<NotLowered> {
        let local = self.design.config.local().filter(|_| !self.has_protocol())?;
        ListNetlist::of_one(&self.design.program, local.ports()).err()
    }

    fn unset(&self) -> Option<&NoCrossbar> {
        let fits = || if self.has_protocol() { None } else { Crossbar::fits(&self.design.program).err() };
        self.unset.get_or_init(fits).as_ref()
    }
}

pub(super) fn scheme(facts: &Facts) -> String {
    format!("scheme {}", facts.design.program.title.scheme)
}

pub(super) fn run_time(facts: &Facts) -> Option<String> {
    facts.has_protocol().then(|| scheme(facts))
}

pub(super) fn reduced(facts: &Facts) -> Option<String> {
    facts.design.program.reduction.is_some().then(|| facts.design.config.collective.to_string())
}

fn untested(facts: &Facts, value: impl Fn(NoBist) -> Option<String>) -> Option<String> {
    if facts.has_protocol() { None } else { selftest::fits(&facts.design.program).err().and_then(value) }
}

fn unboarded(facts: &Facts, wanted: NoBoards, value: &str) -> Option<String> {
    let why = boards::fits(&facts.design.program).err()?;
    (why == wanted && !facts.has_protocol()).then(|| value.to_owned())
}

fn unset(facts: &Facts, wanted: &NoCrossbar) -> Option<String> {
    (facts.unset()? == wanted).then(|| scheme(facts))
}

fn changing(facts: &Facts, what: &str) -> Option<String> {
    match facts.unset()? {
        NoCrossbar::Changes { output, class, what: changes } if *changes == what => {
            Some(format!("output {output} of class {class}"))
        }
        _ => None,
    }
}
