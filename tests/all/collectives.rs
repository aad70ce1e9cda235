//! Broadcast, scatter, gather and total exchange: what the schemes promise, by execution, from any root, for any lengths.

use std::process::Command;

use serde_json::Value;
use torusweave::check;
use torusweave::design::config::{Config, Setting};
use torusweave::design::{Design, DesignError};
use torusweave::net::ShapeName;
use torusweave::play::Machine;
use torusweave::program::Program;
use torusweave::protocol::{Event, RegisterContents, certification, shoulder_tap};
use torusweave::task::TreeKind;

use crate::fixtures::command::{Place, TORUSWEAVE};

fn try_design(shape: ShapeName, dims: &[u32], settings: &[&str]) -> Result<Design, DesignError> {
    let settings: Vec<Setting> = settings.iter().map(|text| text.parse().unwrap()).collect();
    Design::new(Setting::apply_all(&settings, Config::of(shape, dims.to_vec()))?)
}

fn design(shape: ShapeName, dims: &[u32], settings: &[&str]) -> Design {
    try_design(shape, dims, settings).unwrap()
}

/// The tick after which everybody has what he wants, once nothing is wrong.
fn complete(design: &Design) -> u32 {
    let report = check::by_execution(&design.program);
    assert!(report.passed(), "{}: {:?}", design.program.title.name, report.violations);
    assert!(design.bound().ticks <= u64::from(report.complete_at.unwrap()), "{}", design.program.title.name);
    report.complete_at.unwrap()
}

fn torus(dims: &[u32], settings: &[&str]) -> u32 {
    complete(&design(ShapeName::Torus, dims, settings))
}

#[test]
fn broadcasts_take_the_ticks_that_were_measured() {
    let fork = ["collective=broadcast", "scheme=fork", "root=3,4"];
    assert_eq!(torus(&[7, 12], &fork), 9);
    assert_eq!(torus(&[7, 12], &[&fork[..], &["link.flits=6"]].concat()), 14);
    let trees: [(&[u32], u32, u32); 6] = [
        (&[12, 10], 40, 21),
        (&[14, 14], 64, 30),
        (&[8, 6], 7, 9),
        (&[9, 11], 50, 24),
        (&[5, 6, 7], 100, 27),
        (&[4, 4, 4], 100, 24),
    ];
    for (dims, flits, most) in trees {
        let flits = format!("link.flits={flits}");
        assert!(torus(dims, &["collective=broadcast", "scheme=trees", "root=5", &flits]) <= most, "{dims:?}");
    }
    for (flits, expected) in [(1, 11), (2, 11), (4000, 1011)] {
        assert_eq!(torus(&[12, 10], &["collective=broadcast", &format!("link.flits={flits}")]), expected);
    }
}

#[test]
fn worms_take_their_steps_and_are_seen_on_the_way() {
    let ticks = |dims: &[u32], scheme: &str, flits: u32| {
        let settings = ["collective=broadcast", &format!("scheme={scheme}"), &format!("link.flits={flits}"), "root=7"];
        let design = design(ShapeName::Torus, dims, &settings);
        assert!(complete(&design) <= design.program.ticks);
        (design.program.ticks, design.scheme.remark(&design.task()).unwrap().split(' ').next().unwrap().to_owned())
    };
    assert_eq!(ticks(&[11, 11], "worm", 1), (19, "5".to_owned()));
    assert_eq!(ticks(&[11, 11], "worm", 4), (34, "5".to_owned()));
    assert_eq!(ticks(&[6, 6, 6], "worm", 3), (28, "5".to_owned()));
    assert_eq!(ticks(&[11, 11], "worm-free", 4), (30, "4".to_owned()));
    assert_eq!(ticks(&[6, 6, 6], "worm-free", 3), (23, "3".to_owned()));
}

