//! Designs as people use them: generated, read by every tool, called from Python in simulation.

use std::fs;

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use torusweave::tools::lockstep::{BytePorts, Served};

use crate::fixtures::called::{
    PYTHON, can_call, every_tool_is_silent, generated, page_script, script, served, silent, spoil_router,
};
use crate::fixtures::command::{Ended, Place, project};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{counted_cells, has, said, toolchain};

/// The example on another network, with other settings.
fn config(sides: &str, changes: &[(&str, &str)]) -> String {
    let mut text = fs::read_to_string(project().join("examples/programs/torus-4x4.yaml")).unwrap();
    for (from, to) in [("[4, 4]", sides), ("calls_4x4", "calls")].iter().chain(changes) {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

#[test]
fn python_calls_every_collective_for_every_root_and_equals_numpy() {
    if !can_call() {
        return;
    }
    let full = std::env::var_os("TORUSWEAVE_FULL").is_some();
    let mut networks = vec![
        ("torus: [4, 4]", 106),
        ("torus: [3, 5]", 100),
        ("lattice: [[3, 3], [0, 6]]", 118),
        // axes of one node, rows that move others, parallel links
        ("lattice: [[1, 3], [0, 8]]", 58),
        ("lattice: [[5, 0], [0, 1]]", 40),
        ("lattice: [[2, 0, 1], [0, 2, 1], [0, 0, 2]]", 58),
        ("cycle: 2", 22),
    ];
    networks.extend(full.then_some(("torus: [6, 7]", 262)));
    for (network, calls) in sampled(networks, 2) {
        let place = generated(&config("[4, 4]", &[("torus: [4, 4]", network)]));
        let ended = script(&place, "collectives.py", &["sim:calls"]);
        let right = format!("{calls} calls on ");
        assert!(ended.code == 0 && ended.stdout.starts_with(&right), "{network}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn nodes_that_differ_are_every_root_in_turn() {
    if !can_call() {
        return;
    }
    let networks = [
        ("mesh: [2, 3]", 0..6),
        ("path: 2", 0..2),
        ("torus: [2, 3], open: [x1]", 0..6),
        ("torus: [3, 3], dead: { links: [\"0,0 x2+\"] }", 0..3),
        ("path: 4, dead: { nodes: [\"0\"] }", 1..4),
    ];
    for (network, nodes) in networks {
        let rooted = |root: usize| {
            let all = [("broadcast", 16), ("scatter", 4), ("gather", 4)];
            all.map(|(name, flits)| format!("  - {{ collective: {name}, root: {root}, flits: {flits} }}\n")).concat()
        };
        let roots: Vec<usize> = nodes.collect();
        for some in roots.chunks(4) {
            let all = "  - { collective: gossip }\n  - { collective: all-reduce, operation: max }\n  \
                       - { collective: reduce-scatter, operation: max }\n  - { collective: exchange }\n";
            let rooted = some.iter().map(|&root| rooted(root)).collect::<String>();
            let place = generated(&format!(
                "name: calls\ntopology: {{ {network} }}\nlink: {{ width: 32 }}\nnumber: i32\nprograms:\n{all}{rooted}"
            ));
            let ended = script(&place, "collectives.py", &["sim:calls"]);
            let right = format!("{} calls on ", 2 * (5 + 3 * some.len()));
            assert!(ended.code == 0 && ended.stdout.starts_with(&right), "{network}: {}{}", ended.stdout, ended.stderr);
        }
    }
}

/// Values that cancel, overflow or are no numbers come out as `torusweave.reference` adds them, bit for bit, at every node.
#[test]
fn designs_combine_floats_bit_for_bit_as_the_reference() {
    if !can_call() {
        return;
    }
    let full = std::env::var_os("TORUSWEAVE_FULL").is_some();
    let both = "{ collective: all-reduce, operation: sum, flits: 2 }, { collective: reduce-scatter, operation: sum }";
    let extreme =
        "{ collective: all-reduce, operation: max }, { collective: reduce-scatter, operation: max, flits: 2 }";
    // two adders in a row; nodes that differ, one of them dead, subnormal values that count as zeros
    let mut lists = vec![
        ("lattice: [[2, 0, 1], [0, 2, 1], [0, 0, 4]]", "f32, adder: 3", both),
        ("mesh: [2, 3], dead: { nodes: [\"0,1\"] }", "bf16, adder: 2, flush: true", both),
    ];
    if full {
        lists.extend([
            ("torus: [4, 4]", "f32", both),
            ("torus: [3, 5]", "f32", both),
            ("torus: [4, 6]", "f32, adder: 1", both),
            ("mesh: [3, 4]", "f16", both),
            ("torus: [4, 4], dead: { links: [\"0,0 x2+\"] }", "f16, adder: 2", extreme),
            ("torus: [3, 3, 3]", "bf16, link: { latency: 3 }", extreme),
        ]);
    }
    for (network, number, programs) in lists {
        let place = generated(&format!(
            "{{ name: calls, topology: {{ {network} }}, number: {number}, programs: [{programs}, {{ collective: gossip }}] }}"
        ));
        let ended = script(&place, "collectives.py", &["sim:calls"]);
        let right = ended.code == 0 && ended.stdout.starts_with("8 calls on ");
        assert!(right, "{network} {number}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn a_combiner_of_your_own_is_called_in_the_order_of_the_program() {
    if !can_call() {
        return;
    }
    let place = generated(
        "{ name: calls, topology: { torus: [2, 3] }, adder: 3, programs: [{ collective: all-reduce, operation: custom }] }",
    );
    let path = place.path().join("calls/calls_combine.v");
    let stub = fs::read_to_string(&path).unwrap();
    assert!(stub.contains("a + b}"), "{stub}");
    fs::write(&path, stub.replace("a + b}", "a - 3 * b}")).unwrap();
    let ended = script(&place, "custom.py", &["sim:calls", "calls"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "6 nodes combine in order\n"), "{}", ended.stderr);
    let again = place.run("generate calls.yaml --out calls");
    assert!(again.stderr.contains("would overwrite `calls_combine.v` (edited)"), "{}{}", again.stdout, again.stderr);
}

/// A fault in the adder, in what is combined, or in when it is loaded, gives other bits.
#[test]
fn faults_of_hosts_that_combine_floats_are_seen() {
    if !can_call() {
        return;
    }
    let config = "{ name: calls, topology: { mesh: [2, 3] }, number: bf16, adder: 2, programs: [{ collective: all-reduce, operation: sum }] }";
    let faults = [
        // nothing that is cut off is rounded up
        ("calls_combine.v", "wire lost = lost_4 |", "wire lost = 1'b0 &"),
        ("calls_combine.v", "& (sum_9[1] | sum_9[0] | sum_9[3])", "& 1'b0"),
        // another operand, and one that passes no adder
        ("calls_router.v", "(t_pick_0 == 2'd0) ? l_in_data", "(t_pick_0 == 2'd0) ? r_in_data"),
        ("calls_router.v", "t_out_data <= t_row_1_0", "t_out_data <= t_operand_0"),
    ];
    for (file, from, to) in sampled(faults, 3) {
        let place = generated(config);
        let path = place.path().join("calls").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        let ended = script(&place, "collectives.py", &["sim:calls"]);
        assert_ne!(ended.code, 0, "{file}: {from} -> {to}: {}", ended.stdout);
    }
}

#[test]
fn words_of_other_sizes_and_blocks_of_several_words_come_out_right() {
    if !can_call() {
        return;
    }
    let changes = [
        ("width: 32", "width: 16, flits: 2"),
        ("operation: sum", "operation: sum, scheme: staircase"),
        ("flits: 16", "flits: 5"),
        ("flits: 4", "flits: 1"),
    ];
    let place = generated(&config("[4, 4]", &changes));
    let ended = script(&place, "collectives.py", &["sim:calls"]);
    assert!(ended.code == 0 && ended.stdout.starts_with("106 calls"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn blocks_of_different_lengths_come_out_right() {
    if !can_call() {
        return;
    }
    let network = "topology: { mesh: [2, 3], dead: { nodes: [\"0,1\"] } }";
    let bus = "host: { bus: uart }\nprograms:\n";
    // a node that sends nothing, one that gets nothing, a message for a dead node; only one node sends, or is sent to
    let lists = "  - { collective: exchange, lengths: lengths.csv }\n  \
                 - { collective: scatter, root: [1, 1], lengths: [3, 9, 0, 2, 9, 4] }\n  \
                 - { collective: gather, root: [0, 2], lengths: [0, 9, 9, 7, 1, 2] }\n  \
                 - { collective: gather, root: [0, 0], lengths: [0, 0, 0, 0, 5, 0] }\n";
    let place = Place::new();
    place.write("lengths.csv", "9,9,2,0,1,0\n9,9,9,9,9,9\n0,0,0,0,0,0\n3,1,1,0,0,2\n0,9,4,0,9,0\n1,1,1,0,1,9\n");
    for boards in [false, true] {
        let link = if boards { "width: 8, elastic: true, checksum: crc8, boards: [1, 3]" } else { "width: 16" };
        place.write("calls.yaml", format!("name: calls\n{network}\nlink: {{ {link} }}\n{bus}{lists}"));
        let ended = place.run("generate calls.yaml --force --out calls");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let ended = script(&place, "uneven.py", &["sim:calls", "calls"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "12 right\n"), "{boards}: {}", ended.stderr);
    }
}

#[test]
fn wrong_calls_and_wrong_traffic_are_reported_and_the_next_call_is_right() {
    if !can_call() {
        return;
    }
    let place = generated(&config("[4, 4]", &[]));
    let ended = script(&place, "trouble.py", &["sim:calls"]);
    assert!(ended.code == 0 && ended.stdout.starts_with("wrong calls"), "{}{}", ended.stdout, ended.stderr);
}

/// Output of the script about a design in simulation, with digests of all bytes.
fn simulated(place: &Place, calls: &str) -> String {
    let ended = script(place, "collectives.py", &["sim:calls"]);
    assert!(ended.code == 0 && ended.stdout.starts_with(calls), "{}{}", ended.stdout, ended.stderr);
    ended.stdout
}

#[test]
#[cfg(unix)]
fn a_port_and_a_pseudo_terminal_carry_the_bytes_that_the_simulation_does() {
    if !can_call() {
        return;
    }
    let place = generated(&config("[3, 3]", &[]));
    let right = simulated(&place, "64 calls");
    for (line, kind) in [("tcp:0", "tcp:127.0.0.1:"), ("pty", "serial:/dev/")] {
        let (_server, at) = served(&place, &format!("{line} --folder calls"), 1);
        assert!(at.starts_with(kind), "{at}");
        let ended = script(&place, "collectives.py", &[&at, "calls"]);
        assert_eq!((ended.code, ended.stdout), (0, right.clone()), "{line}: {}", ended.stderr);
    }
}

/// A small design of words of 8 bits behind a fast serial line.
const SMALL: &str = "name: calls\ntopology: { cycle: 3 }\nlink: { width: 8 }\nprograms:\n  - { collective: gossip }\n  \
                     - { collective: all-reduce, operation: xor }\n  - { collective: broadcast, root: any, flits: 3 }\n\
                     host: { bus: uart, baud: 2400000 }\n";

/// The top for a device before it is placed: its Verilog is simulated behind its pins.
#[test]
#[cfg(unix)]
fn pins_of_a_board_carry_the_bytes_that_the_simulation_does() {
    let Some(tools) = toolchain() else { return };
    if !can_call() {
        return;
    }
    let place = generated(SMALL);
    let right = simulated(&place, "12 calls");
    // without tools, which would take their time
    let ended =
        place.command().args(["fpga", "calls.yaml", "--device", "hx8k", "--out", "board"]).env("PATH", "").output();
    assert!(ended.unwrap().status.success());
    let files = |(path, bytes): (String, Vec<u8>)| {
        let name = path.strip_prefix("board/")?.to_owned();
        Path::new(&name)
            .extension()
            .is_some_and(|end| end == "v")
            .then(|| (name.clone(), String::from_utf8(bytes).unwrap()))
    };
    let rtl: Vec<(String, String)> = place.contents().into_iter().filter_map(files).collect();
    assert!(rtl.iter().any(|(name, _)| name == "calls_fpga.v"));
    // 12 MHz over 2.4 Mbaud; at another speed nobody understands the other
    for (divisor, is_right) in [(5, true), (7, false)] {
        let served =
            Served::build(&tools, "calls_fpga", BytePorts::Pins { prefix: "", divisor, lines: 1 }, rtl.clone())
                .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = format!("tcp:{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let [input, output] =
                [stream.try_clone().unwrap(), stream].map(|stream| Stdio::from(OwnedFd::from(stream)));
            served.serve(input, output).unwrap();
        });
        let ended = script(&place, "collectives.py", &[&at, "calls", "1"]);
        assert_eq!((ended.code, ended.stdout) == (0, right.clone()), is_right, "{divisor}: {}", ended.stderr);
        server.join().unwrap();
    }
}

/// Placed, routed, packed and unpacked again: two minutes.
#[test]
#[cfg(unix)]
fn the_bitstream_answers_as_the_simulation_does() {
    if std::env::var_os("TORUSWEAVE_FULL").is_none() || !can_call() {
        return;
    }
    if !["yosys", "nextpnr-ice40", "icepack", "iceunpack", "icebox_vlog"].into_iter().all(has) {
        return;
    }
    let place = generated(SMALL);
    let right = simulated(&place, "12 calls");
    let answers = |arguments: &str| {
        let (_server, at) = served(&place, arguments, 1);
        let ended = script(&place, "collectives.py", &[&at, "calls"]);
        assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
        ended.stdout
    };
    assert_eq!(answers("tcp:0 --engine bitstream calls.yaml"), right);
    let ended = place.run("fpga calls.yaml --device hx8k --out board --format json");
    let figures: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&figures["top"], &figures["fits"]), (&"host".into(), &true.into()), "{figures:#}");
    assert!(figures["lut"].as_u64() > figures["design"]["lut"].as_u64(), "{figures:#}");
    assert!(figures["fmax_mhz"].as_f64() > Some(12.0), "{figures:#}");
    let built = Command::new("sh").arg("build.sh").current_dir(place.path().join("board")).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    // the very file that is flashed
    assert_eq!(answers("pty --engine bitstream --folder board"), right);
    // a fault in it: a bit of a table of look-up tables, or of a wire
    let path = place.path().join("board/calls_fpga.bin");
    let good = fs::read(&path).unwrap();
    fs::write(&path, vec![0; good.len()]).unwrap();
    let ended = place.run("simulate --serve stdio --engine bitstream --folder board");
    assert!(ended.code == 2 && ended.stderr.contains("`iceunpack` failed"), "{}", ended.stderr);
}

#[test]
fn bitstreams_that_are_not_there_are_refused() {
    let place = generated(SMALL);
    for (line, words) in [
        ("simulate calls.yaml --engine bitstream", "--engine bitstream: requires --serve"),
        ("simulate --serve stdio --engine bitstream --folder calls", "--folder: `calls/calls_fpga.bin` is missing"),
        ("fpga calls.yaml --device hx8k --top fabric", "--program: must name one of"),
        ("fpga calls.yaml --device hx8k --program 0", "--program: requires --top fabric or wires"),
    ] {
        let ended = place.run(line);
        assert!(ended.code == 2 && ended.stderr.contains(words), "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains("help: "), "{line}: {}", ended.stderr);
    }
}

/// One collective is a list of one program behind the serial line of the board.
#[test]
fn one_collective_has_the_pins_of_a_board_too() {
    let place = Place::new();
    let line = ["fpga", "--torus", "2x3", "--device", "hx8k", "--top", "host", "--out", "board"];
    let ended = place.command().args(line).env("PATH", "").output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    let script = fs::read_to_string(place.path().join("board/synth.ys")).unwrap();
    assert!(script.contains("_uart.v\n") && script.contains("_fpga.v\n"), "{script}");
}

/// Calls from one board and a self-test are of nodes with streams: behind a host each board has calls of its own, and no self-test.
#[test]
fn a_host_takes_the_place_of_common_calls_and_of_a_self_test() {
    let place = Place::new();
    for (name, line) in
        [("common", "link: { width: 8, elastic: true, checksum: crc16, start: common }"), ("bist", "bist: true")]
    {
        let config = format!(
            "name: calls\ntopology: {{ torus: [2, 2] }}\nhost: {{ bus: streams }}\nprograms: [{{ collective: gossip }}]\n{line}\n"
        );
        place.write("calls.yaml", &config);
        let ended = place
            .command()
            .args(["fpga", "calls.yaml", "--device", "hx8k", "--top", "host", "--out", name])
            .env("PATH", "")
            .output()
            .unwrap();
        assert!(ended.status.success(), "{}", said(&ended));
        let script = fs::read_to_string(place.path().join(name).join("synth.ys")).unwrap();
        assert!(script.contains("_uart.v\n") && !script.contains("starter") && !script.contains("bist"), "{script}");
    }
}

/// The scripts are tried: a router that forwards the wrong word, tables and counters that are off, words that are lost. A sample; all
/// under `TORUSWEAVE_FULL`.
#[test]
fn faults_of_a_design_are_seen_from_python() {
    if !can_call() {
        return;
    }
    let place = generated(&config("[3, 3]", &[]));
    let faults = [
        ("node", "in_row <= in_row + ", "in_row <= in_row - "),
        ("node", "in_staged & in_entry", "in_entry"),
        ("node", "position <= from_origin", "position <= here"),
        ("node", "(track_last == tick)", "(track_last < tick)"),
        ("sequencer", "(plays & (tick != last))", "(plays & (tick + 1 != last))"),
        ("place", "moved ? root_code", "moved ? ~root_code"),
        ("ring", "if (left == 16'd1) state <= 3'd0", "if (left == 16'd2) state <= 3'd0"),
        ("bridge", "word <= {word[23:0], s_axis_tdata}", "word <= {word[23:0], ~s_axis_tdata}"),
        ("router", "own_0", "own_1"),
    ];
    for (part, right, wrong) in sampled(faults, 3) {
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there");
        let at = good.rfind(right).unwrap();
        fs::write(&path, good[..at].to_owned() + wrong + &good[at + right.len()..]).unwrap();
        let ended = script(&place, "collectives.py", &["sim:calls"]);
        assert_ne!(ended.code, 0, "{part}: `{wrong}` is not seen: {}", ended.stdout);
        fs::write(&path, good).unwrap();
    }
}

#[test]
fn every_tool_is_silent_about_designs() {
    let other = [("uart", "axi-lite"), (", baud: 115200", ""), ("operation: sum", "operation: min")];
    let configs = [config("[4, 4]", &[]), config("[3, 5]", &other)];
    for (config, top) in configs.iter().zip(["uart", "axil"]) {
        let place = generated(config);
        let folder = place.path().join("calls");
        let top = format!("calls_{top}");
        every_tool_is_silent(&folder, &top);
    }
}

#[test]
fn every_tool_is_silent_about_the_pins_of_a_board() {
    let place = generated(&config("[3, 3]", &[("bus: uart", "bus: axi-lite")]));
    let ended = place
        .command()
        .args(["fpga", "calls.yaml", "--device", "ecp5-85k", "--out", "calls/board"])
        .env("PATH", "")
        .output();
    assert!(ended.unwrap().status.success());
    let folder = place.path().join("calls/board");
    let script = fs::read_to_string(folder.join("synth.ys")).unwrap();
    assert!(script.contains("synth_ecp5 -top calls_system\n") && script.contains("synth_ecp5 -top calls_fpga\n"));
    let files: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("read_verilog ")).collect();
    let about = fs::read_to_string(folder.join("calls_programs.json")).unwrap();
    // the line and the clock of that board
    assert!(about.contains("\"bus\": \"uart\"") && about.contains("\"clock\": 25000000"), "{about}");
    let serial = fs::read_to_string(folder.join("calls_serial.v")).unwrap();
    assert!(serial.contains("DIVISOR = 217"), "{serial}");
    for (tool, line) in [
        ("verilator", "--lint-only -Wall --top-module calls_fpga"),
        ("iverilog", "-g2005 -Wall -o /dev/null -s calls_fpga"),
        ("slang", "-Wextra -Wpedantic"),
        ("verible-verilog-lint", "--ruleset=default"),
    ] {
        if has(tool) {
            silent(&folder, tool, &line.split(' ').chain(files.iter().copied()).collect::<Vec<_>>());
        }
    }
}

/// LUTs of a design's router on a 4x4 torus, by yosys for an iCE40.
fn luts(programs: &str) -> u64 {
    let place = generated(&format!(
        "{{ name: calls, topology: {{ torus: [4, 4] }}, link: {{ width: 8 }}, programs: [{programs}] }}"
    ));
    let script = "read_verilog calls_router.v; synth_ice40 -top calls_router; stat";
    let mut yosys = Command::new("yosys");
    let output = yosys.args(["-p", script]).current_dir(place.path().join("calls")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let last = said.rsplit("Printing statistics").next().unwrap();
    last.lines().filter_map(counted_cells).find(|(cell, _)| *cell == "SB_LUT4").unwrap().1
}

/// A router for all seven collectives is hardly larger than the largest of those for one.
#[test]
fn the_router_of_all_programs_is_hardly_larger_than_that_of_one() {
    if !has("yosys") {
        return;
    }
    let one = luts("{ collective: all-reduce, operation: sum }");
    let all = luts(
        "{ collective: gossip }, { collective: all-reduce, operation: sum }, { collective: reduce-scatter, operation: sum }, \
         { collective: exchange }, { collective: broadcast, root: any, flits: 16 }, { collective: scatter, root: any }, \
         { collective: gather, root: any }",
    );
    let page = fs::read_to_string(project().join("docs/python.md")).unwrap();
    assert!(page.contains("all seven collectives takes 221 LUTs of an iCE40, and that of all-reduce alone 182."));
    // versions of yosys differ in a few
    assert!(all.abs_diff(221) <= 11 && one.abs_diff(182) <= 9, "docs/python.md: {all} and {one} LUTs");
    assert!(10 * all <= 13 * one, "{one} {all}");
}

#[test]
fn one_router_combines_by_several_operations() {
    if !can_call() {
        return;
    }
    let programs = "{ collective: all-reduce, operation: sum }, { collective: all-reduce, operation: max }, \
                    { collective: reduce-scatter, operation: min }, { collective: reduce-scatter, operation: and }, \
                    { collective: all-reduce, operation: xor }, { collective: gossip }";
    let text =
        format!("{{ name: calls, topology: {{ torus: [3, 4] }}, link: {{ width: 16 }}, programs: [{programs}] }}");
    let place = generated(&text);
    let ended = script(&place, "operations.py", &["sim:calls", "60"]);
    let said = [
        "operation: all-reduce is resident for max, sum, xor: name one",
        "operation: all-reduce by 'or' is not resident (max, sum, xor)",
        "operation: all-reduce by 'average' is not resident (max, sum, xor)",
        "60 calls right",
    ];
    assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), said, "{}", ended.stderr);
    assert!(ended.code == 0);
}

/// The config and the script of the page, as they stand there.
#[test]
fn blocks_of_different_lengths_are_called_as_the_page_says() {
    if !can_call() {
        return;
    }
    let checks =
        "    assert [len(one) for one in y] == [2, 3, 1, 4] and z.tolist() == [0, 1, 0, 0, 1, 2, 3, 4], (y, z)\n";
    let ended = page_script("## Blocks of different lengths", checks);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "right\n"), "{}", ended.stderr);
}

/// Gossip on 16 nodes, so many words of each.
fn many_words(words: u32) -> String {
    format!("topology: {{ torus: [4, 4] }}\nprograms: [{{ collective: gossip, flits: {words} }}]\n")
}

#[test]
fn designs_that_are_not_supported_are_refused_with_a_cure() {
    let reductions = [
        ("collective: reduce-scatter, operation: sum", "collective: reduce-scatter, operation: max"),
        ("host:", "number: f32\nhost:"),
    ];
    let beside = [("host:", "scheme: optimal\nhost:")];
    let wide = [("width: 32", "width: 64")];
    let mesh = [("torus:", "mesh:")];
    let half = [("width: 32", "width: 32, duplex: half")];
    let lanes = [("width: 32", "width: 32, lanes: 2")];
    let float = [("width: 32", "width: 16"), ("host:", "number: f32\nhost:")];
    let pads = [("width: 32", "width: 32, duplex: pads")];
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&reductions, "programs[2].operation: a second operation beside sum is not supported (max)"),
        (&beside, "scheme: not supported with `programs`"),
        (&wide, "link.width: not supported with `programs`"),
        (&mesh, "programs["),
        (&half, "programs[1]: link.duplex: not supported with `collective: all-reduce` (half)"),
        (&lanes, "programs[1]: link.lanes: not supported with `collective: all-reduce` (2)"),
        (&pads, "link.duplex: not supported with `programs` (pads)\nhelp: take `duplex: half`"),
        (&float, "programs[1]: link.width: not supported with `number: f32`"),
    ];
    for (changes, words) in cases {
        let place = Place::new();
        place.write("calls.yaml", config("[4, 4]", changes));
        let ended = place.run("generate calls.yaml");
        assert_eq!(ended.code, 2, "{}", ended.stdout);
        assert!(ended.stderr.contains(words) && ended.stderr.contains("help: "), "{}", ended.stderr);
    }
    let rooted = "topology: { mesh: [3, 4] }\nprograms: [{ collective: broadcast, root: any }]\n".to_owned();
    let many = "topology: { torus: [3, 4] }\nprograms: [".to_owned() + &"{ collective: gossip }, ".repeat(17) + "]\n";
    let uneven = "topology: { torus: [2, 2] }\nhost: { bus: streams }\nprograms:\n  - { collective: gossip }\n  \
                  - { collective: scatter, root: 0, lengths: [0, 1, 2, 3] }\n";
    let any = uneven.replace("root: 0", "root: any");
    let many_lengths = uneven.replace("2, 3]", "2, 3, 4]");
    let read = format!("{uneven}local: {{ results: memory, order: arrival }}\n");
    let element = format!("{uneven}local: {{ elements: true }}\n");
    let long = many_words(4096);
    for (config, words) in [
        (&long, "host: 65536 words of a node are more than the 65535 that it counts"),
        (&any, "programs[1].root: `any` requires nodes that all look alike (`lengths` tell them apart)"),
        (&many_lengths, "programs[1]: lengths: 5 for the 4 nodes of a 2x2 torus"),
        (&read, "programs[1].lengths: blocks of different lengths are not supported with `local.elements`, or read"),
        (&element, "programs[1].lengths: blocks of different lengths are not supported with `local.elements`, or read"),
        (&rooted, "programs[0].root: `any` requires nodes that all look alike"),
        (&many, "programs: 17 programs are more than the 16 that are supported"),
    ] {
        let place = Place::new();
        place.write("calls.yaml", config);
        let ended = place.run("generate calls.yaml");
        assert!(ended.code == 2 && ended.stderr.contains(words), "{}", ended.stderr);
    }
}

/// A design behind AXI4-Lite, whose files other tools take up.
const FOR_TOOLS: &str = "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 16 }\nprograms:\n  - { collective: gossip }\n  \
                         - { collective: all-reduce, operation: sum }\nhost: { bus: axi-lite, clock: 100000000 }\n";

#[test]
fn fusesoc_finds_every_file_of_a_design_and_plays_its_bench() {
    if !["fusesoc", "verilator", "iverilog", "make"].into_iter().all(has) {
        return;
    }
    let place = generated(FOR_TOOLS);
    let run = |target: &str| {
        let _ = fs::remove_dir_all(place.path().join("build"));
        let mut command = Command::new("fusesoc");
        command.args(["--cores-root", "calls", "run", "--target", target, "torusweave:generated:calls"]);
        // FuseSoC keeps its settings below these folders
        command.current_dir(place.path()).env("HOME", place.path()).env("XDG_CONFIG_HOME", place.path());
        let output = command.output().unwrap();
        (output.status.success(), said(&output))
    };
    for (target, wanted) in [("lint", ""), ("sim", "PASS 2 72")] {
        let (passed, words) = run(target);
        assert!(passed && words.contains(wanted), "{target}: {words}");
    }
    spoil_router(&place);
    let (passed, words) = run("sim");
    assert!(!passed || words.contains("FAIL"), "{words}");
}

#[test]
fn vivado_and_bender_are_told_every_file_of_a_design() {
    let place = generated(FOR_TOOLS);
    let folder = fs::canonicalize(place.path().join("calls")).unwrap();
    let listed = fs::read_to_string(folder.join("calls.f")).unwrap();
    let text = fs::read_to_string(folder.join("Bender.yml")).unwrap();
    let manifest: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let files: Vec<&str> =
        manifest["sources"][0]["files"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    assert_eq!(files, listed.lines().collect::<Vec<_>>());
    assert!(folder.join(manifest["sources"][1]["files"][0].as_str().unwrap()).is_file());
    if !has("yosys") {
        return;
    }
    // yosys has a Tcl to run the scripts in
    place.write(
        "top.tcl",
        "proc read_verilog {path} { puts \"read $path\" }\nproc get_ports {name} { return $name }\n\
         proc create_clock {args} { puts \"clock $args\" }\nproc read_xdc {path} { source $path }\n\
         source calls/calls.vivado.tcl\n",
    );
    let output = Command::new("yosys").args(["-Q", "-T", "-c", "top.tcl"]).current_dir(place.path()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let read: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("read ")).collect();
    let expected: Vec<String> = listed.lines().map(|path| folder.join(path).display().to_string()).collect();
    assert_eq!(read, expected, "{printed}");
    assert!(printed.contains("clock -name aclk -period 10.000 aclk"), "{printed}");
}

/// Compares a design's component.xml with the design, then with faults in it.
fn described(place: &Place, opening: &str, faults: &[(&str, &str)]) {
    let path = place.path().join("calls/component.xml");
    let text = fs::read_to_string(&path).unwrap();
    let compared = || -> Ended {
        let script = project().join("sim/component.py");
        Command::new(PYTHON).arg(script).arg("calls").current_dir(place.path()).output().unwrap().into()
    };
    let ended = compared();
    assert!(ended.stdout.starts_with(opening), "{}{}", ended.stdout, ended.stderr);
    for (right, wrong) in faults {
        assert!(text.contains(right), "{right}");
        fs::write(&path, text.replacen(right, wrong, 1)).unwrap();
        assert_eq!(compared().code, 1, "{wrong} is not seen");
    }
}

#[test]
fn ip_xact_of_a_design_has_the_ports_registers_and_files_that_it_has() {
    if !has(PYTHON) {
        return;
    }
    let faults = [
        ("<spirit:direction>out<", "<spirit:direction>in<"),
        (">WSTRB<", ">WDATA<"),
        ("0x1c", "0x20"),
        ("read-only", "read-write"),
        (">calls_core.v<", ">core.v<"),
        (">11</spirit:left>", ">31</spirit:left>"),
    ];
    described(&generated(FOR_TOOLS), "21 ports, 13 registers, ", &faults);
    // streams are buses of their own, and there are no registers
    let streams = FOR_TOOLS.replace("bus: axi-lite, clock: 100000000", "bus: streams") + "local: { order: origin }\n";
    let faults = [
        ("<spirit:master/>", "<spirit:slave/>"),
        (">n0_1_m_axis_tlast<", ">n0_2_m_axis_tlast<"),
        (">TDEST<", ">TUSER<"),
        (">15</spirit:left>", ">16</spirit:left>"),
    ];
    described(&generated(&streams), "77 ports, 0 registers, ", &faults);
    // one collective, whose words have the bits of a parameter
    for (about, opening) in [
        ("--order origin", "60 ports, 0 registers, "),
        ("--order origin --host chain", "15 ports, 0 registers, "),
        ("--results memory", "72 ports, 0 registers, "),
        ("--words 2", "66 ports, 0 registers, "),
    ] {
        let place = Place::new();
        let command = format!("generate --torus 2x3 --scheme optimal --width 16 {about} --name calls --out calls");
        assert_eq!(place.run(&command).code, 0, "{about}");
        let faults =
            [(">15</spirit:left>", ">16</spirit:left>"), (">calls_node.v<", ">node.v<"), (">TREADY<", ">TVALID<")];
        described(&place, opening, &faults);
    }
    // the other buses have no memory map of their own
    let place = generated(&FOR_TOOLS.replace("axi-lite", "uart"));
    assert!(!place.path().join("calls/component.xml").exists());
    let constraints = fs::read_to_string(place.path().join("calls/calls.xdc")).unwrap();
    assert!(constraints.contains("set_false_path -from [get_ports rx]"), "{constraints}");
}
