//! Exchanges in which every pair of nodes has a length of its own: by the definition, beside the bound, in Verilog, from files, and
//! with faults.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::design::support::{self, Unsupported};
use torusweave::emit::Options;
use torusweave::net::{NodeId, Port, Topology};
use torusweave::netlist::{BlockOrder, HostStreams, NodeOptions};
use torusweave::program::{Class, Demand, Link, Message, Pairs, Program, Sender, Source, To};
use torusweave::study::bounds::{self, Goal};

use crate::farm;
use crate::fixtures::chance::Chance;
use crate::fixtures::command::Place;
use crate::fixtures::designs::Folder;
use crate::fixtures::interpreter;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, edited, equals_the_model, has, play, toolchain};
use crate::nodes;

/// A torus, a mesh with a node that sends nothing in each matrix, a twisted torus, and a torus without a node and a link.
const NETWORKS: [&str; 4] = [
    "torus: [4, 4]",
    "mesh: [3, 5]",
    "lattice: [[4, 2], [0, 6]]",
    "torus: [4, 6], dead: { nodes: ['1,1'], links: ['0,0 x2+'] }",
];

fn design(network: &str, lengths: &str, settings: &[&str]) -> Design {
    let text = format!("topology: {{ {network} }}\ncollective: exchange\nlengths: {lengths}\nlink: {{ width: 8 }}\n");
    let config = Config::parse(&text).unwrap();
    let config = settings.iter().fold(config, |config, set| set.parse::<Setting>().unwrap().apply(&config).unwrap());
    Design::new(config).unwrap_or_else(|error| panic!("{network}: {error}"))
}

/// Rows with zeros, in which a few nodes send nothing.
fn rows(nodes: u32, most: u32, seed: u32) -> Vec<Vec<u32>> {
    let mut chance = Chance(seed);
    let silent = [chance.below(nodes), chance.below(nodes)];
    let entry = |from, to, flits| if from == to || silent.contains(&from) { 0 } else { flits };
    let mut flits = |_| if chance.once_in(3) { 0 } else { chance.below(most + 1) };
    let drawn: Vec<Vec<u32>> = (0..nodes).map(|_| (0..nodes).map(&mut flits).collect()).collect();
    (0..nodes).map(|from| (0..nodes).map(|to| entry(from, to, drawn[from as usize][to as usize])).collect()).collect()
}

fn yaml(rows: &[Vec<u32>]) -> String {
    format!("{rows:?}")
}

fn nodes_of(network: &str) -> u32 {
    design(network, "1", &[]).program.topology.nodes()
}

/// A design of each network with lengths by chance.
fn by_chance(most: u32, settings: &[&str]) -> Vec<(Vec<Vec<u32>>, Design)> {
    let one = |(network, seed): (&str, u32)| {
        let rows = rows(nodes_of(network), most, seed);
        let design = design(network, &yaml(&rows), settings);
        (rows, design)
    };
    NETWORKS.into_iter().zip(1..).map(one).collect()
}

/// By sender and receiver, the numbers of the flits that the receiver gets, in the order in which they arrive.
fn received(program: &Program) -> BTreeMap<(u32, u32), Vec<u32>> {
    let topology = &program.topology;
    let mut received: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for after in interpreter::play(program, program.ticks) {
        for node in topology.live_ids() {
            for port in topology.port_ids() {
                let Some(flit) = topology.arriving(node, port).and_then(|register| after[register]) else { continue };
                let sender = program.demand.origin(torusweave::program::FlitId(flit)).node;
                received.entry((sender.0, node.0)).or_default().push(flit);
            }
        }
    }
    received
}

