//! Recordings of a run: the model's registers, the fabric's ports in Verilator, and the layout in a viewer.

use std::fs;

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::design::listed::Programs;
use torusweave::emit::names;
use torusweave::play::{Combiner, Machine, Payloads};

use crate::cli::refusals;
use crate::fixtures::command::Place;
use crate::fixtures::designs::design;
use crate::fixtures::ranges::sampled;
use crate::fixtures::recording::{before_edges, shown};
use crate::fixtures::tools::has;

const ZIGZAG: &str = "--torus 4x6 --scheme zigzag --switching memory --flits 2 --width 8";

fn zigzag() -> Design {
    design(&[4, 6], &["scheme=zigzag", "switching=memory", "link.flits=2", "link.width=8"])
}

/// A run that passes and writes its waveform and how it is shown.
fn recorded(place: &Place, arguments: &str) -> Vec<String> {
    let ended = place.run(&format!("simulate {arguments} --vcd run.vcd --gtkw run.gtkw"));
    assert_eq!(ended.code, 0, "{arguments}: {}{}", ended.stdout, ended.stderr);
    let save = fs::read_to_string(place.path().join("run.gtkw")).unwrap();
    assert!(save.starts_with("[dumpfile] \"run.vcd\"\n"), "{save}");
    let headings: Vec<&str> = save.lines().filter(|line| line.starts_with("-node ")).collect();
    assert!(headings.len() > 2 && headings.chunks(2).all(|group| group[0] == group[1]), "groups begin and end: {save}");
    shown(&save, &place.path().join("run.vcd"))
}

/// The wave is read as a viewer does, and the model asked what each register holds in each tick.
#[test]
fn the_wave_tells_who_sent_what_a_register_holds() {
    let (place, program) = (Place::new(), zigzag().program);
    let signals = recorded(&place, ZIGZAG);
    let whole = program.title.name.as_str();
    assert_eq!(signals[..2], [format!("{whole}.clk"), format!("{whole}.tick")]);
    let edges = before_edges(&place.path().join("run.vcd"), &signals[0], &signals[1..]);
    let is_driven = |&register: &usize| {
        let (node, output) = program.owner(register);
        !program.class(node).outputs[program.output_index(output)].is_idle()
    };
    let registers: Vec<usize> = (0..program.registers()).filter(is_driven).collect();
    for (&register, signals) in registers.iter().zip(signals[2..].chunks(4)) {
        let (node, output) = program.owner(register);
        let (node, output) = (names::instance(&program.topology, node), names::channel(2, output));
        let named = ["valid", "data", "origin", "packet"].map(|part| format!("{whole}.{node}.{output}_out_{part}"));
        assert_eq!(signals, named);
    }
    let (mut machine, payloads) = (Machine::new(&program), Payloads { width: 8, seed: 1 });
    for (tick, edge) in edges.iter().enumerate() {
        if tick > 0 {
            machine.step();
        }
        let held = |&register: &usize| match machine.register(register) {
            Some(flit) => {
                let origin = program.demand.origin(flit);
                let data = payloads.words(flit).next().unwrap();
                [1, data, origin.node.0.into(), origin.packet.into()].map(|value| format!("{value:b}"))
            }
            None => ["0", "x", "x", "x"].map(str::to_owned),
        };
        let expected: Vec<String> =
            std::iter::once(format!("{tick:b}")).chain(registers.iter().flat_map(held)).collect();
        assert_eq!(*edge, expected, "tick {tick}");
    }
    assert!(machine.is_done() && registers.len() > 48);
}

