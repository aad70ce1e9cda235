//! Memories and streams beside the fabric: every word of every collective comes out where, when and as it must.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::emit::{Options, system_verdict};
use torusweave::net::ShapeName;
use torusweave::netlist::listed::{ListNetlist, NotLowered};
use torusweave::netlist::{BlockOrder, HostStreams, NodeOptions};
use torusweave::paths::supply::Switching;
use torusweave::program::Program;
use torusweave::schemes::{staircase::Staircase, zigzag::Zigzag};

use crate::farm;
use crate::fixtures::command::project;
use crate::fixtures::designs::{self, Folder, design};
use crate::fixtures::mutants::replaced;
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, has, verilated};

pub fn options(width: u32, order: BlockOrder, host: HostStreams) -> Options {
    Options { local: Some(NodeOptions::streams(order, host)), ..designs::options(width) }
}

/// The bench of the system under Icarus: what it printed.
pub fn play(folder: &Folder, program: &Program, runs: u32, seed: u32) -> String {
    let system = format!("{}_system", program.title.name);
    let line = format!("-g2005 -Wall -o system -s {system}_tb -f {system}.f tb/{system}_tb.v");
    let (built, said) = call(folder, "iverilog", &line.split(' ').collect::<Vec<_>>());
    assert!(built, "{said}");
    let (_, printed) = call(folder, "vvp", &["-n", "system", &format!("+runs={runs}"), &format!("+seed={seed}")]);
    said + &printed
}

fn passes(program: &Program, options: &Options, runs: u32) {
    let folder = Folder::with_options(program, options);
    let printed = play(&folder, program, runs, 1);
    assert_eq!(
        printed.trim_end(),
        system_verdict(program, options, runs),
        "{}, {:?}",
        program.title.name,
        options.local
    );
}

/// Every shape of a node: one packet and two, one flit and several, sides that are powers of two or not, packets that come in
/// twice, ports that look out of the grid, one table and many.
fn shapes() -> Vec<(Program, Options)> {
    use {BlockOrder::*, HostStreams::*};
    let gossip = |shape, sides: &[u32], settings: &str| {
        designs::design_on(shape, sides, &settings.split(' ').collect::<Vec<_>>()).program
    };
    let staircase = designs::staircase(4, 4);
    let zigzag = designs::woven(&[8, 6], &Zigzag, Switching::Memory);
    vec![
        (staircase.clone(), options(8, Origin, Ports)),
        (staircase.stretched(3).unwrap(), options(1, Arrival, Ports)),
        (staircase, options(8, Arrival, Chain)),
        (designs::optimal(&[4, 6]).stretched(2).unwrap(), options(16, Origin, Ports)),
        (designs::optimal(&[3, 4]), options(100, Arrival, Ports)),
        (zigzag.clone(), options(8, Arrival, Ports)),
        (zigzag, options(8, Origin, Ports)),
        (gossip(ShapeName::Mesh, &[3, 4], "scheme=hamiltonian"), options(8, Origin, Chain)),
        (gossip(ShapeName::Path, &[2], "scheme=hamiltonian"), options(8, Arrival, Ports)),
        (gossip(ShapeName::Torus, &[3, 3, 3], "scheme=hamiltonian"), options(8, Origin, Ports)),
        (gossip(ShapeName::Mesh, &[3, 3], "scheme=lau-zhang"), options(8, Arrival, Ports)),
        (gossip(ShapeName::Torus, &[4, 4], "scheme=hamiltonian link.lanes=2"), options(8, Arrival, Ports)),
        (gossip(ShapeName::Torus, &[3, 4], "scheme=hamiltonian link.duplex=one-way"), options(8, Origin, Ports)),
        (gossip(ShapeName::Torus, &[4, 4], "link.latency=3"), options(8, Origin, Ports)),
        (gossip(ShapeName::Torus, &[3, 4], "collective=exchange link.latency=3"), options(8, Origin, Ports)),
    ]
}

/// Every collective that moves words: blocks by destination and by origin, streams and packets that are held, several lengths,
/// nodes that take or give nothing, several flits, lanes, ports that look out of the grid.
fn moves() -> Vec<(Program, Options)> {
    use {BlockOrder::*, ShapeName::*};
    let design = |shape, sides: &[u32], order, settings: &str| {
        let program = designs::design_on(shape, sides, &settings.split(' ').collect::<Vec<_>>()).program;
        (program, options(8, order, HostStreams::Ports))
    };
    vec![
        design(Torus, &[3, 4], Origin, "collective=broadcast scheme=trees root=1,2 link.flits=7"),
        design(Mesh, &[3, 3], Origin, "collective=broadcast link.flits=4"),
        design(Mesh, &[3, 3], Origin, "collective=broadcast"),
        design(Torus, &[4, 4], Arrival, "collective=broadcast scheme=trees link.flits=16"),
        design(Torus, &[4, 4], Origin, "collective=exchange scheme=open-shop link.flits=2"),
        design(Torus, &[3, 3], Arrival, "collective=exchange"),
        design(Cycle, &[5], Origin, "collective=exchange link.flits=3"),
        design(Torus, &[3, 4], Origin, "collective=scatter root=2,1 link.flits=3"),
        design(Path, &[5], Origin, "collective=scatter root=1 lengths=2,0,1,3,5"),
        design(Torus, &[2, 3, 3], Arrival, "collective=scatter"),
        design(Torus, &[3, 4], Origin, "collective=gather root=2,1 link.flits=3"),
        design(Torus, &[3, 4], Arrival, "collective=gather lengths=3,0,1,2,1,1,4,0,1,1,2,2"),
        design(Mesh, &[3, 4], Origin, "collective=gather"),
        design(Cycle, &[6], Arrival, "collective=gather link.flits=4"),
    ]
}

