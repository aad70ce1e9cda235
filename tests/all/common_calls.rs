//! Boards of several programs that one board calls: played by their bench and by one of their own, with faults of cables, boards and RTL.

use std::fs;
use std::process::Command;

use crate::fixtures::called::{every_tool_is_silent, generated};
use crate::fixtures::command::Place;
use crate::fixtures::node_lists::{ALL, ROOTED, SHORT, compiled, list, played, with_settings};
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::{has, said};

/// Networks, links with what else a design has, and programs.
const DESIGNS: [(&str, &str, &str); 11] = [
    ("torus: [4, 4]", "link: { width: 16, boards: [2, 2], @ },", ALL),
    ("mesh: [3, 4]", "link: { width: 8, boards: [3, 2], @ },", ROOTED),
    ("torus: [3, 4], dead: { nodes: [\"0,1\"] }", "link: { width: 16, boards: [1, 2], latency: 2, @ },", ROOTED),
    ("torus: [2, 4]", "link: { width: 8, boards: [2, 2], ports: serial, @ },", "{ collective: broadcast, root: any }"),
    (
        "torus: [3, 4]",
        "link: { width: 16, boards: [3, 2], ports: bytes, bytes: 4, clocks: cable, @ },",
        "{ collective: all-reduce, operation: sum, flits: 2 }, { collective: scatter, root: any }",
    ),
    (
        "lattice: [[4, 2], [0, 4]], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"] }",
        "link: { width: 16, boards: [2, 2], latency: 3, @ },",
        ROOTED,
    ),
    ("torus: [2, 3]", "link: { width: 60, @ }, local: { order: arrival },", ALL),
    ("torus: [2, 2, 3]", "link: { width: 16, boards: [1, 2, 3], @ }, local: { words: 2 },", ALL),
    ("torus: [4, 4]", "link: { width: 16, boards: [1, 2], clocks: cable, @ }, local: { results: memory },", ALL),
    (
        "torus: [4, 4]",
        "link: { boards: [2, 2], @ }, number: f32, adder: 2,",
        "{ collective: all-reduce, operation: sum }, { collective: gossip }",
    ),
    // a coordinate, four bits of a status, and one of a flit beside program and root
    ("path: 6", "link: { width: 2, boards: [3], @ },", "{ collective: gossip }"),
];

const COMMON: &str = "elastic: true, checksum: crc16, start: common";

fn config((network, more, programs): (&str, &str, &str)) -> String {
    list(network, &more.replace('@', COMMON), programs)
}

#[test]
fn calls_of_one_board_are_those_of_all_boards() {
    if !has("iverilog") {
        return;
    }
    for design in sampled(DESIGNS.into_iter().rev(), 11) {
        let place = generated(&config(design));
        let told = fs::read_to_string(place.path().join("calls/calls_programs.json")).unwrap();
        assert!(told.contains("\"number\": 9,"), "{told}");
        let ended = played(&place, "calls_tb");
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{design:?}: {}{}", ended.stdout, ended.stderr);
    }
}

/// One collective with nodes on boards is a list of one program.
#[test]
fn one_collective_of_nodes_on_boards_has_a_common_start() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let boards = "--elastic true --checksum crc8 --boards 1x2 --width 8 --start common";
    for nodes in ["--order arrival", "--collective all-reduce --operation sum --results memory"] {
        let ended = place.run(&format!("simulate --torus 2x4 {boards} {nodes} --engine icarus"));
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{nodes}: {}{}", ended.stdout, ended.stderr);
    }
}

/// Words for a call come at one board, so that others can take the next call at once.
const BROADCAST: &str = "{ collective: broadcast, root: any }";
const QUARTERS: (&str, &str, &str) = ("torus: [2, 4]", "link: { width: 8, boards: [2, 2], @ },", BROADCAST);
const HALVES: (&str, &str, &str) = ("torus: [2, 4]", "link: { width: 8, boards: [1, 2], @ },", BROADCAST);

/// Plays many calls over short cables, then over longer ones that wait, and a few after a board was held back.
fn passes(place: &Place) -> bool {
    compiled(place, "calls_tb");
    let runs = quick_or_full(15, 40);
    [format!("{SHORT} +runs={runs}"), format!("+held=0 +runs={runs} +seed=2"), "+runs=6".to_owned()]
        .iter()
        .all(|settings| with_settings(place, settings).code == 0)
}

