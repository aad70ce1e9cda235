//! Calls on boards take the clocks that `pace` says: measured on all boards of the generated bench, with cables of any length.

use std::fs;
use std::process::Command;

use torusweave::design::config::Config;
use torusweave::design::list;
use torusweave::design::listed::Programs;
use torusweave::emit::{self, MemoryFiles, names};
use torusweave::net::{Channel, NodeId};
use torusweave::netlist::{BoardPort, BoardStart, PortClock};
use torusweave::study::pace;
use torusweave::study::pace::calls::{CallClocks, CalledBoards};
use torusweave::study::pace::wires::WireClocks;

use crate::fixtures::command::Place;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;

/// Boards with several nodes, and a board for each node, on short links and on long ones. Every output sends a word in every tick: what
/// Icarus does not know has no checksum.
const LISTS: [&str; 3] = [
    "name: calls\ntopology: { torus: [4, 4] }\nlink: { width: 16, elastic: true, checksum: crc16, boards: [2, 2] }\n\
     host: { bus: streams }\nprograms:\n  - { collective: gossip }\n  - { collective: all-reduce, operation: sum }\n",
    "name: calls\ntopology: { torus: [2, 3] }\nlink: { width: 8, elastic: true, checksum: crc8 }\nhost: { bus: streams }\n\
     programs:\n  - { collective: gossip }\n",
    "name: calls\ntopology: { torus: [3, 4] }\nlink: { width: 8, latency: 3, flits: 3, elastic: true, checksum: crc16, boards: [3, 2] }\n\
     host: { bus: streams }\nprograms:\n  - { collective: gossip }\n",
];

/// Clocks of the cable that leaves a board by a port.
type Cable = fn(NodeId, Channel) -> u32;

const CABLES: [Cable; 3] =
    [|_, _| 1, |_, _| 9, |board, output| 1 + (board.0 * 7 + output.port.index() as u32 * 5) % 23];

/// Calls that follow one another.
const CALLS: u32 = 6;

/// The module with all boards, with a shift register in each cable.
fn with_cables(text: &str, programs: &Programs, cable: Cable) -> String {
    let boards = programs.boards().unwrap();
    let axes = programs.netlist.topology.axes();
    let mut text = text.to_owned();
    for board in boards.blocks.boards().node_ids() {
        for output in programs.designs[0].program.channels() {
            let name = format!("{}_{}", names::of_board(&boards.blocks, board), names::channel(axes, output));
            let declared = format!("    wire {name}_m_axis_tvalid;\n");
            let Some(at) = text.find(&declared) else { continue };
            let clocks = cable(board, output);
            let delay = format!(
                "    wire {name}_past_valid;\n    wire [$bits({name}_m_axis_tdata)-1:0] {name}_past_data;\n\
                 \x20   cable #(.BITS(256), .CLOCKS({clocks})) {name}_cable (.clk(clk), \
                 .in({{{name}_m_axis_tvalid, {name}_m_axis_tdata}}), .out({{{name}_past_valid, {name}_past_data}}));\n"
            );
            text.insert_str(at + declared.len(), &delay);
            for signal in ["data", "valid"] {
                text = text.replace(
                    &format!("_s_axis_t{signal}({name}_m_axis_t{signal}"),
                    &format!("_s_axis_t{signal}({name}_past_{signal}"),
                );
            }
        }
    }
    text + "module cable #(parameter integer BITS = 1, parameter integer CLOCKS = 1) (\n    input wire clk, input wire [BITS-1:0] in, \
            output wire [BITS-1:0] out);\n    reg [BITS*CLOCKS-1:0] way = 0;\n    \
            always @(posedge clk) way <= {way, in};\n    assign out = way[BITS*CLOCKS-1-:BITS];\nendmodule\n"
}

