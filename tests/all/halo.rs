//! Halos: the exchanges by offset that they stand for, beside the bound, in lists, behind a host, and what is refused.

use std::fs;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::{NodeId, Port, Topology};
use torusweave::program::{Pairs, Program, Source};

use crate::fixtures::called::{can_call, generated, page_script, script};
use crate::fixtures::command::Place;
use crate::fixtures::designs::Folder;
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{edited, equals_the_model_and_passes, has, play, toolchain};

/// Networks with the settings of a halo, and the number of classes if it is known: one where nodes look alike, and on a mesh one for
/// the inside and each part of the border.
const HALOS: [(&str, &str, Option<usize>); 23] = [
    ("torus: [4, 4]", "count: 8", Some(1)),
    ("torus: [6, 8]", "count: 8", Some(1)),
    ("torus: [6, 8]", "reach: 2, count: 4", Some(1)),
    ("torus: [6, 8]", "corners: true, count: 4", Some(1)),
    ("torus: [8, 8]", "reach: 2, corners: true", Some(1)),
    ("torus: [3, 3, 3]", "count: 4", Some(1)),
    ("torus: [3, 3, 3]", "corners: true", Some(1)),
    ("torus: [2, 4]", "count: 3", Some(1)),
    ("torus: [4, 4]", "reach: 2", Some(1)),
    ("cycle: 7", "reach: 3", Some(1)),
    ("cycle: 2", "count: 5", Some(1)),
    ("lattice: [[4, 2], [0, 6]]", "corners: true, count: 4", Some(1)),
    ("hexagonal: [6, 8]", "count: 8", Some(1)),
    ("hexagonal: [6, 8]", "reach: 2, count: 2", Some(1)),
    ("hexagonal: [2, 2]", "count: 2", Some(1)),
    ("lattice: [[3, 0, 1], [0, 1, 1], [0, 0, 2]]", "count: 4", Some(1)),
    ("mesh: [4, 6]", "count: 8", Some(9)),
    ("mesh: [4, 6]", "reach: 2, corners: true, count: 2", None),
    ("path: 7", "count: 4", Some(3)),
    ("path: 7", "reach: 2, count: 3", None),
    ("torus: [4, 6], open: [x2]", "count: 3", Some(3)),
    ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", "count: 8", None),
    ("torus: [4, 4], dead: { nodes: [\"1,1\"] }", "count: 4", None),
];

fn design(network: &str, more: &str) -> Design {
    with_link(network, more, "width: 8")
}

fn with_link(network: &str, more: &str, link: &str) -> Design {
    let text = format!("{{ topology: {{ {network} }}, link: {{ {link} }}, collective: halo, {more} }}");
    Design::new(Config::parse(&text).unwrap()).unwrap_or_else(|error| panic!("{network}, {more}: {error}"))
}

/// Value of a setting.
fn setting(more: &str, name: &str) -> u32 {
    let found = more.split(", ").find_map(|setting| setting.strip_prefix(&format!("{name}: ")));
    found.map_or(1, |value| value.parse().unwrap())
}

/// Words from each node to each, counted from walks: hop after hop over the links of the network without its dead parts.
fn counted(network: &str, more: &str) -> Vec<Vec<u32>> {
    let whole = design(network.split(", dead").next().unwrap(), "count: 1").program.topology;
    let (reach, count) = (setting(more, "reach") as i32, setting(more, "count"));
    let mut rows = vec![vec![0; whole.nodes() as usize]; whole.nodes() as usize];
    let mut offsets = vec![vec![]];
    for _ in 0..whole.axes() {
        let longer =
            |offset: &Vec<i32>| (-reach..=reach).map(|hops| [&offset[..], &[hops]].concat()).collect::<Vec<_>>();
        offsets = offsets.iter().flat_map(longer).collect();
    }
    let most = if more.contains("corners") { whole.axes() } else { 1 };
    offsets.retain(|offset| (1..=most).contains(&offset.iter().filter(|&&hops| hops != 0).count()));
    for (from, offset) in whole.node_ids().flat_map(|from| offsets.iter().map(move |offset| (from, offset))) {
        if let Some(to) = walked(&whole, from, offset) {
            rows[from.index()][to.index()] += count;
        }
    }
    rows
}

