//! Gossip on lattices, cylinders, meshes, boxes and damaged tori by `general`: at the bound, within its read ports, on long links,
//! and as files say it.

use std::collections::BTreeSet;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::net::{NodeId, Port, ShapeName, Topology};
use torusweave::program::{Link, Operation, Program, Source, Title};
use torusweave::schemes::general::General;
use torusweave::study::bounds;
use torusweave::task::{Choice, Scheme, Task};
use torusweave::transform::reverse;

use crate::fixtures::command::Place;

/// Returns true if every case is tried, or a sample.
fn is_full() -> bool {
    std::env::var_os("TORUSWEAVE_FULL").is_some()
}

fn torus(sides: &[u32]) -> Topology {
    Topology::new(ShapeName::Torus, sides).unwrap()
}

/// Every lattice of two or three axes with so many nodes, in Hermite form.
fn lattices(axes: usize, nodes: i64) -> Vec<Topology> {
    let divisors = |n: i64| (1..=n).filter(move |k| n % k == 0);
    let mut rows: Vec<Vec<Vec<i64>>> = Vec::new();
    if axes == 2 {
        for a in divisors(nodes) {
            rows.extend((0..nodes / a).map(|x| vec![vec![a, x], vec![0, nodes / a]]));
        }
    } else {
        for (a, b) in divisors(nodes).flat_map(|a| divisors(nodes / a).map(move |b| (a, b))) {
            let c = nodes / a / b;
            let entries = (0..b).flat_map(|x| (0..c).flat_map(move |y| (0..c).map(move |z| (x, y, z))));
            rows.extend(entries.map(|(x, y, z)| vec![vec![a, x, y], vec![0, b, z], vec![0, 0, c]]));
        }
    }
    rows.iter().map(|rows| Topology::of_lattice(rows).unwrap()).collect()
}

/// Boxes with these sides and every set of open axes.
fn boxes(axes: usize, sides: std::ops::RangeInclusive<u32>) -> Vec<Topology> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..axes {
        all = all.iter().flat_map(|dims| sides.clone().map(|side| [dims.as_slice(), &[side]].concat())).collect();
    }
    let sets = 1..1_usize << axes;
    let open = |set: usize| (0..axes).filter(|axis| set >> axis & 1 == 1).collect::<Vec<_>>();
    let all = all.iter().flat_map(|dims| sets.clone().map(|set| torus(dims).with_open(&open(set)).unwrap()));
    all.collect()
}

/// A few fixed numbers by chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

/// Tori with dead links, with dead nodes, and with 15 % of their nodes dead; those that are cut in parts are left out.
fn damaged(sides: impl Iterator<Item = (u32, u32)>) -> Vec<Topology> {
    let mut chance = Chance(1);
    let mut all = Vec::new();
    for (n1, n2) in sides {
        let whole = torus(&[n1, n2]);
        let nodes = whole.nodes();
        for parts in 1..=4 {
            let link = |chance: &mut Chance| (NodeId(chance.below(nodes)), Port::from_index(chance.below(4) as usize));
            let links: Vec<_> = (0..parts).map(|_| link(&mut chance)).collect();
            let dead: Vec<NodeId> = (0..parts.min(nodes / 4)).map(|_| NodeId(chance.below(nodes))).collect();
            all.extend([whole.clone().without(&[], &links), whole.clone().without(&dead, &[])]);
        }
        let dead: Vec<NodeId> = (0..nodes * 15 / 100).map(|_| NodeId(chance.below(nodes))).collect();
        all.push(whole.without(&dead, &[]));
    }
    all.into_iter().flatten().collect()
}

fn gossip(topology: &Topology, reads: Option<u32>, latency: u32) -> Program {
    let choice = Choice { reads, ..Choice::default() };
    let task = Task { topology, link: Link { latency, ..Link::default() }, choice };
    General.fits(&task).unwrap();
    General.woven(&task, Title::new("any", "general")).unwrap().program
}

/// The number of networks on which gossip is right and takes the fewest steps there are; all others are named.
fn at_bound(networks: &[Topology]) -> usize {
    let is_at_bound = |topology: &&Topology| {
        let program = gossip(topology, None, 1);
        let report = check::by_execution(&program);
        assert!(report.passed(), "{}: {:?}", topology.describe(), report.violations);
        assert_eq!(report.duplicates, Some(0), "{}", topology.describe());
        let bound = bounds::of_gossip(topology, 1);
        assert!(u64::from(program.ticks) >= bound, "{}: below the bound", topology.describe());
        if u64::from(program.ticks) > bound {
            println!("{} takes {} steps, the bound is {bound}", topology.describe(), program.ticks);
        }
        u64::from(program.ticks) == bound
    };
    networks.iter().filter(is_at_bound).count()
}

