//! Designs of several programs in lockstep with the model, call after call; wrong RTL is caught and named.

use std::fs;
use std::path::Path;

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::emit::MemoryFiles;
use torusweave::emit::node::ListDesign;
use torusweave::net::{Channel, Port};
use torusweave::play::{Combiner, Machine, Payloads};
use torusweave::program::Program;
use torusweave::tools::ScratchFolder;
use torusweave::tools::lockstep::{CallSimulator, DifferencePlace, LockstepPass, RegisterDifference, Toolchain};

use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::toolchain;

const STREAMS: &str = "host: { bus: streams }\n";

/// Three programs of which one is moved to any root, on a 3x4 torus.
const THREE: &str = "name: three\ntopology: { torus: [3, 4] }\nlink: { width: 16 }\nprograms:\n  - { collective: gossip }\n  \
                     - { collective: all-reduce, operation: sum }\n  - { collective: broadcast, root: any, flits: 5 }\n";

fn programs(config: &str) -> Programs {
    let place = Place::new();
    place.write("list.yaml", config);
    Programs::new(Config::read(&place.path().join("list.yaml")).unwrap()).unwrap()
}

fn each(programs: &Programs) -> impl Iterator<Item = &Program> {
    programs.designs.iter().map(|design| &design.program)
}

fn built<'p>(tools: &Toolchain, programs: &'p Programs) -> CallSimulator<'p> {
    programs.emitted(|design: &ListDesign| CallSimulator::build(tools, design, each(programs))).unwrap()
}

/// RTL of all modules: paths and texts.
fn rtl(programs: &Programs) -> Vec<(String, String)> {
    let mut files = MemoryFiles::default();
    programs.emitted(|design: &ListDesign| design.write_with_all_nodes(&mut files)).unwrap();
    let name = |path: String| path.rsplit('/').next().unwrap().to_owned();
    files.0.into_iter().map(|(path, bytes)| (name(path), String::from_utf8(bytes).unwrap())).collect()
}

/// Values that a program has in its output registers and, unless these are cables, at the far ends of its links, over all ticks.
fn values(program: &Program, has_cables: bool) -> u64 {
    let payloads = Payloads { width: 16, seed: 1 };
    let arriving: Vec<usize> = program
        .topology
        .node_ids()
        .flat_map(|node| program.channels().filter_map(move |input| program.arriving(node, input)))
        .filter(|_| !has_cables)
        .collect();
    let mut values = 0;
    let mut add = |held: &dyn Fn(usize) -> bool, delivered: &dyn Fn(usize) -> bool| {
        values += (0..program.registers()).filter(|&register| held(register)).count();
        values += arriving.iter().filter(|&&register| delivered(register)).count();
    };
    if let Some(mut combiner) = Combiner::new(program, payloads) {
        while !combiner.is_done() {
            combiner.step();
            add(&|register| combiner.held(register).is_some(), &|register| combiner.delivered(register).is_some());
        }
    } else {
        let mut machine = Machine::new(program);
        while !machine.is_done() {
            machine.step();
            add(&|register| machine.register(register).is_some(), &|register| machine.delivered(register).is_some());
        }
    }
    values as u64
}

/// Calls programs in random order; everything that the model has is compared.
fn are_equal(tools: &Toolchain, config: &str, calls: u32) {
    let programs = programs(config);
    let all: Vec<usize> = (0..programs.designs.len()).collect();
    let outcome = built(tools, &programs).play(&all, calls, 7).unwrap();
    let agreement = outcome.unwrap_or_else(|difference| panic!("{config}: {difference}"));
    assert_eq!(agreement.calls.iter().sum::<u32>(), calls, "{config}");
    assert!(agreement.calls.iter().all(|&calls| calls > 0), "{config}: {:?}", agreement.calls);
    let has_cables = programs.config.link.elastic;
    let times = || each(&programs).zip(&agreement.calls).map(|(program, &calls)| (program, u64::from(calls)));
    let ticks: u64 = times().map(|(program, calls)| calls * u64::from(program.ticks)).sum();
    assert_eq!(agreement.ticks, ticks, "{config}");
    assert_eq!(
        agreement.values,
        times().map(|(program, calls)| calls * values(program, has_cables)).sum::<u64>(),
        "{config}"
    );
    let given = programs.netlist.programs.iter().zip(&agreement.calls).map(|(placed, &calls)| {
        u64::from(calls) * placed.words.iter().map(|&(_, given)| u64::from(given)).sum::<u64>()
    });
    assert_eq!(agreement.words, given.sum::<u64>(), "{config}");
}

