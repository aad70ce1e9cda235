//! A harness written from docs/rtl.md and program.json alone plays the fabric, and sees what the program says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use regex_lite::Regex;
use torusweave::net::{Channel, NodeId};
use torusweave::play::Payloads;
use torusweave::program::{FlitId, Program};

use crate::fixtures::combined;
use crate::fixtures::command::Place;
use crate::fixtures::interpreter;
use crate::fixtures::tools::{has, said};

/// Clocks from `run` to tick 1.
const DELAY: u32 = 8;
const WIDTH: u32 = 16;

/// Something that arrived: tick, port of the fabric, value.
type Arrival = (u32, String, u128);

/// `n1_2_t`, a port of a node in the documented form.
fn port(program: &Program, node: NodeId, output: Channel) -> String {
    let coords: Vec<String> = program.topology.coords(node).iter().map(u32::to_string).collect();
    let letters = ["t", "b", "l", "r"];
    format!("n{}_{}", coords.join("_"), letters[output.port.index()])
}

/// Everything the program says arrives, and by own input what it presents, in order.
struct Said {
    arrivals: BTreeSet<Arrival>,
    presented: Vec<(String, Vec<u128>)>,
}

fn value(flit: u32) -> u128 {
    let payloads = Payloads { width: WIDTH, seed: 1 };
    combined::integer(&payloads.words(FlitId(flit)).collect::<Vec<_>>())
}

/// The name of an own input, `n0_1_own_2` or `n0_1_own_0_to_3`, as node, first and last number.
fn numbers(program: &Program, name: &str) -> (NodeId, u32, u32) {
    let (node, own) = name[1..].split_once("_own_").unwrap();
    let coords: Vec<u32> = node.split('_').map(|x| x.parse().unwrap()).collect();
    let (first, last) = own.split_once("_to_").unwrap_or((own, own));
    (program.topology.node(&coords), first.parse().unwrap(), last.parse().unwrap())
}

fn expected(program: &Program, inputs: &[String]) -> Said {
    let registers: Vec<Vec<Option<u128>>>;
    let presented: Vec<Vec<u128>>;
    if program.reduction.is_some() {
        let combined::Combined { sent, own, is_right } = combined::play(program, Payloads { width: WIDTH, seed: 1 });
        assert!(is_right);
        registers = sent.iter().map(|tick| tick.iter().map(|word| word.map(|(_, value)| value)).collect()).collect();
        let of = |name: &String| {
            let (node, output, _) = numbers(program, name);
            own[program.register(node, program.output(output as usize))].clone()
        };
        presented = inputs.iter().map(of).collect();
    } else {
        let sent = interpreter::play(program, program.ticks);
        registers = sent.iter().map(|tick| tick.iter().map(|flit| flit.map(value)).collect()).collect();
        let of = |name: &String| {
            let (node, first, last) = numbers(program, name);
            let flits = (first..=last).flat_map(|packet| program.demand.flits_of_packet(node, packet));
            flits.map(|flit| value(flit as u32)).collect()
        };
        presented = inputs.iter().map(of).collect();
    }
    let mut arrivals = BTreeSet::new();
    for tick in program.latency..=program.ticks {
        for node in program.topology.node_ids() {
            for output in (0..program.outputs()).map(|output| program.output(output)) {
                let sender = program.arriving(node, output);
                let sent = sender.and_then(|sender| registers[(tick - program.latency) as usize][sender]);
                arrivals.extend(sent.map(|value| (tick, port(program, node, output), value)));
            }
        }
    }
    Said { arrivals, presented: inputs.iter().cloned().zip(presented).collect() }
}