/// Results in every node: every operation, several flits and packets, arrivals of several ages, one part and two.
fn reductions() -> Vec<(Program, Options)> {
    use {BlockOrder::*, ShapeName::*};
    let design = |shape, sides: &[u32], width, order, settings: &str| {
        let program = designs::design_on(shape, sides, &settings.split(' ').collect::<Vec<_>>()).program;
        (program, options(width, order, HostStreams::Ports))
    };
    vec![
        design(Torus, &[3, 4], 8, Origin, "collective=reduce-scatter operation=sum scheme=optimal"),
        design(Torus, &[4, 4], 8, Origin, "collective=reduce-scatter operation=xor scheme=staircase link.flits=3"),
        design(Mesh, &[3, 4], 8, Arrival, "collective=reduce-scatter operation=sum scheme=hamiltonian"),
        design(Torus, &[4, 6], 8, Origin, "collective=reduce-scatter operation=sum scheme=zigzag"),
        design(Torus, &[4, 4], 16, Origin, "collective=all-reduce operation=sum scheme=optimal"),
        design(Torus, &[3, 4], 8, Origin, "collective=all-reduce operation=max scheme=optimal link.flits=2"),
        design(Torus, &[4, 4], 8, Arrival, "collective=all-reduce operation=sum scheme=staircase"),
        design(Torus, &[4, 6], 8, Origin, "collective=all-reduce operation=xor scheme=staircase link.flits=4"),
        design(Mesh, &[3, 4], 8, Origin, "collective=all-reduce operation=min scheme=hamiltonian"),
        design(Torus, &[2, 3, 3], 8, Arrival, "collective=all-reduce operation=and scheme=optimal"),
        design(Cycle, &[5], 70, Origin, "collective=all-reduce operation=or link.flits=3"),
        design(Path, &[4], 8, Origin, "collective=all-reduce operation=sum"),
        // values with a sign
        design(Cycle, &[5], 32, Arrival, "collective=all-reduce operation=min number=i32 link.flits=2"),
        // sums that take time: in one row of units and in two, of one flit and several, one part and two, handed on or not
        design(Torus, &[3, 3], 16, Origin, "collective=all-reduce operation=sum number=bf16 adder=3"),
        design(Torus, &[3, 4], 32, Arrival, "collective=all-reduce operation=sum number=f32 adder=2 link.flits=3"),
        design(
            Torus,
            &[2, 3, 3],
            16,
            Origin,
            "collective=reduce-scatter operation=max number=f16 adder=2 scheme=general",
        ),
        design(Mesh, &[2, 3], 32, Origin, "collective=reduce-scatter operation=sum number=f32 adder=4 link.flits=2"),
        design(Path, &[4], 9, Origin, "collective=all-reduce operation=custom adder=2"),
        // links of several ticks
        design(Torus, &[3, 3], 8, Origin, "collective=all-reduce operation=sum link.latency=3"),
        design(Torus, &[3, 3], 16, Origin, "collective=all-reduce operation=sum number=bf16 adder=2 link.latency=3"),
    ]
}

/// Nodes of networks on which offsets are not coordinates modulo the sides, or that have dead parts; ports and rings by turns.
fn twists() -> Vec<(Program, Options)> {
    let networks = ["lattice: [[4, 2], [0, 6]]", "lattice: [[1, 5], [0, 13]]"];
    let damaged = [
        "torus: [3, 4], dead: { nodes: ['0,0', '2,3'] }",
        "torus: [5, 5], part: { from: [1, 1], to: [3, 3] }, open: [x1]",
    ];
    let networks = networks.into_iter().chain(["torus: [4, 4], dead: { links: ['0,0 x2+'] }"]).chain(damaged);
    let all = networks.flat_map(|network| farm::COLLECTIVES.map(|collective| (network, collective)));
    let design = |((network, collective), number): ((&str, &[&str]), usize)| {
        let way = ["local.order=origin", "host=chain", "local.order=arrival"][number % 3];
        let design = farm::built(farm::config(network, &[collective, &[way]]))
            .unwrap_or_else(|error| panic!("{network}: {error}"));
        let options = design.options();
        (design.program, options)
    };
    all.zip(0..).map(design).collect()
}

