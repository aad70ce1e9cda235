//! Commands on a config with several programs: all of them, or the one that is named.

use serde_json::Value;
use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::design::{ListedProgram, list};
use torusweave::netlist::NodePorts;

use crate::fixtures::command::Place;
use crate::fixtures::tools::{has, toolchain};

const LIST: &str = "name: calls\ntopology: { torus: [3, 4] }\nprograms:\n  - { collective: gossip }\n  \
                    - { collective: all-reduce, operation: sum }\n  - { collective: broadcast, root: any, flits: 3 }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("list.yaml", LIST);
    place
}

/// Output of a command that succeeds.
fn printed(place: &Place, command: &str) -> String {
    let ended = place.run(command);
    assert_eq!(ended.code, 0, "{command}: {}", ended.stderr);
    ended.stdout
}

#[test]
fn check_judges_every_program_or_the_one_that_is_named() {
    let place = place();
    let text = printed(&place, "check list.yaml");
    for line in [
        "calls program 0: optimal gossip on a 3x4 torus, correct",
        "calls program 1: optimal all-reduce on a 3x4 torus, correct",
        "calls program 2: ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let verdicts = |command: &str| -> Value { serde_json::from_str(&printed(&place, command)).unwrap() };
    let all = verdicts("check list.yaml --format json");
    let numbers: Vec<&Value> = all["items"].as_array().unwrap().iter().map(|verdict| &verdict["program"]).collect();
    assert_eq!(numbers, [0, 1, 2]);
    for named in ["1", "all-reduce"] {
        assert_eq!(verdicts(&format!("check list.yaml --format json --program {named}")), {
            let mut one = all["items"][1].clone();
            one["format"] = "torusweave-check/1".into();
            one
        });
    }
}

/// Schedules that `program` shows stand in the generated folder.
#[test]
fn schedules_of_a_list_are_those_beside_its_verilog() {
    let place = place();
    printed(&place, "generate list.yaml --out generated");
    for (number, collective) in ["gossip", "all-reduce", "broadcast"].into_iter().enumerate() {
        let shown = printed(&place, &format!("program list.yaml --program {number} --format json"));
        let path = format!("generated/programs/{number}_{collective}.json");
        assert_eq!(shown, std::fs::read_to_string(place.path().join(path)).unwrap());
    }
}

#[test]
fn every_command_on_schedules_takes_a_program_of_a_list() {
    let place = place();
    place.write("values", "7 ".repeat(144));
    for command in [
        "draw list.yaml --program gossip",
        "draw list.yaml --program 1 --what links --tick 2",
        "draw list.yaml --what modules",
        "explain list.yaml --program 2 --node 1,2",
        "arrivals list.yaml --program 0",
        "export list.yaml --program 1 --to msccl",
        "reduce list.yaml --program 1 --values values",
        "report list.yaml --program 2",
        "diff list.yaml list.yaml --program 1 --exit-code",
        "simulate list.yaml --program 2",
        "simulate list.yaml --program 0 --vcd wave.vcd",
        "draw list.yaml --program 0 --what waves",
        "pace list.yaml --program 2",
    ] {
        assert!(!printed(&place, command).is_empty(), "{command}");
    }
    let played = printed(&place, "simulate list.yaml");
    assert_eq!(played.lines().filter(|line| line.starts_with("calls program ")).count(), 3, "{played}");
}

#[test]
fn programs_that_are_not_there_or_not_named_are_refused_with_those_that_are() {
    let place = place();
    place.write("one.yaml", "topology: { torus: [3, 4] }\n");
    for (command, problem) in [
        (
            "draw list.yaml",
            "--program: must name one of 3 programs (left out)\nhelp: say --program 0 (gossip), --program 1",
        ),
        ("check list.yaml --program 3", "--program: no program of the list (3)\nhelp: say --program 0 (gossip)"),
        ("check one.yaml --program 0", "--program: requires `programs` (0)"),
        ("patch list.yaml --dead-link 0,0:x2+", "--program: must name one of 3 programs (left out)"),
        ("check list.yaml --device hx8k", "--device: not supported with a router that a list shares (program 0)"),
        ("simulate list.yaml --calls 3", "--calls: requires --engine verilator and a config with `programs`"),
        ("simulate list.yaml --engine verilator --by class", "lists of programs (programs)"),
        ("simulate list.yaml --engine icarus --by class", "lists of programs (programs)"),
        ("simulate list.yaml --engine verilator --random-lengths 3", "simulate --random-lengths: not supported with "),
    ] {
        let ended = place.run(command);
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{command}: {}", ended.stderr);
    }
}

/// A bus before a design with one collective: a list of one program.
#[test]
fn one_collective_behind_a_bus_is_a_list_of_one_program() {
    let place = place();
    let bus = "topology: { torus: [3, 4] }\nlink: { flits: 2 }\nhost: { bus: axi-lite }\n";
    place.write("one.yaml", format!("{bus}collective: broadcast\nroot: [1, 2]\n"));
    place.write("list.yaml", format!("{bus}programs: [{{ collective: broadcast, root: [1, 2] }}]\n"));
    for (config, folder) in [("one", "short"), ("list", "long")] {
        printed(&place, &format!("generate {config}.yaml --out {folder}"));
    }
    let files = std::fs::read_dir(place.path().join("long")).unwrap().map(|file| file.unwrap().file_name());
    let files: Vec<_> = files.filter(|name| place.path().join("long").join(name).is_file()).collect();
    assert!(files.len() > 20, "{files:?}");
    for name in files {
        let text = |folder: &str| std::fs::read_to_string(place.path().join(folder).join(&name)).unwrap();
        assert_eq!(text("short"), text("long"), "{name:?}");
    }
    let config = Config::read(&place.path().join("one.yaml")).unwrap();
    let designs = list::schedules(config.clone()).unwrap();
    assert_eq!(
        designs.iter().map(|design| design.listed).collect::<Vec<_>>(),
        [Some(ListedProgram { number: 0, has_streams: false, ports: NodePorts::PLAIN, is_on_boards: false })]
    );
    assert_eq!(Programs::new(config).unwrap().designs.len(), 1);
    let scatter = bus.replace("flits: 2", "width: 8") + "collective: scatter\n";
    place.write("lengths.yaml", format!("{scatter}lengths: [1, 2, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1]\n"));
    let config = Config::read(&place.path().join("lengths.yaml")).unwrap();
    assert_eq!(Programs::new(config).unwrap().netlist.programs[0].words[0], (13, 0));
    place.write("both.yaml", format!("{scatter}tree: bfs\n"));
    let ended = place.run("check both.yaml");
    assert!(ended.code == 2 && ended.stderr.contains("tree: not supported with `programs`"), "{}", ended.stderr);
}

#[test]
fn cables_of_boards_of_a_list_are_those_of_its_first_program_alone() {
    let place = place();
    let boards = "link: { elastic: true, checksum: crc8, boards: [3, 2] }";
    place.write("boards.yaml", LIST.replace("programs:", &format!("{boards}\nprograms:")));
    place.write("alone.yaml", format!("topology: {{ torus: [3, 4] }}\n{boards}\n"));
    assert_eq!(printed(&place, "cables boards.yaml"), printed(&place, "cables alone.yaml"));
}

/// Reports show what nodes of a program do, and no Verilog of a design that is not there.
#[test]
fn reports_of_a_program_of_a_list_name_no_files() {
    let place = place();
    let page = printed(&place, "report list.yaml --program 0");
    assert!(page.contains("Lower bound") && !page.contains("torusweave generate") && !page.contains("LUTs"));
}

/// A list is generated as one collective is: in JSON, in parts, with the files named beforehand.
#[test]
fn lists_are_generated_in_parts_and_told_in_json() {
    let place = place();
    let json: Value = serde_json::from_str(&printed(&place, "generate list.yaml --out whole --format json")).unwrap();
    assert_eq!((&json["format"], &json["nodes"]), (&"torusweave-generate/1".into(), &12.into()));
    let programs = json["programs"].as_array().unwrap();
    let collectives: Vec<&str> = programs.iter().map(|program| program["collective"].as_str().unwrap()).collect();
    assert_eq!(collectives, ["gossip", "all-reduce", "broadcast"]);
    assert!(
        programs.iter().all(|program| program["ticks"].as_u64() > Some(2) && program["ratio"].as_f64() >= Some(1.0))
    );
    let whole: Vec<&str> = json["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    let of = |only: &str| -> Value {
        let line = format!("generate list.yaml --out {only} --only {only} --format json");
        let dry: Value = serde_json::from_str(&printed(&place, &format!("{line} --dry-run"))).unwrap();
        let json: Value = serde_json::from_str(&printed(&place, &line)).unwrap();
        let sorted = |files: &Value| -> Vec<String> {
            let mut files: Vec<String> = serde_json::from_value(files.clone()).unwrap();
            files.retain(|file| file != "MANIFEST");
            files.sort();
            files
        };
        assert_eq!(sorted(&dry["files"]), sorted(&json["files"]), "{only}");
        json["files"].clone()
    };
    let parts: Vec<String> = ["rtl", "tb", "lists", "program"]
        .into_iter()
        .flat_map(|only| serde_json::from_value::<Vec<String>>(of(only)).unwrap())
        .filter(|file| file != "MANIFEST")
        .collect();
    let missing: Vec<&&str> =
        whole.iter().filter(|file| **file != "MANIFEST" && !parts.contains(&(**file).to_owned())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let list = std::fs::read_to_string(place.path().join("lists/calls.f")).unwrap();
    assert_eq!(list.trim(), "", "a list names what is written");
}

/// Icarus plays the bench of the list's own Verilog, which calls all programs.
#[test]
fn icarus_calls_all_programs_of_a_list() {
    if !has("iverilog") {
        return;
    }
    let place = place();
    let text = printed(&place, "simulate list.yaml --engine icarus --set host.bus=ring");
    assert!(text.starts_with("PASS 5 "), "{text}");
    let json = printed(&place, "simulate list.yaml --engine icarus --set host.bus=axi-lite --format json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["name"], &json["passed"], &json["engine"]), (&"calls".into(), &true.into(), &"icarus".into()));
    place.write("boards.yaml", LIST.replace("programs:", "link: { elastic: true, checksum: crc8 }\nprograms:"));
    let ended = place.run("simulate boards.yaml --engine icarus");
    assert!(ended.code == 2 && ended.stderr.contains("no testbench plays the hosts of boards"), "{}", ended.stderr);
    let one =
        printed(&place, "simulate list.yaml --engine icarus --program broadcast --set host.bus=ring --format json");
    let one: Value = serde_json::from_str(&one).unwrap();
    assert!(one["program"] == 2 && one["message"].as_str().unwrap().starts_with("PASS 3 "), "{one}");
}

/// Verilator plays calls of all programs, or of the one that is named, beside the model.
#[test]
fn verilator_calls_programs_of_a_list_in_lockstep() {
    if toolchain().is_none() {
        return;
    }
    let place = place();
    let text = printed(&place, "simulate list.yaml --engine verilator --calls 9");
    let first = "calls: lockstep over 3 programs with 9 calls in random order: RTL and model are equal\n";
    assert!(text.starts_with(first), "{text}");
    let json = printed(&place, "simulate list.yaml --engine verilator --calls 9 --program broadcast --format json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["passed"], &json["calls"]), (&true.into(), &serde_json::json!([0, 0, 9])));
    assert!(json["values"].as_u64() > Some(0) && json["words"].as_u64() > Some(0), "{json}");
    place.write("boards.yaml", LIST.replace("programs:", "link: { elastic: true, checksum: crc8 }\nprograms:"));
    let ended = place.run("simulate boards.yaml --engine verilator");
    assert!(ended.code == 2 && ended.stderr.contains("nothing plays the hosts of boards"), "{}", ended.stderr);
}
