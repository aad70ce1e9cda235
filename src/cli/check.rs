//! `torusweave check`: proves that every node learns every packet, and counts.

mod floats;
mod together;

use clap::Args;
use serde::Serialize;

use super::CommandEnd;
use super::args::{self, DesignsArgs, FormatArgs, ProgramArg, ResultFormat};
use super::error::CliError;
use super::output;
use super::progress::Progress;
use super::size_limits::executable;
use super::time::DeviceTimes;
use crate::check::{self, CheckReport, Method};
use crate::design::Design;
use crate::design::list;
use crate::design::listed::Programs;
use crate::net::Network;
use crate::program::{Demand, Document, Duplex, Link, Program, count};
use crate::study::clock::ModelDevice;
use crate::study::figures::ClassFigures;
use crate::study::link_directions;
use crate::task::Claim;
use floats::Floats;
pub use together::TogetherVerdict;

/// Verdict on a program, or on some that are played at once.
#[derive(Serialize)]
#[serde(untagged)]
enum CheckItem<'a> {
    Program(Document<&'a CheckVerdict<'a>>),
    Together(Document<&'a TogetherVerdict>),
}

/// Check that the program is legal and that every node learns every packet.
///
/// Prints the steps until it does, beside a lower bound in ticks and the reason for it. For gossip that is mostly
/// ceil(k (P-1) / g) flits: each of the g ports of a node (on a torus 2d) takes in one flit per tick, and k flits of each of
/// the P-1 other nodes must come in; or the diameter, or what passes the links into a ball.
///
/// Several configs, and the programs of a list, are checked one after the other, and behind them those that are played at once; in
/// JSON their verdicts are a list.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    designs: DesignsArgs,

    #[command(flatten)]
    program: ProgramArg,

    /// Follow streams and places instead of moving every packet; the default above 10^8 link-ticks.
    #[arg(long, group = "how")]
    structural: bool,

    /// Follow all that arrives at every node back to where it comes from: as complete as moving every packet, in little
    /// memory.
    #[arg(long, group = "how")]
    streams: bool,

    /// Move every packet, tick by tick, however long it takes; the default up to 10^8 link-ticks.
    #[arg(long, group = "how")]
    exhaustive: bool,

    /// FPGA for whose expected clock the time in nanoseconds is shown, see docs/compare.md
    #[arg(long, value_enum, value_name = "DEVICE")]
    device: Option<ModelDevice>,

    #[command(flatten)]
    format: FormatArgs,
}

/// The report with the numbers it is judged by.
#[derive(Serialize)]
struct CheckVerdict<'a> {
    name: &'a str,
    /// Number of the program in its list.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<u32>,
    topology: &'a Network,
    scheme: &'a str,
    passed: bool,
    /// Why `auto` took the scheme.
    auto: Option<String>,
    /// Scheme that `auto` passed over, and what it would cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed_over: Option<String>,
    collective: &'static str,
    /// Number of groups that have it each for themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<usize>,
    /// Coordinates of the node that broadcasts, scatters, gathers or reduces.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<Vec<u32>>,
    /// Further remark on the scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
    nodes: u32,
    /// Messages from or to the root; `flits` counts those of packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Messages>,
    packets: u16,
    flits: u32,
    duplex: Duplex,
    lanes: u8,
    latency: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    floats: Option<Floats>,
    ticks: u32,
    classes: usize,
    bound: u64,
    ratio: Option<f64>,
    #[serde(flatten)]
    times: &'a DeviceTimes,
    paper: Option<Claim>,
    depth: u32,
    table: Option<TimesTable>,
    #[serde(flatten)]
    report: &'a CheckReport,
}

/// The messages from or to a root.
#[derive(Serialize)]
struct Messages {
    count: u64,
    /// Number of flits of all messages together.
    flits: u64,
    shortest: u32,
    longest: u32,
}

impl From<&Demand> for Messages {
    fn from(demand: &Demand) -> Self {
        let lengths = || demand.messages().iter().map(|message| message.flits);
        Self {
            count: demand.packets(),
            flits: demand.flits(),
            shortest: lengths().min().unwrap_or(0),
            longest: lengths().max().unwrap_or(0),
        }
    }
}

/// The table of times, in schemes that have one.
#[derive(Serialize)]
struct TimesTable {
    #[serde(flatten)]
    figures: ClassFigures,
    plain_bits: u64,
    run_length_bits: u64,
}

impl From<ClassFigures> for TimesTable {
    fn from(figures: ClassFigures) -> Self {
        Self { plain_bits: figures.plain_bits(), run_length_bits: figures.run_length_bits(), figures }
    }
}