/// Rows of several words: one group of inputs and several, several flits, packets that come in twice, lanes of links, own packets in
/// several lanes, dead nodes, networks on which offsets are not coordinates, nodes that take or give nothing, single words in banks.
fn rows() -> Vec<(Program, Options)> {
    let design = |(network, settings): (&str, &str)| {
        let settings: Vec<&str> = settings.split(' ').collect();
        let design =
            farm::built(farm::config(network, &[&settings])).unwrap_or_else(|error| panic!("{network}: {error}"));
        let options = design.options();
        (design.program, options)
    };
    let all = [
        ("torus: [4, 4]", "scheme=staircase link.width=8 local.words=4"),
        ("torus: [2, 4]", "scheme=staircase link.width=5 link.flits=3 local.words=2"),
        ("torus: [3, 4]", "scheme=optimal link.width=16 local.words=3"),
        ("torus: [4, 6]", "scheme=zigzag switching=memory link.width=8 local.words=4"),
        ("torus: [3, 3, 3]", "scheme=hamiltonian link.width=8 local.words=4"),
        ("torus: [4, 4]", "scheme=hamiltonian link.lanes=2 link.width=8 local.words=8"),
        ("mesh: [3, 3]", "scheme=lau-zhang link.width=70 local.words=4"),
        ("torus: [3, 4], dead: { nodes: ['0,0', '2,3'] }", "link.width=8 local.words=4"),
        ("lattice: [[4, 2], [0, 6]]", "link.width=8 local.words=4 local.order=arrival"),
        ("path: 2", "link.width=1 local.words=2"),
        ("torus: [3, 3]", "collective=broadcast root=1,1 link.width=8 local.words=4"),
        ("torus: [3, 3]", "collective=gather root=1,1 link.width=8 local.words=4"),
        ("torus: [4, 4]", "collective=exchange scheme=open-shop link.width=8 local.words=2"),
    ];
    all.into_iter().map(design).collect()
}

/// Nodes with read ports: every order and collective, one word per block and several, sides that are powers of two or not, nodes
/// that take or give nothing, results that form at once or in units.
fn read_ports() -> Vec<(Program, Options)> {
    let design = |(network, settings): (&str, &str)| {
        let settings: Vec<&str> = settings.split(' ').chain(["local.results=memory"]).collect();
        let design =
            farm::built(farm::config(network, &[&settings])).unwrap_or_else(|error| panic!("{network}: {error}"));
        let options = design.options();
        (design.program, options)
    };
    let all = [
        ("torus: [4, 4]", "scheme=optimal link.width=8"),
        ("torus: [3, 5]", "scheme=hamiltonian link.width=8 link.flits=3"),
        ("torus: [2, 4]", "scheme=staircase link.width=1 local.order=arrival"),
        ("torus: [4, 4]", "collective=exchange link.width=8"),
        ("torus: [3, 3]", "collective=broadcast root=1,1 link.width=8 link.flits=4"),
        ("torus: [3, 4]", "collective=all-reduce operation=max link.width=16 link.flits=2"),
        ("mesh: [3, 4]", "link.width=70"),
        ("torus: [3, 3]", "collective=scatter root=1,1 link.width=8 link.flits=2"),
        ("torus: [3, 4], dead: { nodes: ['0,0'] }", "link.width=8"),
        ("torus: [3, 3]", "collective=all-reduce operation=sum number=f32"),
        ("lattice: [[4, 2], [0, 6]]", "link.width=8"),
        ("torus: [3, 3]", "collective=gather root=1,1 link.width=8 lengths=1,2,3,0,4,5,1,2,2"),
        ("torus: [3, 3]", "collective=exchange link.width=8 link.flits=2"),
        ("path: 4", "collective=reduce-scatter operation=xor link.width=8 local.order=arrival"),
        ("torus: [3, 3, 3]", "scheme=optimal link.width=8 link.latency=2 local.order=arrival"),
        // blocks of no word or one, and blocks that are as long at one node, and not at all
        ("mesh: [2, 2]", "collective=gather root=0,0 link.width=8 lengths=1,0,1,1 local.order=arrival"),
        ("mesh: [2, 2]", "collective=halo count=1 link.width=8 local.order=arrival"),
        ("path: 3", "collective=exchange link.width=8 lengths=[[0,2,3],[1,0,3],[1,2,0]] local.order=arrival"),
    ];
    all.into_iter().map(design).collect()
}

/// Designs of other collectives on a ring.
fn rings() -> Vec<(Program, Options)> {
    let all = moves().into_iter().chain(reductions());
    let on_a_ring = |(program, options): (Program, Options)| {
        let local = options.local.map(|local| NodeOptions { host: HostStreams::Chain, ..local });
        (program, Options { local, ..options })
    };
    all.map(on_a_ring).collect()
}

#[test]
fn every_result_comes_out_where_it_must_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(reductions(), 5) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

#[test]
fn rows_of_several_words_come_out_where_they_must_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(rows(), 9) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