#[test]
fn scatter_and_gather_take_the_bound_and_hold_nothing() {
    let cases: [(ShapeName, &[u32], u32, u32); 6] = [
        (ShapeName::Torus, &[9, 14], 1, 32),
        (ShapeName::Torus, &[11, 11], 1, 30),
        (ShapeName::Torus, &[6, 7, 5], 1, 35),
        (ShapeName::Torus, &[4, 4, 4, 3], 1, 24),
        (ShapeName::Cycle, &[17], 1, 8),
        (ShapeName::Torus, &[13, 7], 3, 69),
    ];
    for collective in ["collective=scatter", "collective=gather"] {
        for (shape, dims, flits, expected) in cases {
            let flits = format!("link.flits={flits}");
            let design = design(shape, dims, &[collective, "scheme=ports", "root=5", &flits]);
            assert_eq!(complete(&design), expected, "{collective} {dims:?}");
            assert_eq!(check::by_execution(&design.program).traffic.unwrap().held, 0);
        }
    }
}

#[test]
fn exchange_takes_the_ticks_of_its_busiest_links() {
    let cases: [(&[u32], u32); 7] = [
        (&[6, 6], 27),
        (&[7, 7], 42),
        (&[5, 7], 30),
        (&[4, 6, 5], 90),
        (&[3, 3, 3], 9),
        (&[10, 12], 180),
        (&[5, 6], 23),
    ];
    for (dims, expected) in cases {
        assert_eq!(torus(dims, &["collective=exchange"]), expected, "{dims:?}");
    }
    assert_eq!(torus(&[3, 4], &["collective=exchange", "link.flits=3"]), 3 * torus(&[3, 4], &["collective=exchange"]));
}

