//! Boards with a block of nodes each: whatever cables and stalls do, every node's arrivals are those of the fabric.

use std::fs;

use torusweave::design::Design;
use torusweave::emit::{self, MemoryFiles, Options, board_verdict};
use torusweave::net::ShapeName;
use torusweave::netlist::{BoardStart, PortClock};
use torusweave::study::pace;

use crate::fixtures::command::Place;
use crate::fixtures::designs::{Folder, design_on};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{assert_clean_board, call, has, verilated};

/// A design with boards, and its Verilog.
pub struct Boards {
    pub design: Design,
    pub folder: Folder,
}

impl Boards {
    pub fn of((shape, sides, boards, settings): (ShapeName, &[u32], &str, &str)) -> Self {
        let all = format!("link.elastic=true link.boards={boards} link.width=8 {settings}");
        Self::of_design(design_on(shape, sides, &all.split_whitespace().collect::<Vec<_>>()))
    }

    pub fn of_design(design: Design) -> Self {
        let folder = Folder::with_options(&design.program, &design.options());
        Self { design, folder }
    }

    pub fn name(&self) -> String {
        format!("{}_board", self.design.program.title.name)
    }

    /// Compiles the bench with Icarus, for links that are soon given up; what that had to say.
    pub fn compile(&self) -> String {
        self.compile_patient(6)
    }

    /// Compiles the bench for links that are given up after so many clocks, as a power of two.
    pub fn compile_patient(&self, waits: u32) -> String {
        let board = self.name();
        let is_checked = self.design.config.link.checksum.is_some();
        let parameter = if is_checked { format!("-P{board}_tb.WAITS={waits} ") } else { String::new() };
        let line = format!("-g2005 -Wall {parameter}-o boards -s {board}_tb -f {board}.f tb/{board}_tb.v");
        call(&self.folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).1
    }

    pub fn play(&self, arguments: &[&str]) -> String {
        call(&self.folder, "vvp", &[&["-n", "boards"], arguments].concat()).1
    }

    pub fn verdict(&self, runs: u32) -> String {
        board_verdict(&self.design.program, self.design.blocks().boards().nodes(), runs)
    }
}

pub type Case<'c> = (ShapeName, &'c [u32], &'c str, &'c str);

/// One kind of board and several, axes of one board, borders, lanes, long links, streams, and values on links with checksums.
const CASES: [Case; 13] = [
    (ShapeName::Torus, &[6, 8], "3x2", "scheme=staircase"),
    (ShapeName::Torus, &[4, 6], "2x3", "scheme=optimal link.flits=2 link.latency=2"),
    (ShapeName::Torus, &[4, 6], "1x2", "collective=broadcast link.flits=4 link.latency=3"),
    (ShapeName::Torus, &[4, 4], "2x2", "scheme=optimal collective=all-reduce operation=sum"),
    (ShapeName::Torus, &[4, 4], "2x2", "collective=exchange own=streams"),
    (ShapeName::Torus, &[4, 5], "2x1", "scheme=staircase switching=memory"),
    (
        ShapeName::Torus,
        &[2, 4, 4],
        "1x2x2",
        "scheme=optimal collective=reduce-scatter operation=min link.latency=3 link.flits=3",
    ),
    (ShapeName::Torus, &[3, 4], "1x2", "scheme=hamiltonian link.lanes=2"),
    (ShapeName::Mesh, &[4, 6], "2x3", "scheme=hamiltonian"),
    (ShapeName::Mesh, &[4, 4], "2x1", "collective=scatter"),
    (ShapeName::Cycle, &[8], "4", "scheme=optimal link.latency=4"),
    (ShapeName::Path, &[6], "3", "collective=broadcast"),
    // a minimum, whose neutral value is all ones, on links with checksums
    (ShapeName::Torus, &[4, 4], "2x2", "scheme=optimal collective=all-reduce operation=min link.checksum=crc8"),
];

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn every_node_gets_what_it_would_in_the_fabric() {
    if !has("iverilog") {
        return;
    }
    for case in sampled(CASES, 4) {
        let boards = Boards::of(case);
        assert_eq!(boards.compile_patient(8), "", "{case:?}");
        let printed = boards.play(&["+runs=2"]);
        assert!(printed.starts_with(&boards.verdict(2)), "{case:?}: {printed}");
    }
}

