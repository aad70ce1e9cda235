//! Links between boards, whose two ends drive the same wires, and links that lead one way only.

use std::fs;

use torusweave::check::{Violation, by_execution, by_streams, by_structure};
use torusweave::net::{ShapeName, Topology};
use torusweave::program::{Duplex, Link, Program, Source};
use torusweave::schemes::SchemeName;
use torusweave::schemes::half_duplex::LauZhang;
use torusweave::schemes::hamiltonian::Hamiltonian;
use torusweave::schemes::optimal::Optimal;
use torusweave::task::{Choice, Scheme, Task};

use crate::fixtures::designs::Folder;
use crate::fixtures::tools::{call, has};

fn on(duplex: Duplex, scheme: &'static dyn Scheme, shape: ShapeName, sides: &[u32], lanes: u8) -> Program {
    let topology = Topology::new(shape, sides).unwrap();
    let task = Task { topology: &topology, link: Link { duplex, lanes, latency: 1 }, choice: Choice::default() };
    SchemeName::from(scheme).build(&task, "d").unwrap().program
}

fn boards(scheme: &'static dyn Scheme, shape: ShapeName, sides: &[u32], lanes: u8) -> Program {
    on(Duplex::Pads, scheme, shape, sides, lanes)
}

/// Designs of every shape, with links that turn and links that do not, tables of all kinds, lanes, and several flits.
fn designs() -> Vec<Program> {
    vec![
        boards(&LauZhang, ShapeName::Path, &[5], 1),
        boards(&LauZhang, ShapeName::Path, &[6], 2),
        boards(&LauZhang, ShapeName::Cycle, &[5], 2),
        boards(&LauZhang, ShapeName::Torus, &[2, 3], 1),
        boards(&LauZhang, ShapeName::Torus, &[4, 4], 1),
        boards(&Optimal, ShapeName::Torus, &[3, 4], 1),
        boards(&Optimal, ShapeName::Torus, &[3, 4], 2),
        boards(&Optimal, ShapeName::Mesh, &[3, 3], 1).stretched(3).unwrap(),
    ]
}

/// Boards that receive the clock later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skew {
    None,
    OddLate,
    EvenLate,
}

/// Plays the boards of a folder in four states; if clocks differ, all wires are slower than that.
fn play(folder: &Folder, skew: Skew) -> String {
    let sources: Vec<String> =
        fs::read_to_string(folder.path().join("d.f")).unwrap().lines().map(str::to_owned).collect();
    if skew != Skew::None {
        edit(folder, "tb/d_boards.v", |text| text.replace("SKEW = 0", "SKEW = 1"));
        if skew == Skew::EvenLate {
            let swap = |text: &str| text.replace("clk(clk)", "clk(?)").replace("clk(late)", "clk(clk)");
            edit(folder, "tb/d_boards.v", |text| swap(text).replace("clk(?)", "clk(late)"));
        }
        for path in sources.iter().filter(|path| path.contains("_pads_")) {
            edit(folder, path, |text| text.replace("    assign ", "    assign #2 "));
        }
    }
    let benches = ["tb/d_boards_link.v", "tb/d_boards.v", "tb/d_boards_tb.v"];
    let options = ["-g2005", "-Wall", "-o", "sim", "-s", "d_boards_tb"];
    let arguments: Vec<&str> = options.into_iter().chain(sources.iter().map(String::as_str)).chain(benches).collect();
    let (built, said) = call(folder, "iverilog", &arguments);
    assert!(built && said.is_empty(), "{said}");
    call(folder, "vvp", &["-n", "sim"]).1
}

fn edit(folder: &Folder, path: &str, change: impl Fn(&str) -> String) {
    let path = folder.path().join(path);
    let text = fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed, "{}", path.display());
    fs::write(path, changed).unwrap();
}

#[test]
fn boards_receive_what_the_model_says_in_four_states_with_clocks_that_differ() {
    if !has("iverilog") {
        return;
    }
    for program in designs() {
        let report = by_execution(&program);
        assert!(report.passed() && report.duplicates == Some(0), "{report:?}");
        for skew in [Skew::None, Skew::OddLate, Skew::EvenLate] {
            let printed = play(&Folder::with(&program, 8), skew);
            let what = format!("{} on a {}", program.title.scheme, program.topology.describe());
            assert!(printed.starts_with("PASS "), "{what}, {skew:?}: {printed}");
        }
    }
}

