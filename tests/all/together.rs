//! Programs of a list that are played at once: in the ticks of the longest where they do not meet, later where they do, in Verilog beside
//! the model, behind every host, from Python, and what is refused.

use std::fs;

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::emit::MemoryFiles;
use torusweave::emit::node::ListDesign;
use torusweave::netlist::listed::{Together, TogetherPart};
use torusweave::play::meeting;
use torusweave::program::Program;
use torusweave::tools::lockstep::CallSimulator;

use crate::fixtures::called::{can_call, generated, page_script, script, spoil_router};
use crate::fixtures::command::{Place, project};
use crate::fixtures::node_lists::{list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, toolchain};

/// Networks with groups along two axes, whose links are not those of each other.
const ACROSS: [(&str, &str, &str); 6] = [
    ("torus: [4, 4]", "x2", "x1"),
    ("torus: [6, 8]", "x2", "x1"),
    ("torus: [4, 4, 4]", "x1,x3", "x2"),
    ("mesh: [4, 6]", "x2", "x1"),
    ("torus: [4, 4], dead: { links: [\"0,1 x2+\"] }", "x2", "x1"),
    ("torus: [4, 6], open: [x2]", "x1", "x2"),
];

/// Pairs of collectives that are combined in numbers of one kind, and with one operation.
const PAIRS: [[&str; 2]; 4] = [
    ["collective: all-reduce, operation: sum", "collective: gossip"],
    ["collective: exchange", "collective: reduce-scatter, operation: max"],
    ["collective: all-reduce, operation: sum, flits: 3", "collective: all-reduce, operation: sum, count: 2"],
    ["collective: scatter", "collective: gather, flits: 2"],
];

/// Programs of which several are for all nodes, and what is played at once of them.
const MIXED: &str = "{ collective: all-reduce, operation: sum, groups: x2 }, { collective: gossip, groups: x1 }, \
                     { collective: all-reduce, operation: sum }, { collective: broadcast, root: [1, 1], flits: 3 }, \
                     { collective: exchange, groups: x1 }, { collective: gather, root: [2, 0] }, \
                     { collective: scatter, root: [0, 1], lengths: [2, 0, 1, 3, 0, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0, 4] }, \
                     { collective: reduce, operation: sum, root: [3, 3], flits: 2 }";
const FEW: &str = "{ collective: all-reduce, operation: sum, groups: x2 }, { collective: gossip, groups: x1 }, \
                   { collective: reduce, operation: sum, root: [1, 1] }";
const AT_ONCE: &str = "together: [[0, 1], [1, 0], [0, 4], [2, 3], [0, 2, 3], [5, 6], [7, 3, 6], [0, 7]],";

fn programs(config: &str) -> Programs {
    Programs::new(Config::parse(config).unwrap()).unwrap_or_else(|error| panic!("{config}: {error}"))
}

/// Programs that are played at once, with the ticks after which each begins.
fn parts<'p>(programs: &'p Programs, together: &Together) -> Vec<(&'p Program, u32)> {
    let part = |part: &TogetherPart| (&programs.designs[part.program as usize].program, part.after);
    together.programs.iter().map(part).collect()
}

#[test]
fn programs_that_do_not_meet_take_the_ticks_of_the_longer_one() {
    let mut seen = 0;
    for (network, one, other) in ACROSS {
        for [first, second] in PAIRS {
            let listed = format!("{{ {first}, groups: \"{one}\" }}, {{ {second}, groups: \"{other}\" }}");
            let config = list(network, "together: [[0, 1]],", &listed);
            let programs = programs(&config);
            let [together] = programs.netlist.together.as_slice() else { panic!("{config}") };
            assert!(together.programs.iter().all(|part| part.after == 0), "{config}: {together:?}");
            assert_eq!(meeting(&parts(&programs, together)), None, "{config}");
            let alone = programs.netlist.programs[..2].iter().map(|placed| placed.ticks).max();
            assert_eq!(Some(together.ticks), alone, "{config}");
            seen += 1;
        }
    }
    assert_eq!(seen, 24);
}

