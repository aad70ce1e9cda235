//! Designs with several programs whose nodes have streams: played by their bench, by a bench of one's own, and with faults.

use std::fs;

use crate::fixtures::called::{can_call, every_tool_is_silent, generated, script};
use crate::fixtures::command::Place;
use crate::fixtures::mutants::replaced;
use crate::fixtures::node_lists::{ALL, ROOTED, list, played};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::has;

#[test]
fn every_program_gives_every_word_on_every_network() {
    if !has("iverilog") {
        return;
    }
    let networks = [
        ("torus: [3, 4]", "link: { width: 16 },", ALL),
        ("mesh: [2, 3]", "link: { width: 8 },", ROOTED),
        // boards: halves, quarters of a twisted and damaged network, and one for each node
        ("torus: [4, 4]", "link: { width: 16, elastic: true, checksum: crc16, latency: 3, boards: [1, 2] },", ALL),
        (
            "lattice: [[4, 2], [0, 4]], dead: { links: [\"0,1 x2+\", \"1,1 x2+\"] }",
            "link: { width: 16, elastic: true, checksum: crc16, boards: [2, 2] },",
            ROOTED,
        ),
        // boards one of which has no node that is alive; dead nodes
        (
            "torus: [2, 2, 3], dead: { nodes: [\"1,0,2\", \"0,0,2\", \"0,1,1\"] }",
            "link: { width: 16, elastic: true, checksum: crc16, boards: [1, 2, 3] },",
            "{ collective: gossip }, { collective: all-reduce, operation: max }, { collective: scatter, root: [1, 1, 1] }",
        ),
        ("torus: [3, 4], dead: { nodes: [\"0,1\", \"2,2\"] }", "link: { width: 16 },", ROOTED),
        ("torus: [4, 4]", "link: { width: 8, latency: 3 },", ALL),
        ("cycle: 5", "", "{ collective: exchange }, { collective: gather, root: any }"),
        (
            "torus: [2, 4]",
            "link: { width: 16 },",
            "{ collective: all-reduce, operation: sum }, { collective: all-reduce, operation: max }, \
             { collective: reduce-scatter, operation: and }, { collective: reduce-scatter, operation: xor }, \
             { collective: reduce-scatter, operation: min }, { collective: all-reduce, operation: or }",
        ),
        ("torus: [2, 3, 2]", "", ALL),
        (
            "torus: [3, 3]",
            "number: f32, adder: 2,",
            "{ collective: all-reduce, operation: sum }, { collective: gossip }",
        ),
        ("lattice: [[3, 1], [0, 4]]", "", ALL),
        // outputs that send one word in other ticks, beside programs by which they could share its memory
        (
            "torus: [3, 3]",
            "link: { width: 16 },",
            "{ collective: reduce, operation: max, flits: 5 }, { collective: all-reduce, operation: max, count: 1 }",
        ),
        // words that no host would take
        ("torus: [3, 3]", "link: { width: 100 },", ALL),
        ("torus: [2, 3]", "link: { width: 60, elastic: true, checksum: crc16 },", ALL),
        (
            "torus: [4, 4]",
            "link: { elastic: true, checksum: crc16, boards: [2, 2] }, number: f32, adder: 2,",
            "{ collective: all-reduce, operation: sum }, { collective: gossip }",
        ),
        // streams of one word, and of none
        ("path: 2", "", "{ collective: gather, root: [1] }, { collective: broadcast, root: [0] }"),
    ];
    for (network, more, programs) in sampled(networks, 6) {
        let place = Place::new();
        place.write("list.yaml", list(network, more, programs));
        let ended = place.run("simulate list.yaml --engine icarus");
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{network}: {}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn no_tool_has_a_word_on_streams_of_nodes() {
    let boards = "link: { elastic: true, checksum: crc8, boards: [1, 2], width: 8 },";
    for (network, more, programs, top) in [
        ("torus: [3, 4]", "", ALL, "calls_system"),
        ("mesh: [2, 3]", "", ROOTED, "calls_system"),
        ("torus: [3, 4], dead: { nodes: [\"0,1\"] }", "", ROOTED, "calls_system"),
        ("torus: [4, 4]", boards, ALL, "calls_board"),
    ] {
        let place = generated(&list(network, more, programs));
        every_tool_is_silent(&place.path().join("calls"), top);
    }
}

/// Frames come in the clock of a cable, in beats of whole bytes and over wires as they do in one piece. One form; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn boards_have_ports_of_every_form() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: all-reduce, operation: sum, flits: 2 }, { collective: broadcast, root: any }";
    let forms = ["ports: bytes, bytes: 16, clocks: cable", "ports: serial", "clocks: cable", "ports: bytes, bytes: 3"];
    for form in sampled(forms, 4) {
        let link = format!("link: {{ width: 16, elastic: true, checksum: crc16, boards: [3, 2], {form} }},");
        let place = generated(&list("torus: [3, 4]", &link, programs));
        let ended = played(&place, "calls_tb");
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{form}: {}{}", ended.stdout, ended.stderr);
        every_tool_is_silent(&place.path().join("calls"), "calls_board");
    }
}

/// One collective with nodes on boards is a list of one program.
#[test]
fn nodes_on_boards_play_one_collective() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    let boards = "--elastic true --checksum crc8 --boards 1x2 --width 8";
    for nodes in ["--order arrival", "--collective all-reduce --operation sum --results memory", "--words 2"] {
        let ended = place.run(&format!("simulate --torus 2x4 {boards} {nodes} --engine icarus"));
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{nodes}: {}{}", ended.stdout, ended.stderr);
    }
}

