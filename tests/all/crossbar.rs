//! `crossbar: configurable`: the same programs by routers that are set while nothing plays; a wrong setting is caught, and what
//! no setting can say is refused.

use std::fs;

use torusweave::design::Design;
use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::net::{Port, ShapeName};
use torusweave::netlist::Crossbar;
use torusweave::program::{Class, ClassId, Program, Source};
use torusweave::tools::ScratchFolder;
use torusweave::tools::lockstep::By;
use torusweave::tools::prove::{Prover, YosysFiles, wiring};

use crate::fixtures::command::Place;
use crate::fixtures::designs::{Folder, design_on};
use crate::fixtures::tools::{call, edited, equals_the_model, has, play, toolchain};

fn design(shape: ShapeName, sides: &[u32], settings: &str) -> Design {
    let settings: Vec<&str> = settings.split_whitespace().chain(["crossbar=configurable", "link.width=8"]).collect();
    design_on(shape, sides, &settings)
}

fn staircase(sides: &[u32]) -> Design {
    design(ShapeName::Torus, sides, "scheme=staircase")
}

/// One router for all nodes and one per class, one packet per node and several, ends of a grid, valid bits that are read, delay
/// lines and rings, long links, a control a node.
pub fn designs() -> Vec<Design> {
    vec![
        staircase(&[4, 4]),
        staircase(&[4, 6]),
        design(ShapeName::Torus, &[4, 6], "scheme=zigzag"),
        design(ShapeName::Mesh, &[4, 5], "scheme=hamiltonian"),
        design(ShapeName::Cycle, &[5], "scheme=hamiltonian"),
        design(ShapeName::Path, &[5], "scheme=hamiltonian"),
        design(ShapeName::Torus, &[3, 3, 3], "scheme=hamiltonian"),
        design(ShapeName::Torus, &[4, 4], "scheme=staircase link.flits=3"),
        design(ShapeName::Cycle, &[6], "scheme=hamiltonian link.flits=40"),
        design(ShapeName::Torus, &[4, 4], "scheme=staircase link.flits=2 link.latency=2"),
        design(ShapeName::Torus, &[4, 4], "scheme=hamiltonian rom=per-node"),
    ]
}

#[test]
fn every_design_equals_the_model_as_a_whole_and_module_by_module() {
    let Some(tools) = toolchain() else { return };
    for design in designs() {
        equals_the_model(&tools, &design.command(), &design.program, &design.options());
    }
}

#[test]
fn every_testbench_shifts_the_configuration_in_and_passes() {
    if !has("iverilog") {
        return;
    }
    for design in designs() {
        let Program { title, ticks, .. } = &design.program;
        let printed = play(&Folder::with_options(&design.program, &design.options()), &title.name);
        assert!(printed.starts_with(&format!("PASS {ticks} ticks, ")), "{}: {printed}", design.command());
    }
}

/// Any bit: each says what some output does. One simulation plays with each of them flipped, and at last with none: what went
/// wrong before is forgotten.
#[test]
fn a_wrong_bit_of_the_configuration_makes_the_testbench_fail() {
    if !has("iverilog") {
        return;
    }
    let design = staircase(&[2, 4]);
    let folder = Folder::with_options(&design.program, &design.options());
    assert!(play(&folder, "torus_2x4").starts_with("PASS"));
    // a packet of two and an input of four, for each of four outputs
    let bits = 8 * 4 * 3;
    let configuration = fs::read_to_string(folder.path().join("tb/torus_2x4_configuration.hex")).unwrap();
    assert_eq!(configuration.lines().count(), bits);
    let bench = folder.path().join("tb/torus_2x4_tb.v");
    let mut text = fs::read_to_string(&bench).unwrap();
    for (one, other) in [
        (
            "    initial begin\n        $readmemh",
            "    integer wrong;\n    initial for (wrong = 1; wrong <= SETTINGS + 1; wrong = wrong + 1) begin\n        \
             rst = 1'b1;\n        run = 1'b0;\n        $readmemh",
        ),
        (
            "        configure;\n",
            "        if (wrong <= SETTINGS) configuration[wrong] = ~configuration[wrong];\n        configure;\n",
        ),
        ("else $finish_and_return(1);", "else if (wrong > SETTINGS) $finish_and_return(1);"),
    ] {
        assert_eq!(text.matches(one).count(), 1, "{one}");
        text = text.replace(one, other);
    }
    fs::write(&bench, text).unwrap();
    let printed = play(&folder, "torus_2x4");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), bits + 1, "{printed}");
    let passed = lines.iter().take_while(|line| line.starts_with("FAIL tick ")).count();
    assert_eq!(passed, bits, "it passes with this bit flipped: {printed}");
    assert!(lines[bits].starts_with("PASS "), "{printed}");
}