#[test]
fn two_hundred_calls_in_random_order_equal_the_model() {
    let Some(tools) = toolchain() else { return };
    let example = |name: &str| fs::read_to_string(project().join("examples/programs").join(name)).unwrap();
    are_equal(&tools, &example("torus-2x2.yaml"), 200);
    are_equal(&tools, &example("torus-3x4-streams.yaml"), 200);
}

#[test]
fn calls_on_other_networks_and_links_equal_the_model() {
    let Some(tools) = toolchain() else { return };
    let bare = "name: list\ntopology: { NETWORK }\nlink: { LINK }\nhost: { bus: BUS }\nprograms:\n";
    for (network, link, bus, list) in [
        (
            "mesh: [2, 3]",
            "width: 9",
            "streams",
            "  - { collective: gossip }\n  - { collective: all-reduce, operation: max }\n  - { collective: exchange }\n  \
             - { collective: scatter, root: [0, 2], flits: 2 }\n  - { collective: gather, root: [1, 1], flits: 2 }\n  \
             - { collective: reduce, operation: max, root: [1, 2], flits: 7 }\n",
        ),
        (
            "cycle: 5",
            "width: 100, latency: 3, flits: 2",
            "streams",
            "  - { collective: gossip }\n  - { collective: all-reduce, operation: xor }\n  \
             - { collective: gather, root: any }\n  - { collective: reduce, operation: xor, root: any, flits: 4 }\n",
        ),
        (
            "lattice: [[3, 1], [0, 4]]",
            "width: 12, latency: 2",
            "ring",
            "  - { collective: reduce-scatter, operation: min }\n  - { collective: scatter, root: any }\n",
        ),
        (
            "torus: [3, 4], dead: { nodes: [\"0,0\", \"1,2\"], links: [\"2,0 x2+\"] }",
            "width: 9",
            "ring",
            "  - { collective: exchange }\n  - { collective: all-reduce, operation: max, flits: 2 }\n  \
             - { collective: scatter, root: [0, 1], flits: 2 }\n  - { collective: broadcast, root: [2, 3], flits: 3 }\n",
        ),
        (
            "mesh: [2, 3]",
            "width: 9, lanes: 2",
            "streams",
            "  - { collective: gossip, flits: 2 }\n  - { collective: gossip, scheme: optimal }\n",
        ),
        ("torus: [4, 2]", "width: 8, duplex: one-way", "uart", "  - { collective: gossip }\n"),
        (
            "torus: [2, 2]",
            "width: 9, latency: 2",
            "streams",
            "  - { collective: exchange, lengths: [[0, 2, 0, 3], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 4, 0]] }\n  \
             - { collective: scatter, root: [1, 0], lengths: [3, 1, 0, 0] }\n  \
             - { collective: gather, root: [1, 1], lengths: [2, 0, 5, 0] }\n",
        ),
        (
            "torus: [3, 3]",
            "width: 16",
            "axi-lite",
            "  - { collective: reduce-scatter, operation: sum }\n  - { collective: all-reduce, operation: sum }\n  \
             - { collective: reduce, operation: sum, root: any, flits: 3 }\n",
        ),
    ] {
        let number = if network == "torus: [3, 3]" { "number: bf16\n" } else { "" };
        let config = bare.replace("NETWORK", network).replace("LINK", link).replace("BUS", bus);
        are_equal(&tools, &format!("{number}{config}{list}"), 12);
    }
}

/// Programs with faults in them: a file says which one acts.
struct Faults {
    files: Vec<(String, String)>,
    file: std::path::PathBuf,
    count: usize,
    _folder: ScratchFolder,
}

impl Faults {
    fn of(programs: &Programs) -> Self {
        let folder = ScratchFolder::new().unwrap();
        let file = folder.path().join("fault.hex");
        Self { files: rtl(programs), file, count: 0, _folder: folder }
    }

