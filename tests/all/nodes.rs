//! Memories and streams beside the fabric: every word of every collective comes out where, when and as it must.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::emit::{Options, system_verdict};
use torusweave::net::{ShapeName, Topology};
use torusweave::netlist::{
    BankPlace, BlockOrder, HeldWords, HostStreams, NoReading, NodeOptions, OwnInputs, ReadingTables,
};
use torusweave::paths::supply::Switching;
use torusweave::play::Machine;
use torusweave::program::{Link, Program};
use torusweave::schemes::{SCHEMES, SchemeName, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::task::{Choice, Task};

use crate::farm;
use crate::fixtures::command::project;
use crate::fixtures::designs::{self, Folder, design, woven};
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
    assert_eq!(printed.trim_end(), system_verdict(program, runs), "{}, {:?}", program.title.name, options.local);
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
    for (program, options) in sampled(reductions(), 3) {
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
        ("_node.v", "m_axis_tkeep <= out_keep;", "m_axis_tkeep <= 4'd0;"),
        ("_node.v", "m_axis_tkeep <= out_keep;", "m_axis_tkeep <= 4'd15;"),
        ("_node.v", "out_keep <= read_keep;", "out_keep <= {read_keep[2:0], read_keep[3]};"),
        ("_node.v", "out_users <= read_users;", "out_users <= {read_users[3:0], read_users[15:4]};"),
        ("_node.v", "out_tlast <= read_end;", "out_tlast <= ~read_end;"),
        ("_node.v", "{read_bank, read_step", "{~read_bank, read_step"),
        ("_node.v", "look <= out_last ? ", "look <= ~out_last ? "),
        ("_order_0.v", "assign {keep, users, source, step}", "assign {users, keep, source, step}"),
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
    let path = folder.path().join(format!("{}_node.v", program.title.name));
    let right = fs::read_to_string(&path).unwrap();
    let wrong = [
        ("} = m_ram_addr;", "} = ~m_ram_addr;"),
        ("out_bank <= ~rst & (out_bank ^ last_out);", "out_bank <= ~rst & (out_bank ^ freed);"),
        ("found <= m_ram_en & ~rst;", "found <= m_ram_full & ~rst;"),
        ("found <= m_ram_en & ~rst;", "found <= m_ram_en;"),
        ("found_last <= last_out & ~rst;", "found_last <= 1'b0;"),
        ("found_bank <= out_bank;", "found_bank <= ~out_bank;"),
        ("found_flit <= out_flit;", "found_flit <= 2'd0;"),
        ("found_x2 <= out_x2;", "found_x2 <= found_x1[1:0];"),
        ("assign m_ram_full = more;", "assign m_ram_full = ~empty[1];"),
        ("assign last_out = m_ram_free & more;", "assign last_out = m_ram_en & more;"),
    ];
    for (from, to) in wrong {
        fs::write(&path, replaced(&right, "", &[(from, to)])).unwrap();
        let printed = play(&folder, &program, 5, 1);
        assert!(printed.contains("FAIL"), "{to}: {printed}");
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
        repeat (10) @(negedge clk);
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
    let system = folder.path().join("path_2_system.v");
    let right = fs::read_to_string(&system).unwrap();
    let wrong = replaced(&right, "", &[("~rst}} & {", "1'b1}} & {")]);
    for (rtl, expected) in [(&right, "plays\n"), (&wrong, "begins\n")] {
        fs::write(&system, rtl).unwrap();
        assert!(call(&folder, "iverilog", &["-g2005", "-o", "short", "-s", "tb", "-f", "path_2_system.f", "tb.v"]).0);
        let (_, printed) = call(&folder, "vvp", &["-n", "short"]);
        assert!(printed.starts_with(expected), "{expected}: {printed}");
    }
}

/// Clocks per collective with streams that never pause, as docs/integration.md has them.
#[test]
fn collectives_take_the_clocks_that_the_page_says() {
    if !has("iverilog") {
        return;
    }
    let page = fs::read_to_string(project().join("docs/integration.md")).unwrap();
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
            assert!(printed.starts_with(&format!("{clocks}.00 clocks per collective\nPASS 12 ")), "{row}: {printed}");
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
    for (program, options) in moves() {
        passes(&program, &options, if std::env::var_os("TORUSWEAVE_FULL").is_some() { 20 } else { 3 });
    }
}

#[test]
fn nodes_of_any_network_hand_out_every_word_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in sampled(twists(), 3) {
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
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Chain));
    let path = folder.path().join(format!("tb/{}_system_tb.v", program.title.name));
    let good = fs::read_to_string(&path).unwrap();
    let change = |from: &str, to: &str| {
        let changed = good.replace(from, to);
        assert_ne!(changed, good, "`{from}` is not there");
        changed
    };
    let ends = "next_last[stream-1] = ";
    fs::write(&path, change(ends, &format!("{ends}(fed[stream] == 4) ^ "))).unwrap();
    let printed = play(&folder, &program, 3, 1);
    assert!(printed.contains("FAIL misframed is 1"), "{printed}");
    let ignored = change(ends, &format!("{ends}(fed[stream] == 4) ^ "))
        .replace("good && misframed !== 1'b0", "good && misframed === 1'bx");
    fs::write(&path, ignored).unwrap();
    let printed = play(&folder, &program, 3, 1);
    assert_eq!(printed.trim_end(), system_verdict(&program, 3));
}