/// Change to a text.
type Change<'c> = &'c dyn Fn(&str) -> String;

/// A link turns in the middle of a path of two boards only once: what each fault does there can be told by hand.
#[test]
fn boards_with_a_fault_are_caught_by_the_links_between_them() {
    if !has("iverilog") {
        return;
    }
    let right = boards(&LauZhang, ShapeName::Path, &[5], 1);
    let enable = "x1p_out_valid ?";
    let faults: [(&str, Change, &str); 4] = [
        ("always driven", &|text| text.replace(enable, "1'b1 ?"), "driven in silence"),
        (
            "driven while the other end sends",
            &|text| text.replace(enable, "(x1p_out_valid | x1p_hears) ?"),
            "two drivers at once",
        ),
        ("never driven", &|text| text.replace(enable, "1'b0 ?"), "nobody drives what is sent"),
        (
            "driven a tick too long",
            &|text| {
                let late = "    always @(posedge clk) late <= x1p_out_valid;\n    assign x1p_pad";
                let text =
                    text.replace("    reg hold;", "    reg late;\n    reg hold;").replace("    assign x1p_pad", late);
                text.replace(": {WIDTH{1'bz}};", ": {WIDTH{late ? 1'b0 : 1'bz}};")
            },
            "driven in silence",
        ),
    ];
    for (what, fault, said) in faults {
        let folder = Folder::with(&right, 8);
        edit(&folder, "d_pads_b.v", fault);
        let printed = play(&folder, Skew::None);
        assert!(printed.contains("FAIL ") && printed.contains(said), "{what}: {printed}");
    }
}

/// Faults in the program itself for boards with shared wires: no silence, or a send one tick early.
#[test]
fn boards_without_silence_are_caught_by_check_and_by_the_links_between_them() {
    let hasty = Program { duplex: Duplex::Pads, ..on(Duplex::Half, &LauZhang, ShapeName::Path, &[5], 1) };
    let mut early = boards(&LauZhang, ShapeName::Path, &[5], 1);
    let class = early.class_of[1].index();
    let runs = &mut early.classes[class].outputs[0].runs;
    assert_eq!((runs[0].source, runs[1].source), (Source::Idle, Source::own(0)));
    runs[0].ticks -= 1;
    runs.last_mut().unwrap().ticks += 1;
    for (program, skew) in [(hasty.clone(), Skew::None), (early, Skew::None), (hasty, Skew::EvenLate)] {
        let violations = by_execution(&program).violations;
        assert!(violations.iter().any(|violation| matches!(violation, Violation::NoSilence { .. })), "{violations:?}");
        if has("iverilog") {
            let said = if skew == Skew::None { "a turn without silence" } else { "two drivers at once" };
            let printed = play(&Folder::with(&program, 8), skew);
            assert!(printed.contains(said), "{printed}");
        }
    }
}

/// Links that never turn have no waiting, and each pad has one constant driver.
#[test]
fn links_that_never_turn_have_constant_drivers() {
    for (scheme, shape, sides) in [
        (&Optimal as &'static dyn Scheme, ShapeName::Torus, &[3, 4][..]),
        (&Hamiltonian, ShapeName::Torus, &[3, 4]),
        (&Hamiltonian, ShapeName::Mesh, &[3, 4]),
        (&LauZhang, ShapeName::Cycle, &[6]),
    ] {
        let half = on(Duplex::Half, scheme, shape, sides, 1);
        let program = boards(scheme, shape, sides, 1);
        assert_eq!(program, Program { duplex: Duplex::Pads, ..half.clone() }, "not a tick more");
        let folder = Folder::with(&program, 8);
        for file in fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&file).unwrap_or_default();
            assert!(!text.contains("inout"), "{}", file.display());
        }
        // and the directions that are not used need no wires
        let one_way = on(Duplex::OneWay, scheme, shape, sides, 1);
        assert_eq!(one_way, Program { duplex: Duplex::OneWay, ..half });
        assert!(by_execution(&one_way).passed());
        let fabric = fs::read_to_string(Folder::with(&one_way, 8).path().join("d.v")).unwrap();
        let wires = fabric.lines().filter(|line| line.ends_with("_in_valid,") || line.ends_with("_in_valid")).count();
        let used = one_way.registers() - one_way.topology.node_ids().map(|node| idle(&one_way, node)).sum::<usize>();
        assert_eq!(wires, used, "{shape} {sides:?}");
        assert!(!fabric.contains("{1'b0}"), "nothing is tied");
    }
}