/// Words that nobody has sent, which outputs forward before the first arrivals, are unknown in a simulator, and checksums cover them:
/// what buffers of cables show, as with a gather, and what registers hold, as in the last.
#[test]
fn boards_send_nothing_unknown_whatever_comes_first() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        (
            "torus: [3, 4], dead: { links: [\"2,0 x2+\"] }",
            "boards: [1, 2]",
            "{ collective: broadcast, root: [0, 1], flits: 3 }",
        ),
        ("torus: [3, 4], dead: { nodes: [\"0,3\"] }", "boards: [3, 2]", "{ collective: gather, root: [0, 0] }"),
        ("torus: [2, 4], dead: { nodes: [\"1,1\"] }", "boards: [2, 4]", "{ collective: gather, root: [0, 1] }"),
        ("mesh: [4, 2]", "boards: [4, 1]", "{ collective: all-reduce, operation: sum }"),
    ];
    for (network, boards, programs) in sampled(designs, 3) {
        let place = Place::new();
        let link = format!("link: {{ width: 8, elastic: true, checksum: crc16, {boards} }},");
        place.write("list.yaml", list(network, &link, programs));
        let ended = place.run("simulate list.yaml --engine icarus");
        assert!(ended.code == 0 && ended.stdout.starts_with("PASS "), "{network}: {}{}", ended.stdout, ended.stderr);
    }
}

/// Boards that are called for another program than their neighbours, and boards that take calls before their links are up.
#[test]
fn boards_with_streams_see_other_calls() {
    if !has("iverilog") {
        return;
    }
    let faults = [
        ("tb/calls_tb.v", ".program_number(program_number[2])", ".program_number(program_number[2] ^ 1'b1)"),
        ("tb/calls_tb.v", ".root(root[2])", ".root(2'd1)"),
        ("calls_board.v", "assign ready = ready_here & links_ready;", "assign ready = ready_here;"),
    ];
    let link = "link: { width: 16, elastic: true, checksum: crc16, boards: [1, 2] },";
    let programs = "{ collective: gossip }, { collective: broadcast, root: any }";
    let place = generated(&list("torus: [2, 2]", link, programs));
    assert_eq!(played(&place, "calls_tb").code, 0);
    for (file, right, wrong) in faults {
        let path = place.path().join("calls").join(file);
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{file}: `{right}` is not there");
        fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
        let ended = played(&place, "calls_tb");
        let is_told = [" words and ", "astray", "code 10"].iter().any(|said| ended.stdout.contains(said));
        assert!(ended.code != 0 && is_told, "{file}: `{wrong}`: {}", ended.stdout);
        assert!(!ended.stdout.contains("FAIL stream"), "{file}: `{wrong}` gives wrong words: {}", ended.stdout);
        fs::write(&path, good).unwrap();
    }
}