/// Every scheme from every root with lengths as they come, zeros and a giant among them.
#[test]
fn any_root_and_any_lengths_will_do() {
    let networks: [(ShapeName, &[u32]); 5] = [
        (ShapeName::Torus, &[3, 4]),
        (ShapeName::Torus, &[2, 2, 3]),
        (ShapeName::Cycle, &[5]),
        (ShapeName::Mesh, &[3, 3]),
        (ShapeName::Path, &[4]),
    ];
    let rooted = [
        "fork",
        "trees",
        "worm",
        "worm-free",
        "ports",
        "fdf",
        "shoulder-tap",
        "certification",
        "certification-all-port",
    ];
    let mut tried = 0;
    for (shape, dims) in networks {
        let nodes: u32 = dims.iter().product();
        for root in 0..nodes {
            let lengths: Vec<String> =
                (0..nodes).map(|node| [0, 2, 1, 0, 13][((node * 7 + root * 3 + 1) % 5) as usize].to_string()).collect();
            let (root, lengths) = (format!("root={root}"), format!("lengths={}", lengths.join(",")));
            for scheme in rooted.map(|scheme| format!("scheme={scheme}")) {
                for settings in [
                    ["collective=broadcast", &scheme, &root, "link.flits=5"],
                    ["collective=scatter", &scheme, &root, &lengths],
                    ["collective=gather", &scheme, &root, &lengths],
                ] {
                    if let Ok(design) = try_design(shape, dims, &settings) {
                        complete(&design);
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(tried > 250, "{tried} programs");
}

/// A single-port scheme sends and receives one flit per node and tick.
#[test]
fn one_port_is_enough_where_the_paper_has_one() {
    for (collective, scheme) in [("scatter", "fdf"), ("gather", "fdf"), ("gather", "certification")] {
        for tree in ["tree=bfs", "tree={\"parents\":[null,0,1,0,1,4,7,4,5]}"] {
            let settings = [&format!("collective={collective}"), &format!("scheme={scheme}"), tree, "lengths=2"];
            let design = design(ShapeName::Mesh, &[3, 3], &settings);
            complete(&design);
            let traffic = check::by_execution(&design.program).traffic.unwrap();
            assert_eq!((traffic.sends, traffic.receives, traffic.held), (1, 1, 0), "{settings:?}");
        }
    }
}

/// The model's registers equal those of the protocol's machines.
#[test]
fn the_protocols_are_static_programs_once_the_lengths_are_known() {
    for (scheme, tree) in [
        ("shoulder-tap", TreeKind::Path),
        ("certification", TreeKind::BreadthFirst),
        ("certification-all-port", TreeKind::BreadthFirst),
    ] {
        for lengths in ["0,2,3,0,2,1,0", "1,1,1,1,1,1,1", "0,0,0,40,0,0,1", "0,0,0,0,0,0,5"] {
            let settings = ["collective=gather", &format!("scheme={scheme}"), &format!("lengths={lengths}"), "root=2"];
            let design = design(ShapeName::Cycle, &[7], &settings);
            let task = design.task();
            let tree = task.tree(&tree).unwrap();
            let events = match scheme {
                "shoulder-tap" => shoulder_tap::play(&tree, &task.lengths()).unwrap(),
                "certification" => certification::play(&tree, &task.lengths(), certification::Children::Single),
                _ => certification::play(&tree, &task.lengths(), certification::Children::All),
            };
            let mut machine = Machine::new(&design.program);
            while !machine.is_done() {
                machine.step();
                let mut arrived: Vec<_> = machine
                    .arrivals()
                    .map(|(node, _, flit)| {
                        let origin = design.program.demand.origin(flit);
                        (node, origin.node, origin.flit)
                    })
                    .collect();
                let flit = |event: &Event| match event.word {
                    RegisterContents::Flit { of, flit } if event.tick == machine.tick() => Some((event.to, of, flit)),
                    _ => None,
                };
                let mut said: Vec<_> = events.iter().filter_map(flit).collect();
                arrived.sort_unstable();
                said.sort_unstable();
                assert_eq!(arrived, said, "{scheme} {lengths}, tick {}", machine.tick());
            }
        }
    }
}

/// More link-ticks than are executed without need, and nothing else can check them.
#[test]
fn programs_that_only_execution_can_check_are_executed() {
    let design = Design::new(Config::parse("topology: { torus: [128, 128] }\ncollective: gather").unwrap()).unwrap();
    assert!(design.program.link_ticks() > check::EXECUTION_LIMIT);
    assert_eq!(check::method(&design.program), check::Method::Execution);
}

#[test]
fn unsupported_settings_of_collectives_are_refused_with_a_cure() {
    let cases = [
        ("--torus 6x8 --collective broadcast --root 6,1", "the nearest node is `root: [5, 1]`"),
        ("--torus 6x8 --root 1,1", "leave `root` out"),
        ("--torus 6x8 --collective scatter --scheme staircase", "`scheme: auto` takes the fastest of ports and fdf"),
        ("--torus 4x5 --collective gather --lengths 1,2,3", "one number for all nodes, or 20"),
        (
            "--torus 9 --collective gather --scheme shoulder-tap --tree bfs",
            "`scheme: auto` takes the fastest of fdf and",
        ),
        ("--torus 6x9 --collective broadcast --scheme worm", "the nearest sizes are 5x10, 9x9, 6x12"),
        ("--path 4 --collective gather --tree root,0,0,2", "a parent is a node at the other end of a link"),
        ("--path 4 --collective gather --tree 0,2,1,2", "`tree: bfs` always does"),
        (
            "--mesh 5x5 --collective gather --scheme fdf --tree path",
            "tree: a 5x5 mesh is no `path` that begins at node 0",
        ),
        ("--path 9 --root 4 --collective gather --tree path", "`tree: bfs` is for every network"),
        (
            "--mesh 42x42x42 --collective gather --scheme fdf --flits 65536",
            "help: with `link.flits: 28985` it applies\n",
        ),
        (
            "--mesh 42x42x42 --collective gather --scheme fdf --flits 28986",
            "help: with `link.flits: 28985` it applies\n",
        ),
        (
            "--path 9 --collective gather --scheme certification --bist true",
            "take another scheme, or `auto` with `lengths`",
        ),
        // a case that would take minutes, and more memory than there is
        ("--cycle 65535 --collective gather", "at most 65535 flits"),
        ("--torus 1000x1000 --collective scatter", "at most 2^17 nodes"),
        ("--torus 65x65 --collective exchange", "at most 724 nodes"),
        ("--path 65535 --collective gather --scheme shoulder-tap", "at most 2^23 links"),
        ("--cycle 8192 --collective scatter --scheme fdf --tree path", "at most 2^23 links"),
    ];
    for (arguments, help) in cases {
        let arguments: Vec<&str> = std::iter::once("check").chain(arguments.split(' ')).collect();
        let output = Command::new(TORUSWEAVE).args(&arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said.contains(help), "{arguments:?}: {said}");
    }
}

/// No listed bound is above the steps, and it is the bound that `check` prints.
#[test]
fn listed_schemes_have_the_bound_of_a_check() {
    let place = Place::new();
    for network in
        ["--mesh 3x4", "--torus 4x4", "--torus 3x5", "--path 5", "--cycle 6", "--hexagonal 3x4", "--lattice 4,2/0,4"]
    {
        for collective in
            ["gossip", "broadcast", "scatter", "gather", "exchange", "reduce", "reduce-scatter", "all-reduce"]
        {
            let ended = place.run(&format!("schemes {network} --collective {collective} --format json"));
            let listed: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
            let rows = listed["schemes"].as_array().unwrap();
            for row in rows.iter().filter(|row| row["on_network"]["answer"] == "applies") {
                let (what, row) = (format!("{network} {collective} {}", row["name"]), &row["on_network"]);
                let bound = row["bound"].as_u64().unwrap();
                for steps in row["steps"].as_array().unwrap() {
                    assert!(bound <= steps["steps"].as_u64().unwrap(), "{what}: {row}");
                }
                if collective == "exchange" {
                    let checked = place.run(&format!("check {network} --collective exchange --format json")).stdout;
                    let checked: Value = serde_json::from_str(&checked).unwrap();
                    assert_eq!(checked["bound"], bound, "{what}");
                }
            }
            let text = place.run(&format!("schemes {network} --collective {collective}")).stdout;
            for row in rows.iter().filter_map(|row| row["on_network"]["bound"].as_u64()) {
                assert!(text.contains(&format!(" is {row}\n")), "{network} {collective}: {text}");
            }
        }
    }
}

/// Longest messages are named where messages are too long, and no other network: lengths are those of the nodes of this one.
#[test]
fn messages_of_pairs_that_are_too_long_are_refused_with_a_cure() {
    let place = Place::new();
    for (arguments, cure) in [
        ("--torus 3x3 --collective exchange --lengths 65536", "with messages of 1/16 of these lengths it applies"),
        ("--torus 3x3 --collective exchange --lengths 9000", "with messages of 1/2 of these lengths it applies"),
        (
            "--torus 3x3 --collective halo --count 65536 --corners true",
            "with messages of 1/16 of these lengths it applies",
        ),
        ("--path 2 --collective exchange --lengths 70000", "with messages of 1/2 of these lengths it applies"),
        ("--torus 3x3 --collective exchange --lengths 65536 --scheme routed", "1/16 of these lengths"),
    ] {
        let ended = place.run(&format!("check {arguments}"));
        let problem = "needs shorter messages: at most ";
        let is_told = ended.stderr.contains(problem) && ended.stderr.contains(cure);
        assert!(ended.code == 2 && is_told, "{arguments}: {}", ended.stderr);
    }
    let program = "{ collective: exchange, lengths: 65536 }";
    place.write(
        "d.yaml",
        format!("{{ topology: {{ torus: [3, 3] }}, programs: [{{ collective: gossip }}, {program}] }}"),
    );
    let ended = place.run("check d.yaml");
    assert!(ended.code == 2 && ended.stderr.contains("programs[1]: scheme: auto needs"), "{}", ended.stderr);
}

#[test]
fn a_collective_of_one_message_keeps_the_name_that_was_asked_for() {
    let place = Place::new();
    for (arguments, name) in [
        ("--path 2 --collective gather", "gather"),
        ("--cycle 2 --collective gather --flits 3", "gather"),
        ("--path 2 --collective scatter", "scatter"),
        ("--path 3 --collective exchange --lengths 0,0,5/0,0,0/0,0,0", "exchange"),
        ("--torus 4x2 --collective gather --groups x2", "gather"),
    ] {
        let checked = place.run(&format!("check {arguments}"));
        assert!(checked.code == 0 && checked.stdout.contains(&format!(" {name} ")), "{arguments}: {}", checked.stdout);
        let program = place.run(&format!("program {arguments} --format json")).stdout;
        assert!(program.contains(&format!("\"collective\": \"{name}\"")), "{arguments}: {program}");
        assert_eq!(Program::from_json(&program).unwrap().json(), program.trim_end().to_owned() + "\n", "{arguments}");
        if !arguments.contains("--groups") {
            place.write("program.json", &program);
            let read = place.run(&format!("check {arguments} --scheme program.json"));
            assert_eq!(read.code, 0, "{arguments}: {}", read.stderr);
            let csv = place.run(&format!("program {arguments} --format csv"));
            place.write("program.csv", &csv.stdout);
            let read = place.run(&format!("check {arguments} --scheme program.csv"));
            assert!(read.code == 0 && read.stdout.contains(&format!(" {name} ")), "{}{}", read.stdout, read.stderr);
        }
    }
}

/// A root is a node by its coordinates, or by its number.
#[test]
fn roots_have_coordinates_or_numbers() {
    let place = Place::new();
    let check =
        |root: &str| place.run(&format!("program --torus 4x5 --collective broadcast --root {root} --format json"));
    assert_eq!(check("7"), check("1,2"));
    for (root, nearest) in [("20", "3,4"), ("4000", "3,4"), ("9,2", "3,2"), ("1,9", "1,4")] {
        let ended = check(root);
        let cure = format!("--root {nearest}; coordinates");
        assert!(ended.code == 2 && ended.stderr.contains(&cure), "{root}: {}", ended.stderr);
    }
}

#[test]
fn a_simulation_says_what_nodes_have_in_the_end() {
    let place = Place::new();
    for (collective, achieved) in [
        ("gossip", "every node knows every packet"),
        ("scatter", "every node has what it wants"),
        ("gather", "every node has what it wants"),
        ("broadcast", "every node has what it wants"),
        ("exchange", "every node has what it wants"),
        ("halo", "every node has what it wants"),
    ] {
        let ended = place.run(&format!("simulate --torus 3x3 --collective {collective}"));
        assert!(ended.code == 0 && ended.stdout.contains(achieved), "{collective}: {}", ended.stdout);
    }
}

#[test]
fn the_bound_says_what_it_is_due_to() {
    let place = Place::new();
    for (design, bound) in [
        ("--torus 4x4", "8 = ceil(2 * 15 / 4)"),
        (
            "--torus 6x8 --collective all-reduce --operation sum",
            "47 = ceil(9024 / 192), transfers between 48 parts of the network",
        ),
        ("--torus 4x6 --latency 3 --flits 5 --scheme staircase", "60 ticks = 3 - 1 + ceil(10 * 23 / 4)"),
        ("--torus 4x4 --collective broadcast --flits 8", "5 = 8 flits at the links of the farthest node"),
        ("--torus 4x4 --collective scatter", "4 = ceil(1 / 4) + 4 - 1"),
        ("--torus 2x2x2 --collective exchange", "3 = the diameter"),
        ("--torus 4x4 --collective exchange", "8 = ceil(16 / 2) hops along axis x2"),
        ("--path 6 --duplex half", "8 = Lau and Zhang, Theorem 2.2"),
    ] {
        let said = place.run(&format!("check {design}")).stdout;
        assert!(said.contains(&format!("  bound       {bound}\n")), "{design}: {said}");
    }
}

#[test]
fn a_check_says_how_long_messages_are() {
    let place = Place::new();
    let check = |line: &str, format: &str| {
        place.run(&format!("check --torus 4x4 --collective {line} --format {format}")).stdout
    };
    let json =
        |line: &str| serde_json::from_str::<serde_json::Value>(&check(line, "json")).unwrap()["messages"].clone();
    let messages = |count: u32, flits: u32, shortest: u32, longest: u32| serde_json::json!({"count": count, "flits": flits, "shortest": shortest, "longest": longest});
    assert_eq!(json("broadcast --scheme fork --flits 17"), messages(1, 17, 17, 17));
    assert_eq!(json("scatter --flits 3"), messages(15, 45, 3, 3));
    assert_eq!(json("gather --set lengths=[0,2,0,3,0,0,0,0,0,0,0,0,1,0,0,0]"), messages(15, 6, 0, 3));
    assert!(json("exchange").is_null() && json("gossip").is_null(), "packets have `flits`");
    assert!(check("scatter --flits 3", "text").contains("root 0,0, 15 messages, 45 flits in all\n"));
    assert!(check("broadcast --scheme fork --flits 17", "text").contains("root 0,0, 1 message, 17 flits\n"));
}
