//! Waveforms of a design with several programs are what its Verilog does: at a node's streams, and at its links.

use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::design::{Design, list};
use torusweave::draw::signals::{self, CalledProgram, SignalValue, Waves};
use torusweave::emit::MemoryFiles;
use torusweave::net::{NodeId, Topology};
use torusweave::netlist::{NodeLowering, StreamWord};

use crate::fixtures::command::Place;
use crate::fixtures::recording::before_edges;
use crate::fixtures::tools::has;
use crate::waves::difference;

const WIDTH: u32 = 16;

/// Programs of every kind on nodes that look alike: moved to a root or not, and with blocks of nodes for themselves.
const TORUS: &str = "name: calls\ntopology: { torus: [3, 4] }\nlink: { width: 16 }\nhost: { bus: streams }\nprograms:\n  \
                     - { collective: gossip }\n  - { collective: all-reduce, operation: max }\n  \
                     - { collective: broadcast, root: any, flits: 5 }\n  - { collective: exchange }\n";
/// Control words of nodes' own, long links and packets of several flits.
const MESH: &str = "name: calls\ntopology: { mesh: [2, 3] }\nlink: { width: 16, latency: 2, flits: 2 }\nhost: { bus: streams }\n\
                    programs:\n  - { collective: scatter, root: [1, 0] }\n  - { collective: gather, root: [0, 1] }\n  \
                    - { collective: reduce-scatter, operation: max }\n";
/// Boards, on which a tick waits for its cables.
const BOARDS: &str = "name: calls\ntopology: { torus: [4, 2] }\nlink: { width: 16, elastic: true, checksum: crc16, boards: [2, 1] }\n\
                      host: { bus: streams }\nprograms:\n  - { collective: gossip }\n  \
                      - { collective: broadcast, root: any, flits: 3 }\n";

fn place(topology: &Topology, node: NodeId) -> String {
    topology.coords(node).iter().map(u32::to_string).collect::<Vec<_>>().join("_")
}

/// Word that the bench has for one of a stream.
fn word(value: SignalValue) -> u64 {
    match value {
        SignalValue::Flit(flit) => u64::from(flit.0) + 100,
        SignalValue::OfItself(node, index) => 5000 + u64::from(64 * node.0 + index),
        _ => unreachable!("a word is wanted"),
    }
}

/// Recorded value that a drawn one requires; `None` if any is allowed.
fn recorded(value: SignalValue) -> Option<String> {
    match value {
        SignalValue::Anything => None,
        SignalValue::Bit(is_high) => Some(u8::from(is_high).to_string()),
        SignalValue::Number(number) => Some(format!("{number:b}")),
        SignalValue::Flit(_) | SignalValue::OfItself(..) => Some(format!("{:b}", word(value))),
        SignalValue::Origin(_) => unreachable!("a call has no user bits"),
    }
}

/// Words that a node takes.
fn taken(design: &Design, node: NodeId) -> Vec<u64> {
    let [taken, _] = NodeLowering::of_flits(&design.program, &design.roots()).stream_words(node);
    let value = |&of: &StreamWord| match of {
        StreamWord::Flit(flit) => word(SignalValue::Flit(flit)),
        StreamWord::OfItself(index) => word(SignalValue::OfItself(node, index)),
    };
    taken.iter().map(value).collect()
}