#[test]
fn every_flit_arrives_in_order_by_the_definition() {
    let mut beyond = Vec::new();
    for settings in [&[][..], &["link.latency=3"]] {
        for (rows, design) in by_chance(4, settings) {
            let program = &design.program;
            let live = |node: usize| program.topology.is_live(NodeId(node as u32));
            let received = received(program);
            // flits are numbered sender after sender, receiver after receiver
            let mut first = 0;
            for (from, row) in rows.iter().enumerate() {
                for (to, &flits) in row.iter().enumerate().filter(|&(to, _)| to != from && live(from) && live(to)) {
                    let wanted: Vec<u32> = (first..first + flits).collect();
                    let of_pair = received.get(&(from as u32, to as u32));
                    let got = of_pair.into_iter().flatten().filter(|flit| wanted.contains(flit));
                    let got: Vec<u32> = got.copied().collect();
                    assert_eq!(got, wanted, "{} from {from} to {to}", program.topology.describe());
                    first += flits;
                }
            }
            assert_eq!(u64::from(first), program.demand.flits());
            let report = check::by_execution(program);
            assert!(report.passed() && report.duplicates == Some(0), "{:?}", report.violations);
            let bound = design.bound().ticks;
            assert!(u64::from(program.ticks) >= bound, "{}: below the bound", program.topology.describe());
            println!(
                "{}: {} ticks, bound {bound}, {}",
                program.topology.describe(),
                program.ticks,
                design.bound().due_to
            );
            beyond.push(u64::from(program.ticks) - bound);
        }
    }
    assert!(beyond.iter().all(|&beyond| beyond <= 3) && beyond.contains(&0), "{beyond:?}");
}

#[test]
fn lengths_of_one_are_a_plain_exchange() {
    for network in NETWORKS {
        let plain = Config::parse(&format!("topology: {{ {network} }}\ncollective: exchange\nlink: {{ width: 8 }}\n"));
        let plain = Design::new(plain.unwrap()).unwrap();
        let nodes = nodes_of(network) as usize;
        for lengths in ["1", &yaml(&vec![vec![1; nodes]; nodes])] {
            let ones = design(network, lengths, &[]);
            assert_eq!((&ones.program, ones.command()), (&plain.program, plain.command()), "{network}");
        }
    }
}

#[test]
fn equal_lengths_keep_one_table_where_all_nodes_are_alike() {
    for (network, lengths) in [("torus: [4, 4]", 3), ("lattice: [[4, 2], [0, 6]]", 2), ("mesh: [3, 4]", 2)] {
        let (one, all) = (design(network, "1", &[]), design(network, &lengths.to_string(), &[]));
        assert!(check::by_execution(&all.program).passed(), "{network}");
        assert_eq!(all.program.classes.len(), one.program.classes.len(), "{network}");
        assert!(all.program.ticks <= lengths * one.program.ticks + 1, "{network}: {}", all.program.ticks);
    }
}

/// The bound by lengths of links and slabs is that of the plain exchange, or nearly.
#[test]
fn bounds_of_equal_lengths_are_near_those_of_a_plain_exchange() {
    for network in ["mesh: [5, 5]", "torus: [4, 6]", "lattice: [[3, 1], [0, 9]]", "path: 7"].iter().chain(&NETWORKS) {
        let topology = design(network, "1", &[]).program.topology;
        let plain = bounds::lower_bound(&topology, Link::default(), Goal::Exchange { flits: 1 }).ticks;
        let pairs = bounds::lower_bound(&topology, Link::default(), Goal::Pairs(&Pairs::alike(&topology, 1))).ticks;
        assert!(pairs + 1 >= plain && pairs <= plain + 4, "{network}: {pairs}, {plain}");
    }
}

