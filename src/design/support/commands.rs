//! Limits of what commands do, which the built program decides.

use super::Limit;
use super::uses::{DesignUse, Facts, of_run_time, reduced, row, run_time, scheme};
use crate::design::{Design, ListedProgram};
use crate::emit::formal::{self, Unasserted};
use crate::netlist::{BoardStart, HostStreams, PortClock, Results};

const CHECKED: &str = "`torusweave check` proves its schedule, `torusweave simulate --engine verilator` compares every \
                       register";
const OTHER_PICTURES: &str =
    "say --what tree, links, modules or classes; `torusweave report` plays how values are combined, tick by tick";
const ONE_TICK: &str = "neither assertions nor this picture have registers on links";
const PROOF: (&str, DesignUse) = ("prove", DesignUse::Proof);

/// Boards that one host starts and that report over wires or transceivers: with what, why, and the cure.
pub(super) const LATE_REPORTS: [&str; 3] = [
    "boards that one host starts, with `link.ports: serial`, or `bytes` with `clocks: cable` or several beats per frame",
    "reports of boards that are ready wait for their turn on a wire, which depends on the links' training",
    "leave `link.start` out, or take `link.ports: stream`",
];

/// Every limit of a command.
pub(super) static LIMITS: &[Limit] = &[
    of_run_time(("fpga", DesignUse::Fpga)),
    row(PROOF, ["links of more than one tick", ONE_TICK, "leave `link.latency` out"], |facts| {
        (facts.design.program.latency > 1).then(|| format!("{} ticks", facts.design.program.latency))
    }),
    of_run_time(PROOF),
    row(PROOF, ["inputs that are joined", "the assertions name one input per tick", CHECKED], |facts| {
        unasserted(facts, Unasserted::Joined)
    }),
    row(PROOF, ["windows in which nodes send", "the assertions are those of a class", CHECKED], |facts| {
        unasserted(facts, Unasserted::Windows)
    }),
    row(
        ("prove --part whole", DesignUse::WholeProof),
        [
            "reductions, and packets that a node sends in a row",
            "they are taken one after the other, and are proved by their classes and their fabric",
            "leave --part out: classes, fabric and schedule together prove it",
        ],
        |facts| {
            let Design { config, .. } = facts.design;
            facts.design.netlist().streams.then(|| config.collective.to_string())
        },
    ),
    row(
        ("prove --part crossing", DesignUse::CrossingProof),
        [
            "one device, and boards whose ports have the clock of their board",
            "nothing crosses from clock to clock",
            "say `link.elastic: true` and `link.clocks: cable`",
        ],
        |facts| {
            let link = &facts.design.config.link;
            (link.clocks == PortClock::Board).then(|| "board".to_owned())
        },
    ),
    row(
        ("prove --part receiver", DesignUse::ReceiverProof),
        [
            "one device, and boards with trusted links",
            "nothing is checked",
            "say `link.elastic: true` and `link.checksum: crc8`",
        ],
        |facts| facts.design.config.link.checksum.is_none().then(|| "trusted".to_owned()),
    ),
    row(("pace", DesignUse::Pace), LATE_REPORTS, |facts| {
        let link = &facts.design.config.link;
        let waits = link.start == BoardStart::Common && facts.design.has_throttle();
        waits.then(|| "link.start: common".to_owned())
    }),
    row(
        ("draw --what spacetime, progress, waves", DesignUse::Picture),
        ["collectives that combine values", "the picture follows packets, and values are combined", OTHER_PICTURES],
        reduced,
    ),
    row(
        ("draw --what modules", DesignUse::Modules),
        ["links of more than one tick", ONE_TICK, "leave `link.latency` out"],
        |facts| (facts.design.program.latency > 1).then(|| format!("{} ticks", facts.design.program.latency)),
    ),
    of_run_time(("draw --what modules", DesignUse::Modules)),
    of_run_time(("draw --what waves", DesignUse::Waves)),
    row(
        ("draw --what streams", DesignUse::Streams),
        [
            "designs without a stream in and one out at each node, and boards; one collective but gossip, or with `local.words` or \
             read ports; several programs with `local.order`, `local.words` or read ports",
            "the picture shows these two streams, a word per clock, and a board waits for its cables",
            "say --order origin, without --host chain, --words and --results; or list `programs` on one device, with \
             `host: { bus: streams }` alone; --what waves is for the ports of fabrics and nodes",
        ],
        |facts| {
            if let Some(listed) = facts.design.listed {
                return without_plain_streams(listed).map(str::to_owned);
            }
            let demand = &facts.design.program.demand;
            let is_gossip = facts.design.program.reduction.is_none() && demand.is_gossip() && demand.groups().is_none();
            match facts.design.config.local() {
                Some(local) if local.host == HostStreams::Chain => Some("host: chain".into()),
                Some(local) if local.results == Results::Memory => Some("local.results: memory".into()),
                Some(local) if local.words > 1 => Some(format!("local.words: {}", local.words)),
                Some(_) if is_gossip => None,
                Some(_) => Some(facts.design.config.collective.to_string()),
                None => Some("no local.order".into()),
            }
        },
    ),
    of_run_time(("simulate --engine verilator --vcd", DesignUse::VerilatorWaveform)),
    row(
        ("simulate --random-lengths", DesignUse::RandomLengths),
        [
            "schemes that need to know the lengths",
            "the schedule is for the lengths of the config",
            "say --collective gather --scheme shoulder-tap or certification, and --engine verilator",
        ],
        |facts| (!facts.has_protocol()).then(|| scheme(facts)),
    ),
    row(
        ("simulate --by class", DesignUse::Parts),
        [
            "schemes that find out lengths while they run, and lists of programs",
            "their modules are Verilated together",
            "say --by fabric, or leave --by out",
        ],
        |facts| facts.design.listed.map(|_| "programs".to_owned()).or_else(|| run_time(facts)),
    ),
    row(
        ("export --to chakra", DesignUse::Export),
        [
            "a collective but gossip, reduce-scatter and all-reduce",
            "the formats of others have these collectives",
            "say --collective gossip, reduce-scatter or all-reduce, or read program.json",
        ],
        |facts| {
            let demand = &facts.design.program.demand;
            (!demand.is_gossip()).then(|| facts.design.config.collective.to_string())
        },
    ),
];

/// Setting by which nodes of a list have other ports than a stream in and one out, a word per clock, whose packets are calls.
fn without_plain_streams(listed: ListedProgram) -> Option<&'static str> {
    let ListedProgram { has_streams, ports, is_on_boards, .. } = listed;
    let settings = [
        (!has_streams, "a host in place of streams"),
        (is_on_boards, "link.elastic: true"),
        (ports.results == Results::Memory, "local.results: memory"),
        (ports.words > 1, "local.words"),
        (ports.order.is_some(), "local.order"),
    ];
    settings.into_iter().find_map(|(is_set, setting)| is_set.then_some(setting))
}

fn unasserted(facts: &Facts, wanted: Unasserted) -> Option<String> {
    let Design { program, .. } = facts.design;
    (formal::unasserted(program) == Some(wanted)).then(|| scheme(facts))
}