/// Bench that calls one program once, after a reset; readers wait as it is drawn of them.
fn bench(programs: &Programs, design: &Design, waits: Option<&Waves>) -> String {
    let topology = &design.program.topology;
    let number = design.listed.unwrap().number;
    let root = design.root().map_or(0, |root| root.0);
    let top = if waits.is_some() { "calls_system" } else { "calls_boards" };
    let mut text =
        "module bench;\n    reg clk = 1'b0;\n    integer clock = 0;\n    reg called = 1'b0;\n    wire ready;\n\
         \x20   wire start = ~called & (clock > 1);\n    always #5 clk = ~clk;\n    always @(posedge clk) begin\n\
         \x20       clock <= #1 clock + 1;\n        if (start & ready) called <= #1 1'b1;\n    end\n"
            .to_owned();
    let mut ports = String::new();
    for node in topology.node_ids() {
        let (n, name) = (node.0, place(topology, node));
        let words = taken(design, node);
        let ready = match waits {
            Some(waves) => {
                let wave = waves.ports.iter().find(|wave| wave.name.ends_with("m_axis_tready")).unwrap();
                let bit = |value: &SignalValue| if *value == SignalValue::Bit(true) { '1' } else { '0' };
                let bits: String = wave.values.iter().rev().map(bit).collect();
                text += &format!("    wire [{0}-1:0] waits{n} = {0}'b{bits};\n", bits.len());
                format!("waits{n}[clock]")
            }
            None => "1'b1".to_owned(),
        };
        let list: Vec<String> = words.iter().rev().chain([&0]).map(|word| format!("{WIDTH}'d{word}")).collect();
        text += &format!(
            "    wire [{WIDTH}*{}-1:0] words{n} = {{{}}};\n    integer at{n} = 0;\n    wire ready{n};\n\
             \x20   wire valid{n} = (clock > 1) & (at{n} < {});\n\
             \x20   always @(posedge clk) if (valid{n} & ready{n}) at{n} <= #1 at{n} + 1;\n",
            list.len(),
            if words.is_empty() {
                "16'd0".to_owned()
            } else {
                [&["16'd0".to_owned()], &list[..list.len() - 1]].concat().join(", ")
            },
            words.len()
        );
        ports += &format!(
            ", .n{name}_s_axis_tdata(words{n}[{WIDTH}*at{n} +: {WIDTH}]), .n{name}_s_axis_tvalid(valid{n}), \
             .n{name}_s_axis_tready(ready{n}), .n{name}_s_axis_tdest({number}), .n{name}_m_axis_tready({ready})"
        );
    }
    let clocks = waits.map_or(3000, |waves| waves.ticks.len());
    assert_eq!(programs.name(), "calls");
    text + &format!(
        "    {top} system (.clk(clk), .rst(clock < 2), .start(start), .ready(ready), .program_number({number}), .root({root}){ports});\n\
         \x20   initial begin $dumpfile(\"run.vcd\"); $dumpvars(0, system); #{} $finish; end\nendmodule\n",
        10 * clocks + 1
    )
}