#[test]
fn bounds_say_what_they_are_due_to() {
    let due_to = |network, rows: &str| {
        let bound = design(network, rows, &[]).bound();
        (bound.ticks, bound.due_to.to_string())
    };
    let (steps, text) = due_to("path: 3", "[[0, 1, 3], [0, 0, 5], [0, 0, 0]]");
    assert_eq!((steps, text.as_str()), (8, "0 + ceil(8 / 1), by the links around node 2 of flits to it"));
    let (steps, text) = due_to("path: 4", "[[0, 0, 1, 6], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]");
    assert_eq!((steps, text.as_str()), (8, "1 + ceil(7 / 1), by the links around node 0 of flits from it"));
    let (steps, text) = due_to("path: 4", "[[0, 0, 4, 0], [0, 0, 0, 4], [0, 0, 0, 0], [0, 0, 1, 0]]");
    assert_eq!((steps, text.as_str()), (8, "8, by the links out of a slab across axis x1"));
}

#[test]
fn the_verilog_of_lengths_passes_its_bench_and_lint() {
    for (_, design) in sampled(by_chance(3, &[]), 3) {
        let folder = Folder::with_options(&design.program, &design.options());
        let (name, what) = (&design.program.title.name, design.program.topology.describe());
        if has("iverilog") {
            let printed = play(&folder, name);
            assert!(printed.starts_with(&format!("PASS {} ticks, ", design.program.ticks)), "{what}: {printed}");
        }
        if has("verilator") {
            let said =
                call(&folder, "verilator", &["--lint-only", "-Wall", "-f", &format!("{name}.f"), "--top-module", name]);
            assert_eq!(said, (true, String::new()), "{what}");
        }
    }
}

#[test]
fn the_verilog_of_lengths_equals_the_model_in_lockstep() {
    let Some(tools) = toolchain() else { return };
    for (_, design) in sampled(by_chance(3, &[]), 3) {
        equals_the_model(&tools, &design.program.topology.describe(), &design.program, &design.options());
    }
}

/// Small enough for memories to be played in a moment: origin and arrival, a ring, rows of two words, long links.
#[test]
fn words_of_several_lengths_come_out_of_the_nodes_memories() {
    if !has("iverilog") {
        return;
    }
    let all = [
        ("mesh: [2, 3]", BlockOrder::Origin, HostStreams::Ports, 1, "link.latency=1"),
        ("lattice: [[2, 1], [0, 3]]", BlockOrder::Arrival, HostStreams::Ports, 2, "link.latency=1"),
        ("torus: [3, 3], dead: { nodes: ['0,0'] }", BlockOrder::Origin, HostStreams::Chain, 1, "link.latency=1"),
        ("torus: [3, 3]", BlockOrder::Origin, HostStreams::Ports, 1, "link.latency=3"),
    ];
    for ((network, order, host, words, latency), seed) in all.into_iter().zip(5..) {
        let lengths = yaml(&rows(nodes_of(network), 3, seed));
        let design = design(network, &lengths, &[latency]);
        let local = Some(NodeOptions { words, ..NodeOptions::streams(order, host) });
        let options = Options { local, ..design.options() };
        let folder = Folder::with_options(&design.program, &options);
        let printed = nodes::play(&folder, &design.program, 5, 1);
        assert!(
            printed.trim_end().lines().last().is_some_and(|line| line.starts_with("PASS ")),
            "{network}: {printed}"
        );
    }
}

/// Ways of use that the table refuses, as it does for the plain exchange; all others are played.
#[test]
fn exchanges_with_lengths_serve_every_way_of_use_that_an_exchange_serves() {
    let lengths = format!("lengths={}", yaml(&rows(6, 2, 9)));
    let mut accepted = Vec::new();
    for (way, settings, of) in farm::WAYS {
        let built = |lengths| {
            let exchange = ["collective=exchange", "link.width=8", lengths];
            farm::built(farm::config("mesh: [2, 3]", &[&exchange, settings]))
                .and_then(|design| of.map_or(Ok(()), |of| support::check_use(&design, of)).map(|()| design))
        };
        match (built(&lengths), built("lengths=1")) {
            (Ok(design), Ok(_)) => {
                assert!(check::by_execution(&design.program).passed(), "{way}");
                if has("iverilog") && way != "proof" {
                    assert!(farm::play(&design) > 0, "{way}");
                }
                accepted.push(way);
            }
            (Err(one), Err(other)) => {
                let fields = |refusal: &Unsupported| {
                    refusal.violations().iter().map(|it| it.field.to_string()).collect::<Vec<_>>()
                };
                assert_eq!(fields(&one), fields(&other), "{way}");
            }
            (one, other) => panic!("{way}: {:?}, {:?}", one.err(), other.err()),
        }
    }
    assert_eq!(accepted, ["fabric", "nodes", "ring", "self-test", "proof", "elastic boards"]);
}