/// The lowering finds the ticks; the model, which shares nothing with it, finds that nothing meets, and that one tick less is too few.
#[test]
fn programs_that_meet_begin_as_few_ticks_later_as_the_model_wants() {
    let all = "{ collective: all-reduce, operation: sum }, { collective: gossip }, { collective: broadcast, root: [1, 1], flits: 3 }, \
               { collective: reduce, operation: sum, root: [2, 2], flits: 2 }, { collective: exchange }";
    let mut later = 0;
    for (network, more) in [
        ("torus: [4, 4]", ""),
        ("mesh: [3, 5]", ""),
        ("torus: [3, 4]", "link: { latency: 3, flits: 3 },"),
        ("torus: [4, 4]", "number: f32, adder: 3,"),
        ("torus: [4, 5], dead: { nodes: [\"1,2\"] }", ""),
    ] {
        let at_once = "together: [[0, 1], [1, 0], [0, 2], [2, 3], [3, 4], [4, 3, 2], [1, 4]],";
        let programs = programs(&list(network, &format!("{more} {at_once}"), all));
        for together in &programs.netlist.together {
            let mut parts = parts(&programs, together);
            assert_eq!(meeting(&parts), None, "{network} {together}");
            for at in 1..parts.len() {
                if parts[at].1 > 0 {
                    // programs behind it begin later than it does
                    let mut sooner = parts[..=at].to_vec();
                    sooner[at].1 -= 1;
                    assert!(meeting(&sooner).is_some(), "{network} {together}: {} at {}", sooner[at].1, at);
                    later += 1;
                }
            }
            let last = parts.len() - 1;
            parts[last].1 = 0;
            assert_eq!(meeting(&parts).is_some(), together.programs[last].after > 0, "{network} {together}");
        }
    }
    assert!(later > 20, "{later}");
}

#[test]
fn nodes_give_the_words_of_all_programs_at_once() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let dead = "torus: [4, 4], dead: { nodes: [\"2,2\"] }";
    let of_dead = MIXED.replace("lengths: [2, 0, 1, 3, 0, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0, 4]", "flits: 2");
    let designs = [
        ("torus: [4, 4]", "", FEW, "streams"),
        ("torus: [4, 4]", "", MIXED, "streams"),
        ("torus: [4, 4]", "local: { order: origin },", FEW, "streams"),
        ("torus: [4, 4]", "local: { order: arrival },", MIXED, "streams"),
        ("torus: [4, 4]", "", MIXED, "ring"),
        ("torus: [4, 4]", "", FEW, "axi-lite, clock: 50000000"),
        ("torus: [3, 4]", "number: f32, adder: 2, local: { order: arrival },", FEW, "streams"),
        ("torus: [3, 4]", "number: f32,", FEW, "ring"),
        (dead, "local: { order: arrival },", &of_dead, "streams"),
        (dead, "", FEW, "ring"),
        ("torus: [4, 4]", "link: { elastic: true, checksum: crc8, boards: [2, 2], latency: 4 },", MIXED, "streams"),
    ];
    for (network, more, programs, host) in sampled(designs, 4) {
        let at_once = if programs == FEW { "together: [[0, 1], [2, 1]]," } else { AT_ONCE };
        let text = list(network, &format!("{more} {at_once}"), programs);
        let text = text.replace("bus: streams", &format!("bus: {host}"));
        place.write("calls.yaml", &text);
        let ended = place.run("generate calls.yaml --force --out calls");
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{text}");
        let ended = played(&place, "calls_tb");
        assert!(ended.stdout.starts_with("PASS "), "{text}: {}", ended.stdout);
        if more.is_empty() && programs == FEW {
            spoil_router(&place);
            assert!(played(&place, "calls_tb").stdout.contains("FAIL"), "{text}");
        }
    }
}