fn idle(program: &Program, node: torusweave::net::NodeId) -> usize {
    program.class(node).outputs.iter().filter(|track| track.is_idle()).count()
}

/// Both ways of checking see a link that turns where it may not, and say the same of it.
#[test]
fn turns_that_links_do_not_allow_are_caught_both_ways() {
    let turning = on(Duplex::Half, &Optimal, ShapeName::Torus, &[3, 4], 2);
    assert_eq!(turning.classes.len(), 1);
    for duplex in [Duplex::Pads, Duplex::OneWay] {
        let program = Program { duplex, ..turning.clone() };
        let (executed, certified) = (by_execution(&program).violations, by_structure(&program).violations);
        let is_turn = |violation: &&Violation| {
            let is_silence = matches!(violation, Violation::NoSilence { .. });
            if duplex == Duplex::Pads { is_silence } else { matches!(violation, Violation::Backwards { .. }) }
        };
        // the certificate names one of the links that are all alike
        let (all, one) = (executed.iter().filter(is_turn).count(), certified.iter().filter(is_turn).count());
        assert!(one > 0 && all == 12 * one, "{all} and {one}");
        // streams are followed node by node, and say nothing of two ends at once
        let refused = by_streams(&program).violations;
        assert!(matches!(refused[..], [Violation::NotCertifiable { .. }]), "{refused:?}");
    }
    let report =
        by_execution(&Program { duplex: Duplex::OneWay, ..on(Duplex::Half, &LauZhang, ShapeName::Path, &[3], 1) });
    let said: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "node 1 sends at x1- at tick 2: the link leads one way, from node 0");
}

/// A copy of the routers' wires in both directions is not there.
#[test]
fn one_way_links_have_half_of_the_wires() {
    let half = on(Duplex::Half, &Optimal, ShapeName::Torus, &[4, 4], 1);
    let one_way = on(Duplex::OneWay, &Optimal, ShapeName::Torus, &[4, 4], 1);
    let ports = |program: &Program| {
        let fabric = fs::read_to_string(Folder::with(program, 8).path().join("d.v")).unwrap();
        fabric.lines().filter(|line| line.starts_with("    output wire")).count()
    };
    assert_eq!((ports(&half), ports(&one_way)), (2 * 64, 2 * 32));
}

#[test]
fn pads_are_clean_to_every_tool() {
    for program in [boards(&LauZhang, ShapeName::Path, &[6], 2), boards(&Optimal, ShapeName::Torus, &[3, 4], 1)] {
        let folder = Folder::with(&program, 8);
        let list = fs::read_to_string(folder.path().join("d.f")).unwrap();
        let sources: Vec<&str> = list.lines().collect();
        let tops = sources.iter().filter_map(|path| path.strip_suffix(".v")).filter(|path| path.contains("_pads_"));
        for top in tops {
            if has("verilator") {
                let said = call(&folder, "verilator", &["--lint-only", "-Wall", "--top-module", top, "-f", "d.f"]);
                assert_eq!(said, (true, String::new()), "{top}");
            }
            if has("iverilog") {
                let said = call(&folder, "iverilog", &["-g2005", "-Wall", "-o", "out", "-s", top, "-f", "d.f"]);
                assert_eq!(said, (true, String::new()), "{top}");
            }
            if has("yosys") {
                let script =
                    format!("read_verilog {}; hierarchy -check -top {top}; proc; check -assert", sources.join(" "));
                let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
                // the message is repeated for every z that is read
                let other = said.lines().find(|line| !line.contains("limited support for tri-state logic"));
                assert!(success && other.is_none(), "{top}: {said}");
            }
        }
        let benches = ["tb/d_boards_link.v", "tb/d_boards.v", "tb/d_boards_tb.v"];
        let files: Vec<&str> = sources.iter().copied().chain(benches).collect();
        if has("slang") {
            let arguments = [&["-Wextra", "-Wpedantic"], files.as_slice()].concat();
            assert_eq!(call(&folder, "slang", &arguments), (true, String::new()));
        }
        if has("verible-verilog-lint") {
            assert_eq!(call(&folder, "verible-verilog-lint", &files), (true, String::new()));
        }
    }
}