    /// Adds a fault to a module: in place of the expression between `start` and `end`, which stand there once, another one.
    /// Returns its number.
    fn add(&mut self, module: &str, [start, right, end]: [&str; 3], wrong: &str) -> usize {
        self.count += 1;
        let number = self.count;
        let text = self.text(module);
        let original = format!("{start}{right}{end}");
        assert_eq!(text.matches(&original).count(), 1, "{original}");
        *text = text.replace(&original, &format!("{start}(fault[0] == 32'd{number} ? ({wrong}) : ({right})){end}"));
        number
    }

    /// Makes every entry of a table nothing, one at a time. Returns the numbers of the faults.
    fn add_entries(&mut self, module: &str) -> std::ops::Range<usize> {
        let first = self.count + 1;
        let mut count = self.count;
        let text = self.text(module);
        let lines = text.lines().map(|line| match line.split_once(": entry <= ") {
            Some((index, entry)) if index.trim() != "default" => {
                count += 1;
                let entry = entry.trim_end_matches(';');
                let nothing = format!("{}'d0", entry.split_once('\'').unwrap().0);
                format!("{index}: entry <= fault[0] == 32'd{count} ? {nothing} : {entry};\n")
            }
            _ => format!("{line}\n"),
        });
        *text = lines.collect();
        self.count = count;
        first..count + 1
    }

    fn text(&mut self, module: &str) -> &mut String {
        let path = format!("three_{module}.v");
        let found = self.files.iter_mut().find(|(other, _)| Path::new(other).ends_with(&path));
        &mut found.unwrap_or_else(|| panic!("{path}")).1
    }

    fn simulator<'p>(&self, tools: &Toolchain, programs: &'p Programs) -> CallSimulator<'p> {
        let fault =
            format!("\n);\n    reg [31:0] fault [0:0];\n    initial $readmemh(\"{}\", fault);\n", self.file.display());
        let declared = |(path, text): &(String, String)| {
            let text = if text.contains("fault[0]") { text.replacen("\n);\n", &fault, 1) } else { text.clone() };
            (path.clone(), text)
        };
        let files = self.files.iter().map(declared).collect();
        programs
            .emitted(|design: &ListDesign| CallSimulator::build_edited(tools, design, each(programs), files))
            .unwrap()
    }

    fn found(&self, simulator: &CallSimulator<'_>, number: usize) -> Option<RegisterDifference> {
        fs::write(&self.file, format!("{number:x}\n")).unwrap();
        simulator.play(&[0, 1, 2], 12, 3).unwrap().err().map(|difference| *difference)
    }
}

/// All of them in one simulator: building takes a hundred times as long as playing.
#[test]
fn every_wrong_entry_select_wire_and_count_of_a_list_is_caught() {
    let Some(tools) = toolchain() else { return };
    for host in [STREAMS, ""] {
        let programs = programs(&format!("{THREE}{host}"));
        let mut faults = Faults::of(&programs);
        let tables = ["words", "taken", "given", "records"].map(|table| faults.add_entries(table));
        let swapped = faults.add("router", ["(t_pick_1 == 2'd1) ? ", "l_in_data", " :"], "r_in_data");
        let instance = "node_1_1 (\n        .clk(clk),\n        .rst(rst),\n        .here(";
        let crossed = faults.add("system", [instance, "4'd5", ")"], "4'd6");
        let case = "begin  // broadcast\n                last <= ";
        let early = faults.add("sequencer", [case, "4'd6", ";"], "4'd5");
        let elsewhere = faults.add("place", ["4'd7: root_code <= ", "4'd7", ";"], "4'd6");
        let simulator = faults.simulator(&tools, &programs);
        assert_eq!(faults.found(&simulator, 0), None, "without a fault it is right");
        let all: usize = tables.iter().map(ExactSizeIterator::len).sum();
        assert!(all > 150, "{all}");
        for number in tables.into_iter().flatten() {
            assert!(faults.found(&simulator, number).is_some(), "entry {number}");
        }
        let difference = |number| faults.found(&simulator, number).unwrap();
        let RegisterDifference { tick, place, .. } = difference(swapped);
        assert!(tick > 0);
        assert_eq!(place, DifferencePlace::Output(Channel::first(Port::from_index(0))));
        assert_eq!(difference(crossed).node, [1, 1]);
        for number in [early, elsewhere] {
            let difference = difference(number);
            assert!(matches!(difference.pass, LockstepPass::Call { program: 2, .. }), "{difference}");
        }
    }
}