/// Faults in streams, caller or tables are seen by the bench that is generated. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn the_bench_sees_faults_of_streams_and_calls() {
    if !has("iverilog") {
        return;
    }
    let faults = [
        ("stream", "reads <= {reads[0], issues};", "reads <= {issues, issues};"),
        ("stream", "out_moves = ~holds | m_axis_tready;", "out_moves = 1'b1;"),
        ("stream", "holds <= reads[1];", "holds <= reads[0];"),
        ("stream", "{lasts[1], out_data}", "{1'b0, out_data}"),
        ("given", "if (ce) begin", "begin"),
        ("stream", "assign out_first = begins;", "assign out_first = 1'b0;"),
        ("stream", "lacks & is_for_it;", "lacks & is_for_it & ~rst & (s_axis_tdata[0]);"),
        ("stream", "assign m_axis_tdest = given_program;", "assign m_axis_tdest = ~given_program;"),
        ("caller", "reads_root ? root :", "reads_root ? ~root :"),
        ("caller", "if (drains & drained) drains", "if (drains) drains"),
        ("caller", "moves = fills & full &", "moves = fills &"),
        ("caller", "played_bank <= in_bank;", "played_bank <= ~in_bank;"),
        ("caller", "out_bank <= played_bank;", "out_bank <= in_bank;"),
        ("caller", "track_bank <= put_bank;", "track_bank <= ~put_bank;"),
        ("place", "(is_tracked & is_there) ? last_header : last;", "last_header;"),
        ("caller", "ready = coming == 2'd0;", "ready = 1'b1;"),
        ("caller", "play_kept = settles;", "play_kept = 1'b0;"),
        ("caller", "out_kept = gives;", "out_kept = 1'b0;"),
        ("caller", "given_program <= played_program;", "given_program <= placed_program;"),
        ("caller", "~plays_none | drains;", "~plays_none;"),
        ("caller", "busy = (coming != 2'd0) | ", "busy = "),
        ("caller", "done <= drains & drained;", "done <= gives;"),
        ("node", "out_from <= out_source;", "out_from <= ~out_source;"),
        ("node", "if (out_moves) out_from <=", "out_from <="),
        ("node", "if (out_moves) t_to_b_got <=", "t_to_b_got <="),
        ("node", "{play_bank, t_to_b_count}", "{1'b0, t_to_b_count}"),
        ("node", "{in_bank[0], ", "{1'b0, "),
        ("node", "[{in_bank, ", "[{1'b0, in_bank[0], "),
    ];
    // nodes that differ remember control words of their own
    let remembered = [("place", "is_there ? bank_there : bank_free;", "bank_free;")];
    let programs = "{ collective: gossip }, { collective: all-reduce, operation: max }, { collective: broadcast, root: [1, 2], flits: 3 }";
    let of_all = (list("torus: [3, 3]", "link: { width: 16 },", ALL), sampled(faults, 6).collect::<Vec<_>>());
    for (config, faults) in [of_all, (list("mesh: [2, 3]", "link: { width: 16 },", programs), remembered.to_vec())] {
        let place = generated(&config);
        assert_eq!(played(&place, "calls_tb").code, 0);
        for (part, right, wrong) in faults {
            let path = place.path().join(format!("calls/calls_{part}.v"));
            let good = fs::read_to_string(&path).unwrap();
            assert!(good.contains(right), "{part}: `{right}` is not there");
            fs::write(&path, good.replacen(right, wrong, 1)).unwrap();
            assert_ne!(played(&place, "calls_tb").code, 0, "{part}: `{wrong}` is not seen");
            fs::write(&path, good).unwrap();
        }
    }
}

