//! Exchange, scatter, gather and broadcast on lattices, cylinders, meshes and damaged tori.

use torusweave::check;
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::program::{Link, Operation, Program, Title};
use torusweave::schemes::SchemeName;
use torusweave::study::bounds;
use torusweave::task::{Choice, Collective, CollectiveTraffic, Task};
use torusweave::transform::reverse;

use crate::fixtures::designs::{Folder, options};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, edited, equals_the_model, has, play, toolchain};

fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

fn torus(sides: &[u32]) -> Topology {
    Topology::new(ShapeName::Torus, sides).unwrap()
}

fn mesh(sides: &[u32]) -> Topology {
    Topology::new(ShapeName::Mesh, sides).unwrap()
}

fn lattice(rows: &[&[i64]]) -> Topology {
    Topology::of_lattice(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
}

fn damaged() -> Vec<Topology> {
    let link = |node, port| (NodeId(node), Port::from_index(port));
    vec![
        torus(&[4, 4]).without(&[], &[link(0, 1)]).unwrap(),
        torus(&[5, 5]).without(&[NodeId(7)], &[link(0, 3), link(12, 2)]).unwrap(),
        torus(&[4, 6]).without(&[NodeId(23), NodeId(0)], &[]).unwrap(),
        mesh(&[3, 5]).without(&[NodeId(7)], &[]).unwrap(),
        lattice(&[&[4, 2], &[0, 5]]).without(&[], &[link(3, 2), link(9, 0)]).unwrap(),
    ]
}

fn whole() -> Vec<Topology> {
    vec![
        mesh(&[3, 4]),
        mesh(&[5, 5]),
        mesh(&[3, 3, 3]),
        torus(&[4, 5]).with_open(&[1]).unwrap(),
        torus(&[2, 3, 3]).with_open(&[0, 2]).unwrap(),
        lattice(&[&[4, 2], &[0, 6]]),
        lattice(&[&[1, 5], &[0, 19]]),
        lattice(&[&[2, 1, 0], &[0, 2, 3], &[0, 0, 6]]),
    ]
}

/// The program of a collective by a scheme of the list, and what it takes beyond the bound; it is right.
fn woven(topology: &Topology, collective: Collective, root: NodeId, flits: u32, scheme: &str) -> (Program, u64) {
    let root = if collective.has_root() { topology.coords(root) } else { Vec::new() };
    let traffic = CollectiveTraffic { collective, root, flits, ..CollectiveTraffic::default() };
    let task =
        Task { topology, link: Link::default(), choice: Choice { traffic: traffic.into(), ..Choice::default() } };
    let pick: SchemeName = serde_json::from_value(scheme.into()).unwrap();
    let built = pick.build(&task, "any").unwrap_or_else(|error| panic!("{}: {error}", topology.describe()));
    let program = Program { title: Title::new("any", "any"), ..built.program };
    let report = check::by_execution(&program);
    assert!(report.passed(), "{collective} on a {}: {:?}", topology.describe(), report.violations);
    let bound = bounds::of(&program).ticks;
    let beyond = u64::from(program.ticks).checked_sub(bound);
    let beyond = beyond.unwrap_or_else(|| panic!("{collective} on a {}: below the bound {bound}", topology.describe()));
    (program, beyond)
}

#[test]
fn exchange_on_boxes_takes_what_crosses_the_middle() {
    let mut expected = vec![
        (mesh(&[5, 5]), 30),
        (mesh(&[7, 7]), 84),
        (mesh(&[8, 8]), 128),
        (mesh(&[3, 3, 3]), 18),
        (mesh(&[4, 4, 4]), 64),
        (Topology::new(ShapeName::Path, &[9]).unwrap(), 20),
        (torus(&[4, 6]).with_open(&[1]).unwrap(), 36),
        (torus(&[5, 6]).with_open(&[0]).unwrap(), 36),
    ];
    if is_full() {
        expected.push((mesh(&[16, 16]), 1024));
    }
    for (topology, ticks) in expected {
        let (program, beyond) = woven(&topology, Collective::Exchange, NodeId(0), 1, "auto");
        assert_eq!((program.ticks, beyond), (ticks, 0), "{}", topology.describe());
    }
}

/// Paths, meshes and cylinders, the small ones in the check: at the bound by what crosses the middle.
#[test]
fn exchange_on_paths_meshes_and_cylinders_is_at_the_cut_bound() {
    let most = if is_full() { 9 } else { 4 };
    let paths = (2..=2 * most).map(|nodes| Topology::new(ShapeName::Path, &[nodes]).unwrap());
    let planes = (2..=most).flat_map(|n1| (2..=most).map(move |n2| [n1, n2]));
    let cylinders = planes.clone().filter(|sides| sides[0] > 2).map(|sides| torus(&sides).with_open(&[1]).unwrap());
    let meshes = planes.filter(|sides| sides[0] <= sides[1]).map(|sides| mesh(&sides));
    let all: Vec<Topology> = paths.chain(cylinders).chain(meshes).collect();
    let mut beyond = Vec::new();
    for topology in &all {
        let more = woven(topology, Collective::Exchange, NodeId(0), 1, "auto").1;
        if more > 0 {
            println!("exchange on a {}: {more} beyond the bound", topology.describe());
            beyond.push(more);
        }
    }
    assert!(beyond.is_empty(), "{beyond:?} of {}", all.len());
}

#[test]
fn exchange_on_twisted_slices_takes_what_the_lengths_of_axes_say() {
    let slices: [(&[&[i64]], u32); 4] = [
        (&[&[4, 0, 4], &[0, 4, 4], &[0, 0, 8]], 74),
        (&[&[4, 4, 4], &[0, 8, 0], &[0, 0, 8]], 184),
        (&[&[8, 8], &[0, 16]], 170),
        (&[&[3, 1], &[0, 9]], 23),
    ];
    for (rows, ticks) in slices {
        let (program, beyond) = woven(&lattice(rows), Collective::Exchange, NodeId(0), 1, "open-shop");
        assert_eq!((program.ticks, beyond, program.classes.len()), (ticks, 0, 1), "{rows:?}");
    }
}

#[test]
fn exchange_on_damaged_networks_is_at_the_bound() {
    let without = |sides: &[u32], nodes: &[u32]| {
        let nodes: Vec<NodeId> = nodes.iter().map(|&node| NodeId(node)).collect();
        let links = if nodes.is_empty() { vec![(NodeId(0), Port::plus(1))] } else { Vec::new() };
        torus(sides).without(&nodes, &links).unwrap()
    };
    let mut networks = damaged();
    if is_full() {
        networks.extend([without(&[8, 8], &[]), without(&[6, 6], &[5]), without(&[4, 4, 4], &[])]);
    }
    let exchanged = |topology| woven(topology, Collective::Exchange, NodeId(0), 1, "auto").1;
    let beyond: Vec<u64> = networks.iter().map(exchanged).collect();
    assert!(beyond.iter().all(|&beyond| beyond == 0), "{beyond:?}");
}

#[test]
fn scatter_and_gather_from_every_root_are_at_the_bound() {
    let mut roots = 0;
    for topology in damaged().iter().chain(&whole()) {
        let step = if is_full() { 1 } else { 5 };
        for root in topology.live_ids().step_by(step) {
            for collective in [Collective::Scatter, Collective::Gather] {
                let (program, beyond) = woven(topology, collective, root, 1, "flow");
                assert_eq!(beyond, 0, "{collective}, root {} of a {}", root.0, topology.describe());
                assert!(program.depth() <= 1, "nothing waits on its way");
                roots += 1;
            }
        }
    }
    assert!(roots > 100, "{roots}");
}

#[test]
fn messages_of_several_flits_are_scattered_flit_by_flit() {
    for topology in &damaged()[..2] {
        let root = topology.live_ids().nth(3).unwrap();
        for collective in [Collective::Scatter, Collective::Gather] {
            assert_eq!(woven(topology, collective, root, 3, "flow").1, 0, "{}", topology.describe());
        }
    }
}

#[test]
fn large_scatters_flow_through_the_network_itself() {
    let topology = mesh(&[20, 50]);
    let (program, beyond) = woven(&topology, Collective::Scatter, NodeId(525), 5, "flow");
    assert!(u64::from(program.ticks) * 1000 > 1_000_000, "it is not copied for every tick");
    assert_eq!(beyond, 0);
}

#[test]
fn broadcast_by_trees_that_share_no_link_is_near_the_bound() {
    let mut beyond_of_many = Vec::new();
    for topology in damaged().iter().chain(&whole()) {
        let root = topology.live_ids().nth(topology.live_nodes() as usize / 2).unwrap();
        let (_, beyond) = woven(topology, Collective::Broadcast, root, 1, "arc-trees");
        assert_eq!(beyond, 0, "one flit on a {}", topology.describe());
        beyond_of_many.push(woven(topology, Collective::Broadcast, root, 64, "arc-trees").1);
    }
    assert!(beyond_of_many.iter().all(|&beyond| beyond <= 8), "{beyond_of_many:?}");
}

/// A program of every collective on networks of every kind, the small ones.
fn programs_for_rtl() -> Vec<Program> {
    let networks = [
        lattice(&[&[2, 1], &[0, 5]]),
        torus(&[3, 4]).with_open(&[1]).unwrap(),
        mesh(&[3, 3]),
        mesh(&[2, 2, 3]),
        torus(&[3, 4]).without(&[NodeId(11)], &[(NodeId(0), Port::plus(1))]).unwrap(),
        torus(&[3, 3]).without(&[NodeId(0)], &[]).unwrap(),
    ];
    let mut programs = Vec::new();
    for topology in &networks {
        let root = topology.live_ids().nth(2).unwrap();
        for (collective, scheme) in [
            (Collective::Gossip, "general"),
            (Collective::Broadcast, "arc-trees"),
            (Collective::Scatter, "flow"),
            (Collective::Gather, "flow"),
            (Collective::Exchange, "auto"),
        ] {
            programs.push(woven(topology, collective, root, 1, scheme).0);
        }
        let gather = woven(topology, Collective::Gossip, root, 1, "general").0;
        let reduce = reverse::reduction(&gather, Operation::Sum);
        programs.extend([reduce.followed_by(&gather).unwrap(), reduce]);
    }
    programs
}

/// A sample, or all under `TORUSWEAVE_FULL`.
#[test]
fn the_verilog_of_every_kind_of_network_passes_its_bench_and_lint() {
    for program in sampled(programs_for_rtl(), 4) {
        let what = format!("{} on a {}", program.collective(), program.topology.describe());
        let folder = Folder::with(&program, 8);
        if has("iverilog") {
            let printed = play(&folder, "any");
            assert!(printed.starts_with(&format!("PASS {} ticks, ", program.ticks)), "{what}: {printed}");
        }
        if has("verilator") {
            let (is_clean, said) =
                call(&folder, "verilator", &["--lint-only", "-Wall", "-f", "any.f", "--top-module", "any"]);
            assert!(is_clean && said.is_empty(), "{what}: {said}");
        }
    }
}

#[test]
fn the_verilog_of_damaged_and_twisted_networks_equals_the_model_in_lockstep() {
    let Some(tools) = toolchain() else { return };
    for program in programs_for_rtl().iter().step_by(if is_full() { 1 } else { 9 }) {
        let what = format!("{} on a {}", program.collective(), program.topology.describe());
        equals_the_model(&tools, &what, program, &options(8));
    }
}

/// Another input or packet than the right one, in the first router that has some, on every kind of network.
#[test]
fn wrong_routers_of_every_kind_of_network_are_caught_by_bench_and_lockstep() {
    let mut caught = 0;
    let gossips = programs_for_rtl().into_iter().filter(|program| program.collective() == "gossip");
    for (program, number) in gossips.zip(0..) {
        let what = program.topology.describe();
        let folder = Folder::with(&program, 8);
        let router = "any_router_a.v";
        let right = std::fs::read_to_string(folder.path().join(router)).unwrap();
        // each line with a source, and the sources of others
        let takes: Vec<&str> = right.lines().filter(|line| line.contains("<=") && line.contains("_in_data")).collect();
        let source = |line: &str| {
            let begins = line.find("<=").unwrap() + 3;
            line[begins..].trim_end_matches(';').to_owned()
        };
        let pair = takes.windows(2).find(|pair| source(pair[0]) != source(pair[1]));
        let Some(&[one, other]) = pair else { panic!("{what}: {right}") };
        let mutant = right.replacen(one, &one.replace(&source(one), &source(other)), 1);
        assert_ne!(mutant, right, "{what}");
        if has("iverilog") {
            std::fs::write(folder.path().join(router), &mutant).unwrap();
            let printed = play(&folder, "any");
            assert!(printed.starts_with("FAIL "), "{what}: {printed}");
            caught += 1;
        }
        if let Some(tools) = toolchain().filter(|_| is_full() || number == 4) {
            let edit = |path: &str, text: String| if path == router { mutant.clone() } else { text };
            let simulator = edited(&tools, &program, &options(8), None, &edit).unwrap();
            assert!(simulator.play(7).unwrap().is_err(), "{what}, lockstep");
        }
    }
    assert!(!has("iverilog") || caught == 6, "{caught}");
}
