//! A design with several programs proved: the control words of each program make the router do what the program says, and nodes are
//! joined as the topology says.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use super::design::{ProofPart, ProofResult, ProofSubject, induced};
use super::elaborated::{Bit, Elaborated, ElaboratedModule, NetlistCell, is_of};
use super::error::ProveError;
use super::wiring::{Exchange, WiringResult, swap};
use super::yosys::{Prover, SolverVerdict, YosysFiles};
use crate::emit::formal::listed::{self, ListedQuestion};
use crate::emit::formal::{self, Induction};
use crate::emit::names;
use crate::emit::node::ListDesign;
use crate::net::NodeId;
use crate::netlist::listed::ListNetlist;
use crate::program::Program;
use crate::tools::{ScratchFolder, pool};

/// Proof about one program at some nodes.
#[derive(Clone, Debug)]
pub struct ListedProof {
    /// Number of the program.
    pub program: usize,
    /// First of the nodes.
    pub node: NodeId,
    /// Number of nodes.
    pub nodes: u32,
    /// Steps, of which the first begins anywhere.
    pub steps: u32,
    /// Number of assertions.
    pub assertions: usize,
    /// Verdict on the assertions.
    pub verdict: SolverVerdict,
    /// Verdict on the version with a fault; none if nothing is sent.
    pub fault: Option<SolverVerdict>,
    /// Time taken, including the version with a fault.
    pub time: Duration,
}

impl ListedProof {
    /// Returns true if everything holds and the fault was seen.
    pub fn holds(&self) -> bool {
        self.verdict == SolverVerdict::Holds
            && self.fault.as_ref().is_none_or(|fault| matches!(fault, SolverVerdict::Fails { .. }))
    }
}

/// Files of the RTL: paths and texts.
pub type Texts = Vec<(String, String)>;

/// Proves some programs of a design by their numbers, and hands over each proof in order.
pub fn prove(
    prover: &Prover,
    design: &ListDesign<'_>,
    programs: &[&Program],
    numbers: &[usize],
    files: &Texts,
    mut said: impl FnMut(&ListedProof),
) -> Result<Vec<ListedProof>, ProveError> {
    let scratch = ScratchFolder::new()?;
    let rtl = YosysFiles::of(files, scratch.path().join("rtl"))?;
    let mut questions = listed::questions(design, programs);
    questions.retain(|question| numbers.contains(&question.program));
    let work = |question: &ListedQuestion| -> Result<ListedProof, ProveError> {
        let begun = Instant::now();
        let ListedQuestion { program, node, nodes, right, wrong } = question;
        let folder = scratch.path().join(&right.module);
        let fault = wrong.as_ref().map(|wrong| prover.refute(&rtl, wrong, &folder.join("wrong"))).transpose()?;
        let verdict = prover.prove(&rtl, right, &folder.join("right"))?;
        let (steps, assertions, time) = (right.steps, right.assertions, begun.elapsed());
        Ok(ListedProof { program: *program, node: *node, nodes: *nodes, steps, assertions, verdict, fault, time })
    };
    let proofs = pool::in_order(&questions, work, |_, proof| {
        if let Ok(proof) = proof {
            said(proof);
        }
    });
    proofs.into_iter().collect()
}

/// Proves what stands at the ports of boards: a part is that of the links, or none of it.
pub fn links(prover: &Prover, design: &ListDesign<'_>, part: ProofPart) -> Result<Vec<ProofResult>, ProveError> {
    let of_crossings = |fault| listed::crossings(design, fault);
    let of_receivers = |fault| Vec::from_iter(listed::receivers(design, fault));
    let (right, mistaken) = match part {
        ProofPart::Crossing => (of_crossings(None), of_crossings(Some(formal::exchanged_pointers))),
        ProofPart::Receiver => (of_receivers(None), of_receivers(Some(formal::later_numbers))),
        ProofPart::Classes | ProofPart::Fabric | ProofPart::Whole => return Ok(Vec::new()),
    };
    let subject = if part == ProofPart::Crossing { ProofSubject::Crossing } else { ProofSubject::Receiver };
    let scratch = ScratchFolder::new()?;
    let proof = |(right, mistaken): (&Induction, &Induction)| {
        let begun = Instant::now();
        let ending = induced(prover, right, mistaken, scratch.path())?;
        Ok(ProofResult { subject: subject(right.claim), ending, time: begun.elapsed() })
    };
    right.iter().zip(&mistaken).map(proof).collect()
}