pub fn run(args: &CheckArgs) -> Result<CommandEnd, CliError> {
    let all = args.designs.each(|config| {
        let designs = args::schedules(config.clone())?;
        let together = Programs::together_of(&config, &designs)?;
        let together = together.iter().map(|together| TogetherVerdict::of(&config.name(), together, &designs));
        let together = together.collect::<Vec<_>>();
        Ok((designs, together))
    })?;
    let (designs, together): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let is_wanted = |verdict: &TogetherVerdict| !args.program.is_named() || args.program.is_number(verdict.number);
    let together: Vec<TogetherVerdict> = together.into_iter().flatten().filter(is_wanted).collect();
    let designs = if args.program.is_named() && !together.is_empty() {
        Vec::new()
    } else {
        args.program.of(designs.into_iter().flatten().collect())?
    };
    if args.exhaustive {
        designs.iter().try_for_each(|design| executable(&design.program))?;
    }
    let times = designs.iter().map(|design| DeviceTimes::of(args.device, design)).collect::<Result<Vec<_>, _>>()?;
    let mut reports = Vec::new();
    for (design, times) in designs.iter().zip(&times) {
        let report = checked_by(&design.program, args.method(&design.program));
        if args.format.format == ResultFormat::Text {
            output::text(describe(design, &report, times))?;
        }
        reports.push(report);
    }
    if args.format.format == ResultFormat::Json {
        let all = designs.iter().zip(&reports).zip(&times);
        let verdicts: Vec<CheckVerdict> = all.map(|((design, report), times)| verdict(design, report, times)).collect();
        let verdicts = verdicts.iter().map(|verdict| CheckItem::Program(Document::new("check", verdict)));
        let together = together.iter().map(|verdict| CheckItem::Together(Document::new("check-together", verdict)));
        output::json_items(verdicts.chain(together).collect())?;
    } else {
        together.iter().try_for_each(output::text)?;
    }
    let passed = reports.iter().all(CheckReport::passed) && together.iter().all(|verdict| verdict.passed);
    Ok(if passed { CommandEnd::Fine } else { CommandEnd::Failed })
}

impl CheckArgs {
    fn method(&self, program: &Program) -> Method {
        match (self.structural, self.streams, self.exhaustive) {
            (true, ..) => Method::Structure,
            (_, true, _) => Method::Streams,
            (_, _, true) => Method::Execution,
            _ => check::method(program),
        }
    }
}

/// Checks a program by moving every packet, or otherwise if these are too many.
pub fn checked(program: &Program) -> CheckReport {
    checked_by(program, check::method(program))
}

/// Checks a program and returns as well the flits that every node knew after some ticks, if packets were moved.
pub fn checked_seen(program: &Program, ticks: &[u32]) -> (CheckReport, Vec<Vec<u64>>) {
    let method = check::method(program);
    match method {
        Method::Execution => {
            let progress = progress(program, method);
            check::by_execution_seen(program, ticks, &|done| progress.at(done))
        }
        Method::Streams | Method::Structure => (checked_by(program, method), Vec::new()),
    }
}

/// Checks a program, with a word on how far it is.
fn checked_by(program: &Program, method: Method) -> CheckReport {
    let progress = progress(program, method);
    check::by(program, method, &|done| progress.at(done))
}

fn progress(program: &Program, method: Method) -> Progress {
    let what = format!("checking {}", program.title.name);
    match check::amount(program, method) {
        Some(amount) => Progress::of_steps(what, amount),
        None => Progress::of(what),
    }
}

fn verdict<'a>(design: &'a Design, report: &'a CheckReport, times: &'a DeviceTimes) -> CheckVerdict<'a> {
    let program = &design.program;
    CheckVerdict {
        name: &program.title.name,
        program: design.listed.map(|listed| listed.number),
        topology: &program.topology,
        scheme: &program.title.scheme,
        passed: report.passed(),
        auto: design.reason.as_ref().map(ToString::to_string),
        passed_over: design.passed_over(),
        collective: design.config.collective().name(),
        groups: program.demand.groups().map(|groups| groups.members().len()),
        root: design.root().map(|root| program.topology.coords(root)),
        remark: design.scheme.remark(&design.task()),
        nodes: program.topology.live_nodes(),
        messages: design.root().map(|_| Messages::from(&program.demand)),
        packets: program.packets(),
        flits: program.flits,
        duplex: program.duplex,
        lanes: program.lanes,
        latency: program.latency,
        floats: Floats::of(program),
        ticks: program.ticks,
        classes: program.live_classes(),
        bound: design.bound().ticks,
        ratio: design.bound().ratio(report.complete_at),
        paper: design.paper_claim(),
        depth: program.depth(),
        table: design.table().map(TimesTable::from),
        times,
        report,
    }
}

/// Choice of `auto`, and the scheme that it passed over.
fn chosen(design: &Design) -> impl Iterator<Item = (&'static str, String)> {
    let reason = design.reason.iter().map(|reason| ("auto", reason.to_string()));
    reason.chain(design.passed_over().map(|other| ("passed over", other)))
}

