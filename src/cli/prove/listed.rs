//! `torusweave prove CONFIG`, of a config with several programs.

use std::time::Instant;

use serde::Serialize;

use super::super::args::ResultFormat;
use super::super::error::CliError;
use super::super::{CommandEnd, listed, output};
use super::ProveArgs;
use super::design::{self, ProofLine, word};
use crate::check::{self, CheckReport};
use crate::design::config::Config;
use crate::design::listed::Programs;
use crate::design::support::{self, DesignUse, lists};
use crate::design::{Design, list};
use crate::emit::formal::listed::{self as formal, ListedSubject};
use crate::emit::node::ListDesign;
use crate::program::{Program, count};
use crate::tools::prove::design::ProofPart;
use crate::tools::prove::listed::{self as proofs, ListedProof};
use crate::tools::prove::wires;
use crate::tools::prove::wiring::WiringResult;
use crate::tools::prove::{ProveError, Prover, SolverVerdict};

/// Subject of a proof about all nodes together.
const WHOLE: &str = "all nodes as a whole";

/// Proofs of a design with several programs, for programs.
#[derive(Serialize)]
struct ListedVerdicts {
    name: String,
    proved: bool,
    /// False: words that move between calls are not proved.
    complete: bool,
    tools: String,
    seconds: f64,
    proofs: Vec<ProofLine>,
    schedules: Vec<CheckReport>,
}

