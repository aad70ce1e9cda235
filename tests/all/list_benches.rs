//! Generated benches of designs: every bus by its own signals, in every simulator, with faults that they must hear.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::fixtures::command::{Place, project};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, said};

/// A small design of all seven collectives behind a bus, in the folder `calls`.
fn generated(bus: &str, network: &str, settings: &str) -> Place {
    let place = Place::new();
    let root = if network.starts_with("mesh") { "1" } else { "any" };
    let rooted = ["broadcast", "scatter", "gather"];
    let rooted = rooted.map(|name| format!("  - {{ collective: {name}, root: {root}, flits: 2 }}\n")).concat();
    let config = format!(
        "name: calls\ntopology: {{ {network} }}\n{settings}\nprograms:\n  - {{ collective: gossip }}\n  \
         - {{ collective: all-reduce, operation: max }}\n  - {{ collective: reduce-scatter, operation: max }}\n  \
         - {{ collective: exchange }}\n{rooted}host: {{ bus: {bus} }}\n"
    );
    place.write("calls.yaml", config);
    let ended = place.run("generate calls.yaml --out calls");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{bus}");
    place
}

fn run(folder: &Path, tool: &str, arguments: &str) -> (bool, String) {
    let output = Command::new(tool).args(arguments.split(' ')).current_dir(folder).output().unwrap();
    (output.status.success(), said(&output))
}

const BUSES: [&str; 3] = ["ring", "axi-lite", "uart"];

/// Builds a bench with Icarus and plays it.
fn icarus(folder: &Path) -> (bool, String) {
    let (built, said) = run(folder, "iverilog", "-g2005 -Wall -o sim -f calls.f tb/calls_tb.v");
    assert!(built && said.is_empty(), "{said}");
    run(folder, "vvp", "-n sim")
}

#[test]
fn every_bus_brings_every_collective_under_icarus_and_verilator() {
    for bus in sampled(BUSES, 3) {
        let place = generated(bus, "torus: [2, 3]", "link: { width: 32 }");
        let folder = place.path().join("calls");
        // 4 calls, and 3 roots of 3 collectives; a program has 6 or 36 blocks
        let wanted = "PASS 13 222\n";
        if has("iverilog") {
            assert_eq!(icarus(&folder), (true, wanted.to_owned()), "{bus}");
        }
        if has("verilator") {
            let build = "--binary --timing -Wall -Wno-BLKSEQ -Wno-UNUSED -MAKEFLAGS OPT_FAST=-O0 -o sim --top-module calls_tb \
                         -f calls.f tb/calls_tb.v";
            let (built, said) = run(&folder, "verilator", build);
            assert!(built && !said.contains("%Warning"), "{bus}: {said}");
            let (passed, printed) = run(&folder, "obj_dir/sim", "+seed");
            assert!(passed && printed.starts_with(wanted), "{bus}: {printed}");
        }
    }
}

#[test]
fn benches_know_the_length_of_every_block() {
    if !has("iverilog") {
        return;
    }
    for bus in sampled(["streams", "uart", "ring", "axi-lite"], 3) {
        let place = Place::new();
        let config = "name: calls\ntopology: { torus: [2, 2] }\nlink: { width: 8 }\nprograms:\n  \
                      - { collective: exchange, lengths: [[0, 0, 0, 0], [0, 0, 0, 3], [1, 2, 0, 0], [1, 1, 4, 0]] }\n  \
                      - { collective: scatter, root: 2, lengths: [3, 1, 0, 0] }\n  - { collective: all-reduce, operation: sum }\n  \
                      - { collective: gather, root: 3, lengths: [0, 2, 5, 0] }\n";
        place.write("calls.yaml", format!("{config}host: {{ bus: {bus} }}\n"));
        let ended = place.run("generate calls.yaml --out calls");
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{bus}");
        let folder = place.path().join("calls");
        let (passed, printed) = icarus(&folder);
        // 12, 4, 16 and 7 words: two, three, one and two times without a host, where every other call follows itself
        let wanted = if bus == "streams" { "PASS 8 calls, 66 words\n" } else { "PASS 4 39\n" };
        assert!(passed && printed == wanted, "{bus}: {printed}");
        // a word that lies in another place
        let table = folder.join("calls_taken.v");
        let right = fs::read_to_string(&table).unwrap();
        let entries: Vec<&str> =
            right.lines().filter(|line| line.contains("entry <= ") && !line.contains("default")).collect();
        let (one, other) = (entries[0], entries[1]);
        let [first, second] = [one, other].map(|entry| entry.split_once("<= ").unwrap().1);
        fs::write(&table, right.replacen(one, &one.replace(first, second), 1)).unwrap();
        let (passed, printed) = icarus(&folder);
        assert!(!passed, "{bus}: {one} as {other}: {printed}");
    }
}

/// Other runs and pauses than those of a bench that is not told.
#[test]
fn benches_of_streams_play_as_many_calls_as_they_are_told() {
    if !has("iverilog") {
        return;
    }
    let place = generated("streams", "torus: [2, 2]", "link: { width: 16 }");
    let folder = place.path().join("calls");
    // 13 calls, and as many again
    let (passed, printed) = icarus(&folder);
    assert!(passed && printed.starts_with("PASS 26 calls, "), "{printed}");
    let (passed, printed) = run(&folder, "vvp", "-n sim +runs=61 +seed=5");
    assert!(passed && printed.starts_with("PASS 61 calls, "), "{printed}");
    let (passed, printed) = run(&folder, "vvp", "-n sim +runs=61 +full=1");
    let (clocks, verdict) = printed.split_once(" clocks per call\n").expect("a rate is printed");
    assert!(passed && verdict.starts_with("PASS 61 calls, "), "{printed}");
    // no call takes less than a clock for each word of the longest stream: 4 of a gossip
    assert!(clocks.parse::<f64>().unwrap() > 4.0, "{printed}");
}