/// Rows without their words, with a word too many, in other lanes, of another step, of other nodes, out of the other bank.
#[test]
fn wrong_rows_are_caught_by_the_bench() {
    if !has("iverilog") {
        return;
    }
    let (program, options) = rows().swap_remove(0);
    let folder = Folder::with_options(&program, &options);
    let name = &program.title.name;
    let wrong = [
        ("_stream.v", "held <= {out_keep,", "held <= {4'd0,"),
        ("_stream.v", "held <= {out_keep,", "held <= {4'd15,"),
        ("_stream.v", "held <= {out_keep,", "held <= {out_keep[2:0], out_keep[3],"),
        ("_stream.v", "give_bank ^ given", "give_bank"),
        ("_stream.v", "out_user, out_ends, out_data};", "out_user, ~out_ends, out_data};"),
        ("_node.v", "? out_told_0 : out_only", "? out_told_1 : out_only"),
        ("_node.v", "out_row <= (rst | out_first) ?", "out_row <= rst ?"),
        ("_node.v", "out_reads <= out_next & ~out_first;", "out_reads <= out_next;"),
    ];
    for (file, from, to) in wrong {
        let path = folder.path().join(format!("{name}{file}"));
        let right = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{file}"));
        assert_eq!(right.matches(from).count(), 1, "{from}");
        fs::write(&path, right.replace(from, to)).unwrap();
        let printed = play(&folder, &program, 3, 1);
        assert!(printed.contains("FAIL"), "{to}: {printed}");
        fs::write(&path, right).unwrap();
    }
}

#[test]
fn read_ports_give_every_word_at_its_address_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(read_ports(), 8) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

/// Words of another address, node or bank, too early, unasked; results that are not freed, or not one after the other.
#[test]
fn wrong_read_ports_are_caught_by_the_bench() {
    if !has("iverilog") {
        return;
    }
    let (program, options) = read_ports().swap_remove(1);
    let folder = Folder::with_options(&program, &options);
    let wrong = [
        ("_stream.v", "address <= m_ram_addr;", "address <= ~m_ram_addr;"),
        ("_stream.v", "give_bank ^ given", "give_bank"),
        ("_stream.v", "reads[1:0], m_ram_en}", "reads[1:0], m_ram_full}"),
        ("_stream.v", "reads <= rst ? 3'd0 :", "reads <="),
        ("_stream.v", "frees <= rst ? 2'd0 : {frees[0], given};", "frees <= 2'd0;"),
        ("_stream.v", "out_bank = read_bank", "out_bank = ~read_bank"),
        ("_stream.v", "m_ram_full = played[0]", "m_ram_full = ~empty[1]"),
        ("_stream.v", "given = played[0] & m_ram_free", "given = played[0] & m_ram_en"),
        ("_node.v", "out_from <= out_source", "out_from <= ~out_source"),
        ("_given.v", "'d1: entry <= ", "'d1: entry <= 1 ^ "),
    ];
    for (file, from, to) in sampled(wrong, 6) {
        let path = folder.path().join(format!("{}{file}", program.title.name));
        let right = fs::read_to_string(&path).unwrap();
        assert!(right.contains(from), "{from}");
        fs::write(&path, right.replace(from, to)).unwrap();
        let printed = play(&folder, &program, 5, 1);
        assert!(printed.contains("FAIL"), "{to}: {printed}");
        fs::write(&path, right).unwrap();
    }
}

