//! Pictures are well formed, of bounded size, and say what the program does.

use super::*;
use crate::design::Design;
use crate::design::config::Config;
use crate::net::{NodeBlocks, NodeId, Port, ShapeName, Topology, Torus};
use crate::netlist::listed::ListNetlist;
use crate::netlist::{BlockOrder, Crossbar, HostStreams, Netlist, NodeOptions, OwnInputs, Rom, Router};
use crate::paths::cover::{Cover, Walk};
use crate::paths::supply::Switching;
use crate::play::Machine;
use crate::program::{ClassId, Demand, Program, ProgramBuilder, Run, Source, Title};
use crate::schemes::{optimal, staircase, zigzag};

fn staircase_on(dims: &[u32]) -> (Program, Cover) {
    let torus = Torus::new(dims).unwrap();
    let program = staircase::program(&torus, Switching::Memory, Title::new("t", "staircase")).unwrap();
    (program, staircase::cover(&torus).unwrap())
}

fn zigzag_on(dims: &[u32]) -> (Program, Cover) {
    let torus = Torus::new(dims).unwrap();
    let program = zigzag::program(&torus, Switching::None, Title::new("t", "zigzag")).unwrap();
    (program, zigzag::cover(&torus).unwrap())
}

/// A ring of one axis: the only cycle there is.
fn ring(side: u32) -> (Program, Cover) {
    round(&Topology::new(ShapeName::Cycle, &[side]).unwrap(), vec![Port::plus(0); side as usize])
}

/// A mesh with an even number of rows: along the first row, to and fro through the others, and up the first column.
fn mesh(rows: u32, columns: u32) -> (Program, Cover) {
    let [up, down, left, right] = [Port::minus(0), Port::plus(0), Port::minus(1), Port::plus(1)];
    let times = |way, times: u32| std::iter::repeat_n(way, times as usize);
    let mut moves = vec![right];
    for row in 0..rows {
        moves.extend(times(if row % 2 == 0 { right } else { left }, columns - 2));
        moves.push(if row + 1 < rows { down } else { left });
    }
    moves.extend(times(up, rows - 1));
    round(&Topology::new(ShapeName::Mesh, &[rows, columns]).unwrap(), moves)
}

/// Every node's packet both ways round a cycle through all nodes.
fn round(topology: &Topology, moves: Vec<Port>) -> (Program, Cover) {
    let cover = Cover::new(topology, &[Walk { start: NodeId(0), moves }], |_| false).unwrap();
    let mut builder = ProgramBuilder::new(topology, topology.nodes() / 2, Demand::gossip(topology, 1));
    for node in topology.node_ids() {
        let visit = cover.visit(0, node).unwrap();
        for (to, from) in [(visit.to, visit.from), (visit.from, visit.to)] {
            let track = builder.track(&[OWN], Source::input(from, 1));
            builder.set(node, to, track);
        }
    }
    (builder.finish(Title::new("t", "round")), cover)
}

const OWN: Run = Run { source: Source::own(0), ticks: 1 };

/// Both ways along a path.
fn path(side: u32) -> Program {
    let topology = Topology::new(ShapeName::Path, &[side]).unwrap();
    let mut builder = ProgramBuilder::new(&topology, side - 1, Demand::gossip(&topology, 1));
    for node in topology.node_ids() {
        for port in topology.linked_ports(node) {
            let input = topology.step(node, port.opposite());
            let then = input.map_or(Source::Idle, |_| Source::input(port.opposite(), 1));
            let track = builder.track(&[OWN], then);
            builder.set(node, port, track);
        }
    }
    builder.finish(Title::new("t", "along"))
}

fn all_pictures((program, cover): &(Program, Cover)) -> Vec<String> {
    pictures_of(program, Some(cover))
}

fn pictures_of(program: &Program, cover: Option<&Cover>) -> Vec<String> {
    [
        cycles(program, cover),
        cycles(program, None),
        supply(program, cover),
        classes(program),
        spacetime(program, cover, 0, 1),
        spacetime(program, None, 0, program.ticks),
        tree(program, NodeId(0), 0),
        progress(program, None),
        progress(program, Some(program.ticks / 2)),
    ]
    .map(|picture| picture.unwrap())
    .into()
}