/// Two boards of a node each: a cable is damaged while a call plays, and mended before the restart.
const RESTARTED: &str = r#"
`default_nettype none
module restarted_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg start = 1'b0, damage = 1'b0, restart = 1'b0;
    wire [1:0] ready, done, links_ready, valid, astray, absent, busy;
    wire [31:0] links_0, links_1;
    wire [15:0] first, second;
    wire [@HIGH@:0] there, back, end_0, end_1;
    wire there_valid, back_valid, end_valid_0, end_valid_1;
    wire [9:0] unused;
    calls_board one (
        .clk(clk), .rst(rst), .restart(restart), .x1(1'b0), .links_ready(links_ready[0]), .links(links_0),
        .x1m_s_axis_tdata(@BITS@'d0), .x1m_s_axis_tvalid(1'b0), .x1m_s_axis_tready(unused[0]),
        .x1m_m_axis_tdata(end_0), .x1m_m_axis_tvalid(end_valid_0), .x1m_m_axis_tready(1'b1),
        .x1p_s_axis_tdata(back), .x1p_s_axis_tvalid(back_valid), .x1p_s_axis_tready(unused[1]),
        .x1p_m_axis_tdata(there), .x1p_m_axis_tvalid(there_valid), .x1p_m_axis_tready(1'b1),
        .start(start), .ready(ready[0]), .program_number(1'b0), .root(1'b0), .busy(busy[0]), .done(done[0]), .absent(absent[0]),
        .n0_s_axis_tdata(16'd10), .n0_s_axis_tvalid(1'b1), .n0_s_axis_tready(unused[2]), .n0_s_axis_tdest(1'b0),
        .n0_m_axis_tdata(first), .n0_m_axis_tvalid(valid[0]), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(unused[3]),
        .n0_m_axis_tdest(unused[4]), .astray(astray[0])
    );
    calls_board other (
        .clk(clk), .rst(rst), .restart(1'b0), .x1(1'b1), .links_ready(links_ready[1]), .links(links_1),
        .x1p_s_axis_tdata(@BITS@'d0), .x1p_s_axis_tvalid(1'b0), .x1p_s_axis_tready(unused[5]),
        .x1p_m_axis_tdata(end_1), .x1p_m_axis_tvalid(end_valid_1), .x1p_m_axis_tready(1'b1),
        .x1m_s_axis_tdata(there ^ {@BITS@{damage}}), .x1m_s_axis_tvalid(there_valid), .x1m_s_axis_tready(unused[6]),
        .x1m_m_axis_tdata(back), .x1m_m_axis_tvalid(back_valid), .x1m_m_axis_tready(1'b1),
        .start(start), .ready(ready[1]), .program_number(1'b0), .root(1'b0), .busy(busy[1]), .done(done[1]), .absent(absent[1]),
        .n0_s_axis_tdata(16'd20), .n0_s_axis_tvalid(1'b1), .n0_s_axis_tready(unused[7]), .n0_s_axis_tdest(1'b0),
        .n0_m_axis_tdata(second), .n0_m_axis_tvalid(valid[1]), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(unused[8]),
        .n0_m_axis_tdest(unused[9]), .astray(astray[1])
    );
    integer came_0 = 0, came_1 = 0, ends = 0;
    always @(posedge clk) begin
        if (valid[0]) came_0 <= came_0 * 100 + first;
        if (valid[1]) came_1 <= came_1 * 100 + second;
        if (!rst) ends <= ends + done[0] + done[1];
    end
    task call;
        begin
            while (ready != 2'b11) @(negedge clk);
            start = 1'b1;
            @(negedge clk);
            start = 1'b0;
        end
    endtask
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
        call;
        while (busy != 2'b00) @(negedge clk);
        $display("%0d %0d, ends %0d", came_0, came_1, ends);
        came_0 = 0;
        came_1 = 0;
        call;
        while (!there_valid || there[@HIGH@:@HIGH@-2] != 3'd3) @(negedge clk);  // a token
        damage = 1'b1;
        repeat (2) @(negedge clk);
        damage = 1'b0;
        repeat (300) @(negedge clk);
        $display("faults %0d %0d, busy %b, ready %b, ends %0d", links_0[3:0], links_1[3:0], busy, ready, ends);
        restart = 1'b1;
        @(negedge clk);
        restart = 1'b0;
        came_0 = 0;
        came_1 = 0;
        call;
        while (busy != 2'b00) @(negedge clk);
        $display("%0d %0d, ends %0d", came_0, came_1, ends);
        $finish;
    end
    initial begin
        #2000000 $display("FAIL: no end");
        $finish;
    end
endmodule
"#;

#[test]
fn after_a_fault_on_a_cable_and_a_restart_the_next_call_is_right() {
    if !has("iverilog") {
        return;
    }
    let link = "link: { width: 16, flits: 4, elastic: true, checksum: crc16 },";
    let place = generated(&list("path: 2", link, "{ collective: gossip }"));
    let boards = fs::read_to_string(place.path().join("calls/tb/calls_boards.v")).unwrap();
    let high =
        boards.lines().find_map(|line| line.trim().strip_prefix("wire [")?.strip_suffix(":0] n0_x1p_m_axis_tdata;"));
    let high: u32 = high.unwrap().parse().unwrap();
    let bench = RESTARTED.replace("@HIGH@", &high.to_string()).replace("@BITS@", &(high + 1).to_string());
    fs::write(place.path().join("calls/tb/restarted_tb.v"), bench).unwrap();
    let ended = played(&place, "restarted_tb");
    let right = "2021594148 2021594148, ends";
    let wanted = format!("{right} 0\nfaults 5 1, busy 00, ready 00, ends 2\n{right} 2\n");
    assert_eq!(ended.stdout, wanted, "{}", ended.stderr);
}

/// Processing elements of one's own, by docs/calls.md alone: node after node sends words that say whose they are, and whoever
/// calls takes the programs in random order.
const ELEMENTS: &str = r#"
`default_nettype none
module element #(parameter integer NODE = 0) (
    input wire clk, input wire rst, input wire [1:0] program_number, input wire [15:0] call, input wire called,
    output wire [15:0] m_data, output reg m_valid, input wire m_ready,
    input wire [15:0] s_data, input wire s_valid, output reg s_ready, input wire s_last, input wire [1:0] s_dest,
    output reg [31:0] right, output reg [31:0] wrong
);
    localparam integer NODES = 6;
    // words that are sent: to everybody 1, for each node one
    reg [15:0] place;
    reg [15:0] seen;
    wire [15:0] words = (program_number == 2'd0) ? 16'd1 : NODES;
    assign m_data = 100 * call + 10 * NODE + place;
    reg [15:0] wanted;
    always @(*) begin
        case (program_number)
            2'd0: wanted = 100 * call + 10 * seen;  // gossip: word 0 of node `seen`
            2'd1: wanted = 100 * call + 10 * seen + NODE;  // exchange
            default: wanted = NODES * (100 * call + seen) + 10 * 15;  // all-reduce
        endcase
    end
    integer pause;
    initial pause = NODE + 1;
    always @(posedge clk) begin
        s_ready <= $random(pause) % 3 != 0;
        if (called) begin
            place <= 16'd0;
            seen <= 16'd0;
            m_valid <= 1'b1;
        end else if (m_valid & m_ready) begin
            place <= place + 16'd1;
            if (place + 16'd1 == words) m_valid <= 1'b0;
        end
        if (s_valid & s_ready) begin
            seen <= seen + 16'd1;
            if (s_data == wanted && s_last == (seen == NODES - 1) && s_dest == program_number) right <= right + 1;
            else wrong <= wrong + 1;
        end
        if (rst) begin
            m_valid <= 1'b0;
            right <= 0;
            wrong <= 0;
        end
    end
endmodule

module own_tb;
    localparam integer CALLS = 200;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg start = 1'b0;
    reg called = 1'b0;
    reg [1:0] program_number = 2'd0;
    reg [2:0] root = 3'd0;
    reg [15:0] call = 16'd0;
    wire ready, busy, done, absent;
    wire [5:0] astray;
    wire [191:0] right, wrong;
    @WIRES@
    calls_system dut (
        .clk(clk), .rst(rst), .start(start), .ready(ready), .program_number(program_number), .root(root), .busy(busy), .done(done),
        .absent(absent),
        @PORTS@
        .astray(astray)
    );
    integer chance;
    integer number;
    integer total;
    initial begin
        chance = 7;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        for (number = 0; number < CALLS; number = number + 1) begin
            program_number = $unsigned($random(chance)) % 3;
            start = 1'b1;
            while (!ready) @(negedge clk);
            @(negedge clk);
            start = 1'b0;
            call = number % 50;
            called = 1'b1;
            @(negedge clk);
            called = 1'b0;
            while (!done) @(negedge clk);
        end
        total = right[31:0] + right[63:32] + right[95:64] + right[127:96] + right[159:128] + right[191:160];
        if (wrong == 192'd0 && total == CALLS * 36 && astray == 6'd0 && !absent) $display("PASS %0d", total);
        else $display("FAIL %0d %h", total, wrong);
        $finish;
    end
    initial begin
        #3000000 $display("FAIL: no end");
        $finish;
    end
endmodule
"#;

#[test]
fn elements_of_ones_own_call_programs_in_random_order() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: gossip }, { collective: exchange }, { collective: all-reduce, operation: sum }";
    let place = generated(&list("torus: [2, 3]", "link: { width: 16 },", programs));
    let (mut wires, mut ports) = (String::new(), String::new());
    for (node, name) in ["n0_0", "n0_1", "n0_2", "n1_0", "n1_1", "n1_2"].into_iter().enumerate() {
        let signals = format!(
            "wire [15:0] {name}_in, {name}_out; wire {name}_iv, {name}_ir, {name}_ov, {name}_or, {name}_last; wire [1:0] {name}_dest;\n\
             element #(.NODE({node})) element_{node} (.clk(clk), .rst(rst), .program_number(program_number), .call(call), .called(called),\n\
             .m_data({name}_in), .m_valid({name}_iv), .m_ready({name}_ir), .s_data({name}_out), .s_valid({name}_ov), .s_ready({name}_or),\n\
             .s_last({name}_last), .s_dest({name}_dest), .right(right[32*{node}+:32]), .wrong(wrong[32*{node}+:32]));\n"
        );
        wires += &signals;
        ports += &format!(
            ".{name}_s_axis_tdata({name}_in), .{name}_s_axis_tvalid({name}_iv), .{name}_s_axis_tready({name}_ir),\n\
             .{name}_s_axis_tdest(program_number), .{name}_m_axis_tdata({name}_out), .{name}_m_axis_tvalid({name}_ov),\n\
             .{name}_m_axis_tready({name}_or), .{name}_m_axis_tlast({name}_last), .{name}_m_axis_tdest({name}_dest),\n"
        );
    }
    let bench = ELEMENTS.replace("@WIRES@", &wires).replace("@PORTS@", &ports);
    fs::write(place.path().join("calls/tb/own_tb.v"), bench).unwrap();
    let ended = played(&place, "own_tb");
    assert_eq!(ended.stdout, "PASS 7200\n", "{}", ended.stderr);
}