/// To the clock: nothing but the cables holds boards up.
#[test]
fn boards_of_blocks_are_as_fast_as_pace_says() {
    if !has("iverilog") {
        return;
    }
    for (case, beside) in [
        ((ShapeName::Torus, &[4, 6][..], "2x3", "scheme=optimal link.flits=2 link.latency=2"), 0),
        ((ShapeName::Mesh, &[4, 4], "2x2", "scheme=hamiltonian"), 0),
        (
            (ShapeName::Torus, &[4, 2], "2x1", "scheme=optimal link.checksum=crc16"),
            pace::beside(true, PortClock::Board),
        ),
    ] {
        let boards = Boards::of(case);
        assert_eq!(boards.compile(), "", "{case:?}");
        for link in [1, 6] {
            let links = [format!("+least={link}"), format!("+most={link}")];
            let printed = boards.play(&["+stalls=0", "+runs=2", &links[0], &links[1]]);
            let network = boards.design.blocks();
            let clocks = pace::clocks(
                &boards.design.program,
                network.boards(),
                BoardStart::Own,
                2,
                |_, _| link + beside,
                &|_| (),
            );
            let expected = format!("{}, {clocks} clocks, ", boards.verdict(2));
            assert!(printed.starts_with(&expected), "{case:?}: {printed}, not {expected}");
        }
    }
}

/// Cables of several widths: lost tokens, wrong bits and exchanged cables are named at their port, and the run after a restart is
/// right.
#[test]
fn faults_on_cables_of_blocks_are_named() {
    if !has("iverilog") {
        return;
    }
    let boards = Boards::of((ShapeName::Torus, &[2, 4], "2x2", "scheme=optimal link.checksum=crc16"));
    assert_eq!(boards.compile(), "");
    for kind in [1, 4, 8, 13] {
        let printed = boards.play(&["+most=4", "+stalls=0", "+faults=1", &format!("+fault={kind}")]);
        assert!(printed.starts_with("PASS 1 faults named, "), "fault {kind}: {printed}");
    }
}

/// A mesh; with `TORUSWEAVE_FULL=all` also the tori that the issue names, in a minute.
#[test]
fn boards_of_blocks_play_under_verilator() {
    if !has("verilator") {
        return;
    }
    let is_full = std::env::var_os("TORUSWEAVE_FULL").is_some_and(|full| full == "all");
    let tori: [Case; 5] = [
        CASES[0],
        CASES[1],
        (ShapeName::Torus, &[16, 16], "2x2", "scheme=optimal"),
        (ShapeName::Torus, &[16, 16], "4x4", "scheme=staircase"),
        (ShapeName::Torus, &[16, 16], "2x2", "collective=all-reduce operation=sum scheme=optimal"),
    ];
    for case in tori.into_iter().take(if is_full { 5 } else { 0 }).chain([CASES[9]]) {
        let boards = Boards::of(case);
        let simulator = verilated(&boards.folder, &boards.name());
        for seed in 1..=2 {
            let (passed, printed) = call(&boards.folder, simulator, &["+runs=3", &format!("+seed={seed}")]);
            assert!(passed && printed.starts_with(&boards.verdict(3)), "{case:?}: {printed}");
        }
    }
}

#[test]
fn boards_of_blocks_are_clean_to_every_tool() {
    let checked = (ShapeName::Torus, &[4, 6][..], "2x2", "scheme=staircase switching=memory link.checksum=crc16");
    for case in [CASES[2], CASES[8], checked] {
        let boards = Boards::of(case);
        let board = boards.name();
        assert_clean_board(&boards.folder, &board);
    }
}

