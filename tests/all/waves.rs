//! Waveforms are what the Verilog does: every clock that is drawn, and those that are left out.

use std::fs;
use std::path::Path;

use torusweave::design::Design;
use torusweave::draw;
use torusweave::draw::signals::{self, SignalValue, Wave, Waves};
use torusweave::net::{NodeId, ShapeName};
use torusweave::netlist::listed::ListNetlist;
use torusweave::play::Payloads;
use torusweave::program::{FlitId, Program};
use torusweave::tools::icarus;

use crate::fixtures::designs::{Folder, design, design_on};
use crate::fixtures::ranges::sampled;
use crate::fixtures::recording::before_edges;
use crate::fixtures::tools::{call, has};

const WIDTH: u32 = 16;

/// Recorded value that a drawn value requires; `None` if any is allowed.
fn recorded(value: SignalValue, word: impl Fn(FlitId) -> u64, origin: impl Fn(FlitId) -> u64) -> Option<String> {
    match value {
        SignalValue::Anything => None,
        SignalValue::Bit(is_high) => Some(u8::from(is_high).to_string()),
        SignalValue::Number(number) => Some(format!("{number:b}")),
        SignalValue::Flit(flit) => Some(format!("{:b}", word(flit))),
        SignalValue::Origin(flit) => Some(format!("{:b}", origin(flit))),
        SignalValue::OfItself(..) => unreachable!("no stream of one collective has such a word"),
    }
}

fn waves_of(design: &Design, node: NodeId) -> Waves {
    let netlist = design.netlist();
    match design.config.local() {
        Some(local) => {
            let nodes = ListNetlist::of_one(&design.program, local.ports()).unwrap();
            signals::streams(&design.program, &nodes, local.order, node)
        }
        None => signals::fabric(&design.program, &netlist, node),
    }
}

/// The first difference between what is drawn and what was recorded from some edge on: that of clock `first`.
pub fn difference(
    waves: &Waves,
    first: usize,
    edges: &[Vec<String>],
    recorded: impl Fn(SignalValue) -> Option<String>,
) -> Option<String> {
    let mut compared = 0;
    for (clock, edge) in (first..waves.ticks.len()).zip(edges) {
        for (Wave { name, values }, found) in waves.ports.iter().zip(edge) {
            let Some(drawn) = recorded(values[clock]) else { continue };
            if drawn != *found {
                return Some(format!("{}: {name} in clock {clock}: {drawn} drawn, {found} recorded", waves.about));
            }
            compared += 1;
        }
    }
    assert!(compared > waves.ports.len(), "{}: {compared} values compared", waves.about);
    None
}

/// Recorded values of the ports, edge by edge.
fn edges_of(waves: &Waves, file: &Path, module: &str) -> Vec<Vec<String>> {
    let names: Vec<String> = waves.ports.iter().map(|wave| format!("{module}.{}", wave.name)).collect();
    before_edges(file, &format!("{module}.clk"), &names)
}

/// The testbench plays a program cut short by a tick of `rst`, then inverted packets to the end and longer.
fn fabric_difference(design: &Design, waves: &Waves) -> Option<String> {
    let program = &design.program;
    let folder = Folder::with_options(program, &torusweave::emit::Options { width: WIDTH, ..design.options() });
    let file = folder.path().join("run.vcd");
    assert!(icarus::run_testbench(folder.path(), program, Some(&file)).unwrap().passed);
    let edges = edges_of(waves, &file, &format!("{}_tb.fabric", program.title.name));
    // the first run begins in silence; the second is whole, but what was left of the first arrives until just before its tick 1
    let is_running = |edge: &Vec<String>| edge[1] == "1";
    let begins = edges.iter().position(is_running).unwrap();
    let again = edges.iter().rposition(|edge| edge[0] == "1" && is_running(edge)).unwrap() + 1;
    let silent = waves.ticks.iter().position(|&tick| tick == Some(1)).unwrap() - 1 - waves.zero;
    // the testbench holds `run` longer than is drawn
    let falls = waves.ports[1].values.iter().rposition(|&value| value == SignalValue::Bit(true)).unwrap() + 1;
    let until = falls - waves.zero;
    let word = |mask: u64| move |flit| Payloads { width: WIDTH, seed: 0 }.words(flit).next().unwrap() ^ mask;
    let plain = |value| recorded(value, word(0), |_| unreachable!());
    let inverted = |value| recorded(value, word((1 << WIDTH) - 1), |_| unreachable!());
    difference(waves, waves.zero, &edges[begins..=begins + silent], plain)
        .or_else(|| difference(waves, waves.zero + silent, &edges[again + silent..again + until], inverted))
}