#[test]
fn every_word_comes_out_where_it_must_under_icarus() {
    if !has("iverilog") {
        return;
    }
    for (program, options) in shapes() {
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
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let system = format!("{}_system", program.title.name);
    let simulator = verilated(&folder, &system);
    for seed in 1..=2 {
        let (passed, printed) = call(&folder, simulator, &[&format!("+runs={runs}"), &format!("+seed={seed}")]);
        assert!(passed && printed.starts_with(&system_verdict(&program, runs)), "{printed}");
    }
}

/// The bench is tried: a reader that does not wait, banks that change too early, wrong addresses, wrong names.
#[test]
fn faults_of_a_node_are_caught() {
    if !has("iverilog") {
        return;
    }
    let program = designs::staircase(4, 4).stretched(2).unwrap();
    let name = program.title.name.clone();
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let faults = [
        ("node", "ready is ignored", "wire next = ~m_axis_tvalid | m_axis_tready", "wire next = 1'b1"),
        ("node", "an address that waits is lost", "holds ? held : all_found", "all_found"),
        ("node", "an address waits too long", "read & ~next;", "found & ~next;"),
        ("node", "a bank is read too early", "wire more = played[0]", "wire more = played[0] | loaded[0]"),
        ("node", "a bank is read too often", "played[0] & ~last_out", "played[0]"),
        ("node", "a bank is given up too early", "last_read = next & read_last", "last_read = next & read"),
        ("node", "a bank is filled too early", "s_axis_tready = empty[0]", "s_axis_tready = 1'b1"),
        ("node", "a bank is filled twice", "empty[0] & ~used", "empty[0]"),
        ("node", "it plays without words", "ready = loaded[0]", "ready = 1'b1"),
        ("node", "words count for two collectives", "loaded[0] & ~play", "loaded[0]"),
        ("node", "the banks are one", "{read_bank, read_step", "{1'b0, read_step"),
        ("node", "an address is off by one", "{play_bank, step, step_flit}", "{play_bank, step + 3'd1, step_flit}"),
        ("node", "flits are swapped", "{play_bank, step, step_flit}", "{play_bank, step, ~step_flit}"),
        ("node", "an origin is wrong", "found_x1 <= out_x1", "found_x1 <= away_x1"),
        ("node", "a packet is wrong", "found_packet <= out_packet", "found_packet <= ~out_packet"),
        ("node", "offsets point the other way", "out_x2 - X2[1:0]", "X2[1:0] - out_x2"),
        ("node", "tlast comes with the first word", "out_tlast <= read_end", "out_tlast <= ~read_end"),
        ("node", "tlast is not looked at", "s_axis_tlast != in_end", "s_axis_tlast == in_end"),
        ("node", "own packets of the wrong bank", "play_address = {play_bank", "play_address = {~play_bank"),
        ("order_0", "a table says the wrong step", "<= 6'b000_001;", "<= 6'b000_010;"),
        ("system", "ticks are counted too late", "write <= begins[7]", "write <= write & begins[7]"),
        ("system", "it begins before all are ready", "(&near_ready)", "(|near_ready)"),
        ("system", "nodes beside each other do not wait", "            &ready", "            |ready"),
        ("system", "it begins again while it plays", "start & ~busy & ~was_busy", "start & ~was_busy"),
        ("system", "the fabric does not see the end", "~busy & ~was_busy", "~busy"),
        (
            "system",
            "it ends a tick early",
            "wire ends = write & (step == 3'd7) & (step_flit == 1'd0)",
            "wire ends = write & (step == 3'd6)",
        ),
    ];
    for (module, what, right, wrong) in faults {
        let path = folder.path().join(format!("{name}_{module}.v"));
        let good = fs::read_to_string(&path).unwrap();
        let mutant = replaced(&good, "", &[(right, wrong)]);
        assert_ne!(mutant, good, "{what}: `{right}` is not there");
        fs::write(&path, mutant).unwrap();
        let printed = play(&folder, &program, 6, 1);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, good).unwrap();
    }
    println!("{0} of {0} faults of a node caught", faults.len());
}