fn walked(whole: &Topology, from: NodeId, offset: &[i32]) -> Option<NodeId> {
    offset.iter().enumerate().try_fold(from, |at, (axis, &hops)| {
        let port = if hops > 0 { Port::plus(axis) } else { Port::minus(axis) };
        (0..hops.abs()).try_fold(at, |at, _| whole.step(at, port))
    })
}

#[test]
fn halos_are_exchanges_with_the_nodes_nearby_and_take_the_ticks_of_the_bound() {
    for (network, more, classes) in HALOS {
        for latency in [1, 4] {
            let what = format!("{network}, {more}, links of {latency}");
            let design = with_link(network, more, &format!("latency: {latency}"));
            let Program { topology, demand, ticks, .. } = &design.program;
            assert_eq!(Pairs::of(topology, demand), Some(Pairs::new(topology, &counted(network, more))), "{what}");
            assert_eq!(demand.collective(), "exchange", "{what}");
            let report = check::by_execution(&design.program);
            assert!(report.passed() && report.duplicates == Some(0), "{what}: {:?}", report.violations.first());
            if latency == 1 {
                assert_eq!(u64::from(*ticks), design.bound().ticks, "{what}");
            }
            assert!(u64::from(*ticks) >= design.bound().ticks, "{what}: {ticks} ticks");
            if let Some(classes) = classes.filter(|_| latency == 1) {
                assert_eq!(design.program.live_classes(), classes, "{what}");
            }
            assert_eq!(Program::from_json(&design.program.json()).unwrap(), design.program, "{what}");
        }
    }
}

#[test]
fn halos_take_every_link_of_axes_whose_side_is_one() {
    for (network, links) in
        [("hexagonal: [6, 8]", 6), ("lattice: [[3, 0, 1], [0, 1, 1], [0, 0, 2]]", 6), ("torus: [4, 4]", 4)]
    {
        let design = design(network, "count: 1");
        let topology = &design.program.topology;
        let offsets = design.config.offsets(topology).unwrap().unwrap();
        assert_eq!(offsets.len(), links, "{network}: {offsets:?}");
        let pairs = Pairs::of(topology, &design.program.demand).unwrap();
        assert_eq!(pairs.sent(NodeId(0)).iter().sum::<u32>() as usize, links, "{network}");
    }
    // neighbours along the axis of side 1 are no corners besides
    let corners = design("hexagonal: [6, 8]", "corners: true");
    assert_eq!(corners.config.offsets(&corners.program.topology).unwrap().unwrap().len(), 8);
}

/// The command in the generated files says the halo, and makes the same program.
#[test]
fn halos_stand_in_commands() {
    let place = Place::new();
    for (flags, halo) in
        [("--torus 4x4", "--collective halo --count 8"), ("--mesh 3x4", "--collective halo --reach 2 --corners true")]
    {
        let ended = place.run(&format!("generate {flags} {halo} --out made --force"));
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let text = fs::read_to_string(place.path().join("made/program.json")).unwrap();
        let ended = place.run(&format!("program {flags} {halo} --format json"));
        assert_eq!(ended.stdout.trim_end(), text.trim_end(), "{}", ended.stderr);
        let ended = place.run(&format!("check {flags} {halo}"));
        assert!(ended.code == 0 && ended.stdout.contains("ratio       1.000"), "{}{}", ended.stdout, ended.stderr);
    }
    let ended = place.run("explain --torus 6x8 --collective halo --count 8 --node 3,4");
    assert!(ended.code == 0 && ended.stdout.contains("3,4"), "{}{}", ended.stdout, ended.stderr);
    for what in ["links", "classes", "modules", "waves"] {
        let ended = place.run(&format!("draw --torus 4x4 --collective halo --count 8 --what {what} -o {what}.svg"));
        assert_eq!(ended.code, 0, "{what}: {}", ended.stderr);
    }
    assert!(place.run("schema").stdout.contains("\"halo\""));
}

