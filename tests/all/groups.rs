//! Groups of nodes that have a collective each for themselves: who gets what by coordinates alone, beside the time of one group, in
//! lists, behind a host, from Python, and what is refused.

use std::collections::BTreeSet;
use std::fs;

use torusweave::check::{self, Violation};
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::{NodeId, Topology};
use torusweave::play::{Combiner, Payloads, Values};
use torusweave::program::{Entries, FlitId, Program, Reduction, Run, Source, Track};
use torusweave::task::Collective;

use crate::fixtures::called::{can_call, generated, page_script, script, spoil_router};
use crate::fixtures::command::Place;
use crate::fixtures::interpreter;
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{equals_the_model_and_passes, has, toolchain};

/// Networks with the form of their groups, and the sides of a group's box.
const GROUPS: [(&str, &str, &[u32]); 12] = [
    ("torus: [4, 4]", "x2", &[1, 4]),
    ("torus: [4, 4]", "x1", &[4, 1]),
    ("torus: [4, 4]", "2x2", &[2, 2]),
    ("torus: [6, 8]", "x1", &[6, 1]),
    ("torus: [6, 8]", "3x8", &[3, 8]),
    ("torus: [4, 4, 4]", "x1,x3", &[4, 1, 4]),
    ("torus: [4, 4, 4]", "2x2x2", &[2, 2, 2]),
    ("mesh: [4, 6]", "x2", &[1, 6]),
    ("mesh: [4, 6]", "2x3", &[2, 3]),
    ("torus: [4, 6], open: [x2]", "4x2", &[4, 2]),
    ("torus: [4, 4], dead: { links: [\"0,1 x2+\", \"2,0 x1+\"] }", "x2", &[1, 4]),
    ("torus: [4, 6], dead: { nodes: [\"1,1\"], links: [\"3,0 x1+\"] }", "x1", &[4, 1]),
];

/// Collectives, the first of which move packets.
const COLLECTIVES: [&str; 10] = [
    "collective: gossip",
    "collective: exchange",
    "collective: broadcast, link: { flits: 3 }",
    "collective: scatter",
    "collective: gather, link: { flits: 2 }",
    "collective: reduce, operation: sum",
    "collective: reduce-scatter, operation: sum",
    "collective: all-reduce, operation: sum",
    "collective: all-reduce, operation: max, count: 2",
    "collective: all-reduce, operation: sum, link: { flits: 4, latency: 3 }",
];