/// Every register, and every word, of calls in random order, of which some are of several programs; then with control words that are
/// another program's.
#[test]
fn verilog_at_once_equals_the_models_of_all_programs() {
    let Some(tools) = toolchain() else { return };
    let boards = "link: { elastic: true, checksum: crc8, boards: [2, 2], latency: 4 },";
    for more in ["", "local: { order: arrival },", "number: f32, adder: 2,", boards] {
        let config = list("torus: [4, 4]", &format!("{more} {AT_ONCE}"), MIXED);
        let programs = programs(&config);
        let each = || programs.designs.iter().map(|design| &design.program);
        let all: Vec<usize> = (0..programs.netlist.programs.len()).collect();
        let simulator = programs.emitted(|design: &ListDesign| CallSimulator::build(&tools, design, each())).unwrap();
        let agreement =
            simulator.play(&all, 40, 5).unwrap().unwrap_or_else(|difference| panic!("{config}: {difference}"));
        assert!(agreement.calls.iter().all(|&calls| calls > 0) && agreement.words > 2000, "{agreement:?}");
        let mut files = MemoryFiles::default();
        programs.emitted(|design: &ListDesign| design.write_with_all_nodes(&mut files)).unwrap();
        let name = |path: String| path.rsplit('/').next().unwrap().to_owned();
        let text = |(path, bytes)| (name(path), String::from_utf8(bytes).unwrap());
        let mut files: Vec<(String, String)> = files.0.into_iter().map(text).collect();
        // program 8 is of 0 and 1: it is told to be over a tick sooner
        let sequencer = files.iter_mut().find(|(path, _)| path.ends_with("sequencer.v")).unwrap();
        let (before, after) = sequencer.1.split_once("begin  // all-reduce and gossip at once").unwrap();
        let bits = programs.netlist.together[0].ticks;
        let shorter = after.replacen(&format!("'d{bits};"), &format!("'d{};", bits - 1), 1);
        assert_ne!(shorter, after);
        sequencer.1 = format!("{before}begin  // all-reduce and gossip at once{shorter}");
        let spoilt = |design: &ListDesign| CallSimulator::build_edited(&tools, design, each(), files);
        let difference = programs.emitted(spoilt).unwrap().play(&[8, 0], 4, 5).unwrap().unwrap_err();
        assert!(difference.to_string().contains("program 8"), "{difference}");
    }
}

#[test]
fn simulate_plays_the_programs_at_once_that_are_named() {
    let place = Place::new();
    place.write("calls.yaml", list("torus: [4, 4]", "together: [[0, 1], [2, 1]],", FEW));
    if has("iverilog") {
        let ended = place.run("simulate calls.yaml --engine icarus --program 3");
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS 2 calls, "), "{}{}", ended.stdout, ended.stderr);
    }
    if toolchain().is_some() {
        let ended = place.run("simulate calls.yaml --engine verilator --program 4 --calls 5");
        assert!(ended.code == 0 && ended.stdout.contains("program 4 5 times"), "{}{}", ended.stdout, ended.stderr);
    }
    let refused = place.run("simulate calls.yaml --engine verilator --program 5");
    assert!(refused.code == 2 && refused.stderr.contains("no program of the list (5)"), "{}", refused.stderr);
}

#[test]
fn python_calls_programs_at_once() {
    if !can_call() {
        return;
    }
    let whole = "torus: [4, 4]";
    for (network, more) in [
        (whole, "link: { width: 16 },"),
        (whole, "link: { width: 8, elastic: true, checksum: crc16, boards: [2, 2] },"),
        ("torus: [4, 4], dead: { nodes: [\"2,2\"] }", "link: { width: 16 },"),
    ] {
        let programs = if network == whole {
            MIXED.to_owned()
        } else {
            MIXED.replace("lengths: [2, 0, 1, 3, 0, 0, 1, 1, 0, 2, 0, 0, 1, 0, 0, 4]", "flits: 2")
        };
        let text = list(network, &format!("{more} {AT_ONCE}"), &programs).replace("bus: streams", "bus: uart");
        let place = generated(&text);
        let ended = script(&place, "together.py", &["sim:calls", "calls"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "8 calls at once are right\n"), "{text}: {}", ended.stderr);
    }
}

