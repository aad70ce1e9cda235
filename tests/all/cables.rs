//! The list of cables between boards: what it joins is what the bench of the boards joins.

use std::collections::BTreeSet;

use torusweave::draw;
use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::net::{NodeBlocks, ShapeName};

use crate::fixtures::command::Place;
use crate::fixtures::designs::{design_on, options};

/// Ends of a cable: numbers of the two links that leave them, in the bench.
type Ends = BTreeSet<(usize, usize)>;

/// Pairs of links that the generated bench joins, by `there[N] = M`.
fn of_bench(text: &str) -> Ends {
    let pair = |line: &str| {
        let (from, to) = line.trim().strip_prefix("there[")?.strip_suffix(';')?.split_once("] = ")?;
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    text.lines().filter_map(pair).filter(|&(_, to)| to != 0).collect()
}

#[test]
fn cables_join_what_the_bench_joins() {
    for (shape, sides, settings) in [
        (ShapeName::Torus, &[3, 4][..], "scheme=optimal"),
        (ShapeName::Torus, &[2, 3, 4], "scheme=optimal link.flits=3 link.latency=3"),
        (ShapeName::Torus, &[3, 4], "scheme=hamiltonian link.lanes=2"),
        (ShapeName::Mesh, &[3, 4], "scheme=hamiltonian"),
        (ShapeName::Path, &[4], "collective=broadcast"),
    ] {
        let settings: Vec<&str> = settings.split(' ').collect();
        let design = design_on(shape, sides, &settings);
        let program = &design.program;
        let mut files = MemoryFiles::default();
        emit::write_all(program, &Options { elastic: true, ..options(8) }, &mut files).unwrap();
        let bench = format!("tb/{}_board_tb.v", program.title.name);
        let joined = of_bench(std::str::from_utf8(&files.0[&bench]).unwrap());
        let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
        let line = format!("cables --{shape} {} --set {}", sides.join("x"), settings.join(" --set "));
        let (csv, svg) = (
            Place::new().run(&line).stdout,
            draw::cable_map(program, &NodeBlocks::of_nodes(&program.topology), 2).unwrap(),
        );
        // board and port as the bench numbers them
        let index = |board: &str, port: &str| {
            let node = program.topology.node_ids().find(|&node| emit::names::node(&program.topology, node) == board);
            let axes = program.topology.axes();
            let channel = program.channels().position(|channel| emit::names::channel(axes, channel) == port);
            node.unwrap().index() * program.outputs() + channel.unwrap() + 1
        };
        let mut listed = Ends::new();
        for line in csv.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let ends = (index(fields[1], fields[2]), index(fields[3], fields[4]));
            assert!(listed.insert(ends) && listed.insert((ends.1, ends.0)), "{line}");
            assert!(fields[5].parse::<u32>().unwrap() >= 2 * program.latency, "{line}");
            assert!(svg.contains(&format!(">{}<", fields[0])) || program.lanes > 1, "{line}");
        }
        assert_eq!(listed, joined, "{}", program.title.name);
    }
}