/// The chain by two nodes in another order, a bit too short, and with an end that nothing comes out of.
#[test]
fn a_wrong_chain_is_caught() {
    let design = staircase(&[4, 4]);
    let (program, options) = (&design.program, design.options());
    let faults: [(&str, &str, &str); 4] = [
        ("torus_4x4.v", ".in(n0_0_config_out), .out(n0_1_config_out)", ".in(n0_1_config_out), .out(n0_0_config_out)"),
        ("torus_4x4_configuration.v", "moved = {configuration, in}", "moved = {in, configuration}"),
        ("torus_4x4_configuration.v", "if (shift) ", ""),
        ("torus_4x4_configuration.v", "out = moved[BITS]", "out = moved[BITS-1]"),
    ];
    for (file, right, wrong) in faults {
        let mutate = |path: &str, text: String| {
            if path == file {
                assert_eq!(text.matches(right).count(), 1);
                return text.replace(right, wrong);
            }
            text
        };
        if has("iverilog") {
            let folder = Folder::with_options(program, &options);
            let path = folder.path().join(file);
            fs::write(&path, mutate(file, fs::read_to_string(&path).unwrap())).unwrap();
            let printed = play(&folder, "torus_4x4");
            assert!(printed.contains("FAIL "), "{wrong}: {printed}");
        }
        // a chain in a circle has no end that drives it
        if let Some(tools) = toolchain() {
            for by in [By::Fabric, By::Class] {
                let played = edited(&tools, program, &options, Some(by), &mutate).map(|it| it.play(7));
                assert!(!matches!(played, Ok(Ok(Ok(_)))), "{wrong}, {by:?}");
            }
        }
    }
}

/// Two nodes in another order, one that is passed over, one that is fed by the wrong end.
#[test]
fn the_comparison_of_the_fabric_sees_a_wrong_chain() {
    if !(has("yosys") && has("yosys-smtbmc") && has("z3")) {
        return;
    }
    let design = staircase(&[4, 4]);
    let (program, options) = (&design.program, design.options());
    let netlist = emit::netlist(program, &options);
    let prover = Prover::find().unwrap();
    let differences = |(right, wrong): (&str, &str)| {
        let scratch = ScratchFolder::new().unwrap();
        let rtl = YosysFiles::write(program, &options, scratch.path().join("rtl")).unwrap();
        let path = scratch.path().join("rtl/torus_4x4.v");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(right), "{right}");
        fs::write(&path, text.replacen(right, wrong, 1)).unwrap();
        let compared = wiring::compare(&prover, program, &netlist, &rtl, &scratch.path().join("fabric")).unwrap();
        assert!(compared.fault_seen);
        compared.differences
    };
    assert_eq!(differences(("module", "module")), Vec::<String>::new());
    for fault in [
        (".in(n0_0_config_out), .out(n0_1_config_out)", ".in(config_in), .out(n0_1_config_out)"),
        (".shift(config_shift), .in(n1_0_config_out)", ".shift(run), .in(n1_0_config_out)"),
        (".configuration(n2_2_configuration),", ".configuration(n2_1_configuration),"),
        (".configuration(n2_2_configuration),", ".configuration({n2_2_configuration[0], n2_2_configuration[11:1]}),"),
    ] {
        assert!(!differences(fault).is_empty(), "{fault:?}");
    }
}

/// The program with left and right exchanged: along other cycles.
fn mirrored(program: &Program) -> Program {
    let flipped = |port: Port| if port.axis() == 1 { port.opposite() } else { port };
    let class = |class: &Class| {
        let outputs = program.channels().map(|output| {
            let mut track =
                class.outputs[program.output_index(torusweave::net::Channel::first(flipped(output.port)))].clone();
            for run in &mut track.runs {
                if let Source::In { port, .. } = &mut run.source {
                    *port = flipped(*port);
                }
            }
            track
        });
        Class { outputs: outputs.collect() }
    };
    let topology = &program.topology;
    let last = topology.dims()[1] - 1;
    let there = |node| topology.node(&[topology.coord(node, 0), last - topology.coord(node, 1)]);
    let class_of = topology.node_ids().map(|node| program.class_of[there(node).index()]).collect();
    Program { classes: program.classes.iter().map(class).collect(), class_of, ..program.clone() }
}