/// Clocks of a call in which no stream waits: of placing, of the words that go in, and of those that come out.
const PACE: &str = r#"
`default_nettype none
module pace_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg start = 1'b0;
    wire ready, busy, done, absent, in_0, in_1, out_0, out_1, last_0, last_1, dest_0, dest_1;
    wire [1:0] astray;
    wire [15:0] data_0, data_1;
    calls_system dut (
        .clk(clk), .rst(rst), .start(start), .ready(ready), .program_number(1'b0), .root(1'b0), .busy(busy), .done(done),
        .absent(absent), .astray(astray),
        .n0_s_axis_tdata(16'd1), .n0_s_axis_tvalid(1'b1), .n0_s_axis_tready(in_0), .n0_s_axis_tdest(1'b0),
        .n1_s_axis_tdata(16'd2), .n1_s_axis_tvalid(1'b1), .n1_s_axis_tready(in_1), .n1_s_axis_tdest(1'b0),
        .n0_m_axis_tdata(data_0), .n0_m_axis_tvalid(out_0), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(last_0), .n0_m_axis_tdest(dest_0),
        .n1_m_axis_tdata(data_1), .n1_m_axis_tvalid(out_1), .n1_m_axis_tready(1'b1), .n1_m_axis_tlast(last_1), .n1_m_axis_tdest(dest_1)
    );
    integer placing = 0, taken = 0, taking = 0, given = 0, giving = 0;
    always @(posedge clk) if (busy) begin
        if (taken == 0 & ~in_0) placing <= placing + 1;
        if (in_0) taken <= taken + 1;
        if (in_0 | (taken > 0 & taken < 8)) taking <= taking + 1;
        if (out_0) given <= given + 1;
        if (out_0 | (given > 0 & given < 16)) giving <= giving + 1;
    end
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
        start = 1'b1;
        @(negedge clk);
        start = 1'b0;
        while (!done) @(negedge clk);
        $display("placed in %0d, %0d words in %0d, %0d words in %0d", placing, taken, taking, given, giving);
        $finish;
    end
endmodule
"#;

#[test]
fn words_move_one_per_clock_and_a_program_of_one_record_is_placed_in_some_ten() {
    if !has("iverilog") {
        return;
    }
    let place = generated(&list("cycle: 2", "link: { width: 16, flits: 8 },", "{ collective: gossip }"));
    fs::write(place.path().join("calls/tb/pace_tb.v"), PACE).unwrap();
    let ended = played(&place, "pace_tb");
    assert_eq!(ended.stdout, "placed in 10, 8 words in 8, 16 words in 16\n", "{}", ended.stderr);
}

/// Clocks from one call to the next where no stream waits: words of one go in while another plays or gives its own. Node 0 sends
/// words 1, node 1 words 2; both have 32 of each in the end of program 0, and 32 words 1 in that of program 1.
const CALLS: &str = r#"
`default_nettype none
module calls_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg number = 1'b0;
    wire ready, busy, done, absent, in_0, in_1, out_0, out_1, last_0, last_1, dest_0, dest_1;
    wire [1:0] astray;
    wire [15:0] data_0, data_1;
    calls_system dut (
        .clk(clk), .rst(rst), .start(1'b1), .ready(ready), .program_number(number), .root(1'b0), .busy(busy), .done(done),
        .absent(absent), .astray(astray),
        .n0_s_axis_tdata(16'd1), .n0_s_axis_tvalid(1'b1), .n0_s_axis_tready(in_0), .n0_s_axis_tdest(dut.placed_program),
        .n1_s_axis_tdata(16'd2), .n1_s_axis_tvalid(1'b1), .n1_s_axis_tready(in_1), .n1_s_axis_tdest(dut.placed_program),
        .n0_m_axis_tdata(data_0), .n0_m_axis_tvalid(out_0), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(last_0), .n0_m_axis_tdest(dest_0),
        .n1_m_axis_tdata(data_1), .n1_m_axis_tvalid(out_1), .n1_m_axis_tready(1'b1), .n1_m_axis_tlast(last_1), .n1_m_axis_tdest(dest_1)
    );
    integer clocks = 0, calls = 0, before = 0, given = 0, wrong = 0;
    always @(posedge clk) begin
        clocks <= clocks + 1;
        if (ready) number <= ~number;
        if (out_0) given <= last_0 ? 0 : given + 1;
        if (out_0 & (data_0 != ((given < 32) ? 16'd1 : 16'd2) | last_0 != (given == (dest_0 ? 31 : 63)))) wrong <= wrong + 1;
        if (out_0 & out_1 & (data_1 != data_0)) wrong <= wrong + 1;
        if (done) begin
            calls <= calls + 1;
            if (calls == 4) before <= clocks;
            if (calls == 24) begin
                $display("a call in %0d clocks, %0d wrong", (clocks - before) / 20, wrong);
                $finish;
            end
        end
    end
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
    end
endmodule
"#;

#[test]
fn calls_take_as_long_as_the_words_that_come_out_and_keep_apart() {
    if !has("iverilog") {
        return;
    }
    // 32 words go in, 32 ticks are played, and 64 or 32 words come out; on a path each node has control words of its own, and
    // those of both programs stay in their banks
    let programs = "{ collective: gossip }, { collective: broadcast, root: [0] }";
    let alone = replaced(CALLS, "", &[("number <= ~number", "number <= number")]);
    for (network, clocks, clocks_alone) in [("cycle: 2", 54, 70), ("path: 2", 54, 70)] {
        let place = generated(&list(network, "link: { width: 16, flits: 32 },", programs));
        for (bench, clocks) in [(alone.as_str(), clocks_alone), (CALLS, clocks)] {
            fs::write(place.path().join("calls/tb/calls_tb.v"), bench).unwrap();
            let ended = played(&place, "calls_tb");
            assert_eq!(ended.stdout, format!("a call in {clocks} clocks, 0 wrong\n"), "{network}: {}", ended.stderr);
        }
        if network.starts_with("path") {
            let path = place.path().join("calls/calls_place.v");
            let good = fs::read_to_string(&path).unwrap();
            fs::write(&path, good.replace("bank_free = ", "bank_free = 1 + ")).unwrap();
            let ended = played(&place, "calls_tb");
            assert!(!ended.stdout.ends_with(", 0 wrong\n"), "{network}: {}", ended.stdout);
        }
    }
}

/// Calls in random order, each while the one before plays. Every word of node n is n + 1, so that every word that goes out is known by
/// the call's program and root.
const MIXED: &str = r#"
`default_nettype none
module mixed_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg [1:0] number = 2'd0;
    reg [2:0] root = 3'd0;
    wire ready, busy, done, absent;
    wire [4:0] astray, valid, unused;
    wire [79:0] data;
    wire [9:0] dest;
    calls_system dut (
        .clk(clk), .rst(rst), .start(1'b1), .ready(ready), .program_number(number), .root(root), .busy(busy), .done(done),
        .absent(absent), .astray(astray)@NODES@
    );
    // roots of the calls that are under way, the first in the lowest bits
    reg [15:0] roots = 16'd0;
    integer under_way = 0, calls = 0, wrong = 0, words = 0, random = 1, node;
    reg [15:0] right;
    always @(posedge clk) if (!rst) begin
        for (node = 0; node < 5; node = node + 1) if (valid[node]) begin
            right = {13'd0, roots[2:0]} + 16'd1;
            words = words + 1;
            if (dest[2*node+:2] != 2'd2 && data[16*node+:16] != right) wrong = wrong + 1;
        end
        if (done) begin
            roots = roots >> 4;
            under_way = under_way - 1;
            calls = calls + 1;
        end
        if (ready) begin
            roots = roots | {12'd0, root} << 4 * under_way;
            under_way = under_way + 1;
            number <= {$random(random)} % 3;
            root <= {$random(random)} % 5;
        end
        if (calls == 400) begin
            $display("%0d words, %0s", words, wrong == 0 ? "right" : "wrong");
            $finish;
        end
    end
    initial begin
        repeat (4) @(negedge clk);
        rst = 1'b0;
    end
endmodule
"#;

/// More programs and roots have control words of nodes' own than there are banks: they are found again, or sent to a bank that does not play.
#[test]
fn a_call_that_plays_keeps_its_control_words() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: broadcast, root: any, flits: 40 }, { collective: scatter, root: any, flits: 12 }, { collective: gossip }";
    let place = generated(&list("cycle: 5", "link: { width: 16 },", programs));
    let node = |n: u32| {
        format!(
            ",\n        .n{n}_s_axis_tdata(16'd{}), .n{n}_s_axis_tvalid(1'b1), .n{n}_s_axis_tready(unused[{n}]), \
             .n{n}_s_axis_tdest(dut.placed_program), .n{n}_m_axis_tdata(data[{}:{}]), .n{n}_m_axis_tvalid(valid[{n}]), \
             .n{n}_m_axis_tready(1'b1), .n{n}_m_axis_tlast(), .n{n}_m_axis_tdest(dest[{}:{}])",
            n + 1,
            16 * n + 15,
            16 * n,
            2 * n + 1,
            2 * n
        )
    };
    let bench = MIXED.replace("@NODES@", &(0..5).map(node).collect::<String>());
    fs::write(place.path().join("calls/tb/mixed_tb.v"), bench).unwrap();
    let right = played(&place, "mixed_tb");
    assert!(right.stdout.ends_with(" words, right\n"), "{}{}", right.stdout, right.stderr);
    let path = place.path().join("calls/calls_place.v");
    let good = fs::read_to_string(&path).unwrap();
    let faults = [
        ("(bank_after == track_bank) ?", "1'b0 ?"),
        ("put_bank <= is_there ? bank_there : bank_free;", "put_bank <= bank_free;"),
        ("is_1 = has_1 & (program_1 == placed_program)", "is_1 = has_1"),
    ];
    for (right, wrong) in sampled(faults, 3) {
        assert!(good.contains(right), "`{right}` is not there");
        fs::write(&path, good.replace(right, wrong)).unwrap();
        let ended = played(&place, "mixed_tb");
        assert!(ended.stdout.ends_with(" words, wrong\n"), "`{wrong}`: {}{}", ended.stdout, ended.stderr);
    }
}

/// Wrong calls and words: each is reported with its node, no word is lost, and the next call is right.
const WRONG: &str = r#"
`default_nettype none
module wrong_tb;
    reg clk = 1'b0;
    reg rst = 1'b1;
    always #5 clk = ~clk;
    reg start = 1'b0;
    reg [1:0] program_number = 2'd0;
    reg [0:0] root = 1'd0;
    wire ready, busy, done, absent;
    wire [1:0] astray;
    reg [7:0] first = 8'd10, second = 8'd20;
    reg first_valid = 1'b0, second_valid = 1'b0;
    reg [1:0] first_dest = 2'd0, second_dest = 2'd0;
    wire first_ready, second_ready, first_out_valid, second_out_valid, first_last, second_last;
    wire [7:0] first_out, second_out;
    wire [1:0] first_out_dest, second_out_dest;
    calls_system dut (
        .clk(clk), .rst(rst), .start(start), .ready(ready), .program_number(program_number), .root(root), .busy(busy), .done(done),
        .absent(absent), .astray(astray),
        .n0_s_axis_tdata(first), .n0_s_axis_tvalid(first_valid), .n0_s_axis_tready(first_ready), .n0_s_axis_tdest(first_dest),
        .n1_s_axis_tdata(second), .n1_s_axis_tvalid(second_valid), .n1_s_axis_tready(second_ready), .n1_s_axis_tdest(second_dest),
        .n0_m_axis_tdata(first_out), .n0_m_axis_tvalid(first_out_valid), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(first_last),
        .n0_m_axis_tdest(first_out_dest),
        .n1_m_axis_tdata(second_out), .n1_m_axis_tvalid(second_out_valid), .n1_m_axis_tready(1'b1), .n1_m_axis_tlast(second_last),
        .n1_m_axis_tdest(second_out_dest)
    );
    integer came;
    always @(posedge clk) begin
        if (first_valid & first_ready) first_valid <= 1'b0;
        if (second_valid & second_ready) second_valid <= 1'b0;
        if (second_out_valid) came <= came * 100 + second_out;
    end
    task call(input [1:0] number);
        begin
            program_number = number;
            start = 1'b1;
            while (!ready) @(negedge clk);
            @(negedge clk);
            start = 1'b0;
        end
    endtask
    initial begin
        came = 0;
        repeat (4) @(negedge clk);
        rst = 1'b0;
        @(negedge clk);
        // a program that is not there
        call(2'd3);
        repeat (4) @(negedge clk);
        $display("absent %b busy %b", absent, busy);
        rst = 1'b1;
        @(negedge clk);
        rst = 1'b0;
        // a word for program 2 waits at node 1 while program 0 is called
        first_valid = 1'b1;
        second_valid = 1'b1;
        second_dest = 2'd2;
        call(2'd0);
        repeat (40) @(negedge clk);
        $display("astray %b waits %b busy %b", astray, second_valid, busy);
        // a second start is not taken before the first is over
        start = 1'b1;
        repeat (4) @(negedge clk);
        $display("ready %b", ready);
        start = 1'b0;
        // nothing is lost: the word is taken by its program
        rst = 1'b1;
        @(negedge clk);
        rst = 1'b0;
        first_valid = 1'b1;
        first_dest = 2'd2;
        came = 0;
        call(2'd2);
        while (!done) @(negedge clk);
        $display("came %0d astray %b", came, astray);
        $finish;
    end
endmodule
"#;

#[test]
fn wrong_calls_and_words_are_reported_and_nothing_is_lost() {
    if !has("iverilog") {
        return;
    }
    let programs = "{ collective: gossip }, { collective: exchange }, { collective: gossip, scheme: independent }";
    let place = generated(&list("path: 2", "link: { width: 8 },", programs));
    fs::write(place.path().join("calls/tb/wrong_tb.v"), WRONG).unwrap();
    let ended = played(&place, "wrong_tb");
    let lines = ["absent 1 busy 0", "astray 10 waits 1 busy 1", "ready 0", "came 1020 astray 00"];
    assert_eq!(ended.stdout.lines().collect::<Vec<_>>(), lines, "{}", ended.stderr);
}

#[test]
fn streams_of_nodes_beside_servers_are_refused() {
    let place = Place::new();
    place.write("list.yaml", list("torus: [3, 4]", "", "{ collective: gossip }"));
    place.write("wide.yaml", list("torus: [3, 4]", "link: { width: 64 },", "{ collective: gossip }"));
    for (command, problem) in [
        ("fpga wide.yaml --device hx8k", "link.width: not supported with `programs`"),
        ("simulate list.yaml --serve stdio", "host.bus: not supported with `simulate --serve` (streams)"),
    ] {
        let ended = place.run(command);
        assert!(ended.code == 2 && ended.stderr.contains(problem), "{command}: {}", ended.stderr);
    }
    assert_eq!(place.run("generate list.yaml --out calls").code, 0);
    if can_call() {
        let ended = script(&place, "collectives.py", &["sim:calls"]);
        assert!(ended.code != 0 && ended.stderr.contains("its nodes have streams and no host"), "{}", ended.stderr);
    }
    let ended = place.run("simulate --serve stdio --folder calls");
    assert!(ended.code == 2 && ended.stderr.contains("host.bus: not supported"), "{}", ended.stderr);
}