/// Compares the wires between nodes with the topology; first with two of them exchanged, then as they are.
pub fn compare(prover: &Prover, design: &ListDesign<'_>, files: &Texts) -> Result<WiringResult, ProveError> {
    let scratch = ScratchFolder::new()?;
    let rtl = YosysFiles::of(files, scratch.path().join("rtl"))?;
    let top = design.whole();
    prover.script(&rtl, &listed::wires(&top), scratch.path())?;
    let mut elaborated = read(&scratch.path().join(format!("{top}.json")))?;
    let missing = |what: &str| WiringResult {
        routers: 0,
        connections: 0,
        differences: vec![format!("no module {what}")],
        fault_seen: true,
    };
    let node = format!("{}_node", design.name);
    let Some(mut whole) = elaborated.modules.remove(&top) else { return Ok(missing(&top)) };
    let Some(node_module) = elaborated.modules.remove(&node) else { return Ok(missing(&node)) };
    let fault_seen = exchange(&whole, design.netlist).is_some_and(|fault| {
        swap(&mut whole, &fault);
        let is_seen = !WireComparison::of(design, &whole, &node_module).differences.is_empty();
        swap(&mut whole, &fault);
        is_seen
    });
    let WireComparison { nodes, connections, differences } = WireComparison::of(design, &whole, &node_module);
    Ok(WiringResult { routers: nodes, connections, differences, fault_seen })
}