/// More programs and roots with control words of nodes' own than there are banks for them.
#[test]
fn control_words_are_found_again_or_sent_anew() {
    let Some(tools) = toolchain() else { return };
    let config = "name: three\ntopology: { cycle: 5 }\nlink: { width: 16 }\nhost: { bus: streams }\nprograms:\n  \
                  - { collective: broadcast, root: any, flits: 12 }\n  - { collective: scatter, root: any, flits: 3 }\n  \
                  - { collective: gossip }\n";
    are_equal(&tools, config, 100);
    are_equal(&tools, &config.replace("streams", "axi-lite"), 40);
    let programs = programs(config);
    let mut faults = Faults::of(&programs);
    let faults_of_place = [
        (["put_bank <= ", "is_there", " ? bank_there"], "1'b0"),
        (["end_of_records <= (is_tracked & ", "is_there", ")"], "1'b1"),
        (["is_1 = has_1 & (", "program_1 == placed_program", ")"], "1'b1"),
        (["& (", "root_2 == placed_root", ");"], "1'b1"),
        (["is_there = ", "is_0 | is_1 | is_2 | is_3", ";"], "is_0"),
    ];
    let numbers = faults_of_place.map(|(right, wrong)| faults.add("place", right, wrong));
    let simulator = faults.simulator(&tools, &programs);
    let found = |number: usize| {
        fs::write(&faults.file, format!("{number:x}\n")).unwrap();
        simulator.play(&[0, 1, 2], 100, 7).unwrap().is_err()
    };
    assert!(!found(0), "without a fault it is right");
    let [wrong @ .., anew] = numbers;
    assert!(wrong.into_iter().all(found), "{:?}", numbers.map(found));
    // records that are sent anew take time, and do no harm
    assert!(!found(anew));
}

/// Two boards, of which each waits for the other.
const BOARDS: &str = "name: three\ntopology: { torus: [4, 2] }\nlink: { width: 16, elastic: true, checksum: crc16, boards: [2, 1] }\n\
                      host: { bus: streams }\nprograms:\n  - { collective: gossip }\n  \
                      - { collective: all-reduce, operation: sum }\n  - { collective: broadcast, root: any, flits: 5 }\n";

#[test]
fn boards_that_wait_for_each_other_equal_the_model() {
    let Some(tools) = toolchain() else { return };
    are_equal(&tools, BOARDS, 40);
    // calls of one board for both
    are_equal(&tools, &BOARDS.replace("elastic: true", "elastic: true, start: common"), 40);
    let nodes = "name: list\ntopology: { mesh: [2, 3] }\nlink: { width: 9, latency: 2, flits: 2, elastic: true, checksum: crc8 }\n\
                 host: { bus: streams }\nprograms:\n  - { collective: exchange }\n  - { collective: scatter, root: [0, 2] }\n  \
                 - { collective: reduce-scatter, operation: max }\n";
    are_equal(&tools, nodes, 20);
    let dead = "name: list\ntopology: { torus: [4, 3], dead: { nodes: [\"1,1\", \"2,0\", \"3,0\"] } }\n\
                link: { width: 8, elastic: true, checksum: crc8, boards: [2, 3] }\nhost: { bus: streams }\nprograms:\n  \
                - { collective: gather, root: [0, 2] }\n  - { collective: all-reduce, operation: sum }\n";
    are_equal(&tools, dead, 20);
}

/// Faults of a router, of a link inside of a board and of a token between boards.
#[test]
fn wrong_boards_of_a_list_are_caught() {
    let Some(tools) = toolchain() else { return };
    let programs = programs(BOARDS);
    let mut faults = Faults::of(&programs);
    let tables = ["words", "records"].map(|table| faults.add_entries(table));
    let token = faults.add("board", ["assign b_token = {plan, n1_1_b_out, ", "n1_0_b_out", "};"], "n1_1_b_out");
    let simulator = faults.simulator(&tools, &programs);
    assert_eq!(faults.found(&simulator, 0), None, "without a fault it is right");
    for number in tables.into_iter().flatten().chain([token]) {
        assert!(faults.found(&simulator, number).is_some(), "entry {number}");
    }
}
