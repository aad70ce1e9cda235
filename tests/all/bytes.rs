//! Boards behind transceivers: every node's arrivals are those of the fabric, and what happens to a channel is named.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use torusweave::emit::{self, MemoryFiles, Options};
use torusweave::net::{Channel, Port, ShapeName};
use torusweave::study::pace::wires::{self, WireClocks};

use crate::blocks::{Boards, Case};
use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_top, call, has};

/// Frames of one beat and of several, one clock per board and two, one kind of board and several, borders, long links, lanes, streams,
/// values, both checksums, and a common start.
const CASES: [Case; 12] = [
    (
        ShapeName::Torus,
        &[4, 4],
        "2x2",
        "collective=exchange own=streams link.checksum=crc16 link.bytes=3 link.clocks=cable",
    ),
    (ShapeName::Torus, &[2, 2], "2x2", "scheme=optimal link.checksum=crc8"),
    (ShapeName::Path, &[3], "3", "collective=broadcast link.flits=5 link.latency=3 link.checksum=crc8 link.bytes=2"),
    (ShapeName::Mesh, &[4, 4], "2x2", "scheme=hamiltonian link.checksum=crc16 link.clocks=cable"),
    (ShapeName::Torus, &[2, 2], "2x2", "link.start=common scheme=optimal link.checksum=crc8 link.bytes=1"),
    (ShapeName::Torus, &[3, 4], "3x2", "scheme=hamiltonian link.lanes=2 link.checksum=crc16"),
    (ShapeName::Torus, &[4, 6], "2x2", "scheme=optimal link.checksum=crc16 link.bytes=5"),
    (
        ShapeName::Cycle,
        &[5],
        "5",
        "link.start=common scheme=optimal link.latency=4 link.checksum=crc8 link.clocks=cable",
    ),
    (ShapeName::Mesh, &[3, 3], "3x3", "scheme=hamiltonian link.checksum=crc16 link.bytes=1 link.clocks=cable"),
    (ShapeName::Torus, &[2, 3], "2x3", "link.start=common scheme=optimal link.checksum=crc8"),
    (
        ShapeName::Torus,
        &[4, 4],
        "1x2",
        "scheme=staircase collective=all-reduce operation=sum link.checksum=crc16 link.clocks=cable link.bytes=16",
    ),
    (ShapeName::Path, &[6], "3", "collective=broadcast link.flits=9 link.latency=8 link.checksum=crc8 link.bytes=1"),
];

/// Small networks with tokens both ways: frames of one beat and of several, and with clocks of transceivers.
const ONE: Case = (ShapeName::Cycle, &[3], "3", "scheme=optimal link.checksum=crc8");
const SEVERAL: Case = (ShapeName::Torus, &[2, 2], "2x2", "scheme=optimal link.checksum=crc8 link.bytes=1");
const ONE_CROSSED: Case = (ShapeName::Torus, &[2, 2], "2x2", "scheme=optimal link.checksum=crc8 link.clocks=cable");
const SEVERAL_CROSSED: Case =
    (ShapeName::Mesh, &[2, 3], "2x3", "scheme=hamiltonian link.checksum=crc16 link.bytes=2 link.clocks=cable");

fn boards((shape, sides, boards, settings): Case) -> Boards {
    Boards::of((shape, sides, boards, &format!("link.ports=bytes {settings}")))
}