#[test]
fn lattices_gossip_at_the_bound() {
    let (planes, spaces) = if is_full() { (32, 16) } else { (12, 5) };
    for (axes, most) in [(2, planes), (3, spaces)] {
        let all: Vec<Topology> = (2..=most).flat_map(|nodes| lattices(axes, nodes)).collect();
        assert_eq!(at_bound(&all), all.len(), "{axes} axes");
    }
}

#[test]
fn meshes_cylinders_and_boxes_gossip_at_the_bound() {
    let (planes, spaces) = if is_full() { (2..=10, 2..=5) } else { (2..=5, 2..=3) };
    for all in [boxes(2, planes), boxes(3, spaces)] {
        assert_eq!(at_bound(&all), all.len());
    }
}

#[test]
fn damaged_tori_gossip_at_the_bound() {
    let all = if is_full() {
        damaged((3..=10).flat_map(|n1| (3..=10).map(move |n2| (n1, n2))))
    } else {
        damaged([(3, 4), (5, 5), (8, 6), (7, 9)].into_iter())
    };
    let met = at_bound(&all);
    assert!(met + all.len() / 200 >= all.len(), "{met} of {}", all.len());
}

#[test]
fn twisted_slices_take_the_steps_of_the_specification() {
    let slice = |rows: [[i64; 3]; 3]| Topology::of_lattice(&rows.map(Vec::from)).unwrap();
    let steps = [[[4, 0, 4], [0, 4, 4], [0, 0, 8]], [[4, 0, 4], [0, 8, 4], [0, 0, 8]]].map(|rows| {
        let gather = gossip(&slice(rows), None, 1);
        let all = reverse::reduction(&gather, Operation::Sum).followed_by(&gather).unwrap();
        let report = check::by_execution(&all);
        assert!(report.passed() && all.classes.len() == 1, "{:?}", report.violations);
        (gather.ticks, all.ticks)
    });
    assert_eq!(steps, [(22, 45), (43, 87)]);
}

/// Minutes without optimisation: under `TORUSWEAVE_FULL` only.
#[test]
fn meshes_and_damaged_tori_of_4096_nodes_gossip_at_the_bound() {
    if !is_full() {
        return;
    }
    let link = [(NodeId(0), Port::plus(1))];
    let networks = [
        Topology::new(ShapeName::Mesh, &[16, 16, 16]).unwrap(),
        torus(&[16, 16, 16]).without(&[], &link).unwrap(),
        torus(&[64, 64]).without(&[], &link).unwrap(),
    ];
    for topology in &networks {
        let program = gossip(topology, None, 1);
        println!("{}: {} steps", topology.describe(), program.ticks);
        assert!(check::by_execution(&program).passed(), "{}", topology.describe());
        assert_eq!(u64::from(program.ticks), bounds::of_gossip(topology, 1), "{}", topology.describe());
    }
}

/// Different packets that a node sends in one tick and that came in earlier than in the tick before.
fn reads(program: &Program) -> usize {
    let topology = &program.topology;
    let ports = topology.ports();
    let mut arrived = vec![vec![None; topology.registers()]; program.ticks as usize + 1];
    let mut most = 0;
    for tick in 1..=program.ticks {
        for node in topology.live_ids() {
            let mut stored = BTreeSet::new();
            for port in topology.port_ids() {
                let sent = match program.class(node).outputs[port.index()].source_at(tick) {
                    Source::Own { .. } => Some(node),
                    Source::In { port, age, .. } => {
                        let packet = arrived[(tick - age) as usize][node.index() * ports + port.index()];
                        stored.extend(packet.filter(|_| age > 1));
                        packet
                    }
                    _ => None,
                };
                if let Some(there) = topology.step(node, port) {
                    arrived[tick as usize][topology.register(there, port.opposite())] = sent;
                }
            }
            most = most.max(stored.len());
        }
    }
    most
}