#[test]
fn the_waves_of_the_fabric_are_what_icarus_records() {
    if !has("iverilog") {
        return;
    }
    let designs = [
        design(&[4, 4], &["leaves=5"]),
        design(&[4, 4], &["crossbar=configurable"]),
        design(&[4, 6], &["scheme=optimal", "link.flits=3"]),
        design(&[5, 4], &["scheme=optimal", "link.latency=3"]),
        design(&[3, 3, 2], &["scheme=optimal"]),
        design(&[4, 4], &["collective=scatter", "link.flits=2"]),
        design(&[3, 4], &["collective=broadcast", "link.flits=9"]),
        design_on(ShapeName::Path, &[5], &["collective=gather", "lengths=2,0,3,1,2"]),
        design_on(ShapeName::Path, &[5], &["link.lanes=2"]),
        design_on(ShapeName::Mesh, &[3, 4], &[]),
    ];
    for design in sampled(designs, 4) {
        for node in [0, design.program.topology.nodes() - 1] {
            assert_eq!(fabric_difference(&design, &waves_of(&design, NodeId(node))), None);
        }
    }
}

/// The comparison is tried: a clock too late, a packet of another node, a valid bit that stays.
#[test]
fn wrong_waves_are_found() {
    if !has("iverilog") {
        return;
    }
    let design = design(&[3, 4], &[]);
    let right = waves_of(&design, NodeId(5));
    let port = |name: &str| right.ports.iter().position(|wave| wave.name.ends_with(name)).unwrap();
    let tick = right.ticks.iter().position(|&tick| tick == Some(2)).unwrap();
    let spoilt = |port: usize, clock: usize, value: SignalValue| {
        let mut waves = right.clone();
        waves.ports[port].values[clock] = value;
        fabric_difference(&design, &waves)
    };
    assert_eq!(fabric_difference(&design, &right), None);
    assert!(spoilt(port("t_in_data"), tick, SignalValue::Flit(FlitId(u32::MAX))).is_some());
    assert!(spoilt(port("l_in_valid"), tick, SignalValue::Bit(false)).is_some());
    assert!(spoilt(port("done"), tick, SignalValue::Bit(true)).is_some());
    assert!(spoilt(port("own_0"), tick, SignalValue::Flit(FlitId(0))).is_some());
}

