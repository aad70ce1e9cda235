//! The fabric's elaborated netlist compared with the topology: any size, no solver.
//!
//! A proof of one router of a class holds for all of them if they are the same module, are told the same, and stand
//! between the links and packets of their nodes. So each connection of each instance is looked at.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use super::elaborated::{Bit, Elaborated, ElaboratedModule, NetlistCell, is_of};
use super::error::ProveError;
use super::yosys::{Prover, YosysFiles};
use crate::emit::{formal, names};
use crate::net::{Channel, NodeId};
use crate::netlist::{Netlist, Own, OwnInputs};
use crate::program::{Class, ClassId, Program, Source, Track};

/// Result of comparing the netlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiringResult {
    /// Number of routers.
    pub routers: u32,
    /// Connections of routers and of the fabric's ports.
    pub connections: u64,
    /// Differences found, at most a few.
    pub differences: Vec<String>,
    /// True if two connections that were exchanged were seen.
    pub fault_seen: bool,
}

/// Differences that are told.
const MOST: usize = 20;

/// Elaborates the fabric in `folder` and compares it; first with two connections exchanged, then as it is.
pub fn compare(
    prover: &Prover,
    program: &Program,
    netlist: &Netlist,
    rtl: &YosysFiles,
    folder: &Path,
) -> Result<WiringResult, ProveError> {
    fs::create_dir_all(folder)?;
    prover.script(rtl, &formal::fabric(program), folder)?;
    let name = &program.title.name;
    let file = BufReader::new(File::open(folder.join(format!("{name}.json")))?);
    let mut elaborated: Elaborated = serde_json::from_reader(file)?;
    let missing = || WiringResult {
        routers: 0,
        connections: 0,
        differences: vec![format!("no module {name}")],
        fault_seen: true,
    };
    let Some(mut fabric) = elaborated.modules.remove(name) else { return Ok(missing()) };
    let mut fault_seen = true;
    for fault in ["_in_data", "_take", "in"].map(|port| exchange(&fabric, port)).into_iter().flatten() {
        swap(&mut fabric, &fault);
        fault_seen &= !WiringComparison::of(program, netlist, &fabric, &elaborated.modules).differences.is_empty();
        swap(&mut fabric, &fault);
    }
    let WiringComparison { routers, connections, differences, .. } =
        WiringComparison::of(program, netlist, &fabric, &elaborated.modules);
    Ok(WiringResult { routers, connections, differences, fault_seen })
}

/// Two connections of a cell, or of two cells.
pub(super) type Exchange = ((String, String), (String, String));

/// The first two connections of routers, of one or of two, that end so; none if there are no two.
fn exchange(fabric: &ElaboratedModule, end: &str) -> Option<Exchange> {
    let mut ports: Vec<(String, String)> = fabric
        .cells
        .iter()
        .flat_map(|(cell, it)| it.connections.keys().map(move |port| (cell.clone(), port.clone())))
        .filter(|(_, port)| port.ends_with(end))
        .collect();
    ports.sort();
    let mut ports = ports.into_iter();
    Some((ports.next()?, ports.next()?))
}

pub(super) fn swap(fabric: &mut ElaboratedModule, ((one, at), (other, there)): &Exchange) {
    let bits = |fabric: &mut ElaboratedModule, cell: &str, port: &str| {
        fabric
            .cells
            .get_mut(cell)
            .and_then(|cell| cell.connections.get_mut(port))
            .map(std::mem::take)
            .unwrap_or_default()
    };
    let (first, second) = (bits(fabric, one, at), bits(fabric, other, there));
    for (cell, port, bits) in [(one, at, second), (other, there, first)] {
        fabric.cells.get_mut(cell).and_then(|cell| cell.connections.insert(port.clone(), bits));
    }
}

/// Connections that the program requires of a class.
struct Ends {
    packets: Vec<Own>,
    reads: Vec<Channel>,
    drives: Vec<Channel>,
}