/// The bench is tried on nodes whose words go to banks by a table: wrong banks, wrong addresses, words that are lost.
#[test]
fn faults_of_nodes_with_tables_are_caught() {
    if !has("iverilog") {
        return;
    }
    let settings = ["collective=scatter", "root=1,1", "link.flits=3"];
    let program = designs::design_on(ShapeName::Torus, &[3, 3], &settings).program;
    let name = program.title.name.clone();
    let folder = Folder::with_options(&program, &options(8, BlockOrder::Origin, HostStreams::Ports));
    let reading = ReadingTables::of(&program, BlockOrder::Origin, OwnInputs::Packets);
    let root = reading.kinds.iter().position(|kind| kind.taken.entries > 0).unwrap();
    let leaf = reading.kinds.iter().position(|kind| kind.taken.entries == 0).unwrap();
    let fill = format!("fill_{}", reading.kinds[root].fills[0]);
    let (root, leaf) = (format!("node_{root}"), format!("node_{leaf}"));
    let order = reading.kinds.iter().find(|kind| kind.taken.entries == 0).unwrap().tables[0];
    let faults = [
        (&root[..], "a word is lost", "put <= take;", "put <= take & ~put;"),
        (&root[..], "a bank is filled too early", "s_axis_tready = empty[0]", "s_axis_tready = 1'b1"),
        (&root[..], "the banks are one", "{put_bank, kept_at}", "{1'b0, kept_at}"),
        (&root[..], "flits are swapped", "put_flit <= in_flit", "put_flit <= ~in_flit"),
        (&root[..], "tlast is not looked at", "put_tlast != ", "put_tlast == "),
        (&root[..], "a bank is read from where it ended", "(rst | finish) ?", "rst ?"),
        (&root[..], "words are not counted", "_next = ", "_next = 0 * "),
        (&root[..], "it plays without words", "ready = loaded[0]", "ready = 1'b1"),
        (&leaf[..], "a bank is read too early", "wire more = played[0]", "wire more = 1'b1"),
        (&leaf[..], "it plays without room", "ready = empty[0]", "ready = 1'b1"),
        (&leaf[..], "flits are not counted", "out_flit <= out_end ?", "out_flit <= 1'b1 ?"),
        (&fill[..], "a word goes to no bank", "'d3: answer <= ", "'d3: answer <= 0 & "),
        (&fill[..], "two blocks are one", "'d3: answer", "'d2: answer"),
        (&format!("order_{order}")[..], "a table says the wrong step", "'d0: answer <= ", "'d0: answer <= 1 ^ "),
        ("system", "it begins before all are ready", "            &ready", "            |ready"),
    ];
    for (module, what, right, wrong) in faults {
        let path = folder.path().join(format!("{name}_{module}.v"));
        let good = fs::read_to_string(&path).unwrap();
        let mutant = replaced(&good, "", &[(right, wrong)]);
        assert_ne!(mutant, good, "{what}: `{right}` is not there");
        fs::write(&path, mutant).unwrap();
        let printed = play(&folder, &program, 40, 1);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, good).unwrap();
    }
    println!("{0} of {0} faults of nodes with tables caught", faults.len());
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
    let wrong = good.replace("{play_bank, step, step_flit}", "{play_bank, step, ~step_flit}");
    assert_ne!(good, wrong);
    fs::write(&path, wrong).unwrap();
    let (passed, said) = play();
    assert!(!passed && said.contains("expected"), "{said}");
}

