//! Boards behind pins, joined by two wires per port: every node's arrivals are those of the fabric, and what happens to a wire is named.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::net::{Channel, Port, ShapeName};
use torusweave::study::pace::wires::{self, WireClocks};

use crate::blocks::{Boards, Case};
use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;
use crate::fixtures::ranges::{quick_or_full, sampled};
use crate::fixtures::tools::{assert_clean_top, call, has};

/// One kind of board and several, borders, long links, lanes, streams, values, both checksums, and a common start.
const CASES: [Case; 9] = [
    (ShapeName::Torus, &[2, 2], "2x2", "link.ports=serial scheme=optimal link.checksum=crc8"),
    (
        ShapeName::Path,
        &[3],
        "3",
        "link.ports=serial collective=broadcast link.flits=5 link.latency=3 link.checksum=crc8",
    ),
    (ShapeName::Mesh, &[4, 4], "2x2", "link.ports=serial scheme=hamiltonian link.checksum=crc16"),
    (ShapeName::Torus, &[2, 2], "2x2", "link.ports=serial link.start=common scheme=optimal link.checksum=crc8"),
    (ShapeName::Torus, &[4, 4], "2x2", "link.ports=serial collective=exchange own=streams link.checksum=crc16"),
    (ShapeName::Torus, &[3, 4], "3x2", "link.ports=serial scheme=hamiltonian link.lanes=2 link.checksum=crc16"),
    (
        ShapeName::Torus,
        &[4, 4],
        "1x2",
        "link.ports=serial scheme=staircase collective=all-reduce operation=sum link.checksum=crc16",
    ),
    (
        ShapeName::Cycle,
        &[5],
        "5",
        "link.ports=serial link.start=common scheme=optimal link.latency=4 link.checksum=crc8",
    ),
    (ShapeName::Path, &[6], "3", "link.ports=serial collective=broadcast link.checksum=crc8"),
];

/// The network with the shortest simulation that has tokens both ways, and one whose tokens follow each other closely.
const SMALL: Case = (ShapeName::Cycle, &[3], "3", "link.ports=serial scheme=optimal link.checksum=crc8");
const LONG: Case = (
    ShapeName::Path,
    &[3],
    "3",
    "link.ports=serial collective=broadcast link.flits=5 link.latency=3 link.checksum=crc8",
);

fn compile(boards: &Boards) {
    let board = boards.name();
    let line = format!("-g2005 -Wall -o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
    assert_eq!(call(&boards.folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).1, "");
}

/// Pin to pin, over wires of 1 to 20 clocks; one clock for all, phases, periods within 100 ppm, and as far apart as frames allow. A
/// sample of the designs with one of them, or all under `TORUSWEAVE_FULL`.
#[test]
fn every_node_gets_what_it_would_in_the_fabric_over_two_wires() {
    if !has("iverilog") {
        return;
    }
    for (number, case) in sampled(CASES, 8).enumerate() {
        let boards = Boards::of(case);
        compile(&boards);
        let mut clocks = [number % 3, 3];
        clocks.rotate_left(number % 2);
        for clocks in sampled(clocks, 2) {
            let printed = boards.play(&["+runs=2", &format!("+clocks={clocks}"), &format!("+seed={}", number + 1)]);
            assert!(printed.starts_with(&boards.verdict(2)), "{case:?}, clocks {clocks}: {printed}");
        }
    }
}

#[test]
fn boards_behind_pins_are_clean_to_every_tool() {
    for case in sampled(CASES, 3) {
        let boards = Boards::of(case);
        let name = &boards.design.program.title.name;
        assert_clean_top(&boards.folder, &boards.name(), &format!("{name}_serial"));
    }
}

/// To the clock, but for the first token of a run, which may find a frame without one on its wire: one tick at a time, and several. One
/// of them; all under `TORUSWEAVE_FULL`.
#[test]
fn wires_take_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    for (flits, latency) in sampled([(7, 4), (20, 1), (20, 2)], 3) {
        let settings = format!(
            "link.ports=serial collective=broadcast link.checksum=crc8 link.flits={flits} link.latency={latency}"
        );
        let boards = Boards::of((ShapeName::Path, &[3], "3", &settings));
        compile(&boards);
        let (program, network) = (&boards.design.program, boards.design.blocks());
        let bits = |output: Channel| boards.design.frame_bits(output.port).unwrap();
        for link in [1, 50] {
            let wire = |_, output| WireClocks::new(bits(output), emit::DIVISOR, link);
            let clocks = wires::clocks(program, network.boards(), 2, wire, &|_| ());
            let links = [format!("+least={link}"), format!("+most={link}")];
            let printed = boards.play(&["+stalls=0", "+runs=2", "+clocks=0", &links[0], &links[1]]);
            let taken: u64 = printed.split(", ").nth(1).unwrap().trim_end_matches(" clocks").parse().unwrap();
            let most = clocks + 2 * u64::from(bits(Channel::first(Port::plus(0))) + 3) * u64::from(emit::DIVISOR);
            assert!((clocks..most).contains(&taken), "{settings}, {link}: {printed}, not {clocks}");
        }
    }
}