fn config(network: &str, groups: &str, more: &str) -> Config {
    let text = format!("{{ topology: {{ {network} }}, groups: \"{groups}\", {more} }}");
    Config::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn design(network: &str, groups: &str, more: &str) -> Design {
    Design::new(config(network, groups, more)).unwrap_or_else(|error| panic!("{network}, {groups}, {more}: {error}"))
}

/// Design, or none where dead parts leave groups with different packets for all, which is refused.
fn design_or_refusal(network: &str, groups: &str, more: &str) -> Option<Design> {
    let is_cut = network.contains("links") && more.contains("broadcast");
    match Design::new(config(network, groups, more)) {
        Err(error) if is_cut => {
            assert!(error.to_string().contains("schedules of other packets"), "{error}");
            None
        }
        built => Some(built.unwrap_or_else(|error| panic!("{network}, {groups}, {more}: {error}"))),
    }
}

fn all() -> impl Iterator<Item = ((&'static str, &'static str, &'static [u32]), &'static str)> {
    GROUPS.into_iter().flat_map(|groups| COLLECTIVES.map(|collective| (groups, collective)))
}

/// Live nodes of the box of a node.
fn members(topology: &Topology, sides: &[u32], node: NodeId) -> Vec<NodeId> {
    let corner = |node| topology.coords(node).iter().zip(sides).map(|(x, side)| x / side).collect::<Vec<_>>();
    topology.live_ids().filter(|&other| corner(other) == corner(node)).collect()
}

/// Every flit that a node has in the end, as the plain interpreter plays the program.
fn known(program: &Program) -> Vec<BTreeSet<u32>> {
    let Program { topology, demand, .. } = program;
    let own = |node| demand.flits_of(node).map(|flit| flit as u32).collect();
    let mut known: Vec<BTreeSet<u32>> = topology.node_ids().map(own).collect();
    for after in interpreter::play(program, program.ticks) {
        for (node, input) in topology.node_ids().flat_map(|node| program.inputs(node).map(move |input| (node, input))) {
            known[node.index()].extend(program.arriving(node, input).and_then(|register| after[register]));
        }
    }
    known
}

/// Fails unless every node has what its group owes it, by the definition of the collective.
fn assert_delivered(design: &Design, sides: &[u32], what: &str) {
    let program = &design.program;
    let Program { topology, demand, .. } = program;
    let known = known(program);
    let roots: BTreeSet<NodeId> = design.roots().into_iter().collect();
    for node in topology.live_ids() {
        for sender in members(topology, sides, node).into_iter().filter(|&sender| sender != node) {
            let flits: Vec<u32> = demand.flits_of(sender).map(|flit| flit as u32).collect();
            let is_for_node = |&packet: &u32| demand.receiver(topology, sender, packet) == Some(node);
            let wanted: Vec<u32> = match design.config.collective() {
                Collective::Gossip | Collective::Broadcast => flits,
                // one message for each other node of the group
                Collective::Exchange | Collective::Scatter if !flits.is_empty() => {
                    let packets: Vec<u32> = (0..demand.packets_of(sender)).filter(is_for_node).collect();
                    let [packet] = packets[..] else { panic!("{what}: {packets:?} from {sender:?} for {node:?}") };
                    demand.flits_of_packet(sender, packet).map(|flit| flit as u32).collect()
                }
                Collective::Gather if roots.contains(&node) => flits,
                _ => Vec::new(),
            };
            assert!(wanted.iter().all(|flit| known[node.index()].contains(flit)), "{what}: {sender:?} for {node:?}");
        }
        let is_near = |flit: &u32| {
            let origin = demand.origin(FlitId(*flit)).node;
            members(topology, sides, node).contains(&origin)
        };
        assert!(known[node.index()].iter().all(is_near), "{what}: a packet left its group");
    }
}

/// Fails unless every result is the combination of the values of its group, as the model plays it.
fn assert_combined(program: &Program, sides: &[u32], what: &str) {
    let (topology, payloads) = (&program.topology, Payloads { width: 32, seed: 9 });
    let mut combiner = Combiner::new(program, payloads).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    let values = Values::drawn(program, payloads);
    let is_sum = program.reduction.as_ref().unwrap().operation.to_string() == "sum";
    let mut results = 0;
    for node in topology.live_ids() {
        for flit in program.results_of(node) {
            let of = members(topology, sides, node).into_iter().map(|node| values.of(node, flit as u32)[0]);
            let wanted = if is_sum { of.sum::<u64>() & 0xffff_ffff } else { of.max().unwrap() };
            assert_eq!(combiner.result(node, flit as u32)[0], wanted, "{what}: node {} flit {flit}", node.0);
            results += 1;
        }
    }
    assert!(results > 0, "{what}");
}

#[test]
fn every_group_has_its_collective_in_the_time_of_the_slowest() {
    for ((network, groups, sides), more) in all() {
        let what = format!("{network} in groups {groups}, {more}");
        let Some(design) = design_or_refusal(network, groups, more) else { continue };
        let program = &design.program;
        let report = check::by_execution(program);
        assert!(report.passed(), "{what}: {:?}", report.violations);
        if program.reduction.is_some() {
            assert_combined(program, sides, &what);
        } else {
            assert_delivered(&design, sides, &what);
        }
        let slowest = design.groups.iter().map(|kind| kind.design.program.ticks).max();
        // parts of reductions wait for the slowest of each
        let is_of_one = design.groups.len() == 1;
        assert!(program.reduction.is_some() && !is_of_one || Some(program.ticks) == slowest, "{what}");
        let bound = design.groups.iter().map(|kind| kind.design.bound().ticks).max();
        assert_eq!(Some(design.bound().ticks), bound, "{what}");
        let each: u32 = design.groups.iter().map(|kind| kind.places.len() as u32).sum();
        assert_eq!(each as usize, program.demand.groups().unwrap().members().len(), "{what}");
        let read = Program::from_json(&program.json()).unwrap();
        assert!(read == *program, "{what}: another program in JSON");
    }
}

/// A group is as fast as a network of its own: the bound is reached wherever that of the network is.
#[test]
fn lines_planes_and_boxes_are_at_the_bound_of_their_network() {
    for (network, groups, collective, ticks) in [
        ("torus: [4, 4]", "x2", "gossip", 2),
        ("torus: [8, 8]", "x1", "gossip", 4),
        ("torus: [4, 4, 4]", "x1,x2", "gossip, packets: 1", 4),
        ("mesh: [4, 6]", "2x3", "gossip", 3),
        ("torus: [8, 8]", "x2", "broadcast", 4),
        ("torus: [8, 8]", "4x4", "scatter", 8),
        ("torus: [6, 8]", "x2", "exchange", 8),
        ("torus: [8, 8]", "x2", "all-reduce, operation: sum, count: 1", 4),
    ] {
        let design = design(network, groups, &format!("collective: {collective}"));
        assert_eq!(
            (design.program.ticks, design.bound().ticks),
            (ticks, ticks.into()),
            "{network}, {groups}, {collective}"
        );
    }
}

fn changed(program: &Program, class: usize, output: usize, source: Source) -> Program {
    let mut program = program.clone();
    let runs = &mut program.classes[class].outputs[output].runs;
    *runs = vec![Run { source, ticks: program.ticks }];
    program
}

/// A packet that leaves its group, one that does not come, a partial for another group, a value of another group in a result.
#[test]
fn checks_see_what_is_missing_and_what_comes_from_another_group() {
    let gossip = design("torus: [4, 4]", "x2", "collective: gossip").program;
    let sending = |program: &Program| {
        let mut outputs = program.classes[0].outputs.iter();
        outputs.position(|track| track.runs.iter().any(|run| run.source != Source::Idle)).unwrap()
    };
    let missing = check::by_execution(&changed(&gossip, 0, sending(&gossip), Source::Idle));
    assert!(matches!(missing.violations[..], [Violation::Missing { .. }, ..]), "{missing:?}");
    // nobody wants a packet outside of its group
    let idle = gossip.classes[0].outputs.iter().position(Track::is_idle).unwrap();
    let leaving = check::by_execution(&changed(&gossip, 0, idle, Source::own(0)));
    assert!(leaving.passed() && leaving.traffic.unwrap().overheard > 0, "{leaving:?}");

    let scattered = design("mesh: [4, 4]", "x2", "collective: reduce-scatter, operation: sum").program;
    let mut astray = scattered.clone();
    let mut reduction = Reduction::clone(astray.reduction.as_ref().unwrap());
    let Entries::Nodes(nodes) = &mut reduction.order.entries else { panic!("nodes of a path differ") };
    let entry = nodes.iter_mut().flatten().flatten().find_map(Option::as_mut).unwrap();
    entry.node = NodeId((entry.node.0 + 4) % 16);
    astray.reduction = Some(reduction.into());
    let found = check::by_execution(&astray).violations;
    assert!(found.iter().any(|it| matches!(it, Violation::Sent { .. } | Violation::Mixed { .. })), "{found:?}");

    // groups of two nodes, in whose results the model and the check find the values of four
    let whole = design("torus: [4, 4]", "x2", "collective: reduce-scatter, operation: sum").program;
    let text = whole.json();
    let begun = text.find("\"groups\": [").unwrap();
    let end = begun + text[begun..].find("\n  ],").unwrap();
    let halves: Vec<String> = (0..8).map(|half| format!("[{}, {}]", 2 * half, 2 * half + 1)).collect();
    let halved = format!("{}\"groups\": [{}{}", &text[..begun], halves.join(", "), &text[end..]);
    let halved = Program::from_json(&halved).unwrap();
    let found = check::by_execution(&halved).violations;
    assert!(found.iter().any(|it| matches!(it, Violation::NotOfGroup { others: 2, .. })), "{found:?}");
    let mut combiner = Combiner::new(&halved, Payloads { width: 8, seed: 1 }).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    assert!(!combiner.is_right());
    for (wrong, problem) in [
        ("[[0, 1]]", "groups: node 2 is in none"),
        ("[[0, 1], [1, 2]]", "groups: node 1 is no live node, or named twice"),
        ("[[0]]", "groups: group 0 has less than two nodes"),
        ("[[0, 77]]", "groups: node 77 is no live node, or named twice"),
    ] {
        let text = format!("{}\"groups\": {wrong}{}", &text[..begun], &text[end + 4..]);
        assert_eq!(Program::from_json(&text).unwrap_err().to_string(), problem);
    }
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn the_verilog_of_groups_equals_the_model_and_passes_its_bench() {
    for ((network, groups, _), more) in sampled(all(), 101) {
        let Some(design) = design_or_refusal(network, groups, more) else { continue };
        let what = format!("{network}, {groups}, {more}");
        equals_the_model_and_passes(&what, &design.program, &design.options());
    }
}

/// Nodes with streams of one collective, by their own bench. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn nodes_give_the_words_of_their_group_alone() {
    if !has("iverilog") {
        return;
    }
    let ways = ["order: origin", "order: arrival", "results: memory", "results: memory, order: arrival", "words: 2"];
    let all = all().flat_map(|(groups, more)| ways.map(|way| (groups, more, way)));
    let is_plain = |more: &str| !more.contains("latency") && !more.contains("flits: 3");
    for ((network, groups, _), more, way) in sampled(all.filter(|(_, more, _)| is_plain(more)), 301) {
        let place = Place::new();
        place.write(
            "d.yaml",
            format!("{{ name: calls, topology: {{ {network} }}, groups: \"{groups}\", {more}, local: {{ {way} }} }}"),
        );
        let ended = place.run("generate d.yaml --out calls");
        let what = format!("{network}, {groups}, {more}, {way}: {}", ended.stderr);
        if ended.code != 0 {
            assert!(way == "words: 2" && ended.stderr.contains("local.words"), "{what}");
            continue;
        }
        fs::copy(place.path().join("calls/calls_system.f"), place.path().join("calls/calls.f")).unwrap();
        let ended = played(&place, "calls_system_tb");
        assert!(ended.stdout.starts_with("PASS 21 collectives, "), "{what}: {}", ended.stdout);
    }
}

const PROGRAMS: &str = "{ collective: all-reduce, operation: sum, groups: { axes: [x2] } }, { collective: gossip, groups: x1 }, \
                        { collective: exchange, groups: { boxes: [2, 2] } }, \
                        { collective: reduce-scatter, operation: max, groups: 2x4 }, \
                        { collective: scatter, groups: x2, root: 1 }, { collective: gather, groups: x1 }, \
                        { collective: broadcast, groups: 2x2, flits: 3 }, { collective: reduce, operation: sum, groups: x2 }, \
                        { collective: all-reduce, operation: sum, count: 1, groups: x1 }, { collective: halo, groups: 4x2 }, \
                        { collective: scatter, groups: x1, lengths: [1, 0, 3, 2] }, { collective: gossip }";

#[test]
fn lists_have_programs_of_groups_beside_those_of_all_nodes() {
    let place = Place::new();
    let network = "torus: [4, 4]";
    place.write("calls.yaml", list(network, "link: { width: 16 },", PROGRAMS));
    place.write(
        "bus.yaml",
        list(network, "link: { width: 16 },", PROGRAMS).replace("bus: streams", "bus: axi-lite, clock: 50000000"),
    );
    if toolchain().is_some() {
        let ended = place.run("simulate calls.yaml --engine verilator");
        assert!(
            ended.code == 0 && ended.stdout.contains("RTL and model are equal"),
            "{}{}",
            ended.stdout,
            ended.stderr
        );
    }
    if !has("iverilog") {
        return;
    }
    for config in sampled(["calls.yaml", "bus.yaml"], 2) {
        assert_eq!(place.run(&format!("generate {config} --force --out calls")).code, 0);
        let ended = played(&place, "calls_tb");
        assert!(ended.stdout.starts_with("PASS "), "{config}: {}", ended.stdout);
        spoil_router(&place);
        let ended = played(&place, "calls_tb");
        assert!(ended.stdout.contains("FAIL"), "{config}: {}", ended.stdout);
    }
}

#[test]
fn python_calls_groups_by_the_form_that_the_config_has() {
    if !can_call() {
        return;
    }
    let boards = "torus: [4, 4]";
    for (network, more) in [
        (boards, "link: { width: 16 },"),
        (boards, "link: { width: 8, elastic: true, checksum: crc16, boards: [2, 2] },"),
        ("torus: [4, 4], dead: { nodes: [\"1,2\"] }", "link: { width: 16 },"),
    ] {
        let is_whole = network == boards;
        let programs = if is_whole {
            PROGRAMS.to_owned()
        } else {
            // dead nodes leave groups of different sizes, and their message has one word
            PROGRAMS.replace("lengths: [1, 0, 3, 2]", "flits: 2").replace("flits: 3", "flits: 1")
        };
        let text = list(network, more, &programs).replace("bus: streams", "bus: uart");
        let place = generated(&text);
        let ended = script(&place, "groups.py", &["sim:calls", "calls"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "12 programs are right\n"), "{text}: {}", ended.stderr);
    }
}

/// Data-parallel along one axis, and model-parallel along the other: weights come out as they were.
#[test]
fn the_training_of_the_page_finds_its_weights() {
    if !can_call() {
        return;
    }
    let ended = page_script("## Groups", "assert error < 1e-3, error\n");
    assert!(ended.code == 0 && ended.stdout.ends_with("\nright\n"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn groups_are_proved_drawn_and_explained_as_programs_are() {
    let place = Place::new();
    let config = "--torus 4x4 --groups 2x2";
    for (arguments, words) in [
        ("check", "hamiltonian gossip in 4 groups of a 4x4 torus, correct"),
        ("check --format json", "\"groups\": 4"),
        ("program", "gossip in 4 groups of a 4x4 torus"),
        ("explain --node 1,2 --collective broadcast", "in its group, a 2x2 mesh, "),
        ("draw --what links --out d.svg", ""),
        ("report --out r.html", ""),
        ("report --collective all-reduce --operation sum --out s.html", ""),
    ] {
        let (command, rest) = arguments.split_once(' ').unwrap_or((arguments, ""));
        let ended = place.run(&format!("{command} {config} {rest}"));
        assert!(ended.code == 0 && ended.stdout.contains(words), "{arguments}: {}{}", ended.stdout, ended.stderr);
    }
    // a structural certificate is about all nodes
    let ended = place.run(&format!("check {config} --structural"));
    assert!(ended.code == 1 && ended.stdout.contains("groups are not certified by structure"), "{}", ended.stdout);
    // values of each node, group after group: those of node 0 to 3 are 1 to 16
    let values: Vec<String> = (1..=64).map(|value| value.to_string()).collect();
    place.write("values", values.join(" "));
    let ended = place.run("reduce --torus 4x4 --groups x2 --collective all-reduce --operation sum --values values");
    let sums: Vec<u32> = ended.stdout.lines().map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect();
    let wanted: Vec<u32> = (0..16).map(|place| 64 * (place / 4) + 4 * (place % 4) + 28).collect();
    assert_eq!(sums, wanted, "{}", ended.stderr);
    // the schedule of a file is that of one group
    place.write("ring.csv", place.run("program --cycle 4 --format csv").stdout);
    let ended = place.run("check --torus 4x4 --groups x1 --scheme ring.csv");
    assert!(
        ended.stdout.contains("file gossip in 4 groups of a 4x4 torus, correct"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    if has("yosys") && has("z3") {
        let ended = place.run(&format!("prove {config} --collective all-reduce --operation sum"));
        assert!(ended.code == 0 && ended.stdout.contains("all-reduce in 4 groups"), "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn groups_that_are_no_networks_are_refused() {
    let place = Place::new();
    let lines = [
        "--torus 4x6 --groups x3",
        "--torus 4x6 --groups 2x4",
        "--torus 4x6 --groups 2",
        "--torus 4x6 --groups 0x3",
        "--torus 4x6 --groups 1x1",
        "--torus 4x6 --groups 4x6",
        "--torus 4x6 --groups rows",
        "--lattice 4,2/0,4 --groups x2",
        "--hexagonal 3x5 --groups x2",
        "--cycle 6 --groups x2",
        "--cycle 7 --groups x1",
        "--torus 3x5 --groups 3x5",
        "--mesh 4x4 --groups x2 --dead-link 1,1:x2+",
        "--torus 4x4 --groups x2 --dead-node 1,1 --dead-node 1,2 --dead-node 1,3",
        "--torus 4x4 --groups x2 --collective broadcast --root 1,1",
        "--torus 4x4 --groups x2 --collective gather --scheme shoulder-tap",
        "--torus 4x4 --groups x2 --scheme staircase",
    ]
    .map(|line| format!("{line}: {}", place.run(&format!("check {line}")).stderr));
    insta::assert_snapshot!(lines.concat());
    // a cure for one axis is one number
    assert_eq!(place.run("check --cycle 6 --groups 2").code, 0);
    for (config, problem) in [
        ("groups: x1, programs: [{ collective: gossip }]", "groups: not supported with `programs` (x1)"),
        ("programs: [{ collective: broadcast, root: any, groups: x1 }]", "programs[0].root: `any` requires"),
        (
            "bist: true, host: { bus: streams }, programs: [{ collective: reduce, operation: sum, groups: x1 }]",
            "programs[0].groups: not supported with `bist: true`",
        ),
        ("groups: { axes: [x1], boxes: [2, 2] }", "groups have one form, `axes` or `boxes`"),
        ("groups: { rows: 2 }", "unknown field `rows`"),
        ("groups: {}", "no groups: expected { axes: [x2] } or { boxes: [2, 4] }"),
        ("groups: 4", "groups: `4` needs one side per axis"),
    ] {
        place.write("d.yaml", format!("{{ topology: {{ torus: [4, 4] }}, {config} }}"));
        let ended = place.run("check d.yaml");
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{config}: {}", ended.stderr);
    }
    for (line, problem) in [
        ("patch --torus 4x4 --groups x2 --dead-link 0,0:x2+", "patch: not supported with `groups`"),
        ("export --torus 4x4 --groups x2 --to chakra --out e", "groups of nodes have the collective each for itself"),
        ("draw --torus 4x4 --groups x2 --order origin --what streams --out d.svg", "draw --what streams"),
    ] {
        let ended = place.run(line);
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{line}: {}", ended.stderr);
    }
}