/// Every tag is closed in order, every attribute quoted once, and no stray `<` or `&` is left in a text.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let (text, tail) = rest.split_at(start);
        let is_entity = |after: &str| ["amp;", "lt;", "gt;"].iter().any(|entity| after.starts_with(entity));
        assert!(text.split('&').skip(1).all(is_entity), "{text}");
        let (tag, tail) = tail[1..].split_once('>').expect("a tag ends");
        rest = tail;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let attributes = attributes.trim_end_matches('/');
        let names: Vec<&str> = attributes.split('"').step_by(2).map(str::trim).collect();
        let (last, names) = names.split_last().unwrap_or((&"", &[]));
        assert_eq!(*last, "", "{tag}");
        assert!(names.iter().all(|name| name.ends_with('=')), "{tag}");
        let distinct: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{tag}");
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn pictures_are_well_formed_and_the_same_every_time() {
    let designs = [
        staircase_on(&[2, 2]),
        staircase_on(&[6, 8]),
        staircase_on(&[6, 7]),
        staircase_on(&[16, 2]),
        zigzag_on(&[8, 6]),
        zigzag_on(&[7, 7]),
        zigzag_on(&[3, 3, 4]),
        zigzag_on(&[6, 6, 5]),
        ring(2),
        ring(12),
        mesh(4, 5),
        mesh(2, 3),
    ];
    for design in &designs {
        let pictures = all_pictures(design);
        for picture in &pictures {
            assert_well_formed(picture);
        }
        assert_eq!(pictures, all_pictures(design));
    }
    for picture in pictures_of(&path(7), None) {
        assert_well_formed(&picture);
    }
}

/// On a 4x6 torus four new nodes have it after each tick but the last: there are 23.
#[test]
fn a_tree_names_the_tick_in_which_each_node_is_reached() {
    let torus = Torus::new(&[4, 6]).unwrap();
    let program = optimal::program(&torus, optimal::StoreMode::Any, Title::new("t", "optimal")).unwrap();
    let picture = tree(&program, torus.node(&[1, 2]), 0).unwrap();
    let named = |tick: u32| {
        let numbers = picture.lines().filter(|line| line.contains("small pale") || line.contains("small ink"));
        numbers.filter(|line| line.contains(&format!(">{tick}<"))).count()
    };
    assert_eq!((0..=6).map(named).collect::<Vec<_>>(), [1, 4, 4, 4, 4, 4, 3]);
    assert_eq!(tree(&program, NodeId(0), 1), Err(DrawError::Packet { packet: 1, packets: 1 }));
}

/// Number of lines a picture of the cycles has from node to node, stubs over the border among them.
fn lines(picture: &str) -> usize {
    let paths = picture.lines().filter(|line| line.contains("class=\"line c0\"") && line.contains("<path"));
    paths.map(|path| path.matches(['M', 'm']).count()).sum::<usize>()
}

/// A link that leaves the paper is drawn at both its ends; a mesh and a path have none of these.
#[test]
fn nothing_leaves_a_mesh_over_its_border() {
    let picture = |(program, cover): (Program, Cover)| cycles(&program, Some(&cover)).unwrap();
    // links and crossbars, and the legend's sample
    assert_eq!(lines(&picture(mesh(4, 5))), 20 + 20 + 1);
    // a cycle is closed on paper, too
    assert_eq!(lines(&picture(ring(12))), 12 + 12 + 1);
}

#[test]
fn the_first_pictures_a_newcomer_sees() {
    for dims in [[2, 2], [6, 8]] {
        let (program, cover) = staircase_on(&dims);
        insta::assert_snapshot!(
            format!("staircase_{}_cycles", program.topology),
            cycles(&program, Some(&cover)).unwrap()
        );
    }
    let (program, cover) = mesh(4, 5);
    insta::assert_snapshot!("mesh_4x5_cycles", cycles(&program, Some(&cover)).unwrap());
    insta::assert_snapshot!("path_7_links", cycles(&path(7), None).unwrap());
    let (program, _) = staircase_on(&[6, 8]);
    insta::assert_snapshot!("staircase_6x8_classes", classes(&program).unwrap());
}

