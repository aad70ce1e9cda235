//! However many leaves there are on the way to a row of nodes, all that follows comes as much later.

use torusweave::design::Design;
use torusweave::net::ShapeName;

use crate::cli::refusals;
use crate::fixtures::command::Place;
use crate::fixtures::designs::{Folder, design, design_on};
use crate::fixtures::tools::{equals_the_model, has, play, toolchain};

/// With a sequence for all and one per node, streams, several lanes, rows of one node, and registers on the links.
fn designs() -> Vec<Design> {
    vec![
        design(&[4, 4], &["leaves=1"]),
        design(&[3, 4], &["scheme=optimal", "rom=per-node", "leaves=4"]),
        design(&[3, 4], &["scheme=optimal", "link.latency=3", "leaves=1"]),
        design(&[3, 4], &["collective=scatter", "leaves=16"]),
        design(&[2, 3], &["collective=all-reduce", "operation=sum", "leaves=3"]),
        design_on(ShapeName::Path, &[5], &["link.lanes=2", "leaves=3"]),
    ]
}

#[test]
fn control_words_arrive_one_clock_later_per_leaf() {
    if !has("iverilog") {
        return;
    }
    for design in designs() {
        let folder = Folder::with_options(&design.program, &design.options());
        let name = &design.program.title.name;
        let printed = play(&folder, name);
        assert!(printed.starts_with("PASS "), "{}: {printed}", design.command());
        let delay = design.config.leaves.get() + 6;
        let fabric = std::fs::read_to_string(folder.path().join(format!("{name}.v"))).unwrap();
        let words = fabric.split_whitespace().filter(|&word| word != "//").collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("the control takes {delay} clocks")), "{}", design.command());
    }
}

#[test]
fn registers_equal_the_model_for_every_number_of_leaves() {
    let Some(tools) = toolchain() else { return };
    for design in designs() {
        equals_the_model(&tools, &design.command(), &design.program, &design.options());
    }
}

#[test]
fn proof_of_the_fabric_follows_the_leaves() {
    if !(has("yosys") && has("z3")) {
        return;
    }
    for line in ["--torus 4x4 --leaves 1", "--torus 3x4 --scheme optimal --rom per-node --leaves 4"] {
        let ended = Place::new().run(&format!("prove {line}"));
        assert_eq!(ended.code, 0, "{line}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("proved fabric"), "{}", ended.stdout);
    }
}

#[test]
fn number_of_leaves_is_bounded() {
    let said = refusals(&Place::new(), &["check --torus 4x4 --leaves 0", "check --torus 4x4 --set leaves=17"]);
    assert_eq!(said.matches("leaves").count(), 4, "{said}");
}