/// The harness: own inputs are held, or streams that go on with `take`; what arrives is printed.
fn harness(program: &Program, fabric: &str, said: &Said) -> String {
    let name = &program.title.name;
    let declared = |pattern: &str| -> Vec<String> {
        let found = Regex::new(pattern).unwrap();
        found.captures_iter(fabric).map(|found| found[1].to_owned()).collect()
    };
    let (takes, arrivals) =
        (declared(r"output\s+\w+\s+(n[0-9_]+_own_\w+)_take\b"), declared(r"\b(n[0-9_]+_[a-z]+)_in_data\b"));
    let outputs: BTreeSet<String> = arrivals.into_iter().collect();
    let mut text = String::from(
        "module harness;\n  reg clk = 0, rst = 1, run = 0;\n  wire done;\n  always #5 clk = ~clk;\n  integer tick;\n",
    );
    let mut pins = String::from(".clk(clk), .rst(rst), .run(run), .done(done)");
    for (input, values) in &said.presented {
        writeln!(
            text,
            "  reg [{}:0] {input} [0:{}];\n  integer {input}_at = 0;\n  initial begin",
            WIDTH - 1,
            values.len().max(1) - 1
        )
        .unwrap();
        for (place, value) in values.iter().enumerate() {
            writeln!(text, "    {input}[{place}] = {value};").unwrap();
        }
        writeln!(text, "  end").unwrap();
        write!(pins, ", .{input}({input}[{input}_at])").unwrap();
        if takes.contains(input) {
            writeln!(text, "  wire {input}_take;\n  always @(posedge clk) if ({input}_take === 1'b1) {input}_at <= ({input}_at + 1) % {};", values.len().max(1)).unwrap();
            write!(pins, ", .{input}_take({input}_take)").unwrap();
        }
    }
    for output in &outputs {
        writeln!(text, "  wire [{}:0] {output}_data;\n  wire {output}_valid;", WIDTH - 1).unwrap();
        write!(pins, ", .{output}_in_data({output}_data), .{output}_in_valid({output}_valid)").unwrap();
    }
    writeln!(text, "  {name} #(.WIDTH({WIDTH})) fabric ({pins});\n  task show;\n    begin").unwrap();
    for output in &outputs {
        writeln!(text, "      if ({output}_valid !== 1'b0) $display(\"%0d {output} %0d\", tick, {output}_data);")
            .unwrap();
    }
    let ticks = program.ticks;
    writeln!(
        text,
        "    end\n  endtask\n  initial begin\n    repeat ({}) @(negedge clk);\n    rst = 0;\n    repeat (2) begin\n      run = 1;\n      \
         tick = 0;\n      repeat ({DELAY}) @(negedge clk);\n      for (tick = 1; tick <= {ticks} + 3; tick = tick + 1) begin\n        \
         @(negedge clk);\n        show;\n        if (done !== (tick >= {ticks})) $display(\"done %0d\", tick);\n      end\n      \
         run = 0;\n      @(negedge clk);\n    end\n    $finish;\n  end\nendmodule",
        DELAY + 1
    )
    .unwrap();
    text
}

/// Plays two runs of a design, and compares what arrives in them.
fn plays(options: &str) {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let ended = place.run(&format!("generate {options} --width {WIDTH} --name fabric --out a"));
    assert_eq!(ended.code, 0, "{options}: {}", ended.stderr);
    let read = |path: &str| fs::read_to_string(place.path().join("a").join(path)).unwrap();
    let program = Program::from_json(&read("program.json")).unwrap();
    let fabric = read("fabric.v");
    let declared = Regex::new(r"input\s+wire\s+\[WIDTH-1:0\]\s+(n[0-9_]+_own_\w+)").unwrap();
    let inputs: Vec<String> = declared.captures_iter(&fabric).map(|found| found[1].to_owned()).collect();
    let said_by_program = expected(&program, &inputs);
    place.write("a/harness.v", harness(&program, &fabric, &said_by_program));
    let run = |tool: &str, line: &str| {
        let output = Command::new(tool).args(line.split(' ')).current_dir(place.path().join("a")).output().unwrap();
        assert!(output.status.success(), "{options}: {}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    run("iverilog", "-g2005 -o sim -s harness -f fabric.f harness.v");
    let mut seen: Vec<Arrival> = Vec::new();
    for line in run("vvp", "-n sim").lines().filter(|line| !line.contains("$finish")) {
        let [tick, port, value] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{options}: {line}") };
        seen.push((tick.parse().unwrap(), port.to_owned(), value.parse().unwrap()));
    }
    let each: BTreeSet<Arrival> = seen.iter().cloned().collect();
    assert!(
        each == said_by_program.arrivals,
        "{options}: {:?}",
        each.symmetric_difference(&said_by_program.arrivals).next()
    );
    assert!(!each.is_empty() && seen.len() == 2 * each.len(), "{options}: {} arrivals in two runs", seen.len());
}

#[test]
fn a_gossip_on_long_links_is_played_by_the_documented_contract() {
    plays("--torus 4x4 --scheme optimal --latency 3");
}

#[test]
fn a_broadcast_is_played_by_the_documented_contract() {
    plays("--torus 4x5 --collective broadcast --root 1,2 --flits 5");
}

#[test]
fn a_reduce_scatter_is_played_by_the_documented_contract() {
    plays("--torus 4x4 --collective reduce-scatter --operation sum");
}

#[test]
fn an_all_reduce_is_played_by_the_documented_contract() {
    plays("--torus 4x4 --collective all-reduce --operation sum");
}

#[test]
fn a_gather_is_played_by_the_documented_contract() {
    plays("--torus 3x4 --collective gather --root 1,2 --flits 3");
}