#[test]
fn faults_in_exchanges_with_lengths_are_caught() {
    let mut caught = 0;
    for (_, design) in by_chance(3, &[]) {
        let program = &design.program;
        let Program { topology, demand, .. } = program;
        let what = topology.describe();
        let fails = |fault: &str, mutant: &Program| {
            assert!(!check::by_execution(mutant).passed(), "{what}: {fault}");
        };
        // a flit more between two nodes
        let mut messages = demand.messages().to_vec();
        let Message { from, to, flits } = messages[messages.len() / 2].clone();
        messages.push(Message { from, to, flits });
        fails("a flit more", &Program { demand: Demand::new(topology, messages), ..program.clone() });
        // a flit that is for another node than it was
        let mut messages = demand.messages().to_vec();
        let other = messages.iter().position(|message| message.from == from && message.to != messages[0].to);
        let first = messages.iter().position(|message| message.from == from).unwrap();
        if let Some(other) = other.filter(|&other| messages[other].to != messages[first].to) {
            let to = messages[first].to.clone();
            messages[first].to = std::mem::replace(&mut messages[other].to, to);
            fails("two receivers exchanged", &Program { demand: Demand::new(topology, messages), ..program.clone() });
            caught += 1;
        }
        // an own flit in place of another one
        let mut mutant = program.clone();
        let own = |run: &&mut torusweave::program::Run| matches!(run.source, Source::Own { packet, .. } if packet > 0);
        let runs =
            mutant.classes.iter_mut().flat_map(|Class { outputs, .. }| outputs).flat_map(|track| &mut track.runs);
        runs.into_iter().find(own).unwrap().source = Source::own(0);
        fails("another own flit", &mutant);
        caught += 2;
    }
    assert!(caught >= 9, "{caught}");
}

#[test]
fn wrong_verilog_of_lengths_is_caught_by_bench_and_lockstep() {
    let lengths = yaml(&rows(6, 3, 2));
    let design = design("mesh: [2, 3]", &lengths, &[]);
    let (program, options) = (&design.program, design.options());
    let router = format!("{}_router_a.v", program.title.name);
    let folder = Folder::with_options(program, &options);
    let right = fs::read_to_string(folder.path().join(&router)).unwrap();
    // another own flit than the one that a line takes
    let takes: Vec<&str> = right.lines().filter(|line| line.contains("<= own_")).collect();
    let own = |line: &str| line[line.find("own_").unwrap()..].trim_end_matches(';').to_owned();
    let mutant = |pair: &[&str]| right.replacen(pair[0], &pair[0].replace(&own(pair[0]), &own(pair[1])), 1);
    let mutants: Vec<String> = takes.windows(2).map(mutant).collect();
    assert!(mutants.len() >= 3, "{right}");
    for mutant in mutants.iter().take(4) {
        if has("iverilog") {
            fs::write(folder.path().join(&router), mutant).unwrap();
            let printed = play(&folder, &program.title.name);
            assert!(printed.starts_with("FAIL "), "{printed}");
        }
        if let Some(tools) = toolchain().filter(|_| mutant == &mutants[0]) {
            let edit = |path: &str, text: String| if path == router { mutant.clone() } else { text };
            let simulator = edited(&tools, program, &options, None, &edit).unwrap();
            assert!(simulator.play(7).unwrap().is_err(), "lockstep");
        }
    }
}

