//! `torusweave diff` of what stands on disk: generated folders, and programs without their configs.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::explain::diff::{DiffSubject, diff};
use torusweave::net::ShapeName;
use torusweave::program::{Program, Window};

use crate::cli::refusals;
use crate::fixtures::by_hand::both_ways;
use crate::fixtures::command::{Place, examples, project};
use crate::fixtures::designs::{along_a_path, design, design_on, late_sender, meander, repeater, rereader};

/// Programs with everything in them that a program can have.
fn programs() -> Vec<Program> {
    let all_reduce = ["scheme=zigzag", "collective=all-reduce", "operation=max", "link.flits=2", "link.latency=2"];
    let designs = [
        design(&[4, 6], &["scheme=hamiltonian", "link.lanes=2"]),
        design(&[3, 4], &["scheme=optimal", "link.latency=3"]),
        design(&[4, 6], &all_reduce),
        design(&[4, 5], &["scheme=optimal", "collective=reduce-scatter", "operation=sum"]),
        design_on(ShapeName::Mesh, &[3, 4], &["collective=scatter", "link.flits=2"]),
        design_on(ShapeName::Cycle, &[7], &["collective=broadcast", "link.flits=3"]),
    ];
    let by_hand = [late_sender(), repeater(), meander(), rereader(), along_a_path(3)];
    designs.into_iter().map(|design| design.program).chain(by_hand).collect()
}

fn read_back(text: &str) -> Program {
    Program::from_json(text).unwrap_or_else(|error| panic!("{error}\n{text:.2000}"))
}

#[test]
fn programs_are_read_as_they_were_written() {
    for program in programs() {
        assert!(read_back(&program.json()) == program, "{}", program.title.name);
    }
    for example in examples() {
        let program = Design::new(Config::read(&example).unwrap()).unwrap().program;
        let path = project().join("generated").join(&program.title.name).join("program.json");
        assert!(read_back(&fs::read_to_string(path).unwrap()) == program, "{}", program.title.name);
    }
}

