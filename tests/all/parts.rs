//! Lockstep module by module: what wires the modules is the fabric's text, so that whatever is wrong there is caught.

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::emit::Options;
use torusweave::netlist::Rom;
use torusweave::paths::supply::Switching::{Memory, None as NoSwitching};
use torusweave::program::Program;
use torusweave::schemes::{staircase::Staircase, zigzag::Zigzag};
use torusweave::tools::lockstep::{self, By, LockstepError, LockstepOutcome, Toolchain, Verilated};

use crate::fixtures::command::examples;
use crate::fixtures::designs::{self, woven};
use crate::fixtures::tools::{edited, toolchain};

/// Outcome for a design with one file changed; the change must have an effect.
fn changed(
    tools: &Toolchain,
    program: &Program,
    by: By,
    file: &str,
    change: &dyn Fn(&str) -> String,
) -> Result<LockstepOutcome, LockstepError> {
    let swap = |path: &str, text: String| {
        if path != format!("{file}.v") {
            return text;
        }
        let changed = change(&text);
        assert!(changed != text, "nothing of {file} changes");
        changed
    };
    edited(tools, program, &designs::options(8), Some(by), &swap)?.play(7)
}

#[test]
fn every_example_equals_the_model_module_by_module() {
    let Some(tools) = toolchain() else { return };
    for path in examples() {
        let design = Design::new(Config::read(&path).unwrap()).unwrap();
        if design.protocol().is_some() {
            continue;
        }
        let outcome = lockstep::run(&tools, &design.program, &design.options(), Some(By::Class), 3).unwrap();
        let agreement = outcome.unwrap_or_else(|difference| panic!("{}: {difference}", path.display()));
        let Verilated::Modules { modules, .. } = agreement.verilated else { panic!("{}", path.display()) };
        let routers = design.program.classes.iter().filter(|class| class.outputs.iter().any(|track| !track.is_idle()));
        assert!(modules > routers.count(), "{}: every router, and a head", path.display());
    }
}

#[test]
fn sequences_of_every_node_are_played_for_every_node() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 6], &Zigzag, Memory);
    let options = Options { rom: Rom::PerNode, ..designs::options(8) };
    let outcome = lockstep::run(&tools, &program, &options, Some(By::Class), 3).unwrap();
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// Each connection of data between routers exchanged with that of the next router: the models are the same, only the wires differ.
#[test]
fn every_exchanged_wire_of_a_fabric_is_caught() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 6], &Staircase, NoSwitching);
    let name = &program.title.name;
    let mut caught = 0;
    for port in ["t_in_data", "b_in_data", "l_in_data", "r_in_data", "t_out_data", "l_out_data", "own_0", "own_1"] {
        for place in (0..program.topology.nodes() as usize).step_by(5) {
            let exchange = |text: &str| exchanged(text, &format!(".{port}("), place);
            let outcome = changed(&tools, &program, By::Class, name, &exchange).unwrap();
            assert!(outcome.is_err(), "{port} of router {place}");
            caught += 1;
        }
    }
    println!("{caught} exchanged wires are caught");
}

/// The text with what stands in two brackets exchanged: those after this place of a prefix, and after the next.
fn exchanged(text: &str, prefix: &str, place: usize) -> String {
    let mut found = text.match_indices(prefix).skip(place).map(|(at, _)| {
        let begin = at + prefix.len();
        begin..begin + text[begin..].find(')').unwrap()
    });
    let one = found.next().unwrap();
    // the successor of the last is the first
    let other = found.next().unwrap_or_else(|| {
        let begin = text.find(prefix).unwrap() + prefix.len();
        begin..begin + text[begin..].find(')').unwrap()
    });
    let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
    [&text[..first.start], &text[second.clone()], &text[first.end..second.start], &text[first], &text[second.end..]]
        .concat()
}