/// A file beside its config, one named by a flag, rows with commas and blanks and remarks, and a folder that names its own.
#[test]
fn files_of_lengths_are_read_beside_their_config() {
    let place = Place::new();
    place.write("below/c.yaml", "topology: { path: 3 }\ncollective: exchange\nlengths: flits.csv\n");
    place.write("below/flits.csv", "\u{feff}# from node 0\n0, 1,3\n\n0 0\t5 # from node 1\n0,0,0\n");
    place.write("other.txt", "0 2 0\r\n0 0 0\r\n0 1 0\r\n");
    let ticks = |arguments: &str| {
        let ended = place.run(&format!("check {arguments}"));
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments}");
        let steps = ended.stdout.lines().find_map(|line| line.trim().strip_prefix("steps")).unwrap().trim().to_owned();
        steps.parse::<u32>().unwrap()
    };
    assert_eq!(ticks("below/c.yaml"), 8);
    assert_eq!(ticks("below/c.yaml --lengths other.txt"), 2);
    assert_eq!(ticks("below/c.yaml --lengths 0,0,7/0,0,0/0,0,0"), 8);
    assert_eq!(ticks("--path 3 --collective exchange --lengths [[0,0,7],[0,0,0],[0,0,0]]"), 8);
    assert_eq!(ticks("--cycle 3 --collective exchange --lengths 2"), 2);
    let generated = place.run("generate below/c.yaml --out out -q");
    assert_eq!(generated.code, 0, "{}", generated.stderr);
    let rows = fs::read_to_string(place.path().join("out/path_3_lengths.csv")).unwrap();
    assert!(rows.ends_with("\n0,1,3\n0,0,5\n0,0,0\n"), "{rows}");
    let fabric = fs::read_to_string(place.path().join("out/path_3.v")).unwrap();
    assert!(fabric.contains("--lengths path_3_lengths.csv`"), "{fabric}");
    let same = place.run("diff below/c.yaml out");
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    let differs = place.run("diff below/c.yaml out --set lengths=other.txt");
    assert!(differs.stdout.contains("~ lengths   0,2,0/0,0,0/0,1,0 -> 0,1,3/0,0,5/0,0,0"), "{}", differs.stdout);
}

