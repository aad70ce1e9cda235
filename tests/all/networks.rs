//! Meshes, cycles and paths from the program on: checked, played, read back from JSON, turned into Verilog and run.

use std::collections::BTreeSet;

use serde_json::Value;
use torusweave::check;
use torusweave::explain::program_text::Text;
use torusweave::net::{ShapeName, Topology};
use torusweave::paths::supply::Switching;
use torusweave::play::{Knowledge, Machine};
use torusweave::program::{Program, Source};
use torusweave::schemes::staircase::Staircase;

use crate::fixtures::command::project;
use crate::fixtures::designs::{Folder, along_a_path, round_the_border, woven};
use crate::fixtures::tools::{call, has, play};

fn designs() -> Vec<Program> {
    let cycle = |nodes| round_the_border(&Topology::new(ShapeName::Cycle, &[nodes]).unwrap()).0;
    let mesh = |sides: &[u32]| round_the_border(&Topology::new(ShapeName::Mesh, sides).unwrap()).0;
    vec![mesh(&[2, 3]), mesh(&[5, 2]), cycle(2), cycle(7), along_a_path(2), along_a_path(6)]
}

#[test]
fn every_node_learns_every_packet() {
    for program in designs() {
        let report = check::by_execution(&program);
        assert!(report.passed(), "{}: {:?}", program.title.name, report.violations);
        let mut machine = Machine::new(&program);
        let mut knowledge = Knowledge::new(&program);
        while !machine.is_done() {
            machine.step();
            for (node, _, flit) in machine.arrivals() {
                knowledge.learn(node, flit);
            }
        }
        assert_eq!(knowledge.incomplete().next(), None, "{}", program.title.name);
    }
}

/// Ports that look out of the grid are idle and never read: anything else is a violation.
#[test]
fn a_port_that_looks_out_of_the_grid_is_neither_driven_nor_read() {
    let program = along_a_path(4);
    let (first, middle) = (program.class_of[0].index(), program.class_of[1].index());
    let mut driven = program.clone();
    driven.classes[first].outputs[0] = program.classes[middle].outputs[0].clone();
    let mut read = program.clone();
    read.classes[first].outputs[1] = program.classes[middle].outputs[1].clone();
    for wrong in [driven, read] {
        assert!(!check::by_execution(&wrong).passed());
    }
}

#[test]
fn the_text_names_the_network() {
    for (program, name) in designs().iter().zip(["2x3 mesh", "5x2 mesh", "cycle of 2", "cycle of 7", "path of 2"]) {
        let text = Text(program).to_string();
        assert!(text.contains(&format!("gossip on a {name}, scheme by hand\n")), "{text}");
    }
}

/// A reader that has docs/program-format.md and the JSON, and nothing of ours.
struct Reader {
    sides: Vec<u64>,
    wraps: bool,
    json: Value,
}

impl Reader {
    fn new(text: &str) -> Self {
        let json: Value = serde_json::from_str(text).unwrap();
        let (shape, sides) = json["topology"].as_object().unwrap().iter().next().unwrap();
        let sides = match sides {
            Value::Array(sides) => sides.iter().map(|side| side.as_u64().unwrap()).collect(),
            side => vec![side.as_u64().unwrap()],
        };
        Self { sides, wraps: ["torus", "cycle"].contains(&shape.as_str()), json: json.clone() }
    }

    fn neighbour(&self, node: u64, port: &str) -> Option<u64> {
        let (axis, way) = port[1..].split_at(port.len() - 2);
        let axis: usize = axis.parse::<usize>().unwrap() - 1;
        let stride: u64 = self.sides[axis + 1..].iter().product();
        let (side, at) = (self.sides[axis], node / stride % self.sides[axis]);
        let to = if way == "+" { at + 1 } else { at + side - 1 };
        let is_inside = if way == "+" { to < side } else { to >= side };
        (is_inside || self.wraps).then(|| node - at * stride + to % side * stride)
    }