#[test]
fn nodes_read_no_more_than_their_ports_allow() {
    let mut by_default = 0;
    for topology in boxes(2, 3..=4).iter().chain(&boxes(3, 3..=3)).chain(&damaged([(5, 5), (4, 7)].into_iter())) {
        for limit in [1, 2] {
            let program = gossip(topology, Some(limit), 1);
            assert!(check::by_execution(&program).passed());
            assert!(reads(&program) <= limit as usize, "{}: {}", topology.describe(), reads(&program));
        }
        by_default += usize::from(reads(&gossip(topology, None, 1)) <= 2);
    }
    assert!(by_default > 30, "two read ports are enough nearly everywhere: {by_default}");
}

#[test]
fn long_links_carry_gossip_on_every_kind_of_network() {
    let lattice = Topology::of_lattice(&[vec![4, 2], vec![0, 6]]).unwrap();
    let mesh = Topology::new(ShapeName::Mesh, &[3, 5]).unwrap();
    for topology in damaged([(4, 5)].into_iter()).iter().chain([&lattice, &mesh]) {
        let short = gossip(topology, None, 3);
        let program = short.on_links_of_latency(3).unwrap();
        let report = check::by_execution(&program);
        assert!(report.passed(), "{}: {:?}", topology.describe(), report.violations);
        let bound = bounds::of(&program).ticks;
        let beyond = u64::from(program.ticks) - bound;
        assert!(beyond <= 4, "{}: {beyond} ticks beyond the bound", topology.describe());
    }
}

#[test]
fn gossip_on_damaged_networks_plays_backwards_as_a_reduction() {
    for topology in damaged([(4, 4), (3, 5)].into_iter()) {
        let reduce = reverse::reduction(&gossip(&topology, None, 1), Operation::Sum);
        let report = check::by_execution(&reduce);
        assert!(report.passed(), "{}: {:?}", topology.describe(), report.violations);
        let mut wrong = reduce.clone();
        let outputs = &mut wrong.classes[0].outputs;
        let busy = outputs.iter().position(|track| !track.is_idle()).unwrap();
        outputs[busy].runs.iter_mut().for_each(|run| run.source = Source::Idle);
        assert!(!check::by_execution(&wrong).passed(), "{}", topology.describe());
    }
}

#[test]
fn programs_with_dead_nodes_read_back_what_they_write() {
    let topology = torus(&[4, 5]).without(&[NodeId(7), NodeId(0)], &[(NodeId(9), Port::plus(0))]).unwrap();
    let gather = gossip(&topology, None, 1);
    let reduce = reverse::reduction(&gather, Operation::Sum);
    let all = reduce.followed_by(&gather).unwrap();
    for program in [&gather, &reduce, &all] {
        let json = program.json();
        let read = Program::from_json(&json).unwrap();
        assert_eq!((&read, read.json() == json), (program, true));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["format"], "torusweave-program/3");
        let nulls: Vec<usize> = (0..20).filter(|&node| value["class_of"][node].is_null()).collect();
        assert_eq!(nulls, [0, 7]);
        assert_eq!(value["classes"].as_array().unwrap().len(), program.classes.len() - 1, "no class is dead");
    }
    let json = gather.json();
    let wrong = json.replacen("null, 0,", "0, 0,", 1);
    assert_ne!(wrong, json);
    let error = Program::from_json(&wrong).unwrap_err().to_string();
    assert_eq!(error, "class_of: it is null for dead nodes, and for no others");
}

fn design(yaml: &str) -> Design {
    Design::new(Config::parse(yaml).unwrap()).unwrap_or_else(|error| panic!("{yaml}: {error}"))
}