/// Without what comments say of its classes.
fn rtl(program: &Program, options: &Options) -> Vec<(String, String)> {
    let mut files = MemoryFiles::default();
    emit::write_rtl(program, options, &mut files).unwrap();
    let code = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n")
    };
    files.0.into_iter().map(|(path, bytes)| (path, code(bytes))).collect()
}

/// Purpose of `configurable`: one Verilog for two programs that differ in their configuration. The staircase turns
/// right where its mirror image turns left.
#[test]
fn two_programs_have_one_verilog_and_each_its_configuration() {
    let design = staircase(&[4, 6]);
    let (one, options) = (&design.program, design.options());
    let other = mirrored(one);
    assert_ne!((&one.classes, &one.class_of), (&other.classes, &other.class_of));
    assert_eq!(rtl(one, &options), rtl(&other, &options));
    let fixed = Options { crossbar: Crossbar::Fixed, ..design.options() };
    assert_ne!(rtl(one, &fixed), rtl(&other, &fixed));
    if !has("iverilog") {
        return;
    }
    let name = &one.title.name;
    let (folder, theirs) = (Folder::with_options(one, &options), Folder::with_options(&other, &options));
    assert!(play(&folder, name).starts_with("PASS"));
    for file in ["configuration", "expected", "own"].map(|it| format!("tb/{name}_{it}.hex")) {
        fs::copy(theirs.path().join(&file), folder.path().join(&file)).unwrap();
        let (_, printed) = call(&folder, "vvp", &["sim"]);
        let is_whole = !file.ends_with("configuration.hex");
        assert!(printed.starts_with(if is_whole { "PASS" } else { "FAIL tick " }), "{file}: {printed}");
    }
}

/// A router for all nodes of a torus; on a mesh for those that have the same ports and stop at the same time.
#[test]
fn classes_that_are_built_alike_are_one_module() {
    let modules = |design: &Design| {
        let netlist = emit::netlist(&design.program, &design.options());
        let classes = (0..design.program.classes.len() as u32).map(ClassId);
        (design.program.classes.len(), classes.filter(|&class| netlist.module_of(class) == class).count())
    };
    assert_eq!(modules(&staircase(&[6, 8])), (2, 1));
    assert_eq!(modules(&design(ShapeName::Torus, &[3, 4], "scheme=hamiltonian")), (7, 4));
    let fixed = design_on(ShapeName::Torus, &[6, 8], &["scheme=staircase"]);
    assert_eq!(modules(&fixed), (2, 2));
}

#[test]
fn unsupported_configurations_are_refused() {
    let place = Place::new();
    let mut said = String::new();
    for arguments in [
        "check --torus 4x4 --scheme optimal",
        "check --torus 4x5 --scheme staircase",
        "check --torus 6x6 --scheme zigzag --switching memory",
        "check --torus 4x4 --scheme hamiltonian --order origin",
        "check --torus 4x4 --scheme hamiltonian --host chain",
        "check --torus 4x4 --scheme hamiltonian --bist true",
        "check --torus 4x4 --scheme hamiltonian --elastic true",
        "check --torus 4x4 --scheme hamiltonian --duplex half --lanes 2",
        "check --torus 4x4 --collective scatter",
        "check --torus 4x4 --collective reduce-scatter --operation sum",
        "check --torus 4x4 --collective broadcast --scheme fork",
        "check --path 6 --collective gather --scheme shoulder-tap",
        "fpga --torus 4x4 --scheme staircase --device hx8k --top bist",
        "fpga --torus 4x4 --scheme staircase --device hx8k --top system",
    ] {
        let ended = place.run(&format!("{arguments} --crossbar configurable"));
        assert_eq!(ended.code, 2, "{arguments}: {}{}", ended.stdout, ended.stderr);
        said += &format!("$ torusweave {arguments} --crossbar configurable\n{}\n", ended.stderr);
    }
    insta::assert_snapshot!(said);
}
