//! Gather whose lengths are found out while it runs: the RTL against the state machines, lints, the testbench, wrong RTL.

use torusweave::design::Design;
use torusweave::emit;
use torusweave::tools::lockstep::{LockstepError, Simulator, random_lengths};

use crate::fixtures::designs::{self, Folder};
use crate::fixtures::tools::{call, edited, has, play, toolchain};

fn gather(sides: &[u32], scheme: &str, more: &[&str]) -> Design {
    let scheme = format!("scheme={scheme}");
    designs::design(sides, &[&["collective=gather", &scheme, "link.width=16"], more].concat())
}

/// A path, a ring, trees of every number of children, with the root inside; one port and all ports.
fn gathers() -> Vec<Design> {
    vec![
        gather(&[9], "shoulder-tap", &["root=0", "tree=path"]),
        gather(&[2], "shoulder-tap", &["root=1", "tree=path"]),
        gather(&[4, 5], "certification", &["root=[1, 2]"]),
        gather(&[4, 5], "certification-all-port", &["root=[1, 2]"]),
        gather(&[3, 3, 2], "certification", &["root=[0, 2, 1]"]),
        gather(&[6], "certification", &["root=2", "tree=path"]),
    ]
}

#[test]
fn rtl_and_state_machines_agree_for_random_lengths() {
    let Some(tools) = toolchain() else { return };
    for design in gathers() {
        let protocol = design.protocol().unwrap();
        let lengths = random_lengths(&protocol, 40, 5);
        let simulator = Simulator::build(&tools, &design.program, &design.options(), None).unwrap();
        let agreement = simulator.play_protocol(&protocol, &lengths, 7).unwrap();
        let agreement = agreement.unwrap_or_else(|difference| panic!("{}: {difference}", design.program.title.name));
        assert!(agreement.ticks > 40 && agreement.registers > 0);
    }
}

#[test]
fn a_register_that_is_not_there_is_refused() {
    let Some(tools) = toolchain() else { return };
    let design = gather(&[4], "shoulder-tap", &["root=0", "tree=path"]);
    let swap = |_: &str, text: String| text.replace("node_2 ", "node_other ");
    let simulator = edited(&tools, &design.program, &design.options(), None, &swap).unwrap();
    let refused = simulator.play_protocol(&design.protocol().unwrap(), &[vec![1; 4]], 7).unwrap_err();
    assert!(matches!(&refused, LockstepError::NoVariable { name } if name.contains("node_2.")), "{refused}");
}

#[test]
fn tools_say_nothing_and_the_testbench_passes() {
    for design in gathers() {
        let (program, options) = (&design.program, design.options());
        let name = &program.title.name;
        let folder = Folder::with_options(program, &options);
        if has("verilator") {
            let lint = format!("--lint-only -Wall --top-module {name} -f {name}.f");
            let (success, said) = call(&folder, "verilator", &lint.split(' ').collect::<Vec<_>>());
            assert!(success && said.is_empty(), "{name}: {said}");
        }
        if has("yosys") {
            let files = std::fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap();
            let script =
                format!("read_verilog {}; hierarchy -check -top {name}; proc; check -assert", files.replace('\n', " "));
            let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
            assert!(success && said.is_empty(), "{name}: {said}");
        }
        if has("slang") {
            let lint = format!("-Wextra -Wpedantic -Warith-op-mismatch -Wsign-compare -f {name}.f tb/{name}_tb.v");
            let (success, said) = call(&folder, "slang", &lint.split(' ').collect::<Vec<_>>());
            assert!(success && said.is_empty(), "{name}: {said}");
        }
        if has("verible-verilog-lint") {
            let files = std::fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap();
            let (success, said) = call(&folder, "verible-verilog-lint", &files.lines().collect::<Vec<_>>());
            assert!(success && said.is_empty(), "{name}: {said}");
        }
        if has("iverilog") {
            let (_, said) = call(&folder, "iverilog", &["-g2005", "-Wall", "-t", "null", "-f", &format!("{name}.f")]);
            assert!(said.is_empty(), "{name}: {said}");
            let printed = play(&folder, name);
            assert!(printed.starts_with(&format!("PASS {} ticks, ", program.ticks)), "{name}: {printed}");
        }
    }
}

/// A state machine with one fault each.
#[test]
fn wrong_state_machines_are_caught() {
    let Some(tools) = toolchain() else { return };
    let faults = [
        (0, "_tap.v", "(tap_in > two) ? tap_in - one : one", "tap_in - one"),
        (0, "_tap.v", "? tap_in - two :", "? tap_in - one :"),
        (0, "_tap_last.v", "tap_in - one;", "tap_in;"),
        (2, "_certifier_1.v", ": left_now - one", ": left_now"),
        (2, "_certifier_2.v", "lag_0 <= lag_1", "lag_0 >= lag_1"),
        (2, "_certifier_root.v", "+ orders", "+ one"),
        (3, "_certifier_1.v", "place_0 - one - one", "place_0 - one"),
        (2, "_certifier_1.v", "count <= one", "count <= none"),
    ];
    let gathers = gathers();
    let mut tried = 0;
    for (index, file, right, wrong) in faults {
        let design = &gathers[index];
        let fault = |path: &str, text: String| {
            if path.ends_with(file) { text.replace(right, wrong) } else { text }
        };
        let mut files = emit::MemoryFiles::default();
        emit::write_all(&design.program, &design.options(), &mut files).unwrap();
        let is_there = files.0.iter().any(|(path, text)| {
            path.ends_with(file) && std::str::from_utf8(text).is_ok_and(|text| text.contains(right))
        });
        if !is_there {
            continue;
        }
        tried += 1;
        let protocol = design.protocol().unwrap();
        let simulator = edited(&tools, &design.program, &design.options(), None, &fault).unwrap();
        let played = simulator.play_protocol(&protocol, &random_lengths(&protocol, 40, 5), 7).unwrap();
        assert!(played.is_err(), "{file}: `{wrong}` for `{right}`");
    }
    assert!(tried >= 6, "{tried} faults");
}
