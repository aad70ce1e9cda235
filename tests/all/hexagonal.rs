//! Hexagonal tori by name: lattices whose nodes have six neighbours.

use std::collections::BTreeSet;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::Topology;
use torusweave::study::bounds;

use crate::fixtures::command::Place;
use crate::fixtures::tools::has;

fn design(sides: [u32; 2], more: &str) -> Design {
    let config = Config::parse(&format!("{{ topology: {{ hexagonal: {sides:?} }}{more} }}")).unwrap();
    Design::new(config).unwrap_or_else(|error| panic!("{sides:?}{more}: {error}"))
}

/// Neighbours of a cell of a hexagonal grid, in axial coordinates.
const AROUND: [(u32, u32); 6] = [(1, 0), (0, 1), (1, 1), (u32::MAX, 0), (0, u32::MAX), (u32::MAX, u32::MAX)];

#[test]
fn every_node_has_the_six_neighbours_of_a_hexagon() {
    for sides @ [n2, n3] in [[3, 3], [3, 7], [6, 6], [6, 8], [8, 5]] {
        let network = design(sides, "").program.topology;
        assert_eq!(network.nodes(), n2 * n3, "{sides:?}");
        for node in network.node_ids() {
            let at = |node| match network.coords(node)[..] {
                [0, x, y] => (x, y),
                _ => panic!("{sides:?}: a node off the plane"),
            };
            let (x, y) = at(node);
            let there = |(dx, dy): (u32, u32)| ((x + n2).wrapping_add(dx) % n2, (y + n3).wrapping_add(dy) % n3);
            let found: BTreeSet<(u32, u32)> =
                network.linked_ports(node).map(|port| at(network.step(node, port).unwrap())).collect();
            assert_eq!(found, AROUND.map(there).into(), "{sides:?}: {x},{y}");
            assert_eq!(found.len(), 6, "{sides:?}: {x},{y}");
        }
    }
}

#[test]
fn all_gathers_take_the_bound_and_other_collectives_run() {
    for (sides, steps) in [([3, 3], 2), ([4, 4], 3), ([6, 6], 6), ([6, 8], 8), ([5, 7], 6)] {
        let program = design(sides, "").program;
        assert_eq!((program.ticks, bounds::of(&program).ticks), (steps, steps.into()), "{sides:?}");
        for more in [
            "",
            ", collective: broadcast, link: { flits: 6 }",
            ", collective: exchange",
            ", collective: all-reduce, operation: sum",
            ", collective: halo, count: 2",
            ", collective: reduce, operation: max, link: { flits: 3, latency: 2 }",
        ] {
            let report = check::by_execution(&design(sides, more).program);
            assert!(report.passed(), "{sides:?}{more}: {:?}", report.violations.first());
        }
    }
    // a halo brings words from the six nodes around, in as many ticks as words
    assert_eq!(design([6, 8], ", collective: halo, count: 4").program.ticks, 4);
}

#[test]
fn config_flag_and_lattice_say_the_same() {
    let place = Place::new();
    place.write("d.yaml", "topology: { hexagonal: [6, 8], dead: { links: [\"0,1,2 x2+\"] } }\n");
    let [by_file, by_flag, by_rows] = [
        "program d.yaml --format json",
        "program --hexagonal 6x8 --dead-link 0,1,2:x2+ --format json",
        "program --lattice 1,1,1/0,6,0/0,0,8 --dead-link 0,1,2:x2+ --format json",
    ]
    .map(|command| place.run(command).stdout);
    assert!(by_file.contains("\"lattice\": [[1, 1, 1], [0, 6, 0], [0, 0, 8]]"), "{by_file}");
    assert!(by_file == by_flag && by_flag == by_rows);
    assert_eq!(
        Topology::of_lattice(&[vec![1, 1, 1], vec![0, 6, 0], vec![0, 0, 8]]).unwrap(),
        design([6, 8], "").program.topology
    );
    let schema = place.run("schema").stdout;
    assert!(schema.contains("`{ hexagonal: [6, 8] }`"), "{schema}");
}

#[test]
fn other_sides_are_refused_with_a_cure() {
    let place = Place::new();
    for sides in ["6", "6x8x4", "1x6", "6x", "axb", "-3x6"] {
        let ended = place.run(&format!("check --hexagonal {sides}"));
        let problem = format!("error: `{sides}` is not a hexagonal torus: it has two sides, each at least 2");
        assert!(ended.code == 2 && ended.stderr.contains(&problem), "{sides}: {}", ended.stderr);
        assert!(ended.stderr.contains("help: write the sides like --hexagonal 6x8"), "{sides}: {}", ended.stderr);
    }
    for (sides, problem) in [
        ("[6]", "a hexagonal torus has two sides, each at least 2"),
        ("[6, 1]", "`1` is not a side, a whole number from 2"),
        ("6", "a list of sides"),
        ("[6, 8], torus: [3, 3]", "two shapes, `lattice` and `torus`"),
    ] {
        place.write("d.yaml", format!("topology: {{ hexagonal: {sides} }}\n"));
        let ended = place.run("check d.yaml");
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{sides}: {}", ended.stderr);
    }
}

#[test]
fn the_verilog_of_hexagonal_tori_passes_its_bench() {
    if !has("iverilog") {
        return;
    }
    for more in ["", "--collective all-reduce --operation sum --count 2 --order origin", "--elastic true"] {
        let place = Place::new();
        let ended = place.run(&format!("simulate --hexagonal 3x4 {more} --engine icarus"));
        assert!(ended.code == 0 && ended.stdout.contains("PASS "), "{more}: {}{}", ended.stdout, ended.stderr);
    }
}