/// Bench that calls a program once for its place, then once alone, then several times in a row.
fn bench(programs: &Programs, number: usize, root: u32) -> String {
    let topology = &programs.netlist.topology;
    let boards = programs.boards().unwrap();
    let ports = topology.node_ids().map(|node| {
        let name = names::node(topology, node);
        format!(
            ", .{name}_s_axis_tdata(0), .{name}_s_axis_tvalid(1'b1), .{name}_s_axis_tdest({number}), .{name}_m_axis_tready(1'b1)"
        )
    });
    let ticks = boards.blocks.boards().node_ids().map(|board| {
        let board = names::of_board(&boards.blocks, board);
        format!("(system.{board}.plays & system.{board}.ce)")
    });
    let ticks = ticks.collect::<Vec<_>>().join(" | ");
    format!(
        "module bench;\n    reg clk = 1'b0;\n    reg rst = 1'b1;\n    reg start = 1'b0;\n    wire ready, busy;\n\
         \x20   integer clock = 0, from = 0, first = 0, last = 0, left;\n    wire ticks = {ticks};\n    always #5 clk = ~clk;\n\
         \x20   always @(posedge clk) begin\n        clock <= clock + 1;\n        if (ticks) last <= clock;\n        if (ticks & (first == 0)) first <= clock;\n    end\n\
         \x20   calls_boards system (.clk(clk), .rst(rst), .start(start), .ready(ready), .busy(busy), .program_number({number}), .root({root}){});\n\
         \x20   task calls(input integer number);\n        begin\n            @(negedge clk);\n            first = 0;\n            start = 1'b1;\n            from = 0;\n\
         \x20           left = number;\n            while (left > 0) begin\n                #1;\n                if (ready) begin\n                    left = left - 1;\n\
         \x20                   if (from == 0) from = clock;\n                end\n                @(negedge clk);\n            end\n            start = 1'b0;\n            #1;\n\
         \x20           while (busy) begin\n                @(negedge clk);\n                #1;\n            end\n            $display(\"%0d %0d\", clock - from, last - first + 1);\n        end\n    endtask\n\
         \x20   initial begin\n        repeat (4) @(negedge clk);\n        rst = 1'b0;\n        repeat (3) begin\n            calls(1);\n            repeat (100) @(negedge clk);\n        end\n\
         \x20       calls({CALLS});\n        $finish;\n    end\n    initial #1000000 $fatal(1);\nendmodule\n",
        ports.collect::<String>()
    )
}

/// Clocks of a call alone, of its ticks, and of calls in a row, as measured.
fn measured(place: &Place, bench: &str) -> [u64; 3] {
    fs::write(place.path().join("bench.v"), bench).unwrap();
    let run = |tool: &str, line: &str| {
        let output = Command::new(tool).args(line.split(' ')).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run("iverilog", "-g2012 -o sim -s bench -f calls.f bench.v boards.v");
    let printed = run("vvp", "-n sim");
    let lines: Vec<Vec<u64>> =
        printed.lines().filter_map(|line| line.split(' ').map(|word| word.parse().ok()).collect()).collect();
    let [.., alone, row] = lines.as_slice() else { panic!("{printed}") };
    [alone[0], alone[1], row[0]]
}

#[test]
fn calls_on_boards_take_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    let own = LISTS.map(|config| (config.to_owned(), BoardStart::Own));
    let common =
        LISTS.map(|config| (config.replace("elastic: true", "elastic: true, start: common"), BoardStart::Common));
    for (config, start) in sampled(own.into_iter().chain(common), 2) {
        let programs = Programs::new(Config::parse(&config).unwrap()).unwrap();
        let mut files = MemoryFiles::default();
        programs.write(&mut files).unwrap();
        let place = Place::new();
        files.0.into_iter().for_each(|(path, bytes)| place.write(&path, bytes));
        let joined = fs::read_to_string(place.path().join("tb/calls_boards.v")).unwrap();
        let blocks = programs.boards().unwrap().blocks;
        for cable in sampled(CABLES.into_iter().rev(), 3) {
            place.write("boards.v", with_cables(&joined, &programs, cable));
            for (number, design) in programs.designs.iter().enumerate() {
                let words = programs.words_of_boards(number);
                let ticks = programs.netlist.programs[number].ticks;
                let (boards, is_apart) = (blocks.boards(), programs.has_banks_apart());
                let called = CalledBoards { program: &design.program, boards, ticks, words: &words, is_apart };
                let beside = pace::beside(true, PortClock::Board);
                let clocks =
                    |calls| called.clocks(start, calls, |board, output| beside + cable(board, output), &|_| ());
                let (CallClocks { all: alone, played }, CallClocks { all: row, .. }) = (clocks(1), clocks(CALLS));
                let root = design.root().map_or(0, |root| root.0);
                let found = measured(&place, &bench(&programs, number, root));
                // reports of boards that are ready, and starts, wait for tokens, and these for starts
                let most = if start == BoardStart::Common { u64::from(2 * CALLS) } else { 0 };
                let about =
                    format!("{} with cables of {}", list::title(design), cable(NodeId(0), Channel::from_index(0, 1)));
                println!("{about}, {start:?}: {alone}, {played}, {row}, measured {found:?}");
                assert_eq!([alone, played], found[..2], "{about}");
                assert!((row..=row + most).contains(&found[2]), "{about}: {row}, not {found:?}");
            }
        }
    }
}