#[test]
fn wrong_halos_are_refused_with_a_cure() {
    let place = Place::new();
    for (arguments, problem, cure) in [
        (
            "--torus 4x4 --reach 3",
            "reach: must be smaller (3): the offset `-3,0` leads to the same node",
            "say `reach: 2`",
        ),
        ("--torus 4x4 --reach 4", "reach: must be smaller (4): the offset `-4,0` leads from a node", "say `reach: 2`"),
        (
            "--torus 4x4 --reach 900 --corners true",
            "(900): a 4x4 torus has fewer nodes than neighbours",
            "say `reach: 2`",
        ),
        ("--mesh 3x4 --reach 3", "(3): the offset `-3,0` leads beyond a border from every node", "--reach 2, or less"),
        ("--torus 4x4 --reach 0", "`0` is not a whole number from 1 to 1024", "schema"),
        ("--torus 4x4 --corners 2", "is not true or false", "schema"),
        ("--torus 4x4 --lengths 8", "lengths: not supported with `collective: halo` (8)", "a halo has `count`"),
        (
            "--torus 4x4 --flits 8",
            "link.flits: not supported with `collective: halo` (8)",
            "leave `link.flits` out, and say `count`",
        ),
        (
            "--torus 4x4 --own streams",
            "own: not supported with `collective: halo` (streams)",
            "take one `collective: exchange` with messages of one length",
        ),
        ("--torus 4x4 --root 1", "root: not supported with `collective: halo` (1)", "leave `root` out"),
        (
            "--torus 64x64",
            "collective: 4096 nodes of a 64x64 torus are more than the 1024",
            "help: choose a smaller network\n",
        ),
        ("--torus 32x32 --count 16777216", "count: 68719476736 flits are more than", "choose shorter messages"),
        ("--torus 4x4 --scheme open-shop", "scheme: open-shop needs no `lengths`", "would take routed"),
        ("--torus 4x4 --lanes 2", "scheme: auto needs full-duplex links", "duplex: full"),
    ] {
        let ended = place.run(&format!("check {arguments} --collective halo"));
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{arguments}: {}", ended.stderr);
        assert!(ended.stderr.contains(cure), "{arguments}: {}", ended.stderr);
    }
    for (arguments, problem) in [
        ("--collective gossip --reach 2", "reach: not supported with `collective: gossip` (2)"),
        ("--collective exchange --corners true", "corners: not supported with `collective: exchange` (true)"),
        ("--collective exchange --count 2", "count: not supported with `collective: exchange` (2)"),
        ("--collective stencil", "invalid value 'stencil'"),
    ] {
        let ended = place.run(&format!("check --torus 4x4 {arguments}"));
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{arguments}: {}", ended.stderr);
    }
    for (list, problem) in [
        (
            "programs: [{ collective: halo, flits: 2 }]",
            "programs[0]: link.flits: not supported with `collective: halo` (2)",
        ),
        (
            "programs: [{ collective: halo, root: any }]",
            "programs[0].root: `any` requires a collective with a root (halo has none)",
        ),
        ("programs: [{ collective: halo, reach: 9 }]", "programs[0]: reach: must be smaller (9)"),
        (
            "programs: [{ collective: gossip, corners: true }]",
            "programs[0]: corners: not supported with `collective: gossip`",
        ),
        ("reach: 2, programs: [{ collective: halo }]", "reach: not supported with `programs` (2)"),
        ("programs: [{ collective: stencil }]", "unknown variant `stencil`"),
    ] {
        place.write("d.yaml", format!("{{ topology: {{ torus: [4, 4] }}, {list} }}"));
        let ended = place.run("check d.yaml");
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{list}: {}", ended.stderr);
    }
}