/// Two nodes have their words when a reset of one clock comes: nothing is left of them, whatever `start` says.
const SHORT_RESET: &str = "module tb;
    reg clk = 1'b0, rst = 1'b1, start = 1'b0, valid = 1'b0;
    wire busy;
    always #1 clk = ~clk;
    path_2_system system (
        .clk(clk), .rst(rst), .start(start), .busy(busy), .done(), .misframed(),
        .n0_s_axis_tdata(8'd1), .n0_s_axis_tvalid(valid), .n0_s_axis_tready(), .n0_s_axis_tlast(1'b1),
        .n0_m_axis_tdata(), .n0_m_axis_tvalid(), .n0_m_axis_tready(1'b1), .n0_m_axis_tlast(), .n0_m_axis_tuser(),
        .n1_s_axis_tdata(8'd2), .n1_s_axis_tvalid(valid), .n1_s_axis_tready(), .n1_s_axis_tlast(1'b1),
        .n1_m_axis_tdata(), .n1_m_axis_tvalid(), .n1_m_axis_tready(1'b1), .n1_m_axis_tlast(), .n1_m_axis_tuser()
    );
    initial begin
        repeat (20) @(negedge clk);
        rst = 1'b0;
        valid = 1'b1;
        repeat (40) @(negedge clk);
        {valid, rst, start} = 3'b011;
        @(negedge clk) rst = 1'b0;
        repeat (20) @(negedge clk) if (busy) $display(\"begins\");
        valid = 1'b1;
        repeat (20) @(negedge clk) if (busy) valid = 1'b0;
        if (!valid) $display(\"plays\");
        $finish;
    end
endmodule
";

#[test]
fn words_are_forgotten_by_a_reset_of_one_clock() {
    if !has("iverilog") {
        return;
    }
    let program = designs::design_on(ShapeName::Path, &[2], &["scheme=hamiltonian"]).program;
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    fs::write(folder.path().join("tb.v"), SHORT_RESET).unwrap();
    let stream = folder.path().join("path_2_stream.v");
    let right = fs::read_to_string(&stream).unwrap();
    let wrong = replaced(&right, "", &[("filled <= 2'b00;", "filled <= filled;")]);
    for (rtl, expected) in [(&right, "plays\n"), (&wrong, "begins\n")] {
        fs::write(&stream, rtl).unwrap();
        assert!(call(&folder, "iverilog", &["-g2005", "-o", "short", "-s", "tb", "-f", "path_2_system.f", "tb.v"]).0);
        let (_, printed) = call(&folder, "vvp", &["-n", "short"]);
        assert!(printed.starts_with(expected), "{expected}: {printed}");
    }
}

/// Clocks per collective with streams that never pause, as docs/streams.md has them.
#[test]
fn collectives_take_the_clocks_that_the_page_says() {
    if !has("iverilog") {
        return;
    }
    let page = fs::read_to_string(project().join("docs/streams.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `--torus "));
    let mut measured = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [of, ticks, one, four, ..] = cells[..] else { panic!("{row}") };
        let words = of.trim_end_matches('`').split(' ').collect::<Vec<_>>();
        let [sides, "--scheme", scheme] = words[..] else { panic!("{row}") };
        let sides: Vec<u32> = sides.split('x').map(|side| side.parse().unwrap()).collect();
        for (words, clocks) in [("1", one), ("4", four)] {
            if words == "1" && sides[0] > 4 && std::env::var_os("TORUSWEAVE_FULL").is_none() {
                continue;
            }
            let scheme = format!("scheme={scheme}");
            let words = format!("local.words={words}");
            let built = design(&sides, &[&scheme, &words, "local.order=arrival", "link.width=8"]);
            assert_eq!(built.program.ticks.to_string(), ticks, "{row}");
            let folder = Folder::with_options(&built.program, &built.options());
            let system = format!("{}_system", built.program.title.name);
            let line = format!("-g2005 -o system -s {system}_tb -f {system}.f tb/{system}_tb.v");
            assert!(call(&folder, "iverilog", &line.split(' ').collect::<Vec<_>>()).0);
            let (_, printed) = call(&folder, "vvp", &["-n", "system", "+runs=12", "+full=1"]);
            assert!(printed.starts_with(&format!("{clocks} clocks per collective\nPASS 12 ")), "{row}: {printed}");
            measured += 1;
        }
    }
    assert!(measured >= 3, "{measured} rows");
}

#[test]
fn every_word_that_moves_comes_out_where_it_must_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(moves(), 3) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

#[test]
fn nodes_of_any_network_hand_out_every_word_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(twists(), 5) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

/// Nodes that take or give nothing, blocks of several lengths and results are put on one stream and come out of it in order.
#[test]
fn every_collective_comes_through_the_ring_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(rings(), 10) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

/// A wrong mark is reported, and every word still comes out where it must.
#[test]
fn a_wrong_tlast_on_the_ring_stops_nothing() {
    if !has("iverilog") {
        return;
    }
    let settings = ["collective=scatter", "root=1,1", "link.flits=3"];
    let program = designs::design_on(ShapeName::Torus, &[3, 3], &settings).program;
    let options = options(8, BlockOrder::Origin, HostStreams::Chain);
    let folder = Folder::with_options(&program, &options);
    let path = folder.path().join(format!("tb/{}_system_tb.v", program.title.name));
    let good = fs::read_to_string(&path).unwrap();
    let change = |from: &str, to: &str| {
        let changed = good.replace(from, to);
        assert_ne!(changed, good, "`{from}` is not there");
        changed
    };
    let ends = "next_last[stream-1] = ";
    fs::write(&path, change(ends, &format!("{ends}(in_run[stream] == 0 && fed[stream] == 4) ^ "))).unwrap();
    let printed = play(&folder, &program, 3, 1);
    assert!(printed.contains("FAIL misframed is 1"), "{printed}");
    let ignored = change(ends, &format!("{ends}(in_run[stream] == 0 && fed[stream] == 4) ^ "))
        .replace("good && misframed[board] !== 1'b0", "good && misframed[board] === 1'bx");
    fs::write(&path, ignored).unwrap();
    let printed = play(&folder, &program, 3, 1);
    assert_eq!(printed.trim_end(), system_verdict(&program, &options, 3));
}

/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn every_word_comes_out_where_it_must_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(shapes(), 5) {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

/// Nearly all of the time is the C++ compiler's.
#[test]
fn a_thousand_collectives_with_streams_that_pause_under_verilator() {
    if !has("verilator") {
        return;
    }
    let program = designs::staircase(2, 4).stretched(2).unwrap();
    let runs = if std::env::var_os("TORUSWEAVE_FULL").is_some() { 1000 } else { 100 };
    let options = options(8, BlockOrder::Origin, HostStreams::Ports);
    let folder = Folder::with_options(&program, &options);
    let system = format!("{}_system", program.title.name);
    let simulator = verilated(&folder, &system);
    for seed in 1..=2 {
        let (passed, printed) = call(&folder, simulator, &[&format!("+runs={runs}"), &format!("+seed={seed}")]);
        assert!(passed && printed.starts_with(&system_verdict(&program, &options, runs)), "{printed}");
    }
}

/// The bench is tried: a reader that does not wait, banks that change too early, wrong addresses, wrong names. A sample; all under
/// `TORUSWEAVE_FULL`.
#[test]
fn faults_of_a_node_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(4, 4).stretched(2).unwrap();
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let faults = [
        ("stream", "ready is ignored", "out_moves = ~holds | m_axis_tready", "out_moves = 1'b1"),
        ("stream", "a bank is read too early", "'d0) & played[0]", "'d0) & (played[0] | filled[0])"),
        ("stream", "a bank is read too often", "played[0] & ~given", "played[0]"),
        ("stream", "a bank is given up too early", "freed = gives ? read : finish", "freed = finish"),
        ("stream", "a bank is filled too early", "s_axis_tready = empty[0] &", "s_axis_tready ="),
        ("stream", "a bank is filled twice", "empty[0] & ~loads", "empty[0]"),
        ("stream", "it plays without words", "ready = filled[0]", "ready = 1'b1"),
        ("stream", "words count for two collectives", "filled[0] & ~play", "filled[0]"),
        ("stream", "words of all collectives go to one bank", "fill_bank ^ loads", "fill_bank"),
        ("stream", "the last word goes to the next bank", "in_bank <= fill_bank", "in_bank <= fill_bank ^ loads"),
        ("stream", "words come from one bank", "give_bank ^ given", "give_bank"),
        ("stream", "the last word is of the next bank", "read_bank <= give_bank", "read_bank <= give_bank ^ given"),
        ("stream", "tlast is not looked at", "was_last != in_ends", "was_last == in_ends"),
        ("stream", "tlast is lost", "out_user, out_ends,", "out_user, 1'b0,"),
        ("node", "arrivals are kept in one bank", "{play_bank, ", "{1'b0, "),
        ("node", "words that come in lie elsewhere", "{in_bank, in_entry", "{in_bank, ~in_entry"),
        ("node", "words go out from elsewhere", "{out_bank, out_address", "{out_bank, ~out_address"),
        ("node", "blocks do not follow one another", "out_block <= out_after", "out_block <= out_block"),
        ("node", "places in a block are not counted", "out_all & out_ends_block", "out_all"),
        ("node", "an origin is wrong", "out_told ? out_node", "out_told ? here"),
        ("node", "words are not counted", "in_count + ", "0 * in_count + "),
        ("node", "a word is sent again", "_take ? ", "_take & ~begins & ~|tick[1:0] ? "),
        ("given", "a table says another place", "'d0: entry <= ", "'d0: entry <= 1 ^ "),
        ("taken", "a word goes to no bank", "'d1: entry <= ", "'d1: entry <= 0 & "),
        ("sequencer", "it ends a tick early", "tick != last", "tick + 1 != last"),
        ("sequencer", "it begins a tick early", "tick <= begins ? ", "tick <= begins ? 1 + "),
        ("system", "it begins before all are ready", "(&near_ready)", "(|near_ready)"),
        ("system", "it begins again while it plays", "start & ~busy &", "start &"),
        ("system", "all collectives play in one bank", "play_bank ^ done", "play_bank"),
    ];
    assert_caught(&folder, &program, 6, &sampled(faults, 4).collect::<Vec<_>>());
}

/// Asserts that the bench sees each fault: its module, what it is, and the words that change.
fn assert_caught(folder: &Folder, program: &Program, runs: u32, faults: &[(&str, &str, &str, &str)]) {
    for (module, what, right, wrong) in faults {
        let path = folder.path().join(format!("{}_{module}.v", program.title.name));
        let good = fs::read_to_string(&path).unwrap();
        let mutant = replaced(&good, "", &[(right, wrong)]);
        assert_ne!(mutant, good, "{what}: `{right}` is not there");
        fs::write(&path, mutant).unwrap();
        let printed = play(folder, program, runs, 1);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, good).unwrap();
    }
}

/// The bench is tried on nodes whose words go to banks by a table: wrong banks, wrong addresses, words that are lost.
#[test]
fn faults_of_nodes_with_tables_are_caught() {
    if !has("iverilog") {
        return;
    }
    let settings = ["collective=scatter", "root=1,1", "link.flits=3"];
    let program = designs::design_on(ShapeName::Torus, &[3, 3], &settings).program;
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let faults = [
        (
            "stream",
            "a word is lost",
            "in_put = s_axis_tvalid & s_axis_tready",
            "in_put = s_axis_tvalid & s_axis_tready & ~was_put",
        ),
        ("stream", "a bank is filled too early", "s_axis_tready = empty[0] &", "s_axis_tready ="),
        ("stream", "it plays without words", "ready = filled[0]", "ready = 1'b1"),
        ("stream", "a bank is read too early", "'d0) & played[0]", "'d0) & gives"),
        ("stream", "it plays without room", "loads = empty[0] & ", "loads = "),
        ("stream", "nodes without words wait for them", "(in_none | (in_put", "((in_put"),
        ("node", "the banks are one", "{in_bank, in_entry", "{1'b0, in_entry"),
        ("node", "words are sent from where the last ended", "_next = begins ? ", "_next = rst ? "),
        ("node", "words are not counted", "in_count + ", "0 * in_count + "),
        ("node", "flits are not counted", "in_flit <= in_ends_block ?", "in_flit <= 1'b1 ?"),
        ("node", "the root is another", "out_root = put_root", "out_root = ~put_root"),
        ("taken", "a word goes to no bank", "'d5: entry <= ", "'d5: entry <= 0 & "),
        ("taken", "two words are one", "'d5: entry", "'d4: entry"),
        ("given", "a table says another place", "'d1: entry <= ", "'d1: entry <= 1 ^ "),
        ("records", "a node is told nothing", "'d1: entry <= ", "'d1: entry <= 0 & "),
        ("system", "it begins before all are ready", "&ready[3:0]", "|ready[3:0]"),
    ];
    assert_caught(&folder, &program, 40, &faults);
    println!("{0} of {0} faults of nodes with tables caught", faults.len());
}

/// Banks of words that come in are apart from those of words that go out.
#[test]
fn faults_of_banks_that_are_apart_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = designs::design_on(ShapeName::Torus, &[3, 3], &["collective=exchange", "link.flits=2"]).program;
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Arrival, HostStreams::Ports));
    let faults = [
        ("stream", "a bank is kept in before its words have gone out", "(vacant[0] | ~gives)", "1'b1"),
        ("stream", "a bank is kept in twice", "vacant[0] & ~(play & gives)", "vacant[0]"),
        ("stream", "a bank is filled while it plays", "freed = finish", "freed = play"),
        ("stream", "a bank is filled too early", "s_axis_tready = empty[0] &", "s_axis_tready ="),
        ("stream", "words of all collectives go to one bank", "fill_bank + {1'b0, loads}", "fill_bank"),
        ("stream", "words come from one bank", "give_bank + {1'b0, given}", "give_bank"),
        ("node", "words that pass lie in two banks", "[{in_bank, in_entry", "[{1'b0, in_bank[0], in_entry"),
        ("node", "words that pass go out of two banks", "[{out_bank, out_address", "[{1'b0, out_bank[0], out_address"),
        ("node", "words are sent from one bank", "{play_bank, ", "{1'b0, "),
    ];
    assert_caught(&folder, &program, 40, &faults);
}