/// To the clock, but for the first token of a call, which may find a frame without one on its wire.
#[test]
fn calls_on_wires_and_transceivers_take_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    let forms = ["ports: bytes, bytes: 2, clocks: cable", "ports: serial", "ports: bytes, bytes: 2"];
    for form in sampled(forms, 3) {
        let config = LISTS[0].replace("boards: [2, 2]", &format!("boards: [2, 2], {form}"));
        let programs = Programs::new(Config::parse(&config).unwrap()).unwrap();
        let mut files = MemoryFiles::default();
        programs.write(&mut files).unwrap();
        let place = Place::new();
        files.0.into_iter().for_each(|(path, bytes)| place.write(&path, bytes));
        place.write("boards.v", fs::read(place.path().join("tb/calls_boards.v")).unwrap());
        let blocks = programs.boards().unwrap().blocks;
        let link = &programs.config.link;
        let frames = programs.slow_frames().expect("frames take several clocks");
        let bits = frames[0].1;
        let wire = |_, _| match link.ports {
            BoardPort::Serial => WireClocks::new(bits, emit::DIVISOR, 0),
            _ => WireClocks::of_beats(link.beats(bits), link.clocks, 0),
        };
        let frame =
            u64::from(if link.ports == BoardPort::Serial { (bits + 3) * emit::DIVISOR } else { link.beats(bits) });
        for (number, design) in programs.designs.iter().enumerate() {
            let words = programs.words_of_boards(number);
            let ticks = programs.netlist.programs[number].ticks;
            let (boards, is_apart) = (blocks.boards(), programs.has_banks_apart());
            let called = CalledBoards { program: &design.program, boards, ticks, words: &words, is_apart };
            let [one, row] = [1, CALLS].map(|calls| called.clocks_on_wires(calls, wire, &|_| ()));
            let found = measured(&place, &bench(&programs, number, 0));
            let told = [one.all, one.played, row.all];
            println!("{form}: {}: {told:?}, measured {found:?}, a frame of {frame}", list::title(design));
            for ((told, found), calls) in told.into_iter().zip(found).zip([1, 1, u64::from(CALLS)]) {
                assert!((told..=told + calls * frame).contains(&found), "{form}: {told}, not {found}");
            }
        }
    }
}

/// One list whose two programs differ in nothing but their root: a call in a row costs what its longest part takes.
#[test]
fn pace_tells_what_a_call_costs_alone_and_in_a_row() {
    let place = Place::new();
    place.write("list.yaml", LISTS[0]);
    let ended = place.run("pace list.yaml --program gossip --runs 4");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let row = |link: &str| -> Vec<f64> {
        let line = ended.stdout.lines().find(|line| line.trim_start().starts_with(link)).unwrap();
        line.split_whitespace().take(5).map(|word| word.parse().unwrap()).collect()
    };
    let [short, long] = ["1 ", "64 "].map(row);
    assert!(short[2] < short[1] && short[1] < long[1] && short[3] < long[3], "{}", ended.stdout);
    let json = place.run("pace list.yaml --format json --runs 1");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["items"].as_array().unwrap().len(), 2);
    assert!(json["items"][1]["links"][0]["calls"]["alone"].as_u64().unwrap() > 20, "{json}");
}