/// A bench for the system whose nodes all do what is drawn of one of them.
fn system_bench(program: &Program, waves: &Waves, word: impl Fn(NodeId, usize) -> u64) -> String {
    let levels = |name: &str| {
        let wave = waves.ports.iter().find(|wave| wave.name.ends_with(name)).unwrap();
        let bit = |value: &SignalValue| if *value == SignalValue::Bit(true) { '1' } else { '0' };
        wave.values.iter().rev().map(bit).collect::<String>()
    };
    let (topology, name) = (&program.topology, &program.title.name);
    let (clocks, words) = (waves.ticks.len(), program.demand.flits_of(NodeId(0)).count());
    // the first word is offered until the node takes it
    let first = levels("s_axis_tready").chars().rev().position(|bit| bit == '1').unwrap();
    let (mut ports, mut data) = (String::new(), String::new());
    for node in topology.node_ids() {
        let place = topology.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join("_");
        let words = (0..words).rev().map(|index| format!("{WIDTH}'d{}", word(node, index)));
        let words = words.collect::<Vec<_>>().join(", ");
        data += &format!(
            "    wire [{WIDTH}*{count}-1:0] words{} = {{{words}}};\n",
            node.0,
            count = words.matches(',').count() + 1
        );
        ports += &format!(
            ", .n{place}_s_axis_tdata(words{n}[{WIDTH}*word +: {WIDTH}]), .n{place}_s_axis_tvalid(in_valid[clock]), \
             .n{place}_s_axis_tlast(in_last[clock]), .n{place}_m_axis_tready(out_ready[clock])",
            n = node.0
        );
    }
    let vector = |name: &str, of: &str| format!("    wire [{clocks}-1:0] {name} = {clocks}'b{};\n", levels(of));
    format!(
        "module bench;\n    reg clk = 1'b0;\n    integer clock = 0;\n{}{}{}{}{}{data}\
         \x20   wire [31:0] word = (clock < {first}) ? 0 : (clock - {first}) % {words};\n\
         \x20   always #5 clk = ~clk;\n    always @(posedge clk) clock <= #1 clock + 1;\n\
         \x20   {name}_system #(.WIDTH({WIDTH})) system (.clk(clk), .rst(rst[clock]), .start(start[clock]){ports});\n\
         \x20   initial begin $dumpfile(\"run.vcd\"); $dumpvars(1, system); #{} $finish; end\nendmodule\n",
        vector("rst", "rst"),
        vector("start", "start"),
        vector("in_valid", "s_axis_tvalid"),
        vector("in_last", "s_axis_tlast"),
        vector("out_ready", "m_axis_tready"),
        10 * clocks + 1,
    )
}

fn system_difference(design: &Design, node: NodeId) -> Option<String> {
    let (program, waves) = (&design.program, waves_of(design, node));
    let folder = Folder::with_options(program, &torusweave::emit::Options { width: WIDTH, ..design.options() });
    let word = |node: NodeId, index: usize| program.demand.flits_of(node).start + index as u64 + 100;
    fs::write(folder.path().join("bench.v"), system_bench(program, &waves, word)).unwrap();
    let line = format!("-g2005 -o sim -s bench -f {}_system.f bench.v", program.title.name);
    let (built, said) = call(&folder, "iverilog", &line.split(' ').collect::<Vec<_>>());
    assert!(built, "{said}");
    assert!(call(&folder, "vvp", &["-n", "sim"]).0);
    let edges = edges_of(&waves, &folder.path().join("run.vcd"), "bench.system");
    let bits = |side: u32| u32::BITS - (side - 1).leading_zeros();
    let origin = |flit: FlitId| {
        let origin = program.demand.origin(flit);
        let coordinates = (0..program.topology.axes())
            .map(|axis| (program.topology.coord(origin.node, axis), bits(program.topology.side(axis))));
        let packet = (origin.packet, bits(program.demand.most_packets()));
        coordinates.chain([packet]).fold(0, |user, (part, bits)| user << bits | u64::from(part))
    };
    // nothing is known before the first edge
    difference(&waves, 1, &edges[1..], |value| recorded(value, |flit| u64::from(flit.0) + 100, origin))
}

#[test]
fn the_waves_of_a_node_with_memories_are_what_icarus_records() {
    if !has("iverilog") {
        return;
    }
    for (sides, settings) in [
        (&[4, 4], &["local.order=origin"][..]),
        (&[3, 4], &["local.order=arrival", "link.flits=3"]),
        (&[4, 6], &["local.order=arrival", "scheme=optimal"]),
        (&[5, 4], &["local.order=origin", "switching=memory", "link.flits=2"]),
    ] {
        let design = design(sides, settings);
        for node in [0, design.program.topology.nodes() - 1] {
            assert_eq!(system_difference(&design, NodeId(node)), None);
        }
    }
}

/// A long program is drawn where something begins or ends.
#[test]
fn a_long_wave_is_as_wide_as_a_short_one() {
    let width = |sides: &[u32]| {
        let design = design(sides, &[]);
        let svg = draw::waves(&design.program, &waves_of(&design, NodeId(0)));
        let (_, rest) = svg.split_once("width=\"").unwrap();
        rest.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    assert!(width(&[30, 30]) < 1.5 * width(&[6, 8]));
}