/// A config and the flags that ask for the same.
const SPELLINGS: [(&str, &str, &str); 5] = [
    ("{ torus: [6, 8], open: [x2] }", "--torus 6x8 --open x2", r#"{"torus": [6, 8], "wrap": [true, false]}"#),
    (
        "{ lattice: [[4,0,4],[0,4,4],[0,0,8]] }",
        "--lattice 4,0,4/0,4,4/0,0,8",
        r#"{"lattice": [[4, 0, 4], [0, 4, 4], [0, 0, 8]]}"#,
    ),
    (
        r#"{ torus: [8, 8], dead: { links: ["0,0 x2+"], nodes: ["3,4"] } }"#,
        "--torus 8x8 --dead-link 0,0:x2+ --dead-node 3,4",
        r#"{"torus": [8, 8], "dead": {"nodes": [28], "links": [[0, "x2+"]]}}"#,
    ),
    ("{ mesh: [5, 5] }", "--mesh 5x5", r#"{"mesh": [5, 5]}"#),
    (
        r#"{ torus: [5, 4], dead: { nodes: ["0,1", "3,3"] } }"#,
        "--dead-node 3,3 --torus 5x4 --dead-node 0,1",
        r#"{"torus": [5, 4], "dead": {"nodes": [1, 15], "links": []}}"#,
    ),
];

#[test]
fn configs_flags_and_programs_name_one_network() {
    let place = Place::new();
    for (topology, flags, expected) in SPELLINGS {
        let from_config = design(&format!("topology: {topology}")).program;
        let json = from_config.json();
        assert!(json.contains(&format!("\"topology\": {expected},")), "{json}");
        let ended = place.run(&format!("program {flags} --format json"));
        assert_eq!((ended.code, ended.stdout == json), (0, true), "{flags}: {}", ended.stderr);
        // the command that generated files tell is one that makes them
        let command = design(&format!("topology: {topology}")).command();
        let ended = place.run(&format!("program {} --format json", command.split_once("generate ").unwrap().1));
        assert_eq!((ended.code, ended.stdout == json), (0, true), "{command}: {}", ended.stderr);
    }
}

#[test]
fn flags_take_parts_away_from_a_files_network() {
    let place = Place::new();
    place.write("a.yaml", "topology: { torus: [4, 4], dead: { nodes: [\"1,1\"] } }\n");
    let ended = place.run("program a.yaml --dead-link 0,0:x2+ --format json");
    let expected = design(r#"topology: { torus: [4, 4], dead: { nodes: ["1,1"], links: ["0,0 x2+"] } }"#);
    assert_eq!((ended.code, ended.stdout.contains("\"nodes\": [5], \"links\": [[0, \"x2+\"]]")), (0, true));
    assert_eq!(ended.stdout.replace("torus_4x4_damaged", ""), expected.program.json().replace("torus_4x4_damaged", ""));
}

#[test]
fn a_part_is_a_network_of_its_own() {
    let part =
        |from: &str, to: &str| design(&format!("topology: {{ torus: [6, 8], part: {{ from: {from}, to: {to} }} }}"));
    let inside = part("[1, 2]", "[3, 5]");
    assert_eq!(inside.program.topology, Topology::new(ShapeName::Mesh, &[3, 4]).unwrap());
    let round = part("[0, 2]", "[5, 4]");
    assert_eq!(round.program.topology, torus(&[6, 3]).with_open(&[1]).unwrap());
    let dead = design(
        "topology: { torus: [6, 8], part: { from: [1, 2], to: [3, 5] }, dead: { nodes: [\"0,0\", \"2,2\"], links: [\"1,5 x2+\", \"1,3 x2+\"] } }",
    );
    let expected = Topology::new(ShapeName::Mesh, &[3, 4]).unwrap();
    let expected = expected.without(&[NodeId(4)], &[(NodeId(1), Port::plus(1))]).unwrap();
    assert_eq!(dead.program.topology, expected);
}

#[test]
fn dead_parts_may_be_named_from_both_ends_and_at_dead_nodes() {
    let named = design(
        r#"topology: { torus: [4, 4], dead: { links: ["0,0 x1+", "1,0 x1-", "2,2 x2+"], nodes: ["2,2", "2,2"] } }"#,
    );
    assert_eq!(named.program.topology.live_nodes(), 15);
    assert_eq!(named.program.topology.links(), 64 - 8 - 2);
    let parallel = design(r#"topology: { torus: [2, 3], dead: { links: ["0,0 x1+"] } }"#).program.topology;
    assert_eq!(parallel.links(), 24 - 2, "only the named link of two that are parallel dies");
    let looped = design("topology: { lattice: [[1, 3], [0, 7]] }").program.topology;
    assert_eq!((looped.nodes(), looped.links()), (7, 28), "a circulant graph");
}

#[test]
fn settings_change_what_is_taken_away() {
    let config = Config::parse("topology: { torus: [4, 4] }").unwrap();
    let set = |text: &str| text.parse::<Setting>().unwrap().apply(&config);
    let open = set("topology.open=[\"x1\"]").unwrap();
    assert_eq!(open, Config::parse("topology: { torus: [4, 4], open: [x1] }").unwrap());
    let dead = set("topology.dead={\"nodes\":[\"0,1\"]}").unwrap();
    assert_eq!(dead.topology.to_string(), "--torus 4x4 --dead-node 0,1");
    assert!(set("topology.open=[\"y1\"]").is_err() && set("topology.dead={\"node\":[]}").is_err());
}