/// The tables must agree with the model for every gossip scheme on every kind of network.
#[test]
fn the_tables_say_where_each_packet_came_in_first() {
    let mut compared = 0;
    let networks = [
        (ShapeName::Torus, &[4, 4][..]),
        (ShapeName::Torus, &[8, 6]),
        (ShapeName::Torus, &[6, 7]),
        (ShapeName::Torus, &[3, 3, 4]),
        (ShapeName::Mesh, &[4, 5]),
        (ShapeName::Mesh, &[3, 3]),
        (ShapeName::Cycle, &[7]),
        (ShapeName::Path, &[6]),
    ];
    for (shape, sides) in networks {
        let topology = Topology::new(shape, sides).unwrap();
        for link in [Link::default(), Link::half(2)] {
            for (&scheme, switching) in SCHEMES.iter().flat_map(|scheme| Switching::ALL.map(|way| (scheme, way))) {
                let task = Task { topology: &topology, link, choice: Choice { switching, ..Choice::default() } };
                let Ok(built) = SchemeName::from(scheme).build(&task, "any") else { continue };
                if built.program.demand.is_gossip() {
                    compared += compare(&built.program);
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared} packets");
}

/// The limit on arrivals is that of 64x64.
#[test]
fn tables_end_where_files_grow_too_long() {
    let fits = |sides: &[u32]| ReadingTables::fits(&woven(sides, &Optimal, Switching::None), HostStreams::Ports);
    assert_eq!(fits(&[64, 64]), Ok(()));
    assert_eq!(fits(&[64, 65]), Err(NoReading::TooMany { arrivals: 16_640 * 1_040, most: 16_384 * 1_024 }));
}

fn compare(program: &Program) -> usize {
    assert_eq!(
        ReadingTables::fits(program, HostStreams::Ports),
        Ok(()),
        "{} {}",
        program.title.scheme,
        program.topology
    );
    let stretched = program.stretched(2).unwrap();
    let reading = ReadingTables::of(&stretched, BlockOrder::Arrival, OwnInputs::Packets);
    let by_origin = ReadingTables::of(program, BlockOrder::Origin, OwnInputs::Packets);
    let topology = &program.topology;
    let mut machine = Machine::new(program);
    let mut arrived = Vec::new();
    while !machine.is_done() {
        machine.step();
        let origin = |flit| program.demand.origin(flit);
        arrived.push(machine.arrivals().map(|(to, by, flit)| (to, by, origin(flit))).collect::<Vec<_>>());
    }
    let mut compared = 0;
    for node in topology.node_ids() {
        let table = &reading.tables[reading.table_of[node.index()] as usize];
        let mut sorted = table.clone();
        sorted.sort();
        assert_eq!(sorted, by_origin.tables[by_origin.table_of[node.index()] as usize]);
        let named: Vec<_> = sorted.iter().map(|held| (&held.offset, held.packet)).collect();
        assert!(named.windows(2).all(|pair| pair[0] != pair[1]) && named.len() as u64 == program.demand.packets());
        for HeldWords { offset, packet, place, .. } in table {
            let coords: Vec<u32> = topology.coords(node).iter().zip(offset).map(|(x, by)| x + by).collect();
            let origin = topology.node(&coords);
            let BankPlace::Received { step, input } = *place else {
                assert_eq!(origin, node);
                continue;
            };
            let is_it = |at: u32| {
                arrived[at as usize].iter().any(|&(to, by, from)| {
                    to == node
                        && (at < step || by == program.output(input as usize))
                        && (from.node, from.packet) == (origin, *packet)
                })
            };
            assert!(is_it(step) && !(0..step).any(is_it), "{} {topology}", program.title.scheme);
            compared += 1;
        }
    }
    compared
}

/// Nodes that are alike share one table.
#[test]
fn alike_nodes_share_a_table() {
    assert_eq!(ReadingTables::of(&designs::optimal(&[4, 6]), BlockOrder::Origin, OwnInputs::Packets).tables.len(), 1);
    let staircase = designs::woven(&[4, 4], &Staircase, Switching::None);
    assert!(ReadingTables::of(&staircase, BlockOrder::Origin, OwnInputs::Packets).tables.len() <= 16);
}

/// Results are tried that form in units which take time: kept too early, of another word, handed on as they were.
#[test]
fn faults_of_results_that_take_time_are_caught() {
    if !has("iverilog") {
        return;
    }
    let settings = ["collective=all-reduce", "operation=sum", "number=bf16", "adder=2", "link.flits=2"];
    let program = designs::design_on(ShapeName::Mesh, &[2, 3], &settings).program;
    let name = program.title.name.clone();
    let folder = Folder::with_options(&program, &options(16, BlockOrder::Origin, HostStreams::Ports));
    let faults = [
        ("a result is kept too early", "result_0_done = result_0_forms[3]", "result_0_done = result_0_forms[2]"),
        ("values begin a step late", "result_0_begins = write & (step >= ", "result_0_begins = write & (step > "),
        ("an operand is another", ".a(value_0), .b(", ".a(value_0), .b(value_0 ^ "),
        ("words are exchanged", "[{play_bank, result_0_flit}] <=", "[{play_bank, ~result_0_flit}] <="),
        ("values of one word count twice", "{play_bank, value_0_flit}", "{play_bank, 1'b0}"),
        ("old words are handed on", "(result_0_done & (result_0_flit == ", "(1'b0 & (result_0_flit == "),
    ];
    for (what, right, wrong) in sampled(faults, 2) {
        let path = folder.path().join(format!("{name}_node_0.v"));
        let good = fs::read_to_string(&path).unwrap();
        assert!(good.contains(right), "{what}: `{right}` is not there");
        fs::write(&path, good.replace(right, wrong)).unwrap();
        let printed = play(&folder, &program, 20, 1);
        assert!(printed.contains("FAIL "), "{what}: {printed}");
        fs::write(&path, good).unwrap();
    }
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
    let refused = Design::new(settings.iter().fold(Config::of(ShapeName::Torus, vec![6, 7]), set)).unwrap_err();
    assert!(refused.to_string().contains("an output sends a value or a result twice"), "{refused}");
    assert_eq!(refused.help(), "choose `scheme: optimal`, or another one");
    let long = designs::optimal(&[14, 14]).stretched(65536).unwrap();
    let too_many = NoReading::Ring { words: 2_543_321_088, most: 2_147_483_647 };
    assert_eq!(ReadingTables::fits(&long, HostStreams::Chain), Err(too_many));
    assert!(apply(&["collective=broadcast", "host=chain"]).is_ok());
    let refused = apply(&["collective=gather", "scheme=certification", "local.order=origin"]).unwrap_err();
    assert!(refused.to_string().contains("find out lengths while they run"), "{refused}");
    assert!(refused.help().starts_with("leave `local` and `host` out"));
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