/// Faults of the start and of what the board makes of it. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn the_bench_sees_faults_of_common_calls() {
    if !has("iverilog") {
        return;
    }
    let faults = [
        (QUARTERS, "starter", "is_host ? start_word : chosen(parent, words)", "start_word"),
        (HALVES, "starter", "status_put[port] & (statuses[4*port] == sent[port])", "status_put[port]"),
        (QUARTERS, "starter", "late = children & ~child_ready", "late = {4{1'b0}}"),
        (QUARTERS, "starter", "((begins & children[port])", "((begins & children[port] & is_host)"),
        (HALVES, "board", "links_ready & ready_here & ~called", "links_ready & ready_here"),
        (QUARTERS, "starter", "(is_host ? start : come)", "start"),
        (QUARTERS, "tree", "{1'd1, 1'd1}: of = {4'b1000", "{1'd1, 1'd1}: of = {4'b0001"),
        (HALVES, "sender", "~stopped & ~start_valid", "~stopped"),
        (QUARTERS, "sender", "(start_valid & start_ready) | ", ""),
        (QUARTERS, "board", "links_ready & ready_here & ~called", "links_ready & ~called"),
        (HALVES, "board", "busy_here | called", "busy_here & called"),
        (QUARTERS, "receiver", "put | start_put}", "put}"),
        (QUARTERS, "board", "{called_program, called_root} = call", "{called_root, called_program} = call"),
    ];
    let mut places = Vec::new();
    for (design, part, right, wrong) in sampled(faults, 13) {
        if !places.iter().any(|(it, _)| *it == design) {
            let place = generated(&config(design));
            assert!(passes(&place), "{design:?}");
            places.push((design, place));
        }
        let (_, place) = places.iter().find(|(it, _)| *it == design).unwrap();
        let path = place.path().join(format!("calls/calls_{part}.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{part}: `{right}` is not there:\n{good}");
        fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
        assert!(!passes(place), "{part}: `{wrong}` is not seen");
        fs::write(&path, good).unwrap();
    }
}