#[test]
fn wrong_lengths_are_refused_by_name() {
    let place = Place::new();
    place.write("ragged.csv", "0,1,1\n1,0\n1,1,0\n");
    place.write("few.csv", "0,1,1\n1,0,1\n");
    place.write("word.csv", "0,1,1\n1,0,one\n1,1,0\n");
    place.write("gap.csv", "0,1,1\n1,,1\n1,1,0\n");
    place.write("binary.csv", [0_u8, 159, 146, 150, 255]);
    place.write("zeros.csv", [0_u8; 64]);
    place.write("empty.csv", "# nothing\n");
    place.write("folder/in.csv", "");
    for (lengths, said) in [
        ("ragged.csv", "lengths: the row of node 1 has 2 numbers, for the 3 nodes of a path of 3"),
        ("few.csv", "lengths: 2 rows for the 3 nodes of a path of 3"),
        ("empty.csv", "lengths: 0 rows for the 3 nodes"),
        ("word.csv", "lengths: `one` in line 2 of `word.csv` is not a number of flits"),
        ("gap.csv", "lengths: `` in line 2 of `gap.csv` is not a number of flits"),
        ("zeros.csv", "lengths: `\\u{0}\\u{0}"),
        ("binary.csv", "lengths: cannot read `binary.csv`"),
        ("missing.csv", "lengths: cannot read `missing.csv`"),
        ("folder", "lengths: `folder` is not a file"),
        ("0,1,2", "lengths: 1 row for the 3 nodes"),
        ("0,1/1,0", "lengths: 2 rows for the 3 nodes"),
        ("0,-1,1/1,0,1/1,1,0", "`--lengths 0,-1,1/1,0,1/1,1,0`: `-1` is not a number of flits"),
        ("[[0,-1,1],[1,0,1],[1,1,0]]", "`-1` is not a number of flits, a whole number from 0"),
        ("[[0,1],1]", "numbers and rows in one list"),
        ("0,0,0/0,9,0/0,0,0", "lengths: no message has a flit"),
        ("0", "lengths: no message has a flit"),
        ("0,4294967295,0/0,0,0/0,0,0", "lengths: 4294967295 flits are more than the 2147483648"),
        ("0,2000000,0/0,0,0/0,0,0", "scheme: auto needs shorter messages"),
        ("2 --torus 40x40", "lengths: 1600 nodes of a 40x40 torus are more than the 1024 whose messages may differ"),
    ] {
        let path = if lengths.contains("--") { "" } else { "--path 3 " };
        let ended = place.run(&format!("check {path}--collective exchange --lengths {lengths}"));
        assert_eq!(ended.code, 2, "{lengths}: {}", ended.stdout);
        assert!(ended.stderr.contains(said) && ended.stderr.contains("help: "), "{lengths}: {}", ended.stderr);
    }
    for (arguments, said) in [
        ("--collective gossip --lengths 0,1,1/1,0,1/1,1,0", "lengths: not supported with `collective: gossip`"),
        ("--collective exchange --flits 2 --lengths 0,1,1/1,0,1/1,1,0", "link.flits: not supported with `lengths"),
        ("--collective scatter --lengths 0,1,1/1,0,1/1,1,0", "lengths: 3 rows for the 3 nodes"),
        ("--collective exchange --tree bfs", "tree: not supported with `collective: exchange`"),
    ] {
        let ended = place.run(&format!("check --path 3 {arguments}"));
        assert_eq!(ended.code, 2, "{arguments}: {}", ended.stdout);
        assert!(ended.stderr.contains(said), "{arguments}: {}", ended.stderr);
    }
}

/// Messages of several flits, as a file of another program may have them.
#[test]
fn programs_with_other_messages_between_pairs_have_a_sound_bound() {
    for (_, design) in by_chance(2, &[]).into_iter().take(2) {
        let read = Program::from_json(&design.program.json()).unwrap();
        assert_eq!((read.collective(), &read.demand), ("exchange", &design.program.demand));
        assert_eq!(bounds::of(&read), design.bound());
    }
    // more nodes than have numbers per pair
    let large = Topology::new(torusweave::net::ShapeName::Torus, &[40, 40]).unwrap();
    let design = design("path: 3", "2", &[]);
    let to = |from: u32, to: u32| Message { from: Sender::Node(NodeId(from)), to: To::Node(NodeId(to)), flits: 5 };
    let demand = Demand::new(&large, vec![to(3, 7), to(3, 8), to(9, 1)]);
    let outputs = vec![design.program.classes[0].outputs[0].clone(); 4];
    let program = Program::uniform(&large, 5, demand, outputs, design.program.title.clone());
    assert_eq!((program.collective(), bounds::of(&program).ticks), ("exchange", 3));
    let topology = Topology::new(torusweave::net::ShapeName::Path, &[3]).unwrap();
    let message = |from, to, flits| Message { from: Sender::Node(NodeId(from)), to: To::Node(NodeId(to)), flits };
    let demand = Demand::new(&topology, vec![message(0, 2, 4), message(1, 2, 3), message(2, 0, 1)]);
    let pairs = Arc::new(Pairs::of(&topology, &demand).unwrap());
    assert_eq!(bounds::lower_bound(&topology, Link::default(), Goal::Pairs(&pairs)).ticks, 7);
    assert!(topology.arriving(NodeId(0), Port::from_index(0)).is_none());
}