/// Subject of a verdict, and the verdict in one word.
fn heading(design: &Design, verdict: &CheckVerdict, report: &CheckReport) -> String {
    let program = &design.program;
    format!(
        "{}: {} {}, {}",
        list::title(design),
        verdict.scheme,
        program.described(),
        match () {
            () if verdict.passed => "correct",
            () if report.is_undecided() => "NOT CHECKED",
            () => "WRONG",
        },
    )
}

/// The verdict in words.
pub fn describe(design: &Design, report: &CheckReport, times: &DeviceTimes) -> String {
    let verdict = verdict(design, report, times);
    let program = &design.program;
    let mut lines = vec![heading(design, &verdict, report)];
    let mut line = |label: &str, text: String| lines.push(format!("  {label:<11} {text}"));
    let how = report.method.how();
    // explains why a slightly larger design is checked by another method, and faster
    let is_large = report.method != Method::Execution && program.link_ticks() > check::EXECUTION_LIMIT;
    let more = if is_large { "; so many packets are moved only by --exhaustive" } else { "" };
    line("checked", format!("{how}{more}"));
    for (label, text) in chosen(design) {
        line(label, text);
    }
    let rooted = design.root().zip(verdict.messages.as_ref());
    match rooted {
        None => line("nodes", format!("{}, {} per node", verdict.nodes, count(verdict.packets.into(), "packet"))),
        Some((root, messages)) => {
            let root = program.topology.show(root);
            let more = if messages.count == 1 { "" } else { " in all" };
            let carried = format!("{}, {}{more}", count(messages.count, "message"), count(messages.flits, "flit"));
            line("nodes", format!("{}, root {root}, {carried}", verdict.nodes));
        }
    }
    if program.link() != Link::default() {
        line("links", program.link().describe());
    }
    for (label, text) in verdict.floats.iter().flat_map(Floats::lines) {
        line(label, text);
    }
    match report.steps {
        Some(steps) if rooted.is_some() => line("complete", format!("after tick {steps}")),
        Some(steps) if design.is_silent_between_steps() => line("steps", format!("{steps}, every second one silent")),
        Some(steps) => line("steps", steps.to_string()),
        None if report.is_undecided() => {}
        None => line("steps", format!("not complete after {}", program.steps())),
    }
    let unit = if program.steps() == program.ticks { "" } else { " ticks" };
    line("bound", format!("{}{unit} = {}", verdict.bound, design.bound().due_to));
    if let Some(ratio) = verdict.ratio {
        line("ratio", format!("{ratio:.3}"));
    }
    for (label, text) in times.lines() {
        line(label, text);
    }
    if let Some(Claim { theorem, steps }) = verdict.paper {
        let missed = report.steps.map_or(0, |measured| u64::from(measured).saturating_sub(steps));
        let missed = if missed > 0 { format!(", {missed} fewer than it takes") } else { String::new() };
        line("paper", format!("{theorem}: {steps} steps{missed}"));
    }
    if let Some(remark) = &verdict.remark {
        line("worms", remark.clone());
    }
    if program.flits > 1 {
        line("ticks", format!("{} of {} flits per packet", program.ticks, program.flits));
    }
    if let Some((duplicates, link)) = report.duplicates.zip(report.link_use) {
        line("duplicates", format!("{duplicates} of {} arrivals", link.sum));
    }
    if let Some(traffic) = report.traffic.filter(|_| !program.demand.is_gossip()) {
        line("overheard", format!("{}, where nobody wants them", count(traffic.overheard, "flit")));
        let held = if traffic.held == 0 { "no flit waits".to_owned() } else { count(traffic.held.into(), "tick") };
        line("held", format!("{}, {held}", traffic.held));
        line("ports", format!("at most {} sent and {} received by a node in a tick", traffic.sends, traffic.receives));
    }
    if let Some(link) = report.link_use {
        let flits = format!("{} min, {:.1} mean, {} max", link.min, link.mean, link.max);
        line("link use", format!("{flits} of {} ticks", program.ticks));
    }
    if let Some(traffic) = report.traffic.filter(|_| !program.duplex.is_full()) {
        line("turns", format!("{} of the link that turns most", traffic.turns));
        if traffic.turns == 0 {
            line("ways", link_directions::describe(&link_directions::of(program)));
        }
    }
    line("classes", verdict.classes.to_string());
    if let Some(TimesTable { figures, plain_bits, run_length_bits }) = &verdict.table {
        let ClassFigures { words, distinct, runs, .. } = figures;
        line(
            "table",
            format!("{} in {}, {distinct} distinct", count((*words).into(), "word"), count((*runs).into(), "run")),
        );
        line("table bits", format!("{plain_bits} plain, {run_length_bits} run-length coded"));
        line("buffer", format!("depth {}, {} per node", figures.depth, count(figures.stored, "stored read")));
    } else if verdict.depth > 1 {
        line("delay line", format!("{} deep", count(verdict.depth.into(), "tick")));
    }
    let label = if report.is_undecided() { "in the way" } else { "violation" };
    for violation in &report.violations {
        lines.push(format!("{label}: {violation}"));
    }
    lines.join("\n") + "\n"
}
