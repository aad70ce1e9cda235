//! Streams in the place of an input for each packet: fabrics, nodes, boards and proofs of an exchange, and the size of its routers.

use std::fs;
use std::path::Path;
use std::process::Command;

use torusweave::design::Design;
use torusweave::emit::Options;
use torusweave::net::{NodeId, Port, ShapeName};
use torusweave::netlist::{Crossbar, LoadedValue, Netlist, OwnInputs, Rom};

use crate::bist;
use crate::fixtures::command::{Place, project};
use crate::fixtures::designs::{Folder, design, design_on};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, counted_cells, equals_the_model, has, said, toolchain};
use crate::rtl_mutants::mutants;

/// All that a design's testbench prints under Icarus; none if the design is not compiled.
fn played(folder: &Path, name: &str) -> Option<String> {
    let files = ["-f", &format!("{name}.f"), &format!("tb/{name}_tb.v")];
    let call =
        |tool: &str, arguments: &[&str]| Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    let built = call("iverilog", &[&["-g2005", "-o", "sim"][..], &files].concat());
    built.status.success().then(|| said(&call("vvp", &["sim"])))
}

/// Networks of every kind, and packets and links of every length.
const DESIGNS: [&str; 8] = [
    "--torus 4x4",
    "--torus 3x5 --flits 3",
    "--torus 4x4 --latency 3",
    "--mesh 3x4",
    "--torus 4x4 --dead-link 0,0:x2+ --dead-node 2,3",
    "--lattice 4,2/0,4",
    "--path 5 --flits 2",
    "--torus 3x3x3",
];

fn exchange(sides: &[u32], settings: &[&str]) -> Design {
    design(sides, &[&["collective=exchange", "own=streams"], settings].concat())
}

#[test]
fn testbenches_of_every_network_pass_with_streams() {
    if !has("iverilog") {
        return;
    }
    for network in sampled(DESIGNS, 3) {
        let place = Place::new();
        let made =
            place.run(&format!("generate {network} --collective exchange --own streams --name it --out it --width 8"));
        assert_eq!(made.code, 0, "{network}: {}", made.stderr);
        let said = played(&place.path().join("it"), "it").expect("it is compiled");
        assert!(said.starts_with("PASS "), "{network}: {said}");
    }
}

#[test]
fn registers_of_fabrics_with_streams_equal_the_model() {
    let Some(tools) = toolchain() else { return };
    let mesh = design_on(ShapeName::Mesh, &[3, 3], &["collective=exchange", "own=streams"]);
    for design in [exchange(&[4, 4], &["link.flits=2"]), exchange(&[3, 3], &["link.latency=2"]), mesh] {
        equals_the_model(&tools, "streams", &design.program, &design.options());
    }
}

/// Every output of an exchange has at most one input of the node's own, and all packets have their place in one.
#[test]
fn every_output_of_an_exchange_has_one_stream() {
    for sides in [&[4, 4][..], &[8, 8], &[3, 4, 5]] {
        let program = exchange(sides, &[]).program;
        let netlist = Netlist::with(&program, Crossbar::Fixed, OwnInputs::Streams, Rom::Shared, 8);
        let router = &netlist.routers[0];
        let packets: u32 = router.packets.iter().map(|own| own.through - own.packet + 1).sum();
        assert_eq!(packets, program.demand.packets_of(NodeId(0)));
        for output in &router.outputs {
            let own = output.drive.sources().filter(|value| matches!(value, LoadedValue::Own(_))).count();
            assert_eq!(own, 1, "{sides:?}: {}", output.channel.label(sides.len()));
        }
    }
}

/// Straight on, or from one axis to a later one: few inputs.
#[test]
fn outputs_of_an_exchange_have_few_inputs() {
    let router = exchange(&[8, 8], &[]).netlist().routers.remove(0);
    let inputs = |port: Port| {
        let output = router.outputs.iter().find(|output| output.channel.port == port).unwrap();
        output.drive.values.len()
    };
    assert_eq!([0, 1, 2, 3].map(|port| inputs(Port::from_index(port))), [4, 4, 2, 2]);
}

