//! `torusweave prove CONFIG`: the generated Verilog of a design.

use std::time::Instant;

use serde::Serialize;

use super::super::args::ResultFormat;
use super::super::error::CliError;
use super::super::{CommandEnd, output};
use crate::check::{self, CheckReport};
use crate::design::Design;
use crate::program::{Program, count};
use crate::tools::prove::design::{self, Ending, ProofPart, ProofResult, ProofSubject};
use crate::tools::prove::{Prover, SolverVerdict};

/// The proofs of a design, for programs.
#[derive(Serialize)]
struct Verdicts<'a> {
    name: &'a str,
    proved: bool,
    /// True if all parts are proved, so that the Verilog does what the config asks for.
    complete: bool,
    tools: String,
    seconds: f64,
    proofs: Vec<ProofLine>,
    schedule: &'a CheckReport,
}

#[derive(Serialize)]
pub(super) struct ProofLine {
    pub(super) what: String,
    pub(super) proved: bool,
    pub(super) seconds: f64,
    pub(super) how: String,
}

pub fn run(design: &Design, only: &[ProofPart], format: ResultFormat) -> Result<CommandEnd, CliError> {
    let program = &design.program;
    let prover = Prover::find()?;
    let begun = Instant::now();
    let report = check::by_either(program);
    let parts = if only.is_empty() { design::parts(program, &design.options()) } else { only.to_vec() };
    output::progress(format_args!("{} to {}", program.title.name, prover.describe()));
    let mut lines = Vec::new();
    let proofs = design::prove(&prover, program, &design.options(), &parts, |proof| {
        let line = line(program, proof);
        output::progress(format_args!("{}: {} in {:.1} s", line.what, word(line.proved), line.seconds));
        lines.push(line);
    })?;
    let complete =
        parts.contains(&ProofPart::Classes) && parts.contains(&ProofPart::Fabric) || parts.contains(&ProofPart::Whole);
    let proved = proofs.iter().all(ProofResult::holds) && report.passed();
    let proved = Verdicts {
        name: &program.title.name,
        proved,
        complete,
        tools: prover.describe(),
        seconds: begun.elapsed().as_secs_f64(),
        proofs: lines,
        schedule: &report,
    };
    match format {
        ResultFormat::Json => output::json("prove", &proved)?,
        ResultFormat::Text => output::text(describe(program, &proved))?,
    }
    Ok(if proved.proved { CommandEnd::Fine } else { CommandEnd::Failed })
}

pub(super) const fn word(proved: bool) -> &'static str {
    if proved { "proved" } else { "WRONG" }
}

pub(super) fn line(program: &Program, proof: &ProofResult) -> ProofLine {
    let what = match proof.subject {
        ProofSubject::Class { class, nodes } => {
            let all = count(u64::from(program.topology.nodes()), "node");
            format!("class {}, {nodes} of {all}", program.class_name(class))
        }
        ProofSubject::Fabric => "fabric".into(),
        ProofSubject::Whole => "fabric and routers as a whole".into(),
        ProofSubject::Crossing(claim) => format!("crossing: {claim}"),
        ProofSubject::Receiver(claim) => format!("receiver: {claim}"),
    };
    ProofLine { what, proved: proof.holds(), seconds: proof.time.as_secs_f64(), how: how(proof) }
}

fn how(proof: &ProofResult) -> String {
    match &proof.ending {
        Ending::Checked { steps, assertions, width, verdict, fault } => {
            let verdict = match verdict {
                SolverVerdict::Holds => String::new(),
                SolverVerdict::Fails { step, assertion } => format!("FAILS in step {step}: {assertion}; "),
            };
            let fault = match fault {
                Some(SolverVerdict::Fails { step, .. }) => format!("its fault fails in step {step}"),
                Some(SolverVerdict::Holds) => "its fault is NOT SEEN".into(),
                None => "it reads nothing that could be wrong".into(),
            };
            let assertions = count(*assertions as u64, "assertion");
            format!("{verdict}{assertions} over {steps} steps from any state, {width} bits per flit; {fault}")
        }
        Ending::Compared(compared) => {
            let mut text = format!("{} connections of {} routers compared", compared.connections, compared.routers);
            for difference in &compared.differences {
                text += &format!("; DIFFERS: {difference}");
            }
            text + if compared.fault_seen { "; two exchanged are seen" } else { "; two exchanged are NOT SEEN" }
        }
        Ending::Induced { steps, holds, fault_seen } => {
            let verdict = if *holds { "" } else { "FAILS; " };
            let steps = steps.map_or_else(|| "by induction".to_owned(), |steps| format!("over {steps} steps"));
            let fault = if *fault_seen { "its fault is seen" } else { "its fault is NOT SEEN" };
            let clocks = if matches!(proof.subject, ProofSubject::Crossing(_)) { "for any two clocks, " } else { "" };
            format!("{verdict}{clocks}{steps}; {fault}")
        }
    }
}

fn describe(program: &Program, proved: &Verdicts) -> String {
    let mut text = format!(
        "{}: {}, scheme {}, {}\n",
        proved.name,
        program.described(),
        program.title.scheme,
        count(u64::from(program.ticks), "tick")
    );
    for ProofLine { what, proved, seconds, how } in &proved.proofs {
        text += &format!("  {} {what}: {how}; {seconds:.1} s\n", word(*proved));
    }
    let method = proved.schedule.method.how();
    let known = program.achieved();
    let gives = match program.collective() {
        "reduce" | "reduce-scatter" => "combines every node's values",
        "all-reduce" => "gives every node what all values become",
        "gossip" => "gives every node every packet",
        _ => "gives every node what it wants",
    };
    text += &match proved.schedule.steps.filter(|_| proved.schedule.passed()) {
        Some(steps) => format!("  proved schedule: {known} after {steps} steps; {method}\n"),
        None if proved.schedule.is_undecided() => format!("  NOT CHECKED schedule: see `torusweave check`; {method}\n"),
        None => format!("  WRONG schedule: see `torusweave check`; {method}\n"),
    };
    let verdict = match (proved.proved, proved.complete) {
        (false, _) => "NOT PROVED".to_owned(),
        (true, false) => "these parts are proved".to_owned(),
        (true, true) => {
            format!("proved: run high for {} {gives}, after any history", count(u64::from(program.ticks), "tick"))
        }
    };
    text + &format!("{verdict}; by {} in {:.1} s\n", proved.tools, proved.seconds)
}