/// Wrong bits in frames, of the start bit and of the stop bit, a wire that is low between frames, wires that stand still, cables that are
/// pulled out or exchanged, and boards that are reset.
#[test]
fn faults_of_wires_are_named_and_a_restart_mends_them() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of(SMALL);
    compile(&boards);
    for (number, kind) in sampled([4, 1, 13, 8, 2, 6, 3, 5, 7], 5).enumerate() {
        let (fault, clocks) = (format!("+fault={kind}"), format!("+clocks={}", number % 4));
        let printed = boards.play(&["+most=4", "+stalls=0", "+faults=1", &fault, &clocks]);
        assert!(printed.starts_with("PASS 1 faults named, "), "fault {kind}: {printed}");
    }
}

/// Between two runs a board is reset, or a cable is pulled out, in the middle of frames: links train anew, and no restart is needed.
#[test]
fn boards_behind_pins_are_started_by_one_host() {
    if !has("iverilog") {
        return;
    }
    // in a quick run no board is behind another
    let (sides, blocks) = quick_or_full((&[2][..], "2"), (&[3], "3"));
    let boards = Boards::of((ShapeName::Path, sides, blocks, "link.ports=serial link.start=common link.checksum=crc8"));
    compile(&boards);
    for held in sampled(1..=2, 2) {
        let printed = boards.play(&["+runs=2", "+most=8", &format!("+held={held}"), &format!("+seed={held}")]);
        assert!(printed.starts_with(&boards.verdict(2)), "held {held}: {printed}");
    }
}

#[test]
fn another_design_is_named_over_wires() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of((ShapeName::Path, &[2], "2", "link.ports=serial collective=broadcast link.checksum=crc8"));
    let path = boards.folder.path().join(format!("{}.v", boards.name()));
    let text = fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once(".expected({16'h").unwrap();
    let (hash, after) = after.split_at(4);
    let other = u16::from_str_radix(hash, 16).unwrap() ^ 0x8000;
    fs::write(&path, format!("{before}.expected({{16'h{other:04x}{after}")).unwrap();
    compile(&boards);
    let printed = boards.play(&["+runs=1"]);
    assert!(printed.contains("code 6 at port 0 without a fault"), "{printed}");
}

/// A sender and a receiver with clocks of their own, in picoseconds of half a period, and what came of 200 random frames.
const UNIT: &str = "
module unit;
    parameter integer BITS = 100, DIVISOR = 4, SENDER = 50000, RECEIVER = 50000, BREAKS = 0;
    reg a = 0, b = 0, rst = 1, broken = 0;
    always #(SENDER) a = ~a;
    always #(RECEIVER) b = ~b;
    reg [BITS-1:0] data [0:255];
    integer sent = 0, got = 0, wrong = 0, at;
    wire ready, line, valid;
    wire [BITS-1:0] came;
    initial begin
        for (at = 0; at < 256; at = at + 1) data[at] = {$random, $random, $random, $random};
        #(40 * SENDER) rst = 0;
        repeat (200 * ((BITS + 2) * DIVISOR + 1) + 500) @(posedge a);
        $display(\"%0d sent, %0d received, %0d wrong\", sent, got, wrong);
        $finish;
    end
    NAME_wire_out #(.BITS(BITS), .DIVISOR(DIVISOR)) out (.clk(a), .rst(rst), .s_axis_tdata(data[sent%256]),
        .s_axis_tvalid(sent < 200), .s_axis_tready(ready), .tx(line));
    NAME_wire_in #(.BITS(BITS), .DIVISOR(DIVISOR)) in (.clk(b), .rst(rst), .rx(line & ~broken), .m_axis_tdata(came),
        .m_axis_tvalid(valid));
    always @(posedge a) if (ready && sent < 200 && !rst) sent <= sent + 1;
    always @(posedge b) if (valid) begin
        got <= got + 1;
        if (came !== data[(BREAKS == 0) ? got % 256 : 199]) wrong <= wrong + 1;
    end
    // the stop bit of every frame but the last
    integer clocks = 0;
    always @(posedge a) begin
        clocks = (ready || rst) ? 0 : clocks + 1;
        broken = BREAKS != 0 && clocks > (BITS + 1) * DIVISOR && sent != 200;
    end