    /// In no tick something arrives at both ends of a link.
    fn assert_one_way(&self, now: &[Option<(u64, u64)>], ports: &[&str], lanes: usize, tick: u64) {
        let arrives = |node: u64, port: usize| {
            let first = (node as usize * ports.len() + port) * lanes;
            now[first..first + lanes].iter().any(Option::is_some)
        };
        for node in 0..self.sides.iter().product::<u64>() {
            for (index, port) in ports.iter().enumerate() {
                let neighbour = self.neighbour(node, port);
                let both = arrives(node, index) && neighbour.is_some_and(|there| arrives(there, index ^ 1));
                assert!(!both, "both ends of the link at {port} of node {node} send in tick {tick}");
            }
        }
    }

    /// Packets that each node knows after the last tick.
    fn knowledge(&self) -> Vec<BTreeSet<(u64, u64)>> {
        let nodes = self.sides.iter().product::<u64>();
        let number = |value: &Value| value.as_u64().unwrap();
        let ports: Vec<&str> =
            self.json["ports"].as_array().unwrap().iter().map(|port| port.as_str().unwrap()).collect();
        let mut known: Vec<BTreeSet<_>> =
            (0..nodes).map(|node| (0..number(&self.json["packets"])).map(|packet| (node, packet)).collect()).collect();
        let lanes = self.json["lanes"].as_u64().unwrap_or(1) as usize;
        let width = ports.len() * lanes;
        // arrivals by tick, node, port and lane
        let mut arrived: Vec<Vec<Option<(u64, u64)>>> = Vec::new();
        for tick in 1..=number(&self.json["ticks"]) {
            let mut now = vec![None; nodes as usize * width];
            for node in 0..nodes {
                let class = &self.json["classes"][number(&self.json["class_of"][node as usize]) as usize];
                for (index, port, lane) in
                    ports.iter().enumerate().flat_map(|(index, port)| (0..lanes).map(move |lane| (index, port, lane)))
                {
                    let output = &class["outputs"][index * lanes + lane];
                    assert_eq!(
                        (output["port"].as_str(), output["lane"].as_u64().unwrap_or(0)),
                        (Some(*port), lane as u64)
                    );
                    let runs = output["runs"].as_array().unwrap();
                    let mut left = tick - 1;
                    let length = |runs: &[Value]| runs.iter().map(|run| number(&run["ticks"])).sum::<u64>();
                    if let Some(from) = output["repeat_from"].as_u64().map(|from| from as usize)
                        && left >= length(runs)
                    {
                        let once = length(&runs[..from]);
                        left = once + (left - once) % length(&runs[from..]);
                    }
                    let run = runs.iter().find(|run| {
                        let is_it = left < number(&run["ticks"]);
                        left = left.saturating_sub(number(&run["ticks"]));
                        is_it
                    });
                    let run = run.unwrap();
                    let sent = if let Some(input) = run["in"].as_str() {
                        let input = ports.iter().position(|port| *port == input).unwrap();
                        let then = (tick - 1).checked_sub(number(&run["age"]));
                        let lane = run["lane"].as_u64().unwrap_or(0) as usize;
                        then.and_then(|then| arrived[then as usize][node as usize * width + input * lanes + lane])
                    } else {
                        run["own"].as_u64().map(|packet| (node, packet))
                    };
                    let Some(neighbour) = self.neighbour(node, port) else {
                        assert_eq!(sent, None, "sent out of the grid");
                        continue;
                    };
                    // the neighbour's opposite port is the other one of its pair
                    now[neighbour as usize * width + (index ^ 1) * lanes + lane] = sent;
                    known[neighbour as usize].extend(sent);
                }
            }
            if self.json["duplex"] == "half" {
                self.assert_one_way(&now, &ports, lanes, tick);
            }
            arrived.push(now);
        }
        known
    }
}