/// Patterns that are the same at every node: neighbours, nodes two steps away, and one way only.
const PATTERNS: [(&str, &str); 8] = [
    ("torus: [4, 4]", "\"0,1\": 8, \"0,-1\": 8, \"1,0\": 8, \"-1,0\": 8"),
    (
        "torus: [5, 6]",
        "\"0,1\": 2, \"0,-1\": 2, \"1,0\": 2, \"-1,0\": 2, \"1,1\": 1, \"1,-1\": 1, \"-1,1\": 1, \"-1,-1\": 1",
    ),
    ("torus: [3, 4, 3]", "\"1,0,0\": 3, \"-1,0,0\": 3, \"0,0,1\": 1"),
    ("torus: [8, 8]", "\"0,2\": 3, \"-3,1\": 1"),
    ("cycle: 7", "1: 4, -1: 4"),
    ("torus: [2, 4]", "\"1,0\": 2, \"-1,0\": 3, \"0,1\": 1"),
    ("lattice: [[4, 2], [0, 6]]", "\"1,0\": 2, \"-1,0\": 2, \"0,1\": 1, \"1,1\": 1"),
    ("torus: [4, 4], dead: { nodes: ['0,0', '2,2'] }", "\"0,1\": 2, \"1,0\": 2"),
];

/// Rows of a pattern, counted node by node: hop after hop along each axis, over borders only where they close.
fn counted(topology: &Topology, offsets: &[(Vec<i32>, u32)], whole: &Topology) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; topology.nodes() as usize]; topology.nodes() as usize];
    for from in topology.live_ids() {
        for (offset, flits) in offsets {
            let mut at = Some(from);
            for (axis, &hops) in offset.iter().enumerate() {
                let port = if hops > 0 { Port::plus(axis) } else { Port::minus(axis) };
                for _ in 0..hops.abs() {
                    at = at.and_then(|at| whole.step(at, port));
                }
            }
            if let Some(to) = at.filter(|&to| topology.is_live(to)) {
                rows[from.index()][to.index()] += flits;
            }
        }
    }
    rows
}

fn offsets(text: &str) -> Vec<(Vec<i32>, u32)> {
    let number = |text: &str| text.trim().trim_matches('"').parse::<i32>().unwrap();
    let entries = text.split(", ").map(|entry| entry.rsplit_once(':').unwrap());
    entries.map(|(offset, flits)| (offset.split(',').map(number).collect(), number(flits).cast_unsigned())).collect()
}

#[test]
fn patterns_by_offset_are_the_rows_that_they_stand_for_and_nodes_share_classes() {
    for (network, pattern) in PATTERNS {
        let by_offset = design(network, &format!("{{ offsets: {{ {pattern} }} }}"), &[]);
        let topology = &by_offset.program.topology;
        let whole = nodes_without_damage(network);
        let rows = counted(topology, &offsets(pattern), &whole);
        let by_rows = design(network, &yaml(&rows), &[]);
        assert_eq!(by_offset.program, by_rows.program, "{network}");
        assert_eq!(Pairs::of(topology, &by_offset.program.demand), Some(Pairs::new(topology, &rows)), "{network}");
        let report = check::by_execution(&by_offset.program);
        assert!(report.passed(), "{network}: {:?}", report.violations.first());
        if topology.is_homogeneous() {
            assert_eq!(by_offset.program.classes.len(), 1, "{network}");
        }
        println!("{network} {pattern}: {} ticks, bound {}", by_offset.program.ticks, by_offset.bound().ticks);
    }
}

/// The network of a config without what is dead in it.
fn nodes_without_damage(network: &str) -> Topology {
    let whole = network.split(", dead").next().unwrap();
    design(whole, "1", &[]).program.topology
}