#[test]
fn the_verilog_of_halos_equals_the_model_and_passes_its_bench() {
    let designs = [
        ("torus: [4, 4]", "count: 8", "width: 8"),
        ("torus: [4, 4]", "reach: 2, count: 2", "width: 8, latency: 4"),
        ("mesh: [3, 4]", "corners: true, count: 2", "width: 8"),
        ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", "count: 3", "width: 8"),
        ("cycle: 5", "reach: 2, count: 3", "width: 150"),
    ];
    for (network, more, link) in sampled(designs, 2) {
        let design = with_link(network, more, link);
        let what = format!("{network}, {more}");
        equals_the_model_and_passes(&what, &design.program, &design.options());
    }
}

/// A word for another neighbour, one that is not sent, and one from another input.
#[test]
fn faults_in_halos_are_caught_by_checker_bench_and_lockstep() {
    let design = design("torus: [4, 4]", "reach: 2, count: 2");
    let right = &design.program;
    let change = |is: fn(Source) -> bool, to: Source| {
        let mut program = right.clone();
        let runs = program.classes.iter_mut().flat_map(|class| &mut class.outputs).flat_map(|track| &mut track.runs);
        runs.into_iter().find(|run| is(run.source)).unwrap().source = to;
        program
    };
    let other = |source: Source| matches!(source, Source::Own { packet, .. } if packet > 0);
    let sent_on = |source: Source| matches!(source, Source::In { .. });
    for (fault, wrong) in [
        ("another word", change(other, Source::own(0))),
        ("no word", change(other, Source::Idle)),
        ("nothing sent on", change(sent_on, Source::Idle)),
        ("a late word", change(sent_on, Source::input(Port::plus(0), 1))),
    ] {
        assert!(!check::by_execution(&wrong).passed(), "{fault}");
    }
    let options = design.options();
    let router = format!("{}_router_a.v", right.title.name);
    let folder = Folder::with_options(right, &options);
    let text = fs::read_to_string(folder.path().join(&router)).unwrap();
    let mutant = text.replacen("<= own_2;", "<= own_3;", 1);
    assert_ne!(mutant, text);
    if has("iverilog") {
        fs::write(folder.path().join(&router), &mutant).unwrap();
        let printed = play(&folder, &right.title.name);
        assert!(printed.starts_with("FAIL "), "{printed}");
    }
    if let Some(tools) = toolchain() {
        let edit = |path: &str, text: String| if path == router { mutant.clone() } else { text };
        let simulator = edited(&tools, right, &options, None, &edit).unwrap();
        assert!(simulator.play(7).unwrap().is_err(), "lockstep");
    }
}

const PROGRAMS: &str = "{ collective: halo, count: 3 }, { collective: exchange }, { collective: halo, reach: 2, corners: true }, \
                        { collective: exchange, lengths: { offsets: { \"-1,0\": 4, \"1,0\": 2, \"0,1\": 1, \"0,-1\": 5 } } }, \
                        { collective: exchange, lengths: { offsets: { \"0,1\": 2 } } }";