/// LUTs and flip-flops of the router of an exchange, by yosys for an iCE40.
fn cells(design: &Design) -> [u64; 2] {
    let folder = Folder::with_options(&design.program, &design.options());
    let name = format!("{}_router_a", design.program.title.name);
    let script = format!("read_verilog {name}.v; synth_ice40 -top {name}; stat");
    let (synthesised, said) = call(&folder, "yosys", &["-p", &script]);
    assert!(synthesised, "{said}");
    let last = said.rsplit("Printing statistics").next().unwrap();
    let count = |kind: &str| {
        last.lines().filter_map(counted_cells).filter(|(cell, _)| cell.starts_with(kind)).map(|it| it.1).sum()
    };
    [count("SB_LUT4"), count("SB_DFF")]
}

#[test]
fn routers_of_an_exchange_hold_what_they_forward() {
    if !has("yosys") {
        return;
    }
    let page = fs::read_to_string(project().join("docs/rtl.md")).unwrap();
    let told = |row: &str| -> Vec<u64> {
        let row = page.lines().find(|line| line.starts_with(row)).unwrap();
        row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect()
    };
    // the large one takes half a minute
    let large = std::env::var_os("TORUSWEAVE_FULL").map(|_| ("| 8x8, an input", [8, 8], "packets"));
    let rows = [
        ("| 4x4, an input", [4, 4], "packets"),
        ("| 4x4, streams", [4, 4], "streams"),
        ("| 8x8, streams", [8, 8], "streams"),
    ];
    for (row, sides, own) in rows.into_iter().chain(large) {
        let found = cells(&design(&sides, &["collective=exchange", &format!("own={own}")]));
        println!("{row}: {found:?} LUT and FF");
        // versions of yosys differ in a few
        assert!(found.iter().zip(told(row)).all(|(found, told)| found.abs_diff(told) <= told / 20), "{row}: {found:?}");
    }
    assert!(told("| 4x4, streams")[0] <= 300 && told("| 8x8, streams")[0] <= 400);
}

#[test]
fn self_test_of_an_exchange_hands_over_streams() {
    if !has("iverilog") {
        return;
    }
    let program = exchange(&[3, 4], &[]).program;
    let options = Options { own: OwnInputs::Streams, ..bist::options(8) };
    let folder = Folder::with_options(&program, &options);
    let said = |injected| bist::says(&folder, &program.title.name, &bist::parameters(3, injected));
    let passed = said(None);
    assert!(passed.starts_with(&format!("PASS 3 {} ", program.ticks)), "{passed}");
    let failed = said(Some((2, 3, 5, 1)));
    assert!(failed.starts_with("FAIL 2 3 1,1 B"), "{failed}");
}

/// A stream that is taken too early, too late or at the wrong output is seen.
#[test]
fn faults_of_streams_are_caught() {
    if !has("iverilog") {
        return;
    }
    let design = exchange(&[3, 4], &["link.width=8"]);
    let folder = Folder::with_options(&design.program, &design.options());
    let name = &design.program.title.name;
    let file = format!("{name}_router_a.v");
    let path = folder.path().join(&file);
    let right = fs::read_to_string(&path).unwrap();
    let is_own = |line: &&str| line.contains("_take =") || line.contains("_out_data <=") && line.contains("own_");
    let wrong: Vec<_> = mutants(&file, &right)
        .into_iter()
        .filter(|mutant| mutant.text.lines().zip(right.lines()).any(|(wrong, line)| wrong != line && is_own(&line)))
        .collect();
    let mut caught = 0;
    for mutant in &wrong {
        fs::write(&path, &mutant.text).unwrap();
        let Some(said) = played(folder.path(), name) else { continue };
        assert!(!said.contains("PASS"), "{}: {said}", mutant.what);
        caught += 1;
    }
    assert!(caught >= 8, "{caught}");
    println!("{caught} faults of streams are caught");
}
