//! Self-test of boards: every board tests its own nodes, names what is wrong, and all of them begin anew together.

use std::fs;
use std::path::Path;

use crate::bist_streams::{config_of_all, run, says};
use crate::fixtures::command::Place;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{has, said};

/// Listens to the serial line of every board, four clocks per bit, and prints each line with the number of the board. Both
/// phases of `PHASES` begin with a key at one board; the first one loses a cable's frames for a while.
const LISTENER: &str = r#"
module ear #(parameter integer BOARD = 0) (input wire clk, input wire tx, output reg heard);
    reg [7:0] letter;
    reg [8*100-1:0] line;
    integer place;
    initial begin
        heard = 1'b0;
        forever begin
            letter = 8'd0;
            line = 0;
            while (letter != 8'd10) begin
                @(negedge tx);
                repeat (4 + 2) @(posedge clk);
                for (place = 0; place < 8; place = place + 1) begin
                    letter[place] = tx;
                    repeat (4) @(posedge clk);
                end
                if (letter != 8'd10) line = {line[8*99-1:0], letter};
            end
            $display("%0d %0s", BOARD, line);
            heard = ~heard;
        end
    end
endmodule
module listener;
    localparam integer BOARDS = `BOARDS;
    reg clk = 1'b0;
    reg rst = 1'b1;
    reg [BOARDS-1:0] again = 0;
    wire [BOARDS-1:0] tx, passed, failed, heard;
    wire [32*BOARDS-1:0] links;
    always #1 clk = ~clk;
    d_bists #(.CLOCK(4), .BAUD(1), `PARAMETERS) dut (
        .clk(clk), .rst(rst), .again(again), .passed(passed), .failed(failed), .links(links), .tx(tx)
    );
    genvar board;
    generate
        for (board = 0; board < BOARDS; board = board + 1) begin : g_board
            ear #(.BOARD(board)) ear (.clk(clk), .tx(tx[board]), .heard(heard[board]));
        end
    endgenerate
    initial begin
        repeat (3) @(negedge clk);
        rst = 1'b0;
        `CUT
        wait (&heard);
        $display("lamps %b %b", passed, failed);
        if (`PHASES == 2) begin
            repeat (100) @(negedge clk);
            again = 1;
            repeat (10) @(negedge clk);
            again = 0;
            wait (~|heard);
            $display("lamps %b %b", passed, failed);
        end
        $finish;
    end
    initial begin
        #40000000 $display("silence");
        $finish;
    end
endmodule
"#;

/// Verdict of a board: `PASS`, calls, words and nodes, or what stands behind `FAIL`.
type Verdict = Result<[u64; 3], String>;

/// Verdicts of boards, by their numbers, one list for each phase.
fn say(folder: &Path, boards: usize, parameters: &str, cut: Option<&str>) -> Vec<Vec<Verdict>> {
    said_in(folder, boards, parameters, cut, if cut.is_some() { 2 } else { 1 })
}

/// Verdicts of boards, one of which is switched on late.
fn say_late(folder: &Path, boards: usize, parameters: &str, late: &str) -> Vec<Verdict> {
    said_in(folder, boards, parameters, Some(late), 1).remove(0)
}