impl Ends {
    fn of(program: &Program, own: OwnInputs, class: &Class) -> Self {
        let mut ends = Self { packets: Vec::new(), reads: Vec::new(), drives: Vec::new() };
        for source in class.sources() {
            match source {
                Source::Own { packet, through } => ends.packets.push(Own { packet, through }),
                other => ends.reads.extend(other.inputs()),
            }
        }
        ends.reads.sort_unstable();
        ends.reads.dedup();
        let driven = program.channels().zip(&class.outputs).filter(|(_, track)| !track.is_idle());
        ends.drives = driven.map(|(output, _)| output).collect();
        if program.reduction.is_some() {
            // every output has a stream of its own
            let streams = ends.drives.iter().map(|&output| program.output_index(output) as u32);
            ends.packets = streams.map(|stream| Own { packet: stream, through: stream }).collect();
        } else if own == OwnInputs::Streams {
            let streams = class.outputs.iter().filter_map(Track::own_packets);
            ends.packets = streams.map(|(packet, through)| Own { packet, through }).collect();
            ends.packets.sort_unstable();
        }
        ends
    }
}

/// Source of each router's control signals: modules and clocks on the way, and the driving net.
struct ControlSources<'n> {
    /// by net: the cell that passes it on or plays it, and which bit it is
    passing: HashMap<&'n Bit, (&'n NetlistCell, usize)>,
    /// by net: the gate that drives it
    gates: HashMap<&'n Bit, &'n NetlistCell>,
}

impl<'n> ControlSources<'n> {
    fn of(program: &Program, fabric: &'n ElaboratedModule) -> Self {
        let leaf = names::leaf(program);
        let control = names::control_prefix(program);
        let output = |cell: &'n NetlistCell| {
            let port = if is_of(cell, |module| module == leaf) {
                "q"
            } else if is_of(cell, |module| module.starts_with(&control)) {
                "word"
            } else {
                return None;
            };
            Some((cell, cell.connections.get(port)?))
        };
        let bits = fabric.cells.values().filter_map(output);
        let passing = bits.flat_map(|(cell, bits)| bits.iter().enumerate().map(move |(at, bit)| (bit, (cell, at))));
        let gates = fabric.cells.values().filter(|cell| cell.module.starts_with('$'));
        let driven = gates.filter_map(|cell| Some((cell.connections.get("Y")?.first()?, cell)));
        Self { passing: passing.collect(), gates: driven.collect() }
    }

    /// The gates behind a bit, down to a net that none drives: `taken` is that of the router it is asked of.
    fn gates(&self, bit: &Bit, taken: &Bit) -> String {
        let Some(gate) = self.gates.get(bit).filter(|_| bit != taken) else {
            return if bit == taken { "taken".to_owned() } else { format!("{bit:?}") };
        };
        let input = |port: &str| gate.connections.get(port).and_then(|bits| bits.first());
        let inputs = ["A", "B"].into_iter().filter_map(input).map(|bit| self.gates(bit, taken));
        format!("{}({})", gate.module, inputs.collect::<Vec<_>>().join(", "))
    }

    /// The way of a bit, back to a net that no such module drives.
    fn way(&self, bit: &'n Bit) -> Vec<String> {
        let mut way = Vec::new();
        let mut bit = bit;
        // a path has at most as many steps as modules, which excludes circles
        while let Some(&(cell, at)) = self.passing.get(bit).filter(|_| way.len() < MOST) {
            let clock = cell.connections.get("clk");
            let (from, place) = match (cell.connections.get("d"), cell.connections.get("go")) {
                (Some(bits), _) => (bits.get(at), None),
                (None, go) => (go.and_then(|bits| bits.first()), Some(at)),
            };
            way.push(format!("{} {place:?} {clock:?}", cell.module));
            let Some(next) = from else { break };
            bit = next;
        }
        way.push(format!("{bit:?}"));
        way
    }
}

/// A router's module, and for each port on which it is told something the way of each bit.
type Hears<'n> = (String, BTreeMap<&'n str, Vec<Vec<String>>>);