#[test]
fn large_pictures_stay_below_two_megabytes() {
    let ((staircase, cover), zigzag) = (staircase_on(&[64, 64]), zigzag_on(&[64, 64]));
    let mut pictures = all_pictures(&zigzag);
    pictures.extend([cycles(&staircase, Some(&cover)).unwrap(), classes(&staircase).unwrap()]);
    for (index, picture) in pictures.iter().enumerate() {
        assert!(picture.len() < 2_000_000, "picture {index}: {} bytes", picture.len());
    }
}

/// Number of supply wires run in each cycle's colour.
fn supply_wires((program, cover): &(Program, Cover)) -> Vec<usize> {
    let topology = &program.topology;
    let mut counts = vec![0; cover.cycles()];
    for node in topology.node_ids() {
        for port in topology.port_ids() {
            if let wires::WireUse::Supply { cycle } = wires::wire(program, Some(cover), node, port) {
                counts[cycle] += 1;
            }
        }
    }
    counts
}

/// Figure 1 has no supply, figure 2 one column of it, figure 5 everything below the zigzag.
#[test]
fn supply_is_what_nodes_off_a_cycle_receive() {
    assert_eq!(supply_wires(&staircase_on(&[6, 8])), [0, 0]);
    // six nodes off one cycle each, two supporters each
    assert_eq!(supply_wires(&staircase_on(&[6, 7])), [6, 6]);
    // 32 nodes on one cycle each: 16 off each cycle, two supporters each
    assert_eq!(supply_wires(&zigzag_on(&[8, 6])), [32, 32]);
    // 9 nodes on one cycle lack two; the other 27 lie on two and lack one: 45 lacks, two supporters each
    assert_eq!(supply_wires(&zigzag_on(&[3, 3, 4])).iter().sum::<usize>(), 90);
}

#[test]
fn undrawable_programs_are_refused() {
    let four = zigzag_on(&[4, 4, 4, 4]);
    assert_eq!(cycles(&four.0, Some(&four.1)), Err(DrawError::axes(4)));
    assert_eq!(classes(&four.0), Err(DrawError::axes(4)));
    assert_eq!(progress(&four.0, None), Err(DrawError::axes(4)));
    let (program, cover) = staircase_on(&[4, 4]);
    assert_eq!(progress(&program, Some(9)), Err(DrawError::Tick { tick: 9, last: 8 }));
    assert_eq!(spacetime(&program, Some(&cover), 0, 0), Err(DrawError::Tick { tick: 0, last: 8 }));
    assert_eq!(spacetime(&program, Some(&cover), 2, 1), Err(DrawError::Cycle { cycle: 2, cycles: 2 }));
    let message = DrawError::axes(4).to_string();
    assert_eq!(message, "topology: pictures are drawn for 1, 2 and 3 axes; this network has 4");
}

#[test]
fn modules_name_every_router_with_its_nodes_and_outputs() {
    let (program, _) = staircase_on(&[6, 7]);
    let netlist = Netlist::of(&program, Rom::Shared, 8);
    let svg = modules(&program, &netlist, &FabricSurroundings::default());
    for (class, nodes) in program.class_sizes().into_iter().enumerate() {
        let name = format!(">router {}<", program.class_name(ClassId(class as u32)));
        assert!(svg.contains(&name) && svg.contains(&format!(">{nodes} nodes<")), "{name}");
    }
    let outputs: usize = netlist.driven().map(|(_, router)| router.outputs.len()).sum();
    // `run`, `done` and `go` of the fabric and of each sequence; every arrow is a closed polygon
    let heads = |line: &str| if line.contains("\"nf\" d=") { line.matches('z').count() } else { 0 };
    let arrows: usize = svg.lines().map(heads).sum();
    assert_eq!(arrows, outputs + inputs_of(&netlist) + 2 + netlist.sequences.len());
    let table =
        optimal::program(&Torus::new(&[8, 8]).unwrap(), optimal::StoreMode::Any, Title::new("t", "optimal")).unwrap();
    let has_control =
        |rom| modules(&table, &Netlist::of(&table, rom, 8), &FabricSurroundings::default()).contains(">control a<");
    assert!(has_control(Rom::Shared) && !has_control(Rom::PerNode));
}

#[test]
fn a_sequence_that_many_classes_are_told_counts_them() {
    let (program, _) = zigzag_on(&[7, 7]);
    let svg = modules(&program, &Netlist::of(&program, Rom::Shared, 8), &FabricSurroundings::default());
    assert!(svg.contains(">for 15 classes<"));
}