#[test]
fn the_example_of_the_page_is_right() {
    if !can_call() {
        return;
    }
    let ended =
        page_script("## Calls at once", "assert np.array_equal(sums, x.sum(axis=1)) and np.array_equal(every, y)\n");
    assert!(ended.code == 0 && ended.stdout.ends_with("right\n"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn the_page_of_networks_shows_what_check_says() {
    let page = fs::read_to_string(project().join("docs/networks.md")).unwrap();
    let section = page.split_once("## Programs at once").unwrap().1;
    let (config, rest) = section.split_once("```yaml\n").unwrap().1.split_once("```").unwrap();
    let shown = rest.split_once("```\n").unwrap().1.split_once("```").unwrap().0;
    let place = Place::new();
    place.write("page.yaml", config);
    let ended = place.run("check page.yaml");
    assert!(ended.code == 0 && ended.stdout.ends_with(shown), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn check_judges_programs_at_once_and_others_leave_them_alone() {
    let place = Place::new();
    place.write("calls.yaml", list("torus: [4, 4]", AT_ONCE, MIXED));
    let ended = place.run("check calls.yaml");
    assert_eq!(ended.code, 0);
    let wanted =
        "calls program 8: programs 0 and 1 at once, correct\n  ticks       5\n  links       none is wanted by two\n";
    assert!(ended.stdout.contains(wanted), "{}", ended.stdout);
    let items: serde_json::Value = serde_json::from_str(&place.run("check calls.yaml --format json").stdout).unwrap();
    let items = items["items"].as_array().unwrap();
    assert_eq!(items.len(), 16);
    assert!(items.iter().all(|item| item["passed"] == true));
    assert_eq!(items[8]["format"], "torusweave-check-together/1");
    assert_eq!(items[12]["programs"][1]["program"], 2);
    let named = place.run("check calls.yaml --program 8");
    assert_eq!((named.code, named.stdout.as_str()), (0, wanted));
    let alone = place.run("check calls.yaml --program 0");
    assert!(alone.code == 0 && !alone.stdout.contains("at once"), "{}", alone.stdout);
    for command in [
        "report --program 1 --out r.html",
        "explain --program 1 --node 1,2",
        "draw --program 1 --out d.svg",
        "draw --what modules --out m.svg",
    ] {
        let (name, rest) = command.split_once(' ').unwrap();
        let ended = place.run(&format!("{name} calls.yaml {rest}"));
        assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
    }
    // files name them
    assert_eq!(place.run("generate calls.yaml --out calls --quiet").code, 0);
    let about = fs::read_to_string(place.path().join("calls/calls_programs.json")).unwrap();
    let about: serde_json::Value = serde_json::from_str(&about).unwrap();
    assert_eq!(about["together"][0]["programs"][1]["gives"][15], 4);
    let system = fs::read_to_string(place.path().join("calls/calls_system.v")).unwrap();
    assert!(system.contains("// Program 8: programs 0 and 1 at once, 6 ticks"), "{}", &system[..2000]);
}

#[test]
fn programs_that_cannot_be_at_once_are_refused() {
    let place = Place::new();
    let two = "{ collective: gossip }, { collective: exchange }";
    let lines = [
        ("together: [[0, 2]],", two),
        ("together: [[0]],", two),
        ("together: [[0, 1], []],", two),
        ("together: [[0, 1], [1, 0, 1]],", two),
        ("together: [[0, -1]],", two),
        ("together: [0, 1],", two),
        ("together: [[0, 1]],", "{ collective: gossip }, { collective: broadcast, root: any }"),
        ("together: [[0, 1]],", "{ collective: all-reduce, operation: sum }, { collective: reduce, operation: max }"),
        ("local: { results: memory }, together: [[0, 1]],", two),
        ("local: { elements: true }, together: [[0, 1]],", two),
        ("local: { words: 2 }, together: [[0, 1]],", two),
        ("bist: true, together: [[0, 1]],", two),
        ("together: [[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]],", two),
    ]
    .map(|(more, programs)| {
        place.write("list.yaml", list("torus: [4, 4]", more, programs));
        format!("{more} {programs}\n{}", place.run("check list.yaml").stderr)
    });
    let of_one = ["check", "generate", "program"]
        .map(|command| place.run(&format!("{command} --torus 4x4 --set together=[[0,1]]")).stderr);
    let [alone, generated, printed] = of_one;
    assert_eq!([&generated, &printed], [&alone; 2]);
    insta::assert_snapshot!(lines.concat() + "--torus 4x4\n" + &alone);
}