struct WiringComparison<'n> {
    program: &'n Program,
    netlist: &'n Netlist,
    fabric: &'n ElaboratedModule,
    /// the others, by name
    modules: &'n HashMap<String, ElaboratedModule>,
    classes: Vec<Ends>,
    /// on which ways what is told comes
    told: ControlSources<'n>,
    /// by the first bit of a configuration, the cell that has it
    configurations: HashMap<&'n Bit, &'n NetlistCell>,
    /// next link in the chain of configurations: from the fabric's input, then from node to node
    chain: Option<&'n [Bit]>,
    /// control signals of the first router of each class
    told_first: HashMap<ClassId, Hears<'n>>,
    /// the nets of links, each of which leads to one node's one port
    seen: HashSet<&'n Bit>,
    routers: u32,
    connections: u64,
    differences: Vec<String>,
}

impl<'n> WiringComparison<'n> {
    fn of(
        program: &'n Program,
        netlist: &'n Netlist,
        fabric: &'n ElaboratedModule,
        modules: &'n HashMap<String, ElaboratedModule>,
    ) -> Self {
        let configuration = names::configuration(program);
        let configures = |cell: &&NetlistCell| is_of(cell, |module| module == configuration);
        let has = |cell: &'n NetlistCell| Some((cell.connections.get("configuration")?.first()?, cell));
        let mut comparison = Self {
            program,
            netlist,
            configurations: fabric.cells.values().filter(configures).filter_map(has).collect(),
            chain: fabric.ports.get(names::CONFIG_IN).map(|port| port.bits.as_slice()),
            fabric,
            modules,
            classes: program.classes.iter().map(|class| Ends::of(program, netlist.own, class)).collect(),
            told: ControlSources::of(program, fabric),
            told_first: HashMap::new(),
            seen: HashSet::new(),
            routers: 0,
            connections: 0,
            differences: Vec::new(),
        };
        for node in program.topology.node_ids() {
            comparison.arrivals(node);
            comparison.router(node);
        }
        let (chain, out) = (comparison.chain, comparison.port(names::CONFIG_OUT));
        comparison
            .expect(chain == out, || format!("the chain of configurations does not end at {}", names::CONFIG_OUT));
        let routers = fabric.cells.keys().filter(|name| name.starts_with(names::INSTANCE)).count();
        comparison.expect(routers == comparison.routers as usize, || format!("{routers} routers in the fabric"));
        comparison
    }

    fn expect(&mut self, holds: bool, or: impl FnOnce() -> String) {
        self.connections += 1;
        if !holds && self.differences.len() < MOST {
            self.differences.push(or());
        }
    }

    fn ends(&self, node: NodeId) -> &Ends {
        &self.classes[self.program.class_of[node.index()].index()]
    }