/// Files of a design, and a bench of one call that was played: the recording is `run.vcd`.
fn played(programs: &Programs, bench: &str, beside: &str) -> Place {
    let mut files = MemoryFiles::default();
    programs.write(&mut files).unwrap();
    let place = Place::new();
    files.0.into_iter().for_each(|(path, bytes)| place.write(&path, bytes));
    place.write("bench.v", bench);
    for (tool, line) in
        [("iverilog", format!("-g2005 -o sim -s bench -f calls.f bench.v {beside}")), ("vvp", "-n sim".to_owned())]
    {
        let arguments = line.split_whitespace();
        let output = std::process::Command::new(tool).args(arguments).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    place
}

fn programs(config: &str) -> Programs {
    Programs::new(Config::parse(config).unwrap()).unwrap()
}

/// Edges of a recording at the ports of a module.
fn edges(place: &Place, waves: &Waves, module: &str, more: &[&str]) -> Vec<Vec<String>> {
    let names = waves.ports.iter().map(|wave| wave.name.as_str()).chain(more.iter().copied());
    let names: Vec<String> = names.map(|name| format!("{module}.{name}")).collect();
    before_edges(&place.path().join("run.vcd"), &format!("{module}.clk"), &names)
}

/// First difference at a node's links, from the clock on in which a program begins.
fn link_difference(waves: &Waves, edges: &[Vec<String>]) -> Option<String> {
    let begins = edges.iter().position(|edge| edge[0] == "1").expect("a program begins");
    difference(waves, waves.zero, &edges[begins..], recorded)
}

#[test]
fn waves_of_a_call_are_what_icarus_records_at_streams_and_links() {
    if !has("iverilog") {
        return;
    }
    for config in [TORUS, MESH] {
        let programs = programs(config);
        for design in &programs.designs {
            let called = CalledProgram::new(&programs, design);
            let topology = &design.program.topology;
            let nodes = [NodeId(0), NodeId(topology.nodes() - 1)];
            let shown = signals::call_streams(&called, nodes[0]);
            let place = played(&programs, &bench(&programs, design, Some(&shown)), "");
            for node in nodes {
                let waves = signals::call_streams(&called, node);
                let edges_of = |waves: &Waves, module: &str| edges(&place, waves, module, &[]);
                let found = edges_of(&waves, "bench.system");
                assert_eq!(difference(&waves, 1, &found[1..], recorded), None, "{}", list::title(design));
                if design.program.reduction.is_none() {
                    let waves = signals::node(&called, node);
                    let module = format!("bench.system.node_{}", self::place(topology, node));
                    assert_eq!(link_difference(&waves, &edges_of(&waves, &module)), None, "{}", list::title(design));
                }
            }
        }
    }
}

/// Clocks in which a board waits are not drawn.
#[test]
fn waves_of_a_board_are_the_clocks_in_which_it_plays() {
    if !has("iverilog") {
        return;
    }
    let programs = programs(BOARDS);
    for design in &programs.designs {
        let waves = signals::node(&CalledProgram::new(&programs, design), NodeId(0));
        let place = played(&programs, &bench(&programs, design, None), "tb/calls_boards.v");
        let all = edges(&place, &waves, "bench.system.b0_0.node_0_0", &["ce"]);
        let enabled: Vec<Vec<String>> = all.iter().filter(|edge| edge.last().unwrap() == "1").cloned().collect();
        assert_eq!(link_difference(&waves, &enabled), None, "{}", list::title(design));
        assert!(link_difference(&waves, &all).is_some(), "a board never waits");
    }
}

/// The comparison is tried: a clock too late, a word of another node, a wrong tick.
#[test]
fn wrong_waves_of_a_call_are_found() {
    if !has("iverilog") {
        return;
    }
    let programs = programs(TORUS);
    let design = &programs.designs[0];
    let called = CalledProgram::new(&programs, design);
    let right = signals::call_streams(&called, NodeId(5));
    let place = played(&programs, &bench(&programs, design, Some(&right)), "");
    let found = edges(&place, &right, "bench.system", &[]);
    let spoilt = |name: &str, clock: usize, value: SignalValue| {
        let mut waves = right.clone();
        let port = waves.ports.iter().position(|wave| wave.name.ends_with(name)).unwrap();
        waves.ports[port].values[clock] = value;
        difference(&waves, 1, &found[1..], recorded)
    };
    assert_eq!(difference(&right, 1, &found[1..], recorded), None);
    let first = |name: &str| {
        let wave = right.ports.iter().find(|wave| wave.name.ends_with(name)).unwrap();
        wave.values.iter().rposition(|&value| value == SignalValue::Bit(true)).unwrap()
    };
    assert!(spoilt("busy", first("busy"), SignalValue::Bit(false)).is_some());
    assert!(spoilt("s_axis_tready", first("s_axis_tready") + 1, SignalValue::Bit(true)).is_some());
    assert!(spoilt("m_axis_tdata", first("m_axis_tvalid"), SignalValue::OfItself(NodeId(0), 0)).is_some());
    assert!(spoilt("m_axis_tdest", first("m_axis_tvalid"), SignalValue::Number(1)).is_some());
    assert!(spoilt("done", first("done") + 1, SignalValue::Bit(true)).is_some());
}

#[test]
fn a_list_is_drawn_for_one_program_and_refusals_have_true_reasons() {
    let place = Place::new();
    place.write("list.yaml", TORUS);
    place.write("boards.yaml", BOARDS);
    for arguments in [
        "list.yaml --what waves --program gossip",
        "list.yaml --what streams --program 1 --node 2,3",
        "boards.yaml --what waves --program 1",
        "--torus 3x4 --set host.bus=streams --what streams",
        "list.yaml --what waves --program exchange --set host.bus=uart",
    ] {
        let ended = place.run(&format!("draw {arguments}"));
        assert_eq!(ended.code, 0, "{arguments}: {}", ended.stderr);
        assert!(ended.stdout.starts_with("<svg"), "{arguments}");
    }
    for (arguments, reason) in [
        ("list.yaml --what waves", "--program: must name one of 4 programs"),
        ("list.yaml --what waves --program 1", "not supported with collectives that combine values"),
        ("boards.yaml --what streams --program 0", "(link.elastic: true)"),
        ("list.yaml --what streams --program 0 --set host.bus=uart", "(a host in place of streams)"),
        ("list.yaml --what streams --program 0 --set local.results=memory", "(local.results: memory)"),
        ("list.yaml --what streams --program 0 --set local.order=arrival", "(local.order)"),
    ] {
        let ended = place.run(&format!("draw {arguments}"));
        assert!(ended.code == 2 && ended.stderr.contains(reason), "{arguments}: {}", ended.stderr);
    }
}