endmodule
";

/// Result of the sender and the receiver by themselves; parameters, and changes of the Verilog.
fn unit(boards: &Boards, parameters: &str, change: impl Fn(&str) -> String) -> String {
    let name = &boards.design.program.title.name;
    let read = |module: &str| fs::read_to_string(boards.folder.path().join(format!("{name}_{module}.v"))).unwrap();
    let text = format!("`timescale 1ps/1ps\n{}{}{}", change(&read("wire_out")), change(&read("wire_in")), UNIT);
    fs::write(boards.folder.path().join("unit.v"), text.replace("NAME", name)).unwrap();
    let line = format!("-g2005 {parameters} -o unit -s unit unit.v");
    let line: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(call(&boards.folder, "iverilog", &line).1, "", "{parameters}");
    call(&boards.folder, "vvp", &["-n", "unit"]).1
}

const ALL_RIGHT: &str = "200 sent, 200 received, 0 wrong\n";

/// Frames follow each other without a pause; every second size, all under `TORUSWEAVE_FULL`. The figure is that of the receiver's comment: (DIVISOR - 1) / 2 clocks in BITS + 2 bits.
#[test]
fn clocks_may_be_as_far_apart_as_the_receiver_says() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of(SMALL);
    for (bits, divisor) in sampled([(100_u64, 4_u64), (100, 5), (47, 8), (30, 4), (2, 4), (64, 16)], 2) {
        let sizes = format!("-Punit.BITS={bits} -Punit.DIVISOR={divisor}");
        let ppm = 1_000_000 * ((divisor - 1) / 2) / ((bits + 2) * divisor);
        for half in [50_000 - 50_000 * ppm / 1_000_000, 50_000, 50_007, 50_000 + 50_000 * ppm / 1_000_000] {
            let printed = unit(&boards, &format!("{sizes} -Punit.RECEIVER={half}"), str::to_owned);
            assert_eq!(printed, ALL_RIGHT, "{sizes}, {ppm} ppm, {half}");
        }
        // twice as far apart is too far
        let half = 50_000 + 2 * 50_000 * (ppm + 1_000_000 / ((bits + 2) * divisor)) / 1_000_000;
        assert_ne!(
            unit(&boards, &format!("{sizes} -Punit.RECEIVER={half}"), str::to_owned),
            ALL_RIGHT,
            "{sizes}, {half}"
        );
    }
}

/// A frame whose stop bit is low is not handed on; the next is.
#[test]
fn frames_without_a_stop_bit_are_left_out() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of(SMALL);
    let broken = "-Punit.BREAKS=1 -Punit.BITS=32";
    let unchecked = |text: &str| text.replace("came <= level;", "came <= 1'b1;");
    let received = |printed: &str| -> u32 { printed.split([' ', ',']).nth(3).unwrap().parse().unwrap() };
    let (right, wrong) = (unit(&boards, broken, str::to_owned), unit(&boards, broken, unchecked));
    assert!(received(&right) < 150, "{right}");
    assert!(received(&wrong) > 190, "{wrong}");
}