/// Nodes of one halo and of several programs hand out every word, in the order of the nodes and of arrival.
#[test]
fn nodes_of_halos_compare_every_word_in_their_bench() {
    if !has("iverilog") {
        return;
    }
    let networks = [
        ("torus: [4, 4]", "link: { width: 12 },"),
        ("mesh: [3, 4]", "link: { width: 12 }, local: { order: arrival },"),
        ("torus: [4, 4], dead: { nodes: [\"1,1\"] }", "link: { width: 12, latency: 2 },"),
    ];
    for (network, more) in sampled(networks.into_iter().rev(), 3) {
        let place = Place::new();
        place.write("d.yaml", list(network, more, PROGRAMS));
        let ended = place.run("generate d.yaml --out calls");
        assert_eq!(ended.code, 0, "{network}: {}", ended.stderr);
        let right = played(&place, "calls_tb");
        assert!(right.stdout.contains("PASS "), "{network}: {} {}", right.stdout, right.stderr);
        let text = fs::read_to_string(place.path().join("calls/calls_router.v")).unwrap();
        fs::write(place.path().join("calls/calls_router.v"), text.replacen("_out_data <= ", "_out_data <= ~", 1))
            .unwrap();
        let wrong = played(&place, "calls_tb");
        assert!(wrong.stdout.contains("FAIL"), "{network}: {}", wrong.stdout);
    }
    for order in sampled(["arrival", "origin"], 2) {
        let place = Place::new();
        let ended = place.run(&format!(
            "simulate --torus 4x4 --collective halo --count 4 --order {order} --engine icarus --width 8"
        ));
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn lists_with_halos_equal_the_model_in_lockstep_and_name_them() {
    let place = Place::new();
    place.write("d.yaml", list("torus: [4, 4]", "link: { width: 8 },", PROGRAMS));
    let ended = place.run("check d.yaml --format json");
    assert_eq!(ended.stdout.matches("\"collective\": \"exchange\"").count(), 5, "{}{}", ended.stdout, ended.stderr);
    let ended = place.run("draw d.yaml --what classes --program halo -o x.svg");
    assert!(ended.stderr.contains("--program 0 (halo) or --program 2 (halo)"), "{}", ended.stderr);
    let ended = place.run("explain d.yaml --program 0 --node 1,1");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    if toolchain().is_some() {
        let ended = place.run("simulate d.yaml --engine verilator");
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
}

/// Python takes an array for each neighbour, on one device and on boards, where sides are two and where nodes are dead.
#[test]
fn python_calls_halos() {
    if !can_call() {
        return;
    }
    let small = "{ collective: halo, count: 2 }, { collective: exchange }";
    let cycle = "{ collective: halo }, { collective: exchange }, { collective: halo, count: 7 }";
    for (sides, network, link, programs, calls) in [
        ("4x4", "torus: [4, 4]", "width: 16", PROGRAMS, 7),
        ("3x4", "mesh: [3, 4]", "width: 8", PROGRAMS, 7),
        ("4x4", "torus: [4, 4], dead: { nodes: [\"1,1\"] }", "width: 32", PROGRAMS, 7),
        ("2x4", "torus: [2, 4]", "width: 8, elastic: true, checksum: crc8, boards: [1, 2]", small, 3),
        ("3", "cycle: 3", "width: 8", cycle, 5),
        ("1x3x4", "hexagonal: [3, 4]", "width: 8", small, 3),
        ("2x3", "torus: [2, 3]", "width: 8", "{ collective: exchange, lengths: { offsets: { \"0,1\": 2 } } }", 0),
    ] {
        let config = format!(
            "{{ name: calls, topology: {{ {network} }}, link: {{ {link} }}, host: {{ bus: uart }}, programs: [{programs}] }}"
        );
        let place = generated(&config);
        let kind = ["mesh", "hexagonal"].into_iter().find(|kind| network.starts_with(kind)).unwrap_or("torus");
        let ended = script(&place, "halo.py", &["sim:calls", sides, kind]);
        assert_eq!((ended.code, ended.stdout), (0, format!("{calls} right\n")), "{network}: {}", ended.stderr);
    }
}

/// The config and the script of the page, as they stand there: conjugate gradients over a grid.
#[test]
fn the_stencil_of_the_page_solves_its_equations() {
    if !can_call() {
        return;
    }
    let ended = page_script("## Neighbours", "assert error < 1e-5 and rounds < 60, (error, rounds)\n");
    assert!(ended.code == 0 && ended.stdout.ends_with("\nright\n"), "{}{}", ended.stdout, ended.stderr);
}
