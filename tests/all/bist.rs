//! The self-test: it passes on every kind of program, names what is wrong, and does so as a netlist of an iCE40.

use std::fs;
use std::path::Path;

use torusweave::emit::Options;
use torusweave::paths::supply::Switching;
use torusweave::play::Machine;
use torusweave::program::Program;
use torusweave::schemes::zigzag::Zigzag;

use crate::fixtures::by_hand;
use crate::fixtures::command::Place;
use crate::fixtures::designs::{self, Folder};
use crate::fixtures::mutants::wrong_times;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, first_of, has};

/// Listens to the serial line, four ticks per bit, prints the line, and says whether the lamps agree.
pub const LISTENER: &str = r#"
module listener;
    reg clk = 1'b0;
    reg rst = 1'b1;
    wire tx, passed, failed;
    reg [7:0] letter;
    integer place, shown;
    always #1 clk = ~clk;
    bist dut (.clk(clk), .rst(rst), .again(1'b0), .passed(passed), .failed(failed), .tx(tx));
    initial begin
        repeat (3) @(negedge clk);
        rst = 1'b0;
        letter = 0;
        shown = 0;
        while (letter != 8'd10) begin
            @(negedge tx);
            if (shown == 0 && {passed, failed} !== 2'b10 && {passed, failed} !== 2'b01) $write("lamps?");
            repeat (4 + 2) @(posedge clk);
            for (place = 0; place < 8; place = place + 1) begin
                letter[place] = tx;
                repeat (4) @(posedge clk);
            end
            if (tx !== 1'b1) $write("<no stop bit>");
            if (shown == 0 && letter != (passed ? "P" : "F")) $write("lamps?");
            $write("%c", letter);
            shown = shown + 1;
        end
        $finish;
    end
    initial begin
        #400000 $display("silence");
        $finish;
    end
endmodule
"#;

/// An error to inject, and the run, tick, node and port that it is in.
pub type Injected = (u32, u32, u32, u32);

pub fn parameters(runs: u32, injected: Option<Injected>) -> Vec<(&'static str, u32)> {
    let (run, tick, node, port) = injected.unwrap_or_default();
    vec![
        ("RUNS", runs),
        ("CLOCK", 4),
        ("BAUD", 1),
        ("INJECT_RUN", run),
        ("INJECT_TICK", tick),
        ("INJECT_NODE", node),
        ("INJECT_PORT", port),
    ]
}

pub fn options(width: u32) -> Options {
    Options { bist: true, ..designs::options(width) }
}

/// Serial output of the self-test under Icarus.
pub fn says(folder: &Folder, name: &str, parameters: &[(&str, u32)]) -> String {
    let set: Vec<String> = parameters.iter().map(|(name, value)| format!(".{name}({value})")).collect();
    let listener = LISTENER.replace("bist dut", &format!("{name}_bist #({}) dut", set.join(", ")));
    fs::write(folder.path().join("listener.v"), listener).unwrap();
    let arguments = format!("-g2005 -Wall -o listener -s listener -f {name}.f listener.v");
    let (built, said) = call(folder, "iverilog", &arguments.split(' ').collect::<Vec<_>>());
    assert!(built, "{said}");
    played(folder)
}

fn played(folder: &Folder) -> String {
    // a fault may make a circle of gates that never settles
    let (_, printed) = call(folder, "timeout", &["30", "vvp", "-n", "listener"]);
    printed.lines().find(|line| !line.contains("$finish")).unwrap_or_default().to_owned()
}

/// Shapes of programs and words that have nothing to do with each other.
fn programs() -> Vec<(Program, u32)> {
    let mut programs = vec![
        (designs::staircase(2, 4), 8),
        // narrower than a flit's number, as narrow as can be, and wider than the key
        (designs::staircase(4, 4), 3),
        (designs::staircase(2, 2), 1),
        (designs::staircase(2, 2), 36),
        (designs::staircase(2, 2).stretched(3).unwrap(), 5),
        (designs::late_sender(), 4),
        (designs::repeater(), 4),
        (designs::optimal(&[2, 3, 2]), 5),
        // duplicates
        (designs::woven(&[3, 5], &Zigzag, Switching::Memory), 6),
        (designs::along_a_path(5), 4),
        // long links
        (designs::design(&[3, 4], &["scheme=general", "link.latency=3"]).program, 5),
        (designs::design(&[3, 3], &["collective=exchange", "link.latency=2", "link.flits=3"]).program, 4),
        // ports to which no wires lead
        (designs::design(&[3, 4], &["scheme=hamiltonian", "link.duplex=one-way"]).program, 4),
    ];
    programs.extend(by_hand::beyond_gossip().into_iter().map(|program| (program, 4)));
    programs
}

/// The line of a fabric that is right: every arrival of a run is compared, and every checker has proved that it sees.
fn verdict(runs: u32, program: &Program) -> String {
    let mut machine = Machine::new(program);
    let mut arrivals = 0;
    while !machine.is_done() {
        machine.step();
        arrivals += machine.arrivals().count();
    }
    format!("PASS {runs} {} {arrivals} {}", program.ticks, checkers(program))
}

/// Number of ports with a link: each has a checker.
pub fn checkers(program: &Program) -> usize {
    let is_linked = |&register: &usize| {
        let (node, input) = program.owner(register);
        program.is_wired(node, input)
    };
    (0..program.registers()).filter(is_linked).count()
}

#[test]
fn every_kind_of_program_passes_and_an_injected_error_is_named() {
    if !has("iverilog") {
        return;
    }
    for (program, width) in sampled(programs(), 4) {
        let name = &program.title.name;
        let folder = Folder::with_options(&program, &options(width));
        // two runs with each break
        let passed = says(&folder, name, &parameters(9, None));
        assert_eq!(passed, verdict(9, &program), "{name}, {width} bits, {} flits", program.flits);
    }
    let program = designs::staircase(2, 4);
    let folder = Folder::with_options(&program, &options(8));
    for ((run, tick, node, port), place) in
        [((1, 1, 0, 0), "0,0 T"), ((4, 4, 7, 3), "1,3 R"), ((6, 2, 5, 1), "1,1 B"), ((8, 3, 3, 2), "0,3 L")]
    {
        let said = says(&folder, "torus_2x4", &parameters(9, Some((run, tick, node, port))));
        let (start, words) = said.split_at(said.len().saturating_sub(6));
        assert_eq!(start, format!("FAIL {run} {tick} {place}"), "{said}");
        let words: Vec<u8> = words.split_whitespace().map(|word| u8::from_str_radix(word, 16).unwrap()).collect();
        assert!(words.len() == 2 && words[0] ^ words[1] == 1, "{said}");
    }
}

/// The RTL of one program under the self-test of another.
fn says_of(wrong: &Program, right: &Program) -> String {
    let folder = Folder::with_options(right, &options(8));
    for (path, text) in designs::rtl_in_place_of(wrong, right) {
        fs::write(folder.path().join(path), text).unwrap();
    }
    says(&folder, &right.title.name, &parameters(4, None))
}

/// Returns true if the model sees something else arrive.
fn differ(one: &Program, other: &Program) -> bool {
    let arrivals = |program| {
        let mut machine = Machine::new(program);
        let mut all = Vec::new();
        while !machine.is_done() {
            machine.step();
            all.push(machine.arrivals().collect::<Vec<_>>());
        }
        all
    };
    arrivals(one) != arrivals(other)
}

#[test]
fn fabrics_that_are_wrong_are_caught() {
    if !has("iverilog") {
        return;
    }
    let right = designs::woven(&[3, 5], &Zigzag, Switching::Memory);
    let mut caught = 0;
    let mutants = wrong_times(&right);
    let few = if std::env::var_os("TORUSWEAVE_FULL").is_some_and(|range| range == "all") { mutants.len() } else { 6 };
    for (what, wrong) in mutants.iter().step_by(mutants.len() / few) {
        let said = says_of(wrong, &right);
        assert_eq!(said.starts_with("FAIL 1 "), differ(wrong, &right), "{what}: {said}");
        caught += usize::from(said.starts_with("FAIL 1 "));
    }
    assert!(caught >= few / 2, "{caught} mutants caught of {}", mutants.len());
    let right = designs::staircase(2, 4);
    assert_eq!(says_of(&right, &right), "PASS 4 4 128 32");
    let mut early = right.clone();
    early.ticks -= 1;
    for track in early.classes.iter_mut().flat_map(|class| &mut class.outputs) {
        track.runs.last_mut().unwrap().ticks -= 1;
    }
    assert!(says_of(&early, &right).starts_with("FAIL 1 "));
    // the fabric is right but for what a tick of run low, or of rst with run high, does to it
    for (from, to, says_this) in
        [(".run(run)", ".run(run | go_1)", "FAIL 1 "), (".rst(rst_fabric)", ".rst(rst_fabric & ~run)", "FAIL 2 ")]
    {
        let folder = Folder::with_options(&right, &options(8));
        let path = folder.path().join("torus_2x4_bist.v");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        let said = says(&folder, "torus_2x4", &parameters(4, None));
        assert!(said.starts_with(says_this), "{to}: {said}");
    }
}

/// Serial output of the self-test with one line of a file changed: `file` is the end of its name.
pub fn says_with(right: &Program, file: &str, from: &str, to: &str) -> String {
    let width = right.reduction.as_ref().and_then(|reduction| reduction.number.width());
    let folder = Folder::with_options(right, &options(width.unwrap_or(8)));
    let name = &right.title.name;
    let path = folder.path().join(format!("{name}{file}"));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    fs::write(&path, text.replace(from, to)).unwrap();
    says(&folder, name, &parameters(4, None))
}

/// Faults by which checkers see no error, or their errors count for nothing.
pub const BLIND: [(&str, &str, &str); 9] = [
    ("_bist_port.v", "wire bad = watch & (", "wire bad = 1'b0 & ("),
    ("_bist_port.v", "odd <= valid ^ expected ^ stray;", "odd <= 1'b0;"),
    ("_bist_port.v", "(odd | (seen_expected & (|difference)))", "odd"),
    // one bit of the data
    ("_bist_port.v", "(odd | (seen_expected & (|difference)))", "(odd | (seen_expected & (|difference[7:1])))"),
    ("_bist_port.v", "record <= {bad,", "record <= {1'b0,"),
    ("_bist.v", "found <= 1'b1;", "found <= 1'b0;"),
    ("_bist.v", "done_bad <= watches[1] & (", "done_bad <= 1'b0 & ("),
    ("_bist.v", "else miscounted <= 1'b1;", "else miscounted <= 1'b0;"),
    ("_leaf.v", "q <= d;", "q <= {BITS{1'b0}};"),
];

#[test]
fn checkers_that_do_not_see_fail_after_the_first_run() {
    if !has("iverilog") {
        return;
    }
    let right = designs::staircase(2, 4);
    for (file, from, to) in BLIND {
        let said = says_with(&right, file, from, to);
        assert!(said.starts_with("FAIL "), "{to}: {said}");
    }
    // one checker of 32
    let told = ".stray(n1_2_stray),\n        .data(n1_2_l_in_data)";
    let said = says_with(&right, "_bist.v", told, &told.replace("n1_2_stray", "1'b0"));
    assert_eq!(said, "FAIL 1 4 reported 31");
    // none is told of an error
    let said = says_with(&right, "_bist.v", "proof[PROOFS-1:3], strays", "{(PROOFS-2){1'b0}}");
    assert_eq!(said, "FAIL 1 4 reported 0");
}

/// Fabric and checkers are told by registers of one module: where these stand still, nothing plays and nothing is compared.
#[test]
fn self_test_that_compares_too_few_arrivals_fails() {
    if !has("iverilog") {
        return;
    }
    let right = designs::staircase(2, 4);
    let nothing = [
        ("_leaf.v", "q <= d;", "q <= {BITS{1'b0}};"),
        ("_bist.v", "watch <= settled & ~rst_of_all;", "watch <= 1'b0;"),
    ];
    for (file, from, to) in nothing {
        let said = says_with(&right, file, from, to);
        assert!(said.starts_with("FAIL 1 4 compared "), "{to}: {said}");
    }
    // one port does not count, or is not looked at
    let text = ".next_count(n1_3_r_in_count)";
    let said = says_with(&right, "_bist.v", text, ".next_count({TICK{1'b0}})");
    assert_eq!(said, "FAIL 1 4 compared 124");
    let said = says_with(&right, "_bist_port.v", "wire right = watch", "wire right = seen_number[0] & watch");
    assert_eq!(said, "FAIL 1 4 compared 64");
}

/// The models of an iCE40's cells, which Yosys has beside it.
fn cells() -> String {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("../share/yosys/ice40/cells_sim.v"))
        .find(|path| path.is_file());
    found.expect("yosys comes with its cells").to_str().unwrap().to_owned()
}

/// Serial output of the netlist that Yosys synthesises for an iCE40.
fn says_as_netlist(program: &Program, injected: Option<Injected>) -> String {
    let name = &program.title.name;
    let folder = Folder::with_options(program, &options(4));
    let list = fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap();
    let set: Vec<String> = parameters(4, injected).iter().map(|(name, value)| format!("-set {name} {value}")).collect();
    let script = format!(
        "read_verilog {}; chparam {} {name}_bist; synth_ice40 -top {name}_bist; rename {name}_bist bist; \
         write_verilog -noattr netlist.v",
        list.split_whitespace().collect::<Vec<_>>().join(" "),
        set.join(" "),
    );
    let (done, said) = call(&folder, "yosys", &["-q", "-p", &script]);
    assert!(done, "{said}");
    fs::write(folder.path().join("listener.v"), LISTENER).unwrap();
    let models = cells();
    let arguments =
        format!("-g2005 -DNO_ICE40_DEFAULT_ASSIGNMENTS -o listener -s listener netlist.v listener.v {models}");
    let (built, said) = call(&folder, "iverilog", &arguments.split(' ').collect::<Vec<_>>());
    assert!(built, "{said}");
    played(&folder)
}

#[test]
fn the_netlist_of_an_ice40_passes_and_fails_where_an_error_is_injected() {
    if !(has("iverilog") && first_of(&["yosys"]).is_some()) {
        return;
    }
    let fixed = designs::along_a_path(3);
    let failed = says_as_netlist(&fixed, Some((2, 1, 1, 0)));
    assert!(failed.starts_with("FAIL 2 1 1 x1- "), "{failed}");
    let switches = designs::design(&[2, 2], &["topology.path=3", "scheme=lau-zhang"]).program;
    // one of its nodes has a table
    let told = designs::design(&[2, 2], &["topology.mesh=[2,3]", "scheme=optimal", "link.duplex=half"]).program;
    assert_eq!(verdict(4, &fixed), "PASS 4 2 6 4");
    for program in sampled([fixed, switches, told], 3) {
        assert_eq!(says_as_netlist(&program, None), verdict(4, &program), "{}", program.title.name);
    }
}

#[test]
fn designs_without_self_test_are_refused_with_a_reason() {
    let place = Place::new();
    let ended = place.run("generate --torus 64x64 --scheme staircase --bist true");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("bist: not supported with tables of too many bits"), "{}", ended.stderr);
    let ended = place.run("fpga --path 6 --collective gather --scheme certification --device hx8k --top bist");
    assert_eq!(ended.code, 2);
    assert!(!Path::new("fpga").exists(), "{}", ended.stderr);
}