fn compile(boards: &Boards) {
    let board = boards.name();
    let line = format!("-g2005 -Wall -o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
    assert_eq!(call(&boards.folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).1, "");
}

/// Over channels of 1 to 20 clocks, with pauses and gaps; one clock for all, phases, periods within 100 ppm, and up to 2:3. A
/// sample of the designs with one of them, or all under `TORUSWEAVE_FULL`.
#[test]
fn every_node_gets_what_it_would_in_the_fabric_over_transceivers() {
    if !has("iverilog") {
        return;
    }
    for (number, case) in sampled(CASES, 12).enumerate() {
        let boards = boards(case);
        compile(&boards);
        let mut clocks = [number % 3, 3];
        clocks.rotate_left(number % 2);
        for clocks in sampled(clocks, 2) {
            let printed = boards.play(&["+runs=2", &format!("+clocks={clocks}"), &format!("+seed={}", number + 1)]);
            assert!(printed.starts_with(&boards.verdict(2)), "{case:?}, clocks {clocks}: {printed}");
        }
    }
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn boards_behind_transceivers_are_clean_to_every_tool() {
    for case in sampled(CASES, 8) {
        let boards = boards(case);
        let name = &boards.design.program.title.name;
        assert_clean_top(&boards.folder, &boards.name(), &format!("{name}_bytes"));
    }
}

/// To the clock, but for a token that finds a frame without one at its port, as the first of a run may: frames of one beat and of several, one tick
/// at a time, and several. A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn transceivers_take_the_clocks_that_pace_says() {
    if !has("iverilog") {
        return;
    }
    for (bytes, flits, latency) in sampled([(8, 7, 4), (2, 30, 8), (8, 20, 1), (1, 20, 2), (1, 20, 1)], 5) {
        for clocks in ["board", "cable"] {
            let settings = format!(
                "collective=broadcast link.checksum=crc8 link.flits={flits} link.latency={latency} link.bytes={bytes} \
                 link.clocks={clocks}"
            );
            let boards = boards((ShapeName::Path, &[3], "3", &settings));
            assert_eq!(boards.compile_patient(10), "");
            let (program, network) = (&boards.design.program, boards.design.blocks());
            let beats = boards.design.beats(Port::plus(0)).unwrap();
            for link in [1, 64] {
                let wire = |_, output: Channel| {
                    let beats = boards.design.beats(output.port).unwrap();
                    WireClocks::of_beats(beats, boards.design.config.link.clocks, link)
                };
                let clocks = wires::clocks(program, network.boards(), 2, wire, &|_| ());
                let links = [format!("+least={link}"), format!("+most={link}")];
                let printed = boards.play(&["+stalls=0", "+runs=2", "+clocks=0", &links[0], &links[1]]);
                let taken: u64 = printed.split(", ").nth(1).unwrap().trim_end_matches(" clocks").parse().unwrap();
                let most = clocks + 2 * u64::from(beats - 1);
                assert!((clocks..=most).contains(&taken), "{settings}, {link}: {printed}, not {clocks}");
            }
        }
    }
}

/// Lost and doubled beats, a last one that is not said to be, wrong bits, links that stand still, channels that are down and come
/// up again, boards that are reset, and cables that are exchanged: some on some of the designs, or all on all under `TORUSWEAVE_FULL`.
#[test]
fn faults_of_channels_are_named_and_a_restart_mends_them() {
    if !has("iverilog") {
        return;
    }
    for (number, case) in sampled([ONE, SEVERAL, SEVERAL_CROSSED, ONE_CROSSED].into_iter().enumerate(), 3) {
        let boards = boards(case);
        assert_eq!(boards.compile_patient(7), "");
        let mut kinds = [1, 4, 13, 6, 2, 8, 3, 7, 5];
        kinds.rotate_left(number);
        for (index, kind) in sampled(kinds, 9).enumerate() {
            let stalls = if index % 2 == 0 { "+stalls=0" } else { "+stalls=50" };
            let (fault, clocks) = (format!("+fault={kind}"), format!("+clocks={}", (number + index) % 4));
            let printed = boards.play(&["+most=4", stalls, "+faults=2", &fault, &clocks]);
            assert!(printed.starts_with("PASS 2 faults named, "), "{case:?}, fault {kind}: {printed}");
        }
    }
}

/// Between two runs a board is reset, or a channel goes down: links train anew, and no restart is needed.
#[test]
fn boards_behind_transceivers_are_started_by_one_host() {
    if !has("iverilog") {
        return;
    }
    for (first, settings) in sampled([(2, "link.bytes=1 link.clocks=cable"), (1, "link.bytes=8")], 2) {
        let boards = boards((ShapeName::Path, &[3], "3", &format!("link.start=common link.checksum=crc8 {settings}")));
        compile(&boards);
        for held in sampled([first, 3 - first], 2) {
            let printed = boards.play(&["+runs=2", "+most=8", &format!("+held={held}"), &format!("+seed={held}")]);
            assert!(printed.starts_with(&boards.verdict(2)), "{settings}, held {held}: {printed}");
        }
    }
}

/// Idle frames on the way to a transceiver whose clock is four times slower: each that passes is another than the one before, or the receiver
/// would take the link for one that stands still.
const IDLE: &str = "
module unit;
    reg a = 0, b = 0, rst = 1;
    always #1 a = ~a;
    always #(PERIOD) b = ~b;
    reg [3:0] idle = 0, last = 4'hx;
    wire ready, valid;
    wire [63:0] data;
    integer passed = 0, same = 0;
    initial begin
        #9 rst = 0;
        #4000 $display(\"%0d passed, %0d as before\", passed, same);
        $finish;
    end
    NAME_beats_out #(.BITS(40)) out (.clk(a), .rst(rst), .up(1'b1), .s_axis_tdata({3'd2, 33'd0, idle}), .s_axis_tvalid(1'b1),
        .s_axis_tready(ready), .aclk(b), .m_axis_tdata(data), .m_axis_tvalid(valid), .m_axis_tready(1'b1), .m_axis_tlast());
    always @(posedge a) if (ready) idle <= idle + 1'b1;
    always @(posedge b) if (valid) begin
        passed <= passed + 1;
        if (data[27:24] === last) same <= same + 1;
        last <= data[27:24];
    end
endmodule
";

#[test]
fn idle_frames_differ_whatever_the_clock_of_a_transceiver_is() {
    if !has("iverilog") {
        return;
    }
    let boards = boards(ONE_CROSSED);
    let name = &boards.design.program.title.name;
    let path = |module: &str| format!("{name}_{module}.v");
    let text = fs::read_to_string(boards.folder.path().join(path("beats_out"))).unwrap();
    let same = |change: &dyn Fn(&str) -> String| -> u32 {
        let of = |period: u32| {
            let bench = IDLE.replace("NAME", name).replace("PERIOD", &period.to_string());
            fs::write(boards.folder.path().join("unit.v"), change(&text) + &bench).unwrap();
            let files = [path("crossing"), path("sync"), path("throttle")];
            let line =
                [&["-g2005", "-o", "unit", "-s", "unit", "unit.v"][..], &files.each_ref().map(String::as_str)].concat();
            assert_eq!(call(&boards.folder, "iverilog", &line).1, "");
            let printed = call(&boards.folder, "vvp", &["-n", "unit"]).1;
            assert!(!printed.starts_with("0 "), "{printed}");
            printed.split(' ').nth(2).unwrap().parse::<u32>().unwrap()
        };
        (1..=20).map(of).sum()
    };
    assert_eq!(same(&str::to_owned), 0);
    assert!(same(&|text: &str| text.replace("(odd | ~up)", "1'b1")) > 0);
}

/// The bench is tried on both directions of a port: in runs with pauses, and with faults. A sample of the mutants;
/// all under `TORUSWEAVE_FULL`.
#[test]
fn mutants_of_transceiver_ports_are_caught() {
    if !has("iverilog") {
        return;
    }
    let mutants: [(Case, &str, &str, &str, &str); 18] = [
        (SEVERAL, "beats_out", "a beat is sent for ever", "left - 1'b1", "left"),
        (SEVERAL, "beats_out", "the last beat is left out", "left == {COUNT{1'b0}}", "left == 1"),
        (SEVERAL, "beats_out", "a frame is gone with its first beat", "m_axis_tready & m_axis_tlast", "m_axis_tready"),
        (SEVERAL, "beats_out", "beats do not wait", "if (m_axis_tvalid & m_axis_tready)", "if (m_axis_tvalid)"),
        (SEVERAL, "beats_out", "the lowest beat goes first", "left}*SIZE", "LAST[COUNT-1:0] - left}*SIZE"),
        (SEVERAL, "beats_out", "a reset does not break a frame off", "if (rst) left <=", "if (1'b0) left <="),
        (ONE, "beats_out", "the last bits are zeros", "padded[SIZE:1]", "{padded[SIZE-16:1], 16'd0}"),
        (ONE, "beats_out", "frames do not wait", "frame_ready = m_axis_tready;", "frame_ready = 1'b1;"),
        (SEVERAL, "beats_in", "frames of any length are taken", " & (count == LAST[COUNT-1:0])", ""),
        (SEVERAL, "beats_in", "a lost end is not awaited", "s_axis_tvalid & s_axis_tlast &", "s_axis_tvalid &"),
        (SEVERAL, "beats_in", "a wrong frame does not end", "if (s_axis_tlast)", "if (m_axis_tvalid)"),
        (SEVERAL, "beats_in", "gaps are beats", "if (s_axis_tvalid) begin", "begin"),
        (ONE, "beats_in", "there are beats in gaps", "m_axis_tvalid = s_axis_tvalid", "m_axis_tvalid = 1'b1"),
        (ONE_CROSSED, "beats_out", "others pass while some wait", "alone & (odd | ~up)", "odd | ~up"),
        (ONE_CROSSED, "beats_out", "tokens wait for others", "= at_once | (alone", "= (at_once & alone) | (alone"),
        (ONE_CROSSED, "beats_out", "tokens are dropped", "passes ? passed_ready : up", "up"),
        (ONE_CROSSED, "beats_out", "frames that are not there are taken", "frame_valid & frame_ready)", "frame_ready)"),
        (SEVERAL_CROSSED, "beats_out", "beats have the clock of the board", "@(posedge aclk)", "@(posedge clk)"),
    ];
    let plays: [&[&str]; 5] = [
        &["+runs=2", "+seed=3", "+clocks=0"],
        &["+runs=2", "+seed=3", "+clocks=3"],
        &["+most=4", "+stalls=0", "+faults=2", "+fault=1", "+clocks=1"],
        &["+most=4", "+stalls=0", "+faults=2", "+fault=3", "+clocks=1"],
        &["+most=4", "+stalls=0", "+faults=2", "+fault=7", "+clocks=1"],
    ];
    let mut of: Option<(&str, Boards, [String; 5])> = None;
    for (case, module, what, good, bad) in sampled(mutants, 18) {
        let (_, boards, right) = match of {
            Some(of) if of.0 == case.3 => of,
            _ => {
                let boards = boards(case);
                compile(&boards);
                let right = plays.map(|arguments| boards.play(arguments));
                assert!(right.iter().all(|printed| printed.starts_with("PASS")), "{right:?}");
                (case.3, boards, right)
            }
        };
        let path = boards.folder.path().join(format!("{}_{module}.v", boards.design.program.title.name));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "{what}: `{good}` is not there");
        fs::write(&path, text.replace(good, bad)).unwrap();
        let board = boards.name();
        let line = format!("-g2005 -o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
        assert!(call(&boards.folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).0, "{what}");
        let is_caught = plays.iter().zip(&right).any(|(arguments, right)| boards.play(arguments) != *right);
        assert!(is_caught, "{what}");
        fs::write(&path, text).unwrap();
        of = Some((case.3, boards, right));
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

/// The board and all inside stay as they are; one comment says that its crossing is used in both directions.
#[test]
fn ports_of_whole_bytes_change_nothing_of_the_board() {
    for (settings, changed) in
        [("link.checksum=crc8", &[][..]), ("link.checksum=crc16 link.clocks=cable", &["crossing.v"][..])]
    {
        let (stream, bytes) = (files(settings), files(&format!("{settings} link.ports=bytes")));
        let is_rtl = |path: &str| Path::new(path).extension().is_some_and(|end| end == "v") && !path.starts_with("tb/");
        let differ = stream.iter().filter(|&(path, text)| is_rtl(path) && bytes.get(path) != Some(text));
        let differ: Vec<&str> = differ.map(|(path, _)| path.rsplit('_').next().unwrap()).collect();
        assert_eq!(differ, changed);
    }
}

#[test]
fn ports_of_whole_bytes_that_do_not_fit_are_refused() {
    let place = Place::new();
    let lines = [
        "check --torus 4x4 --ports bytes",
        "check --torus 4x4 --elastic true --ports bytes",
        "check --torus 4x4 --elastic true --checksum crc8 --bytes 4",
        "check --torus 4x4 --elastic true --checksum crc8 --ports bytes --bytes 200",
        "pace --torus 4x4 --elastic true --checksum crc8 --ports bytes --bytes 1 --start common",
    ]
    .map(|line| format!("{line}: {}", place.run(line).stderr));
    insta::assert_snapshot!(lines.concat());
}