#[test]
fn faults_of_the_ring_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(2, 2);
    let name = program.title.name.clone();
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Arrival, HostStreams::Chain));
    let path = folder.path().join(format!("{name}_chain.v"));
    let good = fs::read_to_string(&path).unwrap();
    for (what, right, wrong) in [
        ("a word that waits is lost", "kept <= head & ~head_moves", "kept <= 1'b0"),
        ("a word goes twice", "(by & free)", "1'b0"),
        ("ready is ignored", "wire free = ~m_axis_tvalid | m_axis_tready", "wire free = 1'b1"),
        ("a word too many goes by", "(place < TAKE + PASS)", "(place <= TAKE + PASS)"),
        ("a word too few goes to the node", "place < TAKE;", "place < TAKE - 1;"),
        ("it never begins again", "words <= over ?", "words <= rst ?"),
    ] {
        let mutant = replaced(&good, "", &[(right, wrong)]);
        assert_ne!(mutant, good, "{what}: `{right}` is not there");
        fs::write(&path, mutant).unwrap();
        let printed = play(&folder, &program, 6, 1);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
    }
}

/// Sources and sinks that others wrote: those of cocotbext-axi.
#[test]
fn cocotb_has_every_packet_at_every_node_and_hears_a_fault() {
    if !has("cocotb-config") || !has("iverilog") {
        return;
    }
    let program = designs::staircase(2, 3).stretched(2).unwrap();
    let system = format!("{}_system", program.title.name);
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let (_, python) = call(&folder, "cocotb-config", &["--python-bin"]);
    let bench = project().join("sim/system.py");
    let play = || call(&folder, python.trim(), &[bench.to_str().unwrap(), ".", &system, "2x3", "2", "2", "4"]);
    let (passed, said) = play();
    assert!(passed && said.contains(" 288 packets compared"), "{said}");
    let path = folder.path().join(format!("{}_node.v", program.title.name));
    let good = fs::read_to_string(&path).unwrap();
    let wrong = good.replace("{out_bank, out_address", "{out_bank, ~out_address");
    assert_ne!(good, wrong);
    fs::write(&path, wrong).unwrap();
    let (passed, said) = play();
    assert!(!passed && said.contains("expected"), "{said}");
}