/// Values of a register are those that arrive over its link, which lockstep compares with the Verilog: of words, of floats, whose
/// adders take time, on long links, and of packets that the sums become.
#[test]
fn the_wave_of_a_reduction_tells_what_a_sum_is_for() {
    let place = Place::new();
    let words = ["collective=all-reduce", "operation=sum", "link.width=80", "link.flits=2", "link.latency=2"];
    let floats = ["collective=all-reduce", "operation=sum", "number=bf16", "link.width=16", "link.latency=2"];
    let alone = ["collective=reduce-scatter", "operation=custom", "adder=3", "link.width=9"];
    for (sides, settings) in [([3, 4], words), ([3, 3], floats)]
        .map(|(sides, of)| (sides, of.to_vec()))
        .into_iter()
        .chain([([2, 3], alone.to_vec())])
    {
        let program = design(&sides, &settings).program;
        let width = design(&sides, &settings).config.width();
        let set: Vec<String> = settings.iter().map(|it| format!("--set {it}")).collect();
        let signals = recorded(&place, &format!("--torus {}x{} {}", sides[0], sides[1], set.join(" ")));
        let edges = before_edges(&place.path().join("run.vcd"), &signals[0], &signals[1..]);
        let registers: Vec<usize> = (0..program.registers())
            .filter(|&register| {
                let (node, output) = program.owner(register);
                !program.class(node).outputs[program.output_index(output)].is_idle()
            })
            .collect();
        let mut combiner = Combiner::new(&program, Payloads { width, seed: 1 }).unwrap();
        let mut held = 0;
        for tick in 1..=program.ticks {
            combiner.step();
            // a link of L ticks is the register and L - 1 more
            let Some(edge) = edges.get((tick + 1).saturating_sub(program.latency) as usize) else { continue };
            for (&register, seen) in registers.iter().zip(edge[1..].chunks(4)) {
                let expected = combiner.delivered(register).map(|value| {
                    let origin = program.demand.origin(combiner.flit(register).unwrap());
                    let number = value.iter().rev().fold(0, |number, &word| number << 64 | u128::from(word));
                    [
                        "1".to_owned(),
                        format!("{number:b}"),
                        format!("{:b}", origin.node.0),
                        format!("{:b}", origin.packet),
                    ]
                });
                held += u32::from(expected.is_some());
                let none = || ["0", "x", "x", "x"].map(str::to_owned);
                assert_eq!(*seen, expected.unwrap_or_else(none), "{settings:?}: register {register}, tick {tick}");
            }
        }
        assert!(held > 20, "{held}");
    }
}

/// Every clock of every pass: what is recorded is what the model brings, in the ticks of the first.
#[test]
fn the_wave_of_verilator_is_what_arrives_at_the_ports() {
    if !has("verilator") {
        return;
    }
    let (place, program) = (Place::new(), zigzag().program);
    let signals = recorded(&place, &format!("{ZIGZAG} --engine verilator --seed 5"));
    let whole = program.title.name.as_str();
    assert_eq!(signals[..4], ["clk", "rst", "run", "tick"].map(|name| format!("{whole}.{name}")));
    let edges = before_edges(&place.path().join("run.vcd"), &signals[0], &signals[1..]);
    let begins = edges.iter().position(|edge| edge[2] == "1").unwrap();
    let inputs: Vec<_> =
        program.topology.node_ids().flat_map(|node| program.inputs(node).map(move |input| (node, input))).collect();
    let named = inputs.iter().flat_map(|&(node, input)| {
        let name = names::arrival(&program.topology, node, input);
        ["valid", "data"].map(|part| format!("{whole}.{name}_{part}"))
    });
    assert_eq!(signals[4..], named.collect::<Vec<_>>());
    let (mut machine, payloads) = (Machine::new(&program), Payloads { width: 8, seed: 15 });
    for edge in &edges[begins..][..program.ticks as usize] {
        machine.step();
        assert_eq!((&edge[..2], &edge[2]), (&["0".to_owned(), "1".to_owned()][..], &format!("{:b}", machine.tick())));
        let arrived = inputs.iter().flat_map(|&(node, input)| match machine.arrival(node, input) {
            Some(flit) => ["1".to_owned(), format!("{:b}", payloads.words(flit).next().unwrap())],
            None => ["0".to_owned(), "x".to_owned()],
        });
        assert_eq!(edge[3..], arrived.collect::<Vec<_>>(), "tick {}", machine.tick());
    }
    let passes = edges.iter().filter(|edge| edge[2] == "1").count();
    assert_eq!(passes, 4, "each pass has a first tick");
}