impl Reader {
    /// The run that plays at a tick, and for how many ticks it has.
    fn run(output: &Value, tick: u64) -> (&Value, u64) {
        let number = |value: &Value| value.as_u64().unwrap();
        let runs = output["runs"].as_array().unwrap();
        let length = |runs: &[Value]| runs.iter().map(|run| number(&run["ticks"])).sum::<u64>();
        let mut left = tick - 1;
        if let Some(from) = output["repeat_from"].as_u64().map(|from| from as usize)
            && left >= length(runs)
        {
            let once = length(&runs[..from]);
            left = once + (left - once) % length(&runs[from..]);
        }
        for run in runs {
            if left < number(&run["ticks"]) {
                return (run, left);
            }
            left -= number(&run["ticks"]);
        }
        panic!("tick {tick} is after the last run");
    }

    /// Receivers of a node's message.
    fn receivers(&self, message: &Value, node: u64) -> Vec<u64> {
        let nodes = self.sides.iter().product::<u64>();
        if let Some(offset) = message["to"]["offset"].as_array() {
            let (mut receiver, mut stride) = (0, 1);
            for (side, offset) in self.sides.iter().zip(offset).rev() {
                receiver += (node / stride % side + offset.as_u64().unwrap()) % side * stride;
                stride *= side;
            }
            return vec![receiver];
        }
        message["to"].as_u64().map_or_else(|| (0..nodes).collect(), |to| vec![to])
    }

    /// Returns true if every node gets every flit of every message that it wants, nothing clashing on the way.
    fn delivers(&self) -> bool {
        let number = |value: &Value| value.as_u64().unwrap();
        let nodes = self.sides.iter().product::<u64>();
        let ports: Vec<&str> =
            self.json["ports"].as_array().unwrap().iter().map(|port| port.as_str().unwrap()).collect();
        let lanes = number(&self.json["lanes"]) as usize;
        // gossip names no messages: every node has its packets for everybody
        let packet = serde_json::json!({ "from": null, "to": null, "flits": self.json["flits"] });
        let gossip = vec![packet; number(&self.json["packets"]) as usize];
        let messages = self.json["messages"].as_array().unwrap_or(&gossip);
        let has =
            |node: u64| messages.iter().filter(move |message| message["from"].is_null() || message["from"] == node);
        let mut wanted = BTreeSet::new();
        for node in 0..nodes {
            for (packet, message) in has(node).enumerate() {
                for receiver in self.receivers(message, node).into_iter().filter(|receiver| *receiver != node) {
                    wanted.extend((0..number(&message["flits"])).map(|flit| (receiver, (node, packet, flit))));
                }
            }
        }
        let at = |node: u64, port: &str, lane: &Value| {
            let port = ports.iter().position(|other| *other == port).unwrap();
            (node as usize * ports.len() + port) * lanes + lane.as_u64().unwrap_or(0) as usize
        };
        let nothing = vec![None; nodes as usize * ports.len() * lanes];
        let mut arrived: Vec<Vec<Option<(u64, usize, u64)>>> = vec![nothing.clone()];
        for tick in 1..=number(&self.json["ticks"]) {
            let mut now = nothing.clone();
            for node in 0..nodes {
                let class = &self.json["classes"][number(&self.json["class_of"][node as usize]) as usize];
                for output in class["outputs"].as_array().unwrap() {
                    let (run, since) = Self::run(output, tick);
                    let port = output["port"].as_str().unwrap();
                    let mut brought: Vec<(u64, usize, u64)> = Vec::new();
                    if let Some(first) = run["own"].as_u64() {
                        let last = run["through"].as_u64().unwrap_or(first);
                        let flits = has(node).enumerate().skip(first as usize).take((last - first) as usize + 1);
                        let flits: Vec<_> = flits
                            .flat_map(|(packet, message)| {
                                (0..number(&message["flits"])).map(move |flit| (node, packet, flit))
                            })
                            .collect();
                        brought.extend(flits.get((since % flits.len().max(1) as u64) as usize));
                    }
                    let then = run["age"].as_u64().and_then(|age| tick.checked_sub(age)).unwrap_or(0) as usize;
                    brought.extend(run["in"].as_str().and_then(|input| arrived[then][at(node, input, &run["lane"])]));
                    for input in run["any"].as_array().into_iter().flatten() {
                        brought.extend(arrived[then][at(node, input.as_str().unwrap(), &run["lane"])]);
                    }
                    if let Some(packet) = output["inject"].as_u64() {
                        let window = &self.json["windows"][node as usize];
                        let open = tick.checked_sub(number(&window[0])).filter(|since| *since < number(&window[1]));
                        brought.extend(open.map(|flit| (node, packet as usize, flit)));
                    }
                    assert!(brought.len() <= 1, "two flits for one output");
                    if let Some(&flit) = brought.first() {
                        let neighbour = self.neighbour(node, port).expect("nothing is sent out of the grid");
                        let opposite =
                            if port.ends_with('+') { port.replace('+', "-") } else { port.replace('-', "+") };
                        now[at(neighbour, &opposite, &output["lane"])] = Some(flit);
                        wanted.remove(&(neighbour, flit));
                    }
                }
            }
            arrived.push(now);
        }
        wanted.is_empty()
    }
}