/// The bench is tried: wires of a token that change places, sides that lead elsewhere, links that do not wait.
#[test]
fn faults_of_blocks_are_caught() {
    if !has("iverilog") {
        return;
    }
    let alike: Case = (ShapeName::Torus, &[4, 6], "2x2", "scheme=optimal link.flits=3 link.latency=3");
    let short: Case = (ShapeName::Torus, &[4, 6], "2x2", "scheme=optimal");
    let kinds: Case = (ShapeName::Torus, &[4, 4], "2x2", "scheme=staircase switching=memory");
    let grid: Case = (ShapeName::Mesh, &[4, 4], "2x2", "scheme=hamiltonian");
    let mutants: [(Case, &str, &str, &str, &str); 11] = [
        (short, "board", "links change places", "n0_1_t_first, n0_0_t_first}", "n0_0_t_first, n0_1_t_first}"),
        (short, "board", "a link is another", "t_m_axis_tdata[0*(", "t_m_axis_tdata[1*("),
        (short, "board", "a side is another", ".s_axis_tdata(t_s_axis_tdata)", ".s_axis_tdata(b_s_axis_tdata)"),
        (short, "board", "a side is not waited for", "t_filled | ~t_linked", "1'b1"),
        (short, "board", "a link within is another", "n0_0_b_first = n1_0_t_sent", "n0_0_b_first = n1_1_t_sent"),
        (short, "board", "nodes do not wait", "wire ce = ~playing | (fire & ~over)", "wire ce = 1'b1"),
        (short, "fifo", "a bit of a token is lost", "<= s_axis_tdata;", "<= s_axis_tdata & ~{ {WIDTH{1'b0}}, 1'b1};"),
        (alike, "link", "links within do not wait", "if (ce) ", ""),
        (alike, "board", "links within are too short", ".STAGES(2)", ".STAGES(1)"),
        (kinds, "board", "a node is of another class", "n0_0_is_a = ", "n0_0_is_a = ~"),
        (grid, "board", "a border waits for nobody", "t_linked = x1 != 1'd0", "t_linked = 1'b1"),
    ];
    let mut built: Option<(Case, Boards)> = None;
    for (case, module, what, good, bad) in mutants {
        if built.as_ref().is_none_or(|(of, _)| *of != case) {
            let boards = Boards::of(case);
            assert_eq!(boards.compile(), "");
            assert!(boards.play(&["+runs=2"]).starts_with(&boards.verdict(2)), "{case:?}");
            built = Some((case, boards));
        }
        let (_, boards) = built.as_ref().unwrap();
        let path = boards.folder.path().join(format!("{}_{module}.v", boards.design.program.title.name));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(good), "{what}: `{good}` is not there");
        fs::write(&path, text.replace(good, bad)).unwrap();
        boards.compile();
        let printed = boards.play(&["+runs=2"]);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, text).unwrap();
    }
}

/// Bytes of boards without `link.boards`, but for the command in the headers.
#[test]
fn a_block_of_one_node_is_a_board_per_node() {
    for (shape, sides, all, settings) in [
        (ShapeName::Torus, &[3, 4][..], "3x4", "scheme=optimal link.checksum=crc8 link.latency=2 link.flits=2"),
        (ShapeName::Mesh, &[3, 4], "3x4", "scheme=hamiltonian"),
    ] {
        let files = |boards: &str| {
            let all = format!("link.elastic=true {boards} {settings}");
            let design = design_on(shape, sides, &all.split_whitespace().collect::<Vec<_>>());
            let mut files = MemoryFiles::default();
            let options = Options { origin: "a test".to_owned(), ..design.options() };
            emit::write_all(&design.program, &options, &mut files).unwrap();
            files.0
        };
        assert!(files("") == files(&format!("link.boards={all}")), "{all}");
    }
}

#[test]
fn boards_that_do_not_fit_are_refused() {
    let place = Place::new();
    let refused =
        |network: &str, boards: &str| place.run(&format!("check {network} --elastic true --boards {boards}")).stderr;
    let lines = [
        ("--torus 4x6", "3x2"),
        ("--torus 4x6", "2"),
        ("--torus 4x6", "2x0"),
        ("--torus 4x6", "1x1"),
        ("--torus 4x6", "2xa"),
        ("--lattice 4,1/0,4", "2x2"),
        ("--torus 3x4 --dead-node 1,2", "3x4 --checksum crc8 --start common"),
    ]
    .map(|(network, boards)| format!("{network}: {}", refused(network, boards)));
    let without = place.run("check --torus 4x4 --boards 2x2").stderr;
    insta::assert_snapshot!(lines.concat() + "without: " + &without);
}

/// Cables between blocks lead where the bench joins them, and each port of each board has one.
#[test]
fn cables_of_blocks_join_boards() {
    let csv = Place::new().run("cables --torus 4x6 --elastic true --boards 2x2").stdout;
    insta::assert_snapshot!(csv);
}