#[test]
fn benches_are_of_the_network_the_width_and_the_kind_of_value() {
    if !has("iverilog") {
        return;
    }
    for (network, settings) in [
        ("mesh: [2, 2]", "link: { width: 8 }\nnumber: word"),
        ("lattice: [[1, 2], [0, 5]]", "link: { width: 32 }\nnumber: i32"),
        ("cycle: 2", "link: { width: 1 }"),
        ("cycle: 3", "number: bf16\nadder: 2"),
    ] {
        let place = generated("ring", network, settings);
        let (passed, printed) = icarus(&place.path().join("calls"));
        assert!(passed && printed.starts_with("PASS "), "{network}: {printed}");
    }
}

#[test]
fn benches_hear_faults_of_every_bus_and_node() {
    if !has("iverilog") {
        return;
    }
    let faults = [
        ("ring", "ring", "wire adds = inserts & ~none_left & (settle == 2'd0)", "wire adds = inserts & ~none_left"),
        ("ring", "ring", "4'd2: state <= is_mine ? 3'd2 : 3'd0;", "4'd2: state <= 3'd2;"),
        ("ring", "node", "if (rst | in_first | (mine & put_header))", "if (in_first)"),
        ("ring", "system", "early | overfull | starved", "early | overfull"),
        ("ring", "node", "if (in_put & full) overfull <= 1'b1", "if (in_put & full) overfull <= 1'b0"),
        ("ring", "sequencer", "if (plays & ~goes_on) busy <= 1'b0", "if (plays & ~goes_on & ~full) busy <= 1'b0"),
        ("axi-lite", "axil", "if (ack & ~write) s_axi_rdata <= rdata", "if (ack & write) s_axi_rdata <= rdata"),
        ("axi-lite", "axil", "(s_axi_rvalid & ~s_axi_rready)", "1'b0"),
        ("axi-lite", "axil", "assign s_axi_awready = ack & write", "assign s_axi_awready = 1'b1"),
        ("axi-lite", "registers", "if (ran & ~busy) done <= 1'b1", "if (ran & ~busy) done <= 1'b0"),
        ("axi-lite", "registers", "(write & at_ctrl & wdata[0] & ~idle) ? 8'd2", "1'b0 ? 8'd2"),
        ("axi-lite", "registers", "(chooses & ~idle) ? 8'd3", "1'b0 ? 8'd3"),
        ("axi-lite", "registers", "(lacking | (wrong_counts == 2'b01))", "lacking"),
        ("axi-lite", "registers", "runs <= runs + 32'd1", "runs <= runs"),
        ("axi-lite", "system", "early | overfull | starved", "early | overfull"),
        ("axi-lite", "system", "early | overfull | starved", "early | starved"),
        ("uart", "serial", "in_byte <= {line[2], in_byte[7:1]}", "in_byte <= {in_byte[6:0], line[2]}"),
        ("uart", "serial", "out_left <= 4'd10", "out_left <= 4'd9"),
        ("uart", "bridge", "assign m_axis_tdata = word[31:24]", "assign m_axis_tdata = word[7:0]"),
        (
            "uart",
            "registers",
            "if (commands & wdata[1]) resetting <= 3'd7",
            "if (commands & wdata[1]) resetting <= 3'd0",
        ),
    ];
    for bus in sampled(BUSES.into_iter().rev(), 3) {
        let place = generated(bus, "torus: [2, 2]", "link: { width: 32 }");
        let folder = place.path().join("calls");
        for (_, part, right, wrong) in sampled(faults.iter().filter(|(of, ..)| *of == bus), 8) {
            let path = folder.join(format!("calls_{part}.v"));
            let good = fs::read_to_string(&path).unwrap();
            assert!(good.contains(right), "{part}: `{right}` is not there");
            fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
            let (passed, printed) = icarus(&folder);
            println!("{bus} {part}: {}", printed.lines().last().unwrap_or_default());
            let is_caught = !passed && !printed.contains("PASS");
            assert!(is_caught, "{bus} {part}: `{wrong}` is not heard: {printed}");
            fs::write(&path, good).unwrap();
        }
    }
}

/// A master that others wrote: that of cocotbext-axi.
#[test]
fn cocotb_calls_every_collective_behind_axi_lite_and_hears_a_fault() {
    if !has("cocotb-config") || !has("iverilog") {
        return;
    }
    let place = generated("axi-lite", "torus: [2, 2]", "link: { width: 16 }");
    let folder = place.path().join("calls");
    let (_, python) = run(&folder, "cocotb-config", "--python-bin");
    let bench = format!("{} . calls", project().join("sim/calls.py").display());
    let (passed, said) = run(&folder, python.trim(), &bench);
    assert!(passed && said.contains(" words compared in 19 calls"), "{said}");
    let path = folder.join("calls_node.v");
    let good = fs::read_to_string(&path).unwrap();
    let wrong = good.replace("position <= from_origin", "position <= here");
    assert_ne!(good, wrong);
    fs::write(&path, wrong).unwrap();
    let (passed, said) = run(&folder, python.trim(), &bench);
    assert!(!passed && said.contains("FAIL=1"), "{said}");
}