/// Nodes that are alike share one table; where they are not, each has its part.
#[test]
fn alike_nodes_share_a_table() {
    let given = |program: &Program, order| {
        let local = NodeOptions::streams(order, HostStreams::Ports);
        ListNetlist::of_one(program, local.ports()).unwrap().given.len()
    };
    for order in [BlockOrder::Arrival, BlockOrder::Origin] {
        // by coordinates, of which four have two bits and six three
        assert_eq!(given(&designs::optimal(&[4, 6]), order), 32, "{order:?}");
    }
    let staircase = designs::woven(&[4, 4], &Staircase, Switching::None);
    let parts = given(&staircase, BlockOrder::Origin) / 32;
    assert!((2..=16).contains(&parts), "{parts} parts");
}

/// Results are tried that form in units which take time: kept too early, of another word, handed on as they were.
#[test]
fn faults_of_results_that_take_time_are_caught() {
    if !has("iverilog") {
        return;
    }
    let settings = ["collective=all-reduce", "operation=sum", "number=bf16", "adder=2", "link.flits=2"];
    let program = designs::design_on(ShapeName::Mesh, &[2, 3], &settings).program;
    let folder = Folder::with_options(&program, &options(16, BlockOrder::Origin, HostStreams::Ports));
    let faults = [
        ("node", "results are kept in one bank", "{play_bank, ", "{1'b0, "),
        ("node", "values of one word count twice", "unit_0_next = begins ? ", "unit_0_next = plays ? "),
        (
            "router",
            "an operand is another",
            ".a(unit_0_operand_0), .b(",
            ".a(unit_0_operand_0), .b(unit_0_operand_0 ^ ",
        ),
        ("sequencer", "it ends before results are kept", "tick != last", "tick + 1 != last"),
        ("stream", "old words are handed on", "give_bank ^ given", "give_bank"),
        ("given", "results are another's", "'d1: entry <= ", "'d1: entry <= 1 ^ "),
    ];
    assert_caught(&folder, &program, 20, &sampled(faults, 2).collect::<Vec<_>>());
}