/// Bold letters are three quarters as wide as they are high, and wider than the text below.
#[test]
fn a_picture_is_as_wide_as_the_name_above_it() {
    let (mut program, _) = staircase_on(&[4, 4]);
    program.title.name = "a_name_".repeat(18);
    let svg = modules(&program, &Netlist::of(&program, Rom::Shared, 8), &FabricSurroundings::default());
    let width: f64 = svg.split('"').nth(5).unwrap().parse().unwrap();
    assert!(width > 15.0 * 0.75 * program.title.name.len() as f64, "{width}");
}

#[test]
fn modules_name_what_stands_around() {
    let (program, _) = staircase_on(&[4, 4]);
    let netlist = Netlist::of(&program, Rom::Shared, 8);
    let draw = |netlist: &Netlist, around: &FabricSurroundings| modules(&program, netlist, around);
    let local = NodeOptions::streams(BlockOrder::Origin, HostStreams::Chain);
    let listed = ListNetlist::of_one(&program, local.ports()).unwrap();
    let begins = DrawnStart::Nodes { chain: true };
    let nodes = ListedModules { name: "any", netlist: &listed, collectives: vec!["gossip".to_owned()], begins }.draw();
    for text in ["start", "memories of a node", "two banks of 1 word", "ring", "m_axis", "begins"] {
        assert!(nodes.contains(&format!(">{text}<")), "{text}");
    }
    let boards = draw(&netlist, &FabricSurroundings { boards: Some(NodeBlocks::of_nodes(&program.topology)) });
    assert!(boards.contains(">16 boards<") && boards.contains(">T m_axis<") && !boards.contains(">system<"));
    let set = draw(
        &Netlist::with(&program, Crossbar::Configurable, OwnInputs::Packets, Rom::Shared, 8),
        &FabricSurroundings::default(),
    );
    assert_eq!([">router a<", ">configuration<", ">as configured<"].map(|text| set.matches(text).count()), [1, 3, 4]);
}

/// Arrows into routers: packets of their own, ports they read, and what they are told.
fn inputs_of(netlist: &Netlist) -> usize {
    let arrows = |router: &Router| router.packets.len() + router.inputs.len() + 1;
    netlist.driven().map(|(_, router)| arrows(router)).sum()
}

/// The ticks in a node's picture, node after node: in each the last of another node's packets has come.
#[test]
fn a_node_has_heard_of_each_other_when_the_last_of_it_has_come() {
    let (program, _) = staircase_on(&[4, 6]);
    let node = NodeId(7);
    let svg = heard(&program, node).unwrap();
    let words =
        svg.lines().filter(|line| line.contains("class=\"small pale\"") || line.contains("class=\"small ink\""));
    let drawn: Vec<u32> =
        words.map(|line| line.split_once('>').unwrap().1.split_once('<').unwrap().0.parse().unwrap()).collect();
    let first_tick = |origin: NodeId, packet: u32| {
        let mut machine = Machine::new(&program);
        loop {
            machine.step();
            let here = machine.arrivals().filter(|&(receiver, ..)| receiver == node);
            let mut from = here.map(|(.., flit)| program.demand.origin(flit));
            if from.any(|from| (from.node, from.packet) == (origin, packet)) {
                return machine.tick();
            }
        }
    };
    let last = |origin| (0..2).map(|packet| first_tick(origin, packet)).max().unwrap();
    let expected = program.topology.node_ids().map(|origin| if origin == node { 0 } else { last(origin) });
    assert_eq!(drawn, expected.collect::<Vec<_>>());
}

#[test]
fn a_dead_node_is_a_cross_and_said_to_be_one() {
    let drawn = |text: &str| {
        let design = Design::new(Config::parse(text).unwrap()).unwrap();
        links(&design.program, 1).unwrap()
    };
    let circles = |picture: &str| picture.matches("<circle").count();
    let (whole, damaged) =
        (drawn("topology: { torus: [5, 5] }"), drawn("topology: { torus: [5, 5], dead: { nodes: [\"2,2\"] } }"));
    assert_eq!(circles(&damaged) + 1, circles(&whole));
    assert!(damaged.contains("a dead node") && !whole.contains("a dead node"));
}