/// Three boards in a row, of a node each, called by the first: node u sends words 10, 20 and 30. Program 0 is a gossip, program 1 sums up.
const ROW: &str = r#"
`default_nettype none
module row_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg start = 1'b0, program_number = 1'b0, restart = 1'b0;
    reg damage = 1'b0, cut = 1'b0, loses = 1'b0;  // of the cable from board 2 to board 1; of starts from board 0 to board 1
    reg [2:0] off = 3'd0, gives = 3'b111, reads = 3'b111;
    wire ready, busy, absent;
    wire [2:0] done, astray, taken, valid, last, dest;
    wire [15:0] word_0, word_1, word_2;
    calls_boards system (
        .clk(clk), .rst(rst), .start(start), .ready(ready), .program_number(program_number), .root(2'd0), .busy(busy),
        .done(done), .absent(absent), .astray(astray),
        .n0_s_axis_tdata(16'd10), .n0_s_axis_tvalid(gives[0]), .n0_s_axis_tready(taken[0]), .n0_s_axis_tdest(system.n0.placed_program),
        .n0_m_axis_tdata(word_0), .n0_m_axis_tvalid(valid[0]), .n0_m_axis_tready(reads[0]), .n0_m_axis_tlast(last[0]), .n0_m_axis_tdest(dest[0]),
        .n1_s_axis_tdata(16'd20), .n1_s_axis_tvalid(gives[1]), .n1_s_axis_tready(taken[1]), .n1_s_axis_tdest(system.n1.placed_program),
        .n1_m_axis_tdata(word_1), .n1_m_axis_tvalid(valid[1]), .n1_m_axis_tready(reads[1]), .n1_m_axis_tlast(last[1]), .n1_m_axis_tdest(dest[1]),
        .n2_s_axis_tdata(16'd30), .n2_s_axis_tvalid(gives[2]), .n2_s_axis_tready(taken[2]), .n2_s_axis_tdest(system.n2.placed_program),
        .n2_m_axis_tdata(word_2), .n2_m_axis_tvalid(valid[2]), .n2_m_axis_tready(reads[2]), .n2_m_axis_tlast(last[2]), .n2_m_axis_tdest(dest[2])
    );
    reg [63:0] came_0 = 0, came_1 = 0, came_2 = 0;
    integer ends = 0, begun = 0;
    always @(posedge clk) if (!rst) begin
        if (valid[0] & reads[0]) came_0 <= came_0 * 100 + word_0;
        if (valid[1] & reads[1]) came_1 <= came_1 * 100 + word_1;
        if (valid[2] & reads[2]) came_2 <= came_2 * 100 + word_2;
        ends <= ends + done[0] + done[1] + done[2];
        begun <= begun + system.n0.called + system.n1.called + system.n2.called;
    end
    task clear;
        begin
            {came_0, came_1, came_2} = 192'd0;
            {ends, begun} = 64'd0;
        end
    endtask
    task call(input number);
        begin
            program_number = number;
            start = 1'b1;
            #1;
            while (!ready) begin
                @(negedge clk);
                #1;
            end
            @(negedge clk);
            start = 1'b0;
            program_number = ~number;
        end
    endtask
    task told;
        begin
            repeat (20) @(negedge clk);
            while (busy) @(negedge clk);
            repeat (2) @(negedge clk);
            $display("%0d %0d %0d, %0d begun, %0d ended", came_0, came_1, came_2, begun, ends);
            clear;
        end
    endtask
    task faults;
        begin
            repeat (300) @(negedge clk);
            $display("faults %0d at %0d, %0d at %0d, %0d at %0d", system.n0.links[3:0], system.n0.links[15:8], system.n1.links[3:0],
                system.n1.links[15:8], system.n2.links[3:0], system.n2.links[15:8]);
            {damage, cut, loses, off} = 6'd0;
            {gives, reads} = 6'b111111;
            restart = 1'b1;
            @(negedge clk);
            restart = 1'b0;
            repeat (2) @(negedge clk);
            clear;
            call(1'b1);
            told;
        end
    endtask
    initial begin
        // a board that is off
        off = 3'b100;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        start = 1'b1;
        repeat (3000) @(negedge clk);
        $display("ready %b, %0d is waited for, %0d begun", ready, system.n0.waits_x1, begun);
        off = 3'd0;
        call(1'b0);
        told;
        // others go by what has come
        call(1'b1);
        repeat (40) @(negedge clk);
        $display("programs %0d %0d %0d", system.n0.called_program, system.n1.called_program, system.n2.called_program);
        told;
        // three calls in a row while nobody reads at board 2: the third waits for it
        reads = 3'b011;
        call(1'b0);
        call(1'b1);
        start = 1'b1;
        repeat (300) @(negedge clk);
        $display("ready %b, %0d is waited for, %0d begun", ready, system.n0.waits_x1, begun);
        reads = 3'b111;
        call(1'b0);
        told;
        // a token is damaged
        call(1'b0);
        while (!(system.n2_x1m_m_axis_tvalid & (system.n2_x1m_m_axis_tdata[$bits(system.n2_x1m_m_axis_tdata)-1-:3] == 3'd3))) @(negedge clk);
        damage = 1'b1;
        repeat (2) @(negedge clk);
        faults;
        // a start is lost
        loses = 1'b1;
        call(1'b0);
        repeat (4) @(negedge clk);
        faults;
        // a call on its way as a link goes down
        cut = 1'b1;
        while (system.n1.links_up[1]) @(negedge clk);
        call(1'b0);
        faults;
        // a board is reset before it has given its words, after the others have
        reads = 3'b011;
        call(1'b0);
        repeat (200) @(negedge clk);
        $display("busy %b%b%b", system.n2.busy, system.n1.busy, system.n0.busy);
        off = 3'b100;
        @(negedge clk);
        off = 3'd0;
        faults;
        // the host's board is reset while all wait for words
        gives = 3'b000;
        call(1'b0);
        repeat (60) @(negedge clk);
        off = 3'b001;
        @(negedge clk);
        off = 3'd0;
        faults;
        // a board that is reset between calls joins again
        off = 3'b010;
        @(negedge clk);
        off = 3'd0;
        repeat (20) @(negedge clk);
        $display("ready %b, %0d is waited for", ready, system.n0.waits_x1);
        call(1'b0);
        told;
        $finish;
    end
    initial begin
        #4000000 $display("FAIL: no end");
        $finish;
    end
endmodule
"#;

/// Three boards in a row with the bench above, and wires in the cables that it pulls.
fn row() -> Place {
    let programs = "{ collective: gossip }, { collective: all-reduce, operation: sum }";
    let place = generated(&config(("path: 3", "link: { width: 16, @ },", programs)));
    let path = place.path().join("calls/tb/calls_boards.v");
    let mut text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        (".x1p_s_axis_tdata(n2_x1m_m_axis_tdata)", ".x1p_s_axis_tdata(n2_x1m_m_axis_tdata ^ row_tb.damage)"),
        (".x1p_s_axis_tvalid(n2_x1m_m_axis_tvalid", ".x1p_s_axis_tvalid(~row_tb.cut & n2_x1m_m_axis_tvalid"),
        (
            ".x1m_s_axis_tvalid(n0_x1p_m_axis_tvalid",
            ".x1m_s_axis_tvalid(~(row_tb.loses & n0_x1p_m_axis_tdata[$bits(n0_x1p_m_axis_tdata)-1-:3] == 3'd7) & n0_x1p_m_axis_tvalid",
        ),
        (".restart(1'b0)", ".restart(row_tb.restart)"),
    ] {
        assert!(text.contains(from), "`{from}` is not there:\n{text}");
        text = text.replacen(from, to, 1);
    }
    for board in 0..3 {
        let (before, own) = text.split_at(text.find(&format!(" n{board} (")).unwrap());
        text = format!("{before}{}", own.replacen(".rst(rst)", &format!(".rst(rst | row_tb.off[{board}])"), 1));
    }
    fs::write(&path, text).unwrap();
    fs::write(place.path().join("calls/tb/row_tb.v"), ROW).unwrap();
    place
}

/// Compiles boards, the network and the bench of the row, and plays it.
fn printed(place: &Place) -> String {
    let folder = place.path().join("calls");
    let files = "-g2012 -o sim -s row_tb -f calls.f tb/calls_boards.v tb/row_tb.v";
    let compiled = Command::new("iverilog").args(files.split(' ')).current_dir(&folder).output().unwrap();
    assert!(compiled.status.success(), "{}", said(&compiled));
    let played = Command::new("vvp").args(["-n", "sim"]).current_dir(&folder).output().unwrap();
    String::from_utf8(played.stdout).unwrap()
}

const GOSSIP: &str = "102030 102030 102030, 3 begun, 3 ended";
const SUM: &str = "606060 606060 606060, 3 begun, 3 ended";

/// Calls, boards that are waited for, and faults with code and port, board by board.
const TOLD: [&str; 19] = [
    "ready 0, 2 is waited for, 0 begun",
    GOSSIP,
    "programs 1 1 1",
    SUM,
    "ready 0, 2 is waited for, 6 begun",
    "102030606060102030 102030606060102030 102030606060102030, 9 begun, 9 ended",
    "faults 5 at 1, 1 at 1, 5 at 0",
    SUM,
    "faults 5 at 1, 2 at 0, 5 at 0",
    SUM,
    "faults 5 at 1, 9 at 1, 0 at 0",
    SUM,
    "busy 100",
    "faults 5 at 1, 4 at 1, 0 at 0",
    SUM,
    "faults 0 at 0, 4 at 0, 5 at 0",
    SUM,
    "ready 0, 1 is waited for",
    GOSSIP,
];

/// Lines that a row of boards says, right and with a fault. One fault; all under `TORUSWEAVE_FULL`.
#[test]
fn boards_that_are_not_ready_and_faults_of_common_calls_are_named() {
    if !has("iverilog") {
        return;
    }
    let place = row();
    assert_eq!(printed(&place).lines().collect::<Vec<_>>(), TOLD);
    // boards that do not tell when their calls have ended, and that do not watch neighbours until then, or while they wait for words
    let faults = [
        (".ended(~busy)", ".ended(1'b1)"),
        ("(busy | x1p_filled | comes | owed[1])", "(busy | x1p_filled | comes)"),
        ("(busy | x1m_filled | comes | owed[0])", "(runs | x1m_filled | comes | owed[0])"),
    ];
    for (right, wrong) in sampled(faults, 3) {
        let path = place.path().join("calls/calls_board.v");
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "`{right}` is not there:\n{good}");
        fs::write(&path, good.replace(right, wrong)).unwrap();
        assert_ne!(printed(&place).lines().collect::<Vec<_>>(), TOLD, "`{wrong}` is not seen");
        fs::write(&path, good).unwrap();
    }
}

#[test]
fn boards_that_one_board_calls_are_clean_to_every_tool() {
    for design in sampled(DESIGNS, 6) {
        let place = generated(&config(design));
        let folder = place.path().join("calls");
        every_tool_is_silent(&folder, "calls_board");
        if has("verilator") {
            let arguments = "--lint-only -Wall -f calls.f tb/calls_boards.v --top-module calls_boards";
            let output = Command::new("verilator").args(arguments.split(' ')).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{design:?}: {}", said(&output));
        }
    }
}

#[test]
fn common_calls_that_do_not_fit_are_refused() {
    let place = Place::new();
    let programs = "{ collective: gossip }, { collective: exchange }";
    let rows = [
        ("path: 2", "link: { width: 1, boards: [2], @ },"),
        ("torus: [5, 5, 5]", "link: { width: 3, @ },"),
        ("torus: [3, 3], dead: { nodes: [\"1,1\"] }", "link: { width: 16, @ },"),
    ];
    let refused = rows.map(|(network, more)| {
        place.write("list.yaml", config((network, more, programs)));
        format!("{network}: {}", place.run("check list.yaml").stderr)
    });
    place.write(
        "list.yaml",
        config(("torus: [4, 4]", "link: { width: 16, boards: [2, 2], @ },", programs)).replace("streams", "uart"),
    );
    let of_hosts = place.run("check list.yaml").stderr;
    insta::assert_snapshot!(refused.concat() + &of_hosts);
}