/// Signals listed for the viewer exist in the recording, those of reductions too.
#[test]
fn signals_of_the_viewer_are_recorded() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    for (arguments, signals) in [
        ("--torus 3x4 --width 1", 4 + 12 * 8),
        ("--torus 2x2 --collective all-reduce --operation sum", 4 + 4 * 8),
        ("--path 5 --lanes 2", 4 + 8 * 4),
        ("--torus 3x3 --duplex one-way --scheme hamiltonian", 4 + 9 * 4),
    ] {
        let shown = recorded(&place, &format!("{arguments} --engine icarus"));
        assert_eq!(shown.len(), signals, "{arguments}: {shown:?}");
    }
    refusals(&place, &["simulate --path 5 --collective gather --scheme shoulder-tap --engine verilator --vcd x.vcd"]);
    assert_eq!(place.run("simulate --torus 4x4 --gtkw x.gtkw").code, 2, "there is nothing to show");
    let ended = place.run("simulate --cycle 65536 --vcd x.vcd");
    let is_refused = ended.code == 2 && ended.stderr.contains("--vcd: 4294967296 registers and ticks are more than");
    assert!(is_refused && !place.path().join("x.vcd").exists(), "{}", ended.stderr);
}

const LIST: &str = "name: list\ntopology: { torus: [3, 4] }\nlink: { width: 16 }\nprograms:\n  - { collective: gossip }\n  \
                    - { collective: broadcast, root: any, flits: 3 }\n";

/// The bench of a list is recorded on one device and on boards, with a host and with streams; so are calls in lockstep.
/// A sample; all under `TORUSWEAVE_FULL`.
#[test]
fn the_wave_of_a_list_shows_ticks_and_links_of_every_node() {
    if !has("iverilog") {
        return;
    }
    let place = Place::new();
    place.write("list.yaml", LIST);
    let boards = "--set link.elastic=true --set link.checksum=crc16 --set link.boards=3x2";
    let forms = [
        ("--set host.bus=streams".to_owned(), "list_tb.system.clk"),
        (String::new(), "list_tb.system.host.core.system.clk"),
        ("--set host.bus=axi-lite".to_owned(), "list_tb.system.core.system.clk"),
        ("--set host.bus=ring".to_owned(), "list_tb.system.clk"),
        (format!("--set host.bus=streams {boards}"), "list_tb.b0_0.clk"),
    ];
    for (flags, first) in sampled(forms, 4) {
        let signals = recorded(&place, &format!("list.yaml --engine icarus --program 0 {flags}"));
        assert_eq!((signals[0].as_str(), signals.len() > 12 * 8), (first, true), "{flags}: {signals:?}");
        let edges = before_edges(&place.path().join("run.vcd"), &signals[0], &signals[1..]);
        let plays = edges.iter().filter(|edge| edge[1] == "1").count();
        assert!(plays > 3 && plays < edges.len(), "{flags}: {plays} of {}", edges.len());
    }
}

#[test]
fn the_wave_of_calls_in_verilator_is_what_the_model_has() {
    if !has("verilator") {
        return;
    }
    let place = Place::new();
    place.write("list.yaml", LIST);
    let signals = recorded(&place, "list.yaml --engine verilator --program 0 --calls 1 --seed 5");
    let named = ["clk", "begins", "plays", "tick", "program_number"];
    let whole = format!("list_system.{}", named[0]).replace(".clk", "");
    assert_eq!(signals[..5], named.map(|name| format!("{whole}.{name}")));
    let edges = before_edges(&place.path().join("run.vcd"), &signals[0], &signals[1..]);
    let programs = Programs::new(Config::read(&place.path().join("list.yaml")).unwrap()).unwrap();
    let program = &programs.designs[0].program;
    let (mut machine, payloads) = (Machine::new(program), Payloads { width: 16, seed: 5 * 0x1_0001 });
    let begins = edges.iter().position(|edge| edge[0] == "1").unwrap();
    let mut compared = 0;
    for (tick, edge) in (1..=program.ticks).zip(&edges[begins + 2..]) {
        machine.step();
        assert_eq!((&edge[1], &edge[2]), (&"1".to_owned(), &format!("{:b}", tick + 1)));
        for (node, values) in program.topology.node_ids().zip(edge[4..].chunks(2 * program.outputs())) {
            for (output, value) in program.channels().zip(values) {
                let Some(flit) = machine.register(program.register(node, output)) else { continue };
                assert_eq!(*value, format!("{:b}", payloads.words(flit).next().unwrap()), "tick {tick}");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