fn said_in(folder: &Path, boards: usize, parameters: &str, cut: Option<&str>, phases: usize) -> Vec<Vec<Verdict>> {
    let listener = LISTENER
        .replace("`BOARDS", &boards.to_string())
        .replace("`PARAMETERS", parameters)
        .replace("`CUT", cut.unwrap_or_default())
        .replace("`PHASES", &phases.to_string());
    fs::write(folder.join("listener.v"), listener).unwrap();
    let built = run(folder, "timeout", "60 iverilog -g2005 -o listener -s listener -f d.f tb/d_bists.v listener.v");
    assert!(!built.contains("error"), "{built}");
    let printed = run(folder, "timeout", "120 vvp -n listener");
    let mut all = Vec::new();
    let mut phase = vec![None; boards];
    for line in printed.lines().filter(|line| !line.contains("$finish")) {
        let (first, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{printed}"));
        if first == "lamps" {
            let verdicts: Vec<Verdict> = std::mem::replace(&mut phase, vec![None; boards])
                .into_iter()
                .map(|verdict| verdict.unwrap_or_else(|| panic!("{printed}")))
                .collect();
            // the last board stands first
            let lamp = |passes: bool| {
                verdicts
                    .iter()
                    .rev()
                    .map(|verdict| if verdict.is_ok() == passes { '1' } else { '0' })
                    .collect::<String>()
            };
            assert_eq!(rest, format!("{} {}", lamp(true), lamp(false)), "{printed}");
            all.push(verdicts);
        } else {
            let verdict = match rest.strip_prefix("PASS ") {
                Some(numbers) => {
                    let numbers: Vec<u64> = numbers.split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
                    Ok(numbers.try_into().unwrap())
                }
                None => Err(rest.strip_prefix("FAIL ").unwrap_or_else(|| panic!("{printed}")).to_owned()),
            };
            assert!(phase[first.parse::<usize>().unwrap()].replace(verdict).is_none(), "{printed}");
        }
    }
    assert_eq!(all.len(), phases, "{printed}");
    all
}

/// Designs of all collectives on boards: network, fields of links, root and operation, and the boards and nodes of each.
const DESIGNS: [(&str, &str, &str, &str, usize, u64); 9] = [
    ("{ torus: [2, 4] }", "width: 4, boards: [1, 2], checksum: crc8", "any", "sum", 2, 4),
    ("{ torus: [2, 4] }", "width: 3, boards: [1, 2], checksum: crc8, start: common", "any", "xor", 2, 4),
    // a board with three of its nodes, and one for each node, of which one is dead
    ("{ mesh: [3, 4], dead: { nodes: ['1,3'] } }", "width: 6, boards: [1, 2], checksum: crc16", "[0, 1]", "max", 2, 6),
    ("{ torus: [2, 3], dead: { nodes: ['1,1'] } }", "width: 4, checksum: crc8", "[0, 1]", "min", 5, 1),
    ("{ lattice: [[4, 2], [0, 4]] }", "width: 5, boards: [2, 2], checksum: crc16", "[0, 1]", "sum", 4, 4),
    ("{ torus: [2, 4] }", "width: 2, boards: [1, 2], checksum: crc8, ports: serial", "[1, 1]", "xor", 2, 4),
    ("{ cycle: 4 }", "width: 4, checksum: crc16, ports: bytes, clocks: cable, start: common", "[0]", "or", 4, 1),
    ("{ torus: [2, 4] }\nlocal: { words: 2 }", "width: 4, boards: [1, 2], checksum: crc8", "any", "sum", 2, 4),
    ("{ torus: [2, 4] }\nlocal: { results: memory }", "width: 4, boards: [1, 2], checksum: crc16", "any", "xor", 2, 4),
];

fn generated(network: &str, links: &str, root: &str, operation: &str) -> Place {
    let place = Place::new();
    let fields = format!("topology: {network}\nlink: {{ elastic: true, {links} }}");
    place.write("d.yaml", config_of_all(&fields, root, operation));
    let ended = place.run("generate d.yaml --out d");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{network} {links}");
    place
}

/// Makes the boards of a design wait less for words that never come: still longer than links take to train.
fn impatient(folder: &Path) {
    let path = folder.join("d_bist.v");
    let text = fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once("localparam integer PATIENCE = ").unwrap();
    let (_, after) = after.split_once(';').unwrap();
    fs::write(path, format!("{before}localparam integer PATIENCE = 4000;{after}")).unwrap();
}

/// Words that the self-test of the same programs on one device compares in a run.
fn words_on_one_device(network: &str, links: &str, root: &str, operation: &str) -> u64 {
    let width = links.split(',').next().unwrap();
    let place = Place::new();
    place.write("d.yaml", config_of_all(&format!("topology: {network}\nlink: {{ {width} }}"), root, operation));
    let ended = place.run("generate d.yaml --out d");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{network}");
    let said = says(&place.path().join("d"), 2, (0, 0, 0));
    let words = said.strip_prefix("PASS 2 ").and_then(|rest| rest.split(' ').nth(1));
    words.unwrap_or_else(|| panic!("{said}")).parse().unwrap()
}

#[test]
fn every_board_passes_and_all_words_of_one_device_are_compared() {
    if !has("iverilog") {
        return;
    }
    for (network, links, root, operation, boards, nodes) in sampled(DESIGNS, 9) {
        let place = generated(network, links, root, operation);
        let folder = place.path().join("d");
        assert_eq!(run(&folder, "iverilog", "-g2005 -Wall -o all -s d_bists -f d.f tb/d_bists.v"), "");
        if has("verilator") {
            assert_eq!(run(&folder, "verilator", "--lint-only -Wall --top-module d_bists -f d.f tb/d_bists.v"), "");
        }
        let verdicts = say(&folder, boards, ".RUNS(2)", None).remove(0);
        let numbers: Vec<[u64; 3]> = verdicts.into_iter().map(|verdict| verdict.unwrap()).collect();
        let calls = if root == "any" { 17 } else { 9 };
        assert!(numbers.iter().all(|&[of_run, _, places]| (of_run, places) == (calls, nodes)), "{links}: {numbers:?}");
        let compared: u64 = numbers.iter().map(|numbers| numbers[1]).sum();
        assert_eq!(compared, words_on_one_device(network, links, root, operation), "{network} {links}");
    }
}

/// One word is wrong: its board names it by the node's place in the network, and the calls of the others do not end.
#[test]
fn a_wrong_word_is_named_by_its_board_and_ends_the_others() {
    if !has("iverilog") {
        return;
    }
    let (network, links, root, operation, boards, _) = DESIGNS[0];
    let place = generated(network, links, root, operation);
    let folder = place.path().join("d");
    impatient(&folder);
    for (node, board, named) in sampled([(6, 1, "2 3 1,2 m "), (1, 0, "2 3 0,1 m ")], 2) {
        let injected = format!(".RUNS(4), .INJECT_RUN(2), .INJECT_TICK(3), .INJECT_NODE({node})");
        let verdicts = say(&folder, boards, &injected, None).remove(0);
        let named_by = verdicts[board].clone().unwrap_err();
        let words: Vec<u64> = named_by.split(' ').skip(4).map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
        assert!(named_by.starts_with(named) && words.len() == 2 && words[0] ^ words[1] == 1, "{named_by}");
        assert_eq!(verdicts[1 - board], Err("3 17 flag".to_owned()));
    }
    // the host's board stops, and nobody calls the other one
    let (network, links, root, operation, boards, _) = DESIGNS[1];
    let place = generated(network, links, root, operation);
    let folder = place.path().join("d");
    impatient(&folder);
    let injected = ".RUNS(4), .INJECT_RUN(2), .INJECT_TICK(3), .INJECT_NODE(1)";
    let verdicts = say(&folder, boards, injected, None).remove(0);
    assert!(verdicts[0].clone().unwrap_err().starts_with("2 3 0,1 m "), "{verdicts:?}");
    assert_eq!(verdicts[1], Err("3 17 compared 0".to_owned()));
}

/// A cable that loses its frames fails both boards; a key at one of them begins anew at all, and then all is right.
#[test]
fn boards_begin_anew_together_when_a_cable_is_back() {
    if !has("iverilog") {
        return;
    }
    for design in sampled([DESIGNS[1], DESIGNS[0]], 2) {
        let (network, links, root, operation, boards, _) = design;
        let place = generated(network, links, root, operation);
        let cut = "repeat (3000) @(negedge clk); force dut.b0_0_r_m_axis_tvalid = 1'b0; \
                   repeat (3000) @(negedge clk); release dut.b0_0_r_m_axis_tvalid;";
        let [broken, whole] = &say(&place.path().join("d"), boards, ".RUNS(2)", Some(cut))[..] else {
            panic!("{links}")
        };
        for verdict in broken {
            assert!(verdict.as_ref().is_err_and(|said| said.ends_with(" 17 flag")), "{links}: {broken:?}");
        }
        assert!(whole.iter().all(Result::is_ok), "{links}: {whole:?}");
    }
}

/// A board that is switched on long after the others is waited for, next to it or farther away.
#[test]
fn boards_that_are_late_are_waited_for() {
    if !has("iverilog") {
        return;
    }
    for start in sampled(["", ", start: common"], 2) {
        let place = Place::new();
        let fields = format!(
            "topology: {{ path: 3 }}\nlink: {{ width: 4, elastic: true, checksum: crc8{start} }}\nhost: {{ bus: streams }}"
        );
        place.write("d.yaml", format!("name: d\n{fields}\nbist: true\nprograms:\n  - {{ collective: gossip }}\n"));
        let ended = place.run("generate d.yaml --out d");
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        let late = "force dut.n2.rst = 1'b1; repeat (30000) @(negedge clk); release dut.n2.rst;";
        let verdicts = say_late(&place.path().join("d"), 3, ".RUNS(2)", late);
        assert!(verdicts.iter().all(Result::is_ok), "{start}: {verdicts:?}");
    }
}

/// Faults of a word that a board must name, and those of what its nodes are told.
#[test]
fn no_fault_at_a_board_passes() {
    if !has("iverilog") {
        return;
    }
    let (network, links, root, operation, boards, _) = DESIGNS[0];
    let place = generated(network, links, root, operation);
    let file = place.path().join("d/d_bist.v");
    let whole = fs::read_to_string(&file).unwrap();
    let faults = [
        (".out(n0_1_out)", ".out(n0_1_out ^ 1)"),
        (".out_valid(n0_1_out_valid)", ".out_valid(1'b1)"),
        (".n0_1_s_axis_tdata(n0_1_in_data)", ".n0_1_s_axis_tdata(n0_1_in_data ^ 1)"),
        // a checker that sees nothing
        (".stray(node_stray)", ".stray(1'b0)"),
        ("= arrivals_each[board*24+:24]", "= arrivals_each[board*24+:24] + 24'd1"),
    ];
    for (from, to) in sampled(faults, 4) {
        assert!(whole.contains(from), "{from}");
        fs::write(&file, whole.replacen(from, to, 1)).unwrap();
        let verdicts = say(&place.path().join("d"), boards, ".RUNS(2)", None).remove(0);
        assert!(verdicts.iter().any(Result::is_err), "{to}: {verdicts:?}");
    }
}

/// One build serves all boards: coordinates and wires have pins, and the top is whole.
#[test]
fn an_fpga_takes_the_self_test_of_a_board() {
    let place = Place::new();
    place.write(
        "d.yaml",
        "name: d\ntopology: { path: 2 }\nlink: { width: 2, elastic: true, checksum: crc8, ports: serial }\n\
         host: { bus: uart }\nprograms:\n  - { collective: gossip }\n",
    );
    let ended = place.run("fpga d.yaml --top bist --device hx8k --out d");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    // a board has one node
    if let Some(figures) = ended.stdout.split_once("by itself") {
        let lut = |line: &str| line.split_whitespace().find_map(|word| word.parse::<f64>().ok());
        let shown: Vec<Option<f64>> = figures.1.lines().take(2).map(lut).collect();
        assert!(shown[0].is_some() && shown[0] == shown[1], "{}", ended.stdout);
    }
    let read = |file: &str| fs::read_to_string(place.path().join("d").join(file)).unwrap();
    let (top, pins) = (read("d_fpga.v"), read("board.pcf"));
    for name in ["x1_0", "x1m_rx", "x1m_tx", "x1p_rx", "x1p_tx", "led_failed"] {
        assert!(top.contains(&format!("wire {name}")) && pins.contains(&format!(" {name} ")), "{name}: {top}{pins}");
    }
    if has("yosys") {
        let script = "read_verilog *.v; hierarchy -check -top d_fpga; proc; check -assert";
        let folder = place.path().join("d");
        let output =
            std::process::Command::new("yosys").args(["-q", "-p", script]).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
    // takes wires for ports, as a board has pins for them
    let line = "fpga d.yaml --top bist --device hx8k --set link.ports=stream --out e";
    let ended = place.command().args(line.split(' ')).env("PATH", "").output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
    assert_eq!(fs::read_to_string(place.path().join("e/d_fpga.v")).unwrap(), top);
}