#[test]
fn nodes_that_are_not_supported_are_refused() {
    let apply = |settings: &[&str]| {
        let set = |config: Config, setting: &&str| setting.parse::<Setting>().unwrap().apply(&config).unwrap();
        Design::new(settings.iter().fold(Config::of(ShapeName::Torus, vec![4, 4]), set))
    };
    let settings =
        ["collective=all-reduce", "operation=sum", "scheme=staircase", "switching=memory", "local.order=origin"];
    let set = |config: Config, setting: &&str| setting.parse::<Setting>().unwrap().apply(&config).unwrap();
    assert!(Design::new(settings.iter().fold(Config::of(ShapeName::Torus, vec![6, 7]), set)).is_ok());
    let long = designs::optimal(&[14, 14]).stretched(65536).unwrap();
    let ports = NodeOptions::streams(BlockOrder::Arrival, HostStreams::Chain).ports();
    assert!(matches!(ListNetlist::of_one(&long, ports), Err(NotLowered::TooLong { .. })));
    assert!(apply(&["collective=broadcast", "host=chain"]).is_ok());
    let refused = apply(&["collective=gather", "scheme=certification", "local.order=origin"]).unwrap_err();
    assert!(refused.to_string().contains("find out lengths while they run"), "{refused}");
    assert!(refused.help().starts_with("take another scheme, or `auto` with `lengths`"));
    assert!(apply(&["collective=broadcast"]).is_ok() && apply(&["host=chain"]).is_ok());
    assert_eq!(
        design(&[4, 4], &["host=chain"]).options().local,
        Some(NodeOptions::streams(BlockOrder::Arrival, HostStreams::Chain))
    );
    assert_eq!(design(&[4, 4], &[]).options().local, None);
}

/// Every tool reads the system without a word, whatever its shape.
#[test]
fn every_tool_is_silent_about_nodes() {
    for (program, options) in
        sampled(shapes().into_iter().chain(rows()).chain(moves()).chain(reductions()), 13).chain(sampled(rings(), 17))
    {
        let folder = Folder::with_options(&program, &options);
        let system = format!("{}_system", program.title.name);
        let list = fs::read_to_string(folder.path().join(format!("{system}.f"))).unwrap();
        let files = list.lines().collect::<Vec<_>>().join(" ");
        let script = format!("read_verilog {files}; hierarchy -check -top {system}; proc; check -assert");
        for (tool, line) in [
            ("verilator", format!("--lint-only -Wall --top-module {system} -f {system}.f")),
            ("iverilog", format!("-g2005 -Wall -o /dev/null -s {system} -f {system}.f")),
            ("slang", format!("-Wextra -Wpedantic -f {system}.f tb/{system}_tb.v")),
            ("verible-verilog-lint", format!("{files} tb/{system}_tb.v")),
        ] {
            if has(tool) {
                let (success, said) = call(&folder, tool, &line.split(' ').collect::<Vec<_>>());
                assert!(success && said.is_empty(), "{tool} on {system}, {:?}:\n{said}", options.local);
            }
        }
        if has("yosys") {
            let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
            assert!(success && said.is_empty(), "yosys on {system}:\n{said}");
        }
    }
}