/// The bench of boards is tried on both ends of a wire, and on what chooses frames for it. Every fourth mutant; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn mutants_of_wires_are_caught() {
    if !has("iverilog") {
        return;
    }
    let mutants: [(&str, &str, &str, &str); 15] = [
        ("wire_out", "there is no stop bit", "ALL = BITS + 2", "ALL = BITS + 1"),
        ("wire_out", "a stop bit is low", "frame[BITS-2:0], 1'b1", "frame[BITS-2:0], 1'b0"),
        ("wire_out", "the lowest bit goes first", "tx <= frame[BITS-1]", "tx <= frame[0]"),
        ("wire_out", "bits are short", "LAST = DIVISOR - 1", "LAST = DIVISOR - 2"),
        ("wire_out", "bits are long", "LAST = DIVISOR - 1", "LAST = DIVISOR"),
        ("wire_out", "frames are taken that are not sent", "s_axis_tready = idle", "s_axis_tready = 1'b1"),
        ("wire_out", "there is no start bit", "tx <= ~s_axis_tvalid", "tx <= 1'b1"),
        ("wire_in", "bits are sampled at their end", "+ DIVISOR / 2 - 1", "+ DIVISOR - 1"),
        ("wire_in", "bits are sampled before they begin", "DIVISOR + DIVISOR / 2 - 1", "DIVISOR / 2 - 1"),
        ("wire_in", "bits are sampled too seldom", "NEXT = DIVISOR - 1", "NEXT = DIVISOR"),
        ("wire_in", "the line is always low", "receives <= ~level", "receives <= 1'b1"),
        ("wire_in", "a bit is missing", "left <= BITS[COUNT-1:0]", "left <= BITS[COUNT-1:0] - 1'b1"),
        ("wire_in", "the stop bit is high", "came <= level", "came <= ~level"),
        ("throttle", "frames without a token pass at once", "= up & (", "= up | ("),
        ("throttle", "tokens are dropped", "passes ? m_axis_tready : up", "up"),
    ];
    let boards = Boards::of(LONG);
    compile(&boards);
    let at_once = ["+runs=2", "+stalls=0", "+least=4", "+most=4", "+clocks=0"];
    let right = boards.play(&at_once);
    assert!(right.starts_with(&boards.verdict(2)), "{right}");
    for (module, what, good, bad) in sampled(mutants, 6) {
        let path = boards.folder.path().join(format!("{}_{module}.v", boards.design.program.title.name));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "{what}: `{good}` is not there");
        fs::write(&path, text.replace(good, bad)).unwrap();
        compile(&boards);
        assert!(boards.play(&at_once) != right, "{what}");
        fs::write(&path, text).unwrap();
    }
}

/// The files of a design with settings of its links.
fn files(settings: &str) -> BTreeMap<String, Vec<u8>> {
    let all = format!("link.elastic=true link.width=8 scheme=optimal {settings}");
    let design = design_on(ShapeName::Torus, &[3, 4], &all.split_whitespace().collect::<Vec<_>>());
    // the command in the files' headers is the only difference that the settings may make
    let options = Options { origin: "x".into(), ..design.options() };
    let mut files = MemoryFiles::default();
    emit::write_all(&design.program, &options, &mut files).unwrap();
    files.0
}

/// Ports that are streams leave every byte as it was, and pins change no more than what judges damaged frames.
#[test]
fn ports_that_are_streams_change_nothing() {
    for settings in ["", "link.clocks=cable", "link.checksum=crc8", "link.checksum=crc16 link.start=common"] {
        let stream = files(settings);
        assert!(stream == files(&format!("{settings} link.ports=stream")));
        assert!(
            stream.keys().all(|path| !path.contains("serial") && !path.contains("wire") && !path.contains("throttle"))
        );
    }
    let (stream, serial) = (files("link.checksum=crc8"), files("link.checksum=crc8 link.ports=serial"));
    let is_verilog = |path: &str| Path::new(path).extension().is_some_and(|end| end == "v");
    let differ = stream.iter().filter(|&(path, text)| is_verilog(path) && serial.get(path) != Some(text));
    let mut differ: Vec<&str> = differ.map(|(path, _)| path.rsplit('_').next().unwrap()).collect();
    differ.sort_unstable();
    assert_eq!(differ, ["receiver.v", "tb.v"]);
}

#[test]
fn pins_that_do_not_fit_are_refused() {
    let place = Place::new();
    let lines = [
        "--torus 4x4 --ports serial",
        "--torus 4x4 --elastic true --ports serial",
        "--torus 4x4 --elastic true --checksum crc8 --clocks cable --ports serial",
        "--torus 4x4 --elastic true --checksum crc8 --ports pins",
    ]
    .map(|line| format!("{line}: {}", place.run(&format!("check {line}")).stderr));
    insta::assert_snapshot!(lines.concat());
}