    /// The bits of a port of the fabric.
    fn port(&self, name: &str) -> Option<&'n [Bit]> {
        self.fabric.ports.get(name).map(|port| port.bits.as_slice())
    }

    /// Checks that every arrival at a node's ports has nets of its own, or is never used.
    fn arrivals(&mut self, node: NodeId) {
        let topology = &self.program.topology;
        for input in self.program.channels() {
            let Some(neighbour) = topology.step(node, input.port) else { continue };
            if !self.program.is_wired(node, input) {
                continue;
            }
            let is_driven = self.ends(neighbour).drives.contains(&input.opposite());
            for part in ["data", "valid"] {
                let name = format!("{}_{part}", names::arrival(topology, node, input));
                let bits = self.port(&name).unwrap_or_default();
                let right = !bits.is_empty()
                    && bits.iter().all(|bit| match bit {
                        Bit::Net(_) => is_driven && self.seen.insert(bit),
                        Bit::Constant(value) => !is_driven && value == "0",
                    });
                self.expect(right, || format!("{name} is not a link of its own"));
            }
        }
    }

    /// Checks that each router's configuration is its own part of the chain.
    fn configuration(&mut self, instance: &str, bits: Option<&'n [Bit]>, count: usize) {
        let found = bits.and_then(|bits| self.configurations.remove(bits.first()?)).filter(|_| count > 0);
        let connection = |port: &str| found.and_then(|cell| cell.connections.get(port)).map(Vec::as_slice);
        let right = match bits {
            None => count == 0,
            Some(bits) => {
                bits.len() == count
                    && connection("configuration") == Some(bits)
                    && connection("clk") == self.port("clk")
                    && connection("shift") == self.port(names::CONFIG_SHIFT)
                    && connection("in") == self.chain
            }
        };
        self.expect(right, || format!("{instance} is not set by its part of the chain"));
        self.chain = connection("out").or(self.chain);
    }

    /// A node's router is of its class, stands between its links and packets, and is told what all of its class are.
    fn router(&mut self, node: NodeId) {
        let topology = &self.program.topology;
        let class = self.program.class_of[node.index()];
        let module = names::router(self.program, self.netlist.module_of(class));
        let instance = names::instance(topology, node);
        let Ends { packets, reads, drives } = self.ends(node);
        if drives.is_empty() {
            return;
        }
        let (packets, mut reads, drives) = (packets.clone(), reads.clone(), drives.clone());
        let Some(cell) = self.fabric.cells.get(&instance) else {
            return self.expect(false, || format!("{instance} is missing"));
        };
        self.routers += 1;
        let is_of_class = is_of(cell, |part| part == module);
        self.expect(is_of_class, || format!("{instance} is a {}, not a {module}", cell.module));
        let configuration = cell.connections.get("configuration").map(Vec::as_slice);
        self.configuration(&instance, configuration, self.netlist.settings(class).len());
        // a configured router can read more inputs than it does
        let ports = self.modules.get(&cell.module).map(|module| &module.ports);
        let has_port = |port: &str| ports.is_some_and(|ports| ports.contains_key(port));
        let name = |channel, end: &str| format!("{}_{end}", names::channel(topology.axes(), channel));
        reads.extend(self.program.channels().filter(|&input| has_port(&name(input, "in_data"))));
        reads.sort_unstable();
        reads.dedup();
        let mut left: BTreeMap<&str, &[Bit]> =
            cell.connections.iter().map(|(port, bits)| (port.as_str(), bits.as_slice())).collect();
        left.remove("configuration");
        let mut connected = |it: &mut Self, port: &str, to: &str| {
            let right = it.port(to).is_some_and(|bits| left.remove(port) == Some(bits));
            it.expect(right, || format!("{instance}.{port} is not at {to}"));
        };
        let owns: Vec<String> = packets.into_iter().map(names::own).collect();
        for own in &owns {
            connected(self, own, &format!("{}_{own}", names::node(topology, node)));
        }
        let ways = reads.into_iter().map(|input| (input, true)).chain(drives.into_iter().map(|output| (output, false)));
        for (channel, comes_in) in ways {
            let beyond = || topology.step(node, channel.port).map(|to| (to, channel.opposite()));
            let far = if comes_in { Some((node, channel)) } else { beyond() };
            let Some((to, at)) = far else { continue };
            for part in ["data", "valid"] {
                let own = name(channel, &format!("{}_{part}", if comes_in { "in" } else { "out" }));
                // a valid bit that no router of the class reads is not connected; the class's proof shows that it is not needed
                if comes_in && part == "valid" && !has_port(&own) {
                    continue;
                }
                connected(self, &own, &format!("{}_{part}", names::arrival(topology, to, at)));
            }
        }
        // own values are taken when this router requests them, while all play
        let mut takes = Vec::new();
        for own in owns.iter().map(|own| format!("{own}_take")) {
            let Some([taken]) = left.remove(own.as_str()) else { continue };
            let is_own = self.seen.insert(taken);
            self.expect(is_own, || format!("{instance}.{own} is not its own"));
            let take = self.port(&format!("{}_{own}", names::node(topology, node))).and_then(<[Bit]>::first);
            let gates = take.map_or_else(String::new, |take| self.told.gates(take, taken));
            let is_asked = gates.contains("taken");
            self.expect(is_asked, || format!("{instance}.{own} does not say when it is taken"));
            takes.push(vec![gates]);
        }
        // all other control signals are the same for every router of the class
        let ways = left.into_iter().map(|(port, bits)| (port, bits.iter().map(|bit| self.told.way(bit)).collect()));
        let ways = ways.chain([("takes", takes)]);
        let told = (cell.module.clone(), ways.collect());
        let alike = self.told_first.entry(class).or_insert_with(|| told.clone()) == &told;
        self.expect(alike, || format!("{instance} is not told what the other routers of {module} are"));
    }
}