/// The halo of 4x4 takes the 8 ticks of its bound in one class; a row more for one node, and all classes differ.
#[test]
fn a_stencil_takes_the_ticks_of_its_bound_in_one_class() {
    let (network, pattern) = PATTERNS[0];
    let halo = design(network, &format!("{{ offsets: {{ {pattern} }} }}"), &[]);
    assert_eq!((halo.program.ticks, halo.bound().ticks, halo.program.classes.len()), (8, 8, 1));
    let mut rows = counted(&halo.program.topology, &offsets(pattern), &halo.program.topology);
    rows[3][7] += 1;
    let other = design(network, &yaml(&rows), &[]).program;
    assert!(other.classes.len() > 1 && check::by_execution(&other).passed());
}

/// Beyond a border nothing is sent; the flag says the same as the config.
#[test]
fn patterns_end_at_borders_and_stand_in_commands() {
    for (network, flag) in [("mesh: [3, 4]", "--mesh 3x4"), ("path: 5", "--path 5")] {
        let axes = network.matches(',').count() + 1;
        let pattern = if axes == 1 { "1: 2, -1: 2" } else { "\"0,1\": 2, \"0,-1\": 2, \"1,0\": 2, \"-1,0\": 2" };
        let text = pattern.replace(": ", ":").replace('"', "").replace(", ", "/");
        let design = design(network, &format!("{{ offsets: {{ {pattern} }} }}"), &[]);
        let topology = &design.program.topology;
        let rows = counted(topology, &offsets(pattern), topology);
        assert_eq!(Pairs::of(topology, &design.program.demand), Some(Pairs::new(topology, &rows)), "{network}");
        assert!(check::by_execution(&design.program).passed(), "{network}");
        assert!(design.command().contains(&format!("--lengths {text}")), "{}", design.command());
        let place = Place::new();
        let ended = place.run(&format!("check {flag} --collective exchange --lengths {text}"));
        let ticks = format!("steps       {}\n", design.program.ticks);
        assert!(ended.code == 0 && ended.stdout.contains(&ticks), "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn wrong_offsets_are_refused_with_a_cure() {
    let place = Place::new();
    for (arguments, problem, cure) in [
        ("--torus 4x4 --collective exchange --lengths 1:2", "the offset `1` is not one of 2 axes", "as in \"1,1\""),
        (
            "--torus 4x4 --collective exchange --lengths 0,4:2",
            "the offset `0,4` leads from a node of a 4x4 torus to itself",
            "leave it out",
        ),
        ("--torus 4x4 --collective exchange --lengths 0,0:2", "to itself", "leave it out"),
        ("--torus 4x4 --collective exchange --lengths 0,x:2", "0,x:2", ""),
        ("--torus 4x4 --collective exchange --lengths 0,:2", "is no offset", ""),
        ("--torus 4x4 --collective exchange --lengths 0,1:", "is not a number of flits", ""),
        (
            "--mesh 2x2 --collective exchange --lengths 0,1:1/0,2:3",
            "the offset `0,2` leads beyond a border from every node of a 2x2 mesh",
            "choose fewer hops",
        ),
        (
            "--torus 4x4 --collective exchange --lengths 0,1:8/0,-3:2",
            "the offset `0,-3` leads to the same node of a 4x4 torus as `0,1`",
            "leave one of the two out",
        ),
        (
            "--torus 4x4 --collective exchange --lengths 0,1:8/0,1:2",
            "to the same node of a 4x4 torus as `0,1`",
            "of both",
        ),
        ("--torus 4x4 --collective exchange --lengths 0,1:0", "no message has a flit", "give at least one"),
        ("--torus 4x4 --collective exchange --lengths 0,0,1:2", "is not one of 2 axes", "as in \"1,1\""),
        (
            "--torus 4x4 --collective scatter --lengths 0,1:3",
            "offsets are those of an exchange",
            "take `collective: exchange`",
        ),
    ] {
        let ended = place.run(&format!("check {arguments}"));
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{arguments}: {} {}", ended.code, ended.stderr);
        assert!(ended.stderr.contains(cure), "{arguments}: {}", ended.stderr);
    }
}