#[test]
fn program_json_is_all_that_a_reader_needs() {
    for program in designs() {
        let text = program.json();
        assert!(text.contains("\"format\": \"torusweave-program/2\""), "{text}");
        let reader = Reader::new(&text);
        for known in reader.knowledge() {
            assert_eq!(known.len() as u64, program.demand.packets(), "{}", program.title.name);
        }
    }
}

/// Programs on tori are still written in the first format, and a reader of that format can execute them.
#[test]
fn every_generated_program_executes_in_a_reader_of_its_format() {
    let folders = std::fs::read_dir(project().join("generated")).unwrap();
    let (mut first, mut all) = (0, 0);
    for folder in folders {
        let path = folder.unwrap().path().join("program.json");
        let text = std::fs::read_to_string(&path).unwrap();
        let reader = Reader::new(&text);
        let packets = reader.sides.iter().product::<u64>() * reader.json["packets"].as_u64().unwrap();
        let complete = if reader.json["messages"].is_null() && reader.json["lanes"] == 1 {
            reader.knowledge().iter().all(|known| known.len() as u64 == packets)
        } else {
            reader.delivers()
        };
        assert!(complete, "{}", path.display());
        first += u32::from(reader.json["format"] == "torusweave-program/1");
        all += 1;
    }
    assert!(first >= 8 && all > first, "{first} of {all} are in the first format");
}

#[test]
fn a_program_that_comes_round_again_executes_too() {
    let program = woven(&[5, 6], &Staircase, Switching::Periodic);
    assert!(program.classes.iter().flat_map(|class| &class.outputs).any(|track| track.repeat_from.is_some()));
    let packets = program.demand.packets();
    assert!(Reader::new(&program.json()).knowledge().iter().all(|known| known.len() as u64 == packets));
}

#[test]
fn the_example_in_the_docs_is_the_path_of_three() {
    let docs = include_str!("../../docs/program-format.md");
    let lines: Vec<String> = along_a_path(3).json().lines().map(|line| format!("    {line}")).collect();
    let example = lines.join("\n");
    assert!(docs.contains(&example), "docs/program-format.md should say\n{example}");
}

#[test]
fn the_verilog_is_clean_and_passes_its_testbench() {
    for program in designs() {
        let name = &program.title.name;
        let folder = Folder::with(&program, 8);
        if has("verilator") {
            let list = format!("{name}.f");
            let (clean, said) =
                call(&folder, "verilator", &["--lint-only", "-Wall", "-f", &list, "--top-module", name]);
            assert!(clean && said.is_empty(), "{name}: {said}");
        }
        if has("iverilog") {
            let printed = play(&folder, name);
            assert!(printed.starts_with("PASS "), "{name}: {printed}");
        }
    }
}

#[test]
fn idle_ports_read_nothing() {
    for program in designs() {
        let topology = &program.topology;
        for node in topology.node_ids() {
            for source in program.class(node).sources() {
                let Source::In { port, .. } = source else { continue };
                assert!(topology.step(node, port).is_some(), "{}", program.title.name);
            }
        }
    }
}