pub fn run(config: Config, args: &ProveArgs) -> Result<CommandEnd, CliError> {
    let is_asked = |part| args.part.is_empty() || args.part.contains(&part);
    if config.link.elastic && args.part.contains(&ProofPart::Whole) {
        return Err(lists::WHOLE_PROOF
            .refusal("`whole` is a part of designs on one device (`link.elastic: true`)")
            .into());
    }
    let programs = listed::built(config)?;
    let of_links = Design {
        config: Config { link: programs.config.link.clone(), ..programs.designs[0].config.clone() },
        ..programs.designs[0].clone()
    };
    for (part, whose) in
        [(ProofPart::Crossing, DesignUse::CrossingProof), (ProofPart::Receiver, DesignUse::ReceiverProof)]
    {
        if args.part.contains(&part) {
            support::check_use(&of_links, whose)?;
        }
    }
    let prover = Prover::find()?;
    let begun = Instant::now();
    output::progress(format_args!("{} to {}", programs.name(), prover.describe()));
    let selected = args.design.named_of(programs.designs.clone())?;
    let schedules: Vec<CheckReport> = selected.iter().map(|design| check::by_either(&design.program)).collect();
    let numbers: Vec<usize> = selected.iter().filter_map(|design| Some(design.listed?.number as usize)).collect();
    let (mut lines, mut proved) = (Vec::new(), schedules.iter().all(CheckReport::passed));
    let each: Vec<&Program> = programs.designs.iter().map(|design| &design.program).collect();
    let files = programs.emitted(proofs::rtl).map_err(ProveError::from)?;
    let mut said = |proof: &ListedProof| {
        let line = line(&programs, proof);
        output::progress(format_args!("{}: {} in {:.1} s", line.what, word(line.proved), line.seconds));
        lines.push(line);
        proved &= proof.holds();
    };
    if is_asked(ProofPart::Classes) {
        let mut questions = programs.emitted(|design| formal::questions(design, &each));
        questions.retain(|question| numbers.contains(&question.program));
        proofs::prove(&prover, &questions, &files, &mut said)?;
    }
    // unless it is asked for, only what takes a minute is proved as a whole, and only where one device has all nodes
    let has_tracks = programs.netlist.programs.iter().any(|placed| placed.shared.is_none());
    let is_whole = |program: usize| {
        let is_small = !programs.config.link.elastic && !has_tracks && proofs::is_small(each[program]);
        if args.part.is_empty() { is_small } else { args.part.contains(&ProofPart::Whole) }
    };
    let numbers_whole: Vec<usize> = numbers.iter().copied().filter(|&number| is_whole(number)).collect();
    if !numbers_whole.is_empty() {
        let (questions, files) = programs.emitted(|design| {
            let narrow = formal::narrow(design);
            (formal::whole_questions(&narrow, &each, &numbers_whole), proofs::rtl(&narrow))
        });
        proofs::prove(&prover, &questions, &files.map_err(ProveError::from)?, &mut said)?;
    }
    if is_asked(ProofPart::Fabric) {
        let begun = Instant::now();
        let compared = programs.emitted(|design: &ListDesign| wires::compare(&prover, design, &files))?;
        let holds = compared.differences.is_empty() && compared.fault_seen;
        proved &= holds;
        let seconds = begun.elapsed().as_secs_f64();
        let boards = programs.boards().map_or(1, |boards| boards.blocks.boards().live_nodes());
        lines.push(ProofLine { what: "wires".into(), proved: holds, seconds, how: how_compared(&compared, boards) });
    }
    for part in [ProofPart::Crossing, ProofPart::Receiver].into_iter().filter(|&part| is_asked(part)) {
        for proof in programs.emitted(|design: &ListDesign| proofs::links(&prover, design, part))? {
            proved &= proof.holds();
            let line = design::line(&programs.designs[0].program, &proof);
            output::progress(format_args!("{}: {} in {:.1} s", line.what, word(line.proved), line.seconds));
            lines.push(line);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let name = programs.name();
    let tools = prover.describe();
    let verdicts = ListedVerdicts { name, proved, complete: false, tools, seconds, proofs: lines, schedules };
    match args.format.format {
        ResultFormat::Json => output::json("prove", &verdicts)?,
        ResultFormat::Text => output::text(describe(&programs, &numbers, &verdicts))?,
    }
    Ok(if proved { CommandEnd::Fine } else { CommandEnd::Failed })
}

fn line(programs: &Programs, proof: &ListedProof) -> ProofLine {
    let design = &programs.designs[proof.program];
    let topology = &design.program.topology;
    let is_moved = programs.netlist.programs[proof.program].is_moved;
    let at = match proof.subject {
        ListedSubject::Router { node, nodes: 1 } if is_moved => {
            format!("node {} as seen from its root", topology.show(node))
        }
        ListedSubject::Router { node, nodes: 1 } => format!("node {}", topology.show(node)),
        ListedSubject::Router { nodes, .. } => format!("{nodes} of {}", count(topology.live_nodes().into(), "node")),
        ListedSubject::Whole { root: Some(root) } => format!("{WHOLE}, for root {}", topology.show(root)),
        ListedSubject::Whole { root: None } => WHOLE.to_owned(),
    };
    let what = format!("program {}, {}, {at}", proof.program, design.config.collective);
    let verdict = match &proof.verdict {
        SolverVerdict::Holds => String::new(),
        SolverVerdict::Fails { step, assertion } => format!("FAILS in step {step}: {assertion}; "),
    };
    let fault = match &proof.fault {
        Some(SolverVerdict::Fails { step, .. }) => format!("its fault fails in step {step}"),
        Some(SolverVerdict::Holds) => "its fault is NOT SEEN".into(),
        None => "it sends nothing that could be wrong".into(),
    };
    let assertions = count(proof.assertions as u64, "assertion");
    let how = format!("{verdict}{assertions} over {} steps, {} bits per flit; {fault}", proof.steps, proof.width);
    ProofLine { what, proved: proof.holds(), seconds: proof.time.as_secs_f64(), how }
}

fn how_compared(compared: &WiringResult, boards: u32) -> String {
    let nodes = count(compared.routers.into(), "node");
    let boards = if boards > 1 { format!(" on {boards} boards") } else { String::new() };
    let mut text = format!("{} connections of {nodes}{boards} compared", compared.connections);
    for difference in &compared.differences {
        text += &format!("; DIFFERS: {difference}");
    }
    text + if compared.fault_seen { "; two exchanged are seen" } else { "; two exchanged are NOT SEEN" }
}

fn describe(programs: &Programs, numbers: &[usize], verdicts: &ListedVerdicts) -> String {
    let network = programs.netlist.topology.describe();
    let all = count(programs.designs.len() as u64, "program");
    let mut text = format!("{}: {all} on a {network}\n", verdicts.name);
    for ProofLine { what, proved, seconds, how } in &verdicts.proofs {
        text += &format!("  {} {what}: {how}; {seconds:.1} s\n", word(*proved));
    }
    for (&number, report) in numbers.iter().zip(&verdicts.schedules) {
        let title = list::title(&programs.designs[number]);
        text += &match report.steps.filter(|_| report.passed()) {
            Some(steps) => format!("  proved schedule of {title}: {steps} steps; {}\n", report.method.how()),
            None => format!("  WRONG schedule of {title}: see `torusweave check`\n"),
        };
    }
    let is_about = |what: &str| verdicts.proofs.iter().any(|proof| proof.what.starts_with(what));
    let is_whole = |proof: &ProofLine| proof.what.contains(WHOLE);
    let verdict = match () {
        () if !verdicts.proved => "NOT PROVED",
        () if is_about("program") && verdicts.proofs.iter().all(is_whole) => {
            "proved: all nodes together do what every program says"
        }
        () if is_about("program") => "proved: routers do what the control words of every program say",
        () if is_about("wires") => "proved: nodes are joined as the network says",
        () => "proved: ports hand on what comes, or name a fault",
    };
    text + &format!("{verdict}; by {} in {:.1} s\n", verdicts.tools, verdicts.seconds)
}