/// Ranges of the numbers in a JSON text, except those in names.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut in_name) = (Vec::<std::ops::Range<usize>>::new(), false);
    for (at, letter) in text.char_indices() {
        in_name ^= letter == '"';
        match found.last_mut() {
            _ if in_name || !letter.is_ascii_digit() => {}
            Some(last) if last.end == at => last.end += 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Any other number anywhere makes another program, and `diff` says so, or none.
#[test]
fn every_wrong_number_is_refused_or_a_difference() {
    let opened = |program: &Program| {
        program.windows.iter().map(|window| Some(*window).filter(|window| window.ticks > 0)).collect::<Vec<_>>()
    };
    let (mut refused, mut different) = (0, 0);
    let example = |name: &str| fs::read_to_string(project().join("generated").join(name).join("program.json")).unwrap();
    let examples = ["path_6_gather", "torus_4x4_all_reduce"].map(example);
    let torus = design(&[2, 3], &["scheme=optimal", "collective=all-reduce", "operation=sum"]).program;
    let exchange = design(&[2, 3], &["collective=exchange"]).program;
    let by_hand = [repeater(), along_a_path(3), torus, exchange, both_ways()].map(|program| program.json());
    for text in by_hand.iter().chain(&examples) {
        let program = read_back(text);
        for place in numbers(text) {
            let number: u64 = text[place.clone()].parse().unwrap();
            for wrong in [0, 1, number + 1, number.saturating_sub(1), u32::MAX.into(), 1 << 32] {
                let mut mutant = text.clone();
                mutant.replace_range(place.clone(), &wrong.to_string());
                let Ok(mutant) = Program::from_json(&mutant) else {
                    refused += 1;
                    continue;
                };
                let before = &text[..place.start];
                assert!(
                    wrong == number || mutant != program,
                    "{before}: nobody looks whether it is {number} or {wrong}"
                );
                let difference = diff(&DiffSubject::of_program(&program), &DiffSubject::of_program(&mutant));
                let is_same = Program { windows: Vec::<Window>::new(), ..mutant.clone() }
                    == Program { windows: Vec::new(), ..program.clone() }
                    && opened(&mutant) == opened(&program);
                assert_eq!(difference.is_empty(), is_same, "{before}: {wrong}, not {number}\n{difference}");
                different += usize::from(!is_same);
            }
        }
    }
    println!("{refused} wrong numbers refused, {different} told");
    assert!(refused > 1000 && different > 300, "{refused} refused, {different} told");
}

/// A few letters of JSON that would fill the memory once their rounds are unrolled.
#[test]
fn rounds_that_nobody_could_unroll_are_refused() {
    let text = repeater().json().replace("\"ticks\": 37,", "\"ticks\": 4000000000, \"latency\": 2,");
    let text = text.replace("\"ticks\": 37}], \"repeat_from\": null", "\"ticks\": 1}], \"repeat_from\": 0");
    let text = text.replace("\"repeat_from\": null", "\"repeat_from\": 0");
    let error = Program::from_json(&text).unwrap_err().to_string();
    assert_eq!(error, "class a, output 1: its rounds are 3000000000 runs, one after the other");
    let short = read_back(&text.replace("4000000000", "40000"));
    assert!(diff(&DiffSubject::of_program(&short), &DiffSubject::of_program(&short)).is_empty());
}

/// A folder with a generated design of our own in it.
fn generated() -> Place {
    let place = Place::new();
    place.write("design.yaml", "topology: { torus: [6, 4] }\nscheme: zigzag\nname: ours\n");
    assert_eq!(place.run("generate design.yaml --out ours").code, 0);
    place
}

#[test]
fn every_generated_folder_is_what_its_example_says() {
    for example in examples() {
        let name = Config::read(&example).unwrap().name();
        let mut command = Place::new().command();
        command.current_dir(project()).args(["diff", &format!("generated/{name}"), "--exit-code"]).arg(&example);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.lines().all(|line| !["~", "+", "-"].iter().any(|mark| line.starts_with(mark))), "{said}");
    }
}

#[test]
fn a_folder_is_compared_as_it_stands() {
    let place = generated();
    let diff = |arguments: &str| {
        let ended = place.run(&format!("diff {arguments} --exit-code"));
        assert!(ended.code < 2, "{}", ended.stderr);
        (ended.code, ended.stdout)
    };
    assert_eq!(diff("ours design.yaml").0, 0);
    // a changed config on disk gives the same difference as two configs
    let settings = "--to-set switching=memory --to-set link.width=16";
    let (code, said) = diff(&format!("ours {settings}"));
    assert_eq!((code, &said), (1, &diff(&format!("design.yaml {settings}")).1));
    assert!(said.contains("~ switching none -> memory\n") && said.contains("~ width     32 -> 16 bits\n"), "{said}");
    assert_eq!(said, diff("ours design.yaml --to-set switching=memory --to-set link.width=16").1);
    assert_eq!(diff("ours --to 8x6").1, diff("design.yaml --to 8x6").1);

    let text = |path: &str| fs::read_to_string(place.path().join(path)).unwrap();
    let router = text("ours/ours_router_a.v");
    let (comment, body) = router.split_once("`default_nettype").unwrap();
    let mutant = |path: &str, new: &str| {
        let old = text(path);
        assert_ne!(old, new);
        place.write(path, new);
        let said = (diff("ours design.yaml"), diff("design.yaml ours"));
        place.write(path, old);
        said
    };
    let ((code, said), _) = mutant("ours/ours_router_a.v", &router.replacen("<=", "<= ~", 1));
    assert_eq!((code, said.matches("\n~ ").count()), (1, 1), "{said}");
    assert!(said.contains("\n~ ours_router_a.v different\n"), "{said}");
    let ((code, _), _) = mutant("ours/ours_router_a.v", &format!("// mine\n{comment}`default_nettype{body}"));
    assert_eq!(code, 0, "opening comments are left aside");
    let fabric = text("ours/ours.v");
    let ((code, said), _) = mutant("ours/ours.v", &fabric.replacen("output reg ", "output wire ", 1));
    assert!(code == 1 && said.contains("\n~ ours.v different\n"), "{said}");
    let program = text("ours/program.json");
    let ((code, said), (back, turned)) = mutant("ours/program.json", &program.replacen("\"age\": 1", "\"age\": 2", 1));
    assert!(code == 1 && said.contains("delay of ") && said.contains(" 1 -> 0\n"), "{said}");
    assert!(back == 1 && turned.contains(" 0 -> 1\n"), "{turned}");
    let fewer = program.replacen("\"packets\": 1", "\"packets\": 2", 1).replacen("\"packets\": 2", "\"packets\": 3", 1);
    let ((code, said), _) = mutant("ours/program.json", &fewer);
    assert!(code == 1 && said.contains("~ packets ") && said.contains("~ other messages are to arrive\n"), "{said}");
    fs::remove_file(place.path().join("ours/ours_router_a.v")).unwrap();
    let (code, said) = diff("ours design.yaml");
    assert!(code == 1 && said.contains("\n+ ours_router_a.v\n"), "{said}");
}

#[test]
fn a_program_alone_says_neither_width_nor_verilog() {
    let place = generated();
    let said = place.run("diff ours/program.json design.yaml --exit-code");
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("program_alone", said.stdout);
    let wide = place.run("diff ours/program.json design.yaml --width 8 --exit-code");
    assert_eq!(wide, said, "the width is left aside");
    let json = place.run("diff design.yaml ours/program.json --format json");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(json["from"]["width"].is_null() && json["rtl"].as_array().unwrap().is_empty(), "{json:#}");
    let half =
        place.run("diff ours/program.json --exit-code design.yaml --duplex half --scheme optimal --switching none");
    assert!(half.code == 1 && half.stdout.contains("~ link.duplex full -> half\n"), "{}", half.stdout);

    assert_eq!(place.run("generate design.yaml --out alone --only program").code, 0);
    assert_eq!(place.run("diff alone design.yaml").stdout, said.stdout, "a folder without Verilog is its program");
    let mut command = place.command();
    command.args(["diff", "-", "design.yaml"]).stdin(fs::File::open(place.path().join("ours/program.json")).unwrap());
    assert_eq!(String::from_utf8(command.output().unwrap().stdout).unwrap(), said.stdout);
}

#[test]
fn foreign_folders_and_programs_are_refused() {
    let place = generated();
    let text = |path: &str| fs::read_to_string(place.path().join(path)).unwrap();
    let (program, fabric) = (text("ours/program.json"), text("ours/ours.v"));
    fs::create_dir(place.path().join("empty")).unwrap();
    place.write("cut.json", &program[..program.len() / 2]);
    place.write("later.json", program.replace("torusweave-program/1", "torusweave-program/5"));
    place.write("foreign.json", "{ \"format\": \"mine\" }\n");
    place.write("one_class.json", program.replacen("    0, ", "    7, ", 1));
    place.write("path/program.json", program.replace("\"ours\"", "\"../ours/ours\""));
    let with_fabric = |folder: &str, fabric: &str| {
        place.write(&format!("{folder}/program.json"), &program);
        place.write(&format!("{folder}/ours.v"), fabric);
    };
    with_fabric("silent", "module ours;\nendmodule\n");
    let origin = "torusweave generate --torus 6x4";
    with_fabric("strange", &fabric.replace(origin, "torusweave generate --ring 6x4"));
    with_fabric("file", &fabric.replace(origin, "torusweave generate - "));
    with_fabric("other", &fabric.replace(origin, "torusweave generate --torus 4x6"));
    with_fabric("impossible", &fabric.replace(origin, "torusweave generate --torus 6x1"));
    fs::create_dir_all(place.path().join("deep/program.json")).unwrap();
    let lines = [
        "diff missing design.yaml",
        "diff empty design.yaml",
        "diff cut.json design.yaml",
        "diff design.yaml later.json",
        "diff foreign.json design.yaml",
        "diff one_class.json design.yaml",
        "diff path design.yaml",
        "diff silent design.yaml",
        "diff strange design.yaml",
        "diff file design.yaml",
        "diff other design.yaml",
        "diff impossible design.yaml",
        "diff deep design.yaml",
        "diff /dev/zero design.yaml",
        "diff ours",
        "diff ours/program.json --to 8x6",
        "diff ours ours/program.json --width 8",
        "diff ours ours --to-set link.width=0",
        "diff ours design.yaml --to-set link.width=0",
        "diff ours --torus 6x4 --to 8x6",
    ];
    insta::assert_snapshot!("refused", refusals(&place, &lines));
    fs::File::create(place.path().join("huge.json")).unwrap().set_len((1 << 28) + 1).unwrap();
    let huge = place.run("diff huge.json design.yaml");
    assert!(huge.code == 2 && huge.stderr.contains("`huge.json` has more than 268435456 bytes"), "{}", huge.stderr);
}