fn read(path: &Path) -> Result<Elaborated, ProveError> {
    fs::metadata(path)?;
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

/// Two inputs of the first node at which different things arrive; none if it has no two.
fn exchange(whole: &ElaboratedModule, netlist: &ListNetlist) -> Option<Exchange> {
    let instance = names::instance(&netlist.topology, netlist.topology.first_live());
    let connections = &whole.cells.get(&instance)?.connections;
    let inputs = (0..netlist.union.parts.outputs).map(|number| format!("{}_in", name(netlist, number)));
    let mut led = inputs.filter_map(|input| Some((connections.get(&input)?, input)));
    let (first, one) = led.next()?;
    let (_, other) = led.find(|&(second, _)| second != first)?;
    Some(((instance.clone(), one), (instance, other)))
}

fn name(netlist: &ListNetlist, number: usize) -> String {
    names::channel(netlist.topology.axes(), netlist.union.parts.channel(number))
}

/// Signals that all nodes have in common.
const COMMON: [&str; 20] = [
    "clk",
    "in_bank",
    "play_bank",
    "put_bank",
    "track_bank",
    "out_bank",
    "play_kept",
    "out_kept",
    "in_first",
    "put",
    "put_all",
    "put_position",
    "put_header",
    "put_number",
    "put_data",
    "origin",
    "begins",
    "plays",
    "tick",
    "shared",
];
/// Differences that are told.
const MOST: usize = 20;

/// Comparison of the wires between nodes, and of those between a node and its router.
#[derive(Default)]
struct WireComparison {
    nodes: u32,
    connections: u64,
    differences: Vec<String>,
}

impl WireComparison {
    fn of(design: &ListDesign<'_>, whole: &ElaboratedModule, node_module: &ElaboratedModule) -> Self {
        let netlist = design.netlist;
        let topology = &netlist.topology;
        let mut wires = Self::default();
        let cell = |node: NodeId| whole.cells.get(&names::instance(topology, node));
        let registers = registers(whole);
        let first = cell(topology.first_live());
        for node in topology.live_ids() {
            let instance = names::instance(topology, node);
            let Some(found) = cell(node).filter(|found| is_of(found, |part| part == format!("{}_node", design.name)))
            else {
                wires.expect(false, || format!("{instance} is missing"));
                continue;
            };
            wires.nodes += 1;
            let here = number(bits(found, "here"));
            wires.expect(here == Some(netlist.code(node)), || format!("{instance}.here is not its code"));
            for signal in COMMON {
                let is_common = first.is_some_and(|first| bits(first, signal) == bits(found, signal));
                wires.expect(is_common, || format!("{instance}.{signal} is not that of all nodes"));
            }
            for index in 0..netlist.union.parts.outputs {
                let channel = netlist.union.parts.channel(index);
                let arrives = bits(found, &format!("{}_in", name(netlist, index)));
                let is_right = match topology.step(node, channel.port) {
                    Some(from) => {
                        let output = format!("{}_out", names::channel(topology.axes(), channel.opposite()));
                        let far = |bit| (1..netlist.latency).try_fold(bit, |bit, _| registers.get(bit).copied());
                        let sent: Option<Vec<&Bit>> = arrives.iter().map(far).collect();
                        let leaves = cell(from).map_or(&[][..], |from| bits(from, &output));
                        !leaves.is_empty() && sent.is_some_and(|sent| sent.into_iter().eq(leaves))
                    }
                    None => arrives.iter().all(|bit| matches!(bit, Bit::Constant(value) if value == "0")),
                };
                wires.expect(is_right, || format!("{instance}.{}_in is not at its link", name(netlist, index)));
            }
        }
        let sequencer = whole.cells.get("sequencer");
        for (port, signal) in [("begins", "begins"), ("plays", "plays"), ("tick", "tick"), ("word", "shared")] {
            let is_told =
                sequencer.zip(first).is_some_and(|(sequencer, first)| bits(sequencer, port) == bits(first, signal));
            wires.expect(is_told, || format!("{signal} of nodes is not the sequencer's {port}"));
        }
        wires.router(netlist, node_module);
        wires
    }

    /// The router of a node stands between its links, and its units read themselves.
    fn router(&mut self, netlist: &ListNetlist, node: &ElaboratedModule) {
        let Some(router) = node.cells.get("router") else {
            return self.expect(false, || "nodes have no router".to_owned());
        };
        let port = |name: &str| node.ports.get(name).map_or(&[][..], |port| port.bits.as_slice());
        let parts = &netlist.union.parts;
        for index in 0..parts.inputs() {
            let channel = parts.channel(index);
            let (name, is_link) = (name(netlist, index), index < parts.outputs);
            let [arrives, sent] = ["in", "out"].map(|end| bits(router, &format!("{name}_{end}_data")));
            if netlist.union.router.inputs.contains(&channel) {
                let from = if is_link { port(&format!("{name}_in")) } else { sent };
                self.expect(arrives == from, || format!("router.{name}_in_data is not at {name}"));
            }
            if netlist.union.router.output(channel).is_some() && is_link {
                let to = port(&format!("{name}_out"));
                self.expect(!sent.is_empty() && sent == to, || format!("router.{name}_out_data is not at {name}"));
            }
        }
    }

    fn expect(&mut self, holds: bool, or: impl FnOnce() -> String) {
        self.connections += 1;
        if !holds && self.differences.len() < MOST {
            self.differences.push(or());
        }
    }
}

/// Bits that registers take in every clock, by the bits that they hold.
fn registers(whole: &ElaboratedModule) -> HashMap<&Bit, &Bit> {
    let clk = whole.ports.get("clk").map(|port| port.bits.as_slice());
    let is_register = |cell: &&NetlistCell| cell.module == "$dff" && Some(bits(cell, "CLK")) == clk;
    whole.cells.values().filter(is_register).flat_map(|cell| bits(cell, "Q").iter().zip(bits(cell, "D"))).collect()
}

fn bits<'c>(cell: &'c NetlistCell, port: &str) -> &'c [Bit] {
    cell.connections.get(port).map_or(&[], Vec::as_slice)
}

/// Number that constants say; none of nets.
fn number(bits: &[Bit]) -> Option<u32> {
    bits.iter().rev().try_fold(0, |number, bit| match bit {
        Bit::Constant(value) => Some(number << 1 | u32::from(value == "1")),
        Bit::Net(_) => None,
    })
}