/// Faults in the modules beside the routers, one at a time, in whole fabrics as well.
#[test]
fn modules_beside_routers_are_simulated() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[6, 4], &Zigzag, Memory);
    let name = &program.title.name;
    let last = format!("(played == {}'d{})", program.ticks.ilog2() + 1, program.ticks - 1);
    let early = last.replace(&format!("d{})", program.ticks - 1), &format!("d{})", program.ticks - 3));
    let fabric: [(&str, &str, &str); 8] = [
        ("the program ends too early", &last, &early),
        ("what follows a stop plays on", "hold <= rst | ~run;", "hold <= rst;"),
        ("a reset is not heard", "hold <= rst | ~run;", "hold <= ~run;"),
        (
            "a node listens to another row's register, that is of another class",
            "_word_a), .q(n3_1_word)",
            "_word_b), .q(n3_1_word)",
        ),
        ("a node's register holds nothing", ".d(row3_word_a), .q(n3_1_word)", ".d(word_a), .q(n3_1_word)"),
        ("a row's register is passed by", ".d(row2_way_a), .q(row2_word_a)", ".d(row1_word_a), .q(row2_word_a)"),
        (
            "a node is of another class",
            "_router_a #(\n        .WIDTH(WIDTH)\n    ) node_3_1 ",
            "_router_b #(\n        .WIDTH(WIDTH)\n    ) node_3_1 ",
        ),
        ("two nodes present the same packet", ".own_0(n2_3_own_0)", ".own_0(n2_2_own_0)"),
    ];
    for by in [By::Fabric, By::Class] {
        for (what, from, to) in fabric {
            let outcome = changed(&tools, &program, by, name, &|text| text.replacen(from, to, 1));
            // another class may have other ports, which is told as an error
            assert!(!matches!(outcome, Ok(Ok(_))), "{what}, {by:?}");
        }
        // two that invert would be right
        let silent = |text: &str| text.replace("q <= d;", "q <= {BITS{1'b0}};");
        assert!(changed(&tools, &program, by, &format!("{name}_leaf"), &silent).unwrap().is_err(), "{by:?}");
        let none = |text: &str| {
            let text = text.replace("output reg  [BITS-1:0] q", "output wire [BITS-1:0] q");
            let (before, process) = text.split_once("    always").unwrap();
            format!("{before}    assign q = d;\n{}", &process[process.find("    end\n").unwrap() + 8..])
        };
        assert!(changed(&tools, &program, by, &format!("{name}_leaf"), &none).unwrap().is_err(), "no register, {by:?}");
        let straight = |text: &str| text.replacen("r_out_data  <= ", "r_out_data  <= ~", 1);
        assert!(changed(&tools, &program, by, &format!("{name}_router_a"), &straight).unwrap().is_err(), "{by:?}");
    }
}

/// A word of each sequence told wrongly, in one tick.
#[test]
fn wrong_words_are_caught() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[8, 6], &Zigzag, Memory);
    let mut caught = 0;
    for path in designs::rtl_in_place_of(&program, &program).keys().filter(|path| path.contains("_control_")) {
        let module = path.strip_suffix(".v").unwrap();
        let wrong = |text: &str| {
            // the first bit that is 1, in the line of the first tick
            let at = text.find("  // tick 1\n").unwrap();
            let line = text[..at].rfind("<= ").unwrap();
            let bit = line + text[line..at].rfind('1').unwrap();
            format!("{}0{}", &text[..bit], &text[bit + 1..])
        };
        for by in [By::Fabric, By::Class] {
            assert!(changed(&tools, &program, by, module, &wrong).unwrap().is_err(), "{module}, {by:?}");
            caught += 1;
        }
    }
    assert!(caught > 0);
}

#[test]
fn unknown_wiring_is_refused_by_name() {
    let Some(tools) = toolchain() else { return };
    let program = woven(&[4, 4], &Staircase, NoSwitching);
    let name = &program.title.name;
    let refused = |from: &str, to: &str| {
        let outcome = changed(&tools, &program, By::Class, name, &|text| text.replacen(from, to, 1));
        let error = outcome.map(|_| ()).unwrap_err().to_string();
        // newer Verilators say where their manual is
        error.lines().filter(|line| !line.contains("... See the manual")).collect::<Vec<_>>().join("\n")
    };
    let all = [
        refused(".t_in_data(n0_1_t_in_data),", ""),
        refused(".t_in_data(n0_1_t_in_data)", ".t_in_datum(n0_1_t_in_data)"),
        refused(".t_in_data(n0_1_t_in_data)", ".t_in_data(n0_1_t_in_datum)"),
        refused(".t_in_data(n0_1_t_in_data)", ".t_in_data(n0_1_t_in_valid)"),
        refused(".t_out_data(n3_1_b_in_data)", ".t_out_data(n3_2_b_in_data)"),
        refused("_router_a", "_router_z"),
        refused(".BITS(", ".BYTES("),
        refused("    go <= ", "    initial go = 1'b0;\n    go <= "),
        refused("    reg hold;", "    initial hold = 1'b0;\n    reg hold;"),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn large_fabrics_are_verilated_module_by_module_where_modules_have_many_instances() {
    let Some(tools) = toolchain() else { return };
    let verilated = |sides: &[u32]| {
        let program = woven(sides, &Staircase, NoSwitching);
        let outcome = lockstep::run(&tools, &program, &designs::options(8), None, 3).unwrap();
        outcome.unwrap_or_else(|difference| panic!("{difference}")).verilated
    };
    assert_eq!(verilated(&[4, 4]), Verilated::Fabric);
    let Verilated::Modules { modules, instances } = verilated(&[32, 32]) else { panic!("32x32 is large") };
    assert!(modules < 10 && instances > 2 * 1024, "{modules} modules, {instances} instances");
}
