//! `torusweave pace`: how fast boards are that wait for each other, by the clocks that links take.

use std::fmt::{self, Display, Formatter};

use clap::Args;
use serde::Serialize;

use super::args::{FormatArgs, ResultFormat, ScheduleArgs};
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{CommandEnd, listed, output};
use crate::check;
use crate::design::config::{Config, LinkFields, Setting};
use crate::design::listed::Programs;
use crate::design::support::{self, DesignUse, building, lists};
use crate::design::{Design, list};
use crate::emit::DIVISOR;
use crate::net::splitmix::mix;
use crate::net::{Channel, NodeBlocks};
use crate::netlist::{BoardPort, BoardStart};
use crate::program::{Program, count};
use crate::study::pace;
use crate::study::pace::calls::{CalledBoards, PLACING};
use crate::study::pace::wires::{self, WireClocks};

/// Tell how many clocks a tick takes on boards with elastic links, by the clocks that a link takes.
///
/// A board plays its next tick when it has what its neighbours sent `link.latency` ticks before, so that a tick takes that part
/// of a link and two registers. Boards that are given other links than their neighbours go at the pace of the slowest pair.
///
/// A list has a table for each program: where nodes have streams, what a call costs in clocks, alone and after another. Words come
/// in, the program plays, and words go out. Words wait at the nodes, readers never wait, and the program is in its place.
#[derive(Debug, Args)]
pub struct PaceArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Number of runs, played one after the other
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,

    #[command(flatten)]
    format: FormatArgs,
}

/// The clocks of links: all the same, or each its own.
const LINKS: [(u32, u32); 9] = [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (32, 32), (64, 64), (1, 20), (20, 50)];

/// Pace of a design, or of one program of a list.
#[derive(Serialize)]
struct Paces {
    name: String,
    /// number of the program in its list
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<u32>,
    boards: u32,
    runs: u32,
    ticks: u32,
    /// ticks that a board may be ahead
    latency: u32,
    /// clocks in which the program is placed before a call, if another was called
    #[serde(skip_serializing_if = "Option::is_none")]
    placing: Option<u64>,
    links: Vec<Pace>,
}

#[derive(Serialize)]
struct Pace {
    least: u32,
    most: u32,
    clocks: u64,
    clocks_a_tick: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Calls>,
}

/// Clocks of calls with streams.
#[derive(Serialize)]
struct Calls {
    /// clocks of a call alone
    alone: u64,
    /// clocks of each that follows another
    in_a_row: f64,
}

impl Pace {
    /// Clocks of links in one row of the table: all the same, or drawn for each.
    fn link(number: usize, (least, most): (u32, u32)) -> u32 {
        least + (mix(number as u64) % u64::from(most + 1 - least)) as u32
    }
}

fn hundredths(clocks: u64, of: u64) -> f64 {
    (100.0 * clocks as f64 / of as f64).round() / 100.0
}

pub fn run(args: &PaceArgs) -> Result<CommandEnd, CliError> {
    let config = args.design.config()?.as_list();
    let paces = if config.programs.is_empty() {
        vec![of_design(&args.design.built(config)?, args)?]
    } else {
        of_list(config, args)?
    };
    match args.format.format {
        ResultFormat::Json => output::json_of_each("pace", &paces)?,
        ResultFormat::Text => {
            for (number, pace) in paces.iter().enumerate() {
                output::text(format_args!("{}{pace}", if number > 0 { "\n" } else { "" }))?;
            }
        }
    }
    Ok(CommandEnd::Fine)
}

/// Refuses runs that take many minutes to play.
fn refuse_long(program: &Program, runs: u32) -> Result<(), CliError> {
    executable(program)?;
    let most = check::MOST_EXECUTED / program.link_ticks().max(1);
    if u64::from(runs) <= most {
        return Ok(());
    }
    let problem = format!("{runs} runs on a {} take many minutes", program.topology.describe());
    let help = format!("say --runs {most}, or choose a smaller network");
    Err(building::RUNS.refusal_with(problem, help).into())
}

/// Wire or transceiver for frames of so many bits, with a link that takes some clocks itself.
fn wire(link: &LinkFields, bits: u32, clocks: u32) -> WireClocks {
    match link.ports {
        BoardPort::Bytes => WireClocks::of_beats(link.beats(bits), link.clocks, clocks),
        BoardPort::Stream | BoardPort::Serial => WireClocks::new(bits, DIVISOR, clocks),
    }
}

/// Pace of the boards of one collective.
fn of_design(design: &Design, args: &PaceArgs) -> Result<Paces, CliError> {
    support::check_use(design, DesignUse::Boards)?;
    support::check_use(design, DesignUse::Pace)?;
    let program = &design.program;
    refuse_long(program, args.runs)?;
    let blocks = design.blocks();
    let boards = blocks.boards();
    let played = u64::from(args.runs) * u64::from(program.ticks);
    let progress = Progress::of_steps(format!("playing {}", program.title.name), LINKS.len() as u64 * played);
    let pace = |(row, &(least, most)): (u64, &(u32, u32))| {
        let link = &design.config.link;
        let beside = pace::beside(link.checksum.is_some(), link.clocks);
        let watch = |ticks| progress.at(row * played + ticks);
        let latency = |board, output| Pace::link(program.register(board, output), (least, most));
        let clocks = if design.has_throttle() {
            let of_port = |board, output: Channel| {
                let bits = design.frame_bits(output.port).expect("a checksum is required");
                wire(link, bits, latency(board, output))
            };
            wires::clocks(program, boards, args.runs, of_port, &watch)
        } else {
            let latency = |board, output| beside + latency(board, output);
            pace::clocks(program, boards, link.start, args.runs, latency, &watch)
        };
        Pace { least, most, clocks, clocks_a_tick: hundredths(clocks, played), calls: None }
    };
    Ok(Paces {
        name: program.title.name.clone(),
        program: None,
        boards: boards.nodes(),
        runs: args.runs,
        ticks: program.ticks,
        latency: program.latency,
        placing: None,
        links: (0..).zip(&LINKS).map(pace).collect(),
    })
}

/// Settings of boards, for a list on one device.
const AS_BOARDS: [&str; 2] = ["link.elastic=true", "link.checksum=crc16"];

/// Paces of the programs of a list: of their calls where nodes have streams, of runs where a host starts them.
fn of_list(mut config: Config, args: &PaceArgs) -> Result<Vec<Paces>, CliError> {
    if !config.link.elastic {
        let settings = AS_BOARDS.map(|setting| setting.parse().expect("settings of boards are right"));
        config = Setting::apply_all(&settings, config)?;
    }
    let programs = listed::built(config)?;
    let boards = programs.boards().expect("the config is one of boards");
    if programs.config.link.start == BoardStart::Common && programs.slow_frames().is_some() {
        return Err(lists::PACE.refusal("not supported with `link.start: common` on wires and transceivers").into());
    }
    let designs = args.design.named_of(programs.designs.clone())?;
    designs.iter().try_for_each(|design| refuse_long(&design.program, args.runs))?;
    Ok(designs.iter().map(|design| of_program(&programs, &boards.blocks, design, args)).collect())
}

/// Pace of one program of a list.
fn of_program(programs: &Programs, blocks: &NodeBlocks, design: &Design, args: &PaceArgs) -> Paces {
    let number = design.listed.map_or(0, |listed| listed.number);
    let placed = &programs.netlist.programs[number as usize];
    let (program, boards) = (&design.program, blocks.boards());
    let has_streams = programs.config.has_streams_of_nodes();
    let words = programs.words_of_boards(number as usize);
    let frames = programs.slow_frames();
    let is_apart = programs.has_banks_apart();
    let called = CalledBoards { program, boards, ticks: placed.ticks, words: &words, is_apart };
    let ticks = u64::from(placed.ticks);
    let all = ticks * LINKS.len() as u64 * u64::from(args.runs + 1);
    let progress = Progress::of_steps(format!("playing {}", list::title(design)), all);
    let pace = |(row, &(least, most)): (u64, &(u32, u32))| {
        let link = |board, output| Pace::link(program.register(board, output), (least, most));
        let beside = pace::beside(true, programs.config.link.clocks);
        let clocks = |calls, before| {
            let watch = |tick| progress.at(before + tick);
            let Some(frames) = &frames else {
                let start = programs.config.link.start;
                return called.clocks(start, calls, |board, output| beside + link(board, output), &watch);
            };
            let of_port = |board, output| {
                let (_, bits) = frames.iter().find(|(channel, _)| *channel == output).expect("a cable has frames");
                wire(&programs.config.link, *bits, link(board, output))
            };
            called.clocks_on_wires(calls, of_port, &watch)
        };
        let before = row * ticks * u64::from(args.runs + 1);
        let (one, all) = (clocks(1, before), clocks(args.runs, before + ticks));
        let next = u64::from(args.runs - 1);
        let in_a_row = if next == 0 { one.all as f64 } else { hundredths(all.all - one.all, next) };
        let calls = has_streams.then_some(Calls { alone: one.all, in_a_row });
        let clocks = if has_streams { all.all } else { one.played };
        Pace { least, most, clocks, clocks_a_tick: hundredths(one.played, ticks), calls }
    };
    Paces {
        name: programs.name(),
        program: Some(number),
        boards: boards.nodes(),
        runs: if has_streams { args.runs } else { 1 },
        ticks: placed.ticks,
        latency: program.latency,
        placing: Some(PLACING + u64::from(placed.records.1 - placed.records.0)),
        links: (0..).zip(&LINKS).map(pace).collect(),
    }
}

/// Signs of a bar for so many ticks per clock: 40 for one.
fn signs(rate: f64) -> usize {
    (1..=40_u32).take_while(|&sign| f64::from(sign) <= (40.0 * rate).round()).count()
}

impl Display for Paces {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, program, boards, runs, ticks, latency, placing, links } = self;
        let program = program.map_or_else(String::new, |number| format!(" program {number}"));
        let placing = placing.map_or_else(String::new, |clocks| format!(", placed in {}", count(clocks, "clock")));
        write!(
            f,
            "{name}{program}: {boards} boards, {} of {}, up to {} ahead{placing}\n\n{:>12}",
            count((*runs).into(), "run"),
            count((*ticks).into(), "tick"),
            count((*latency).into(), "tick"),
            "clocks per link",
        )?;
        if links.iter().any(|pace| pace.calls.is_some()) {
            write!(f, "{:>16}{:>16}", "clocks per call", "in a row")?;
        }
        writeln!(f, "{:>16}{:>16}", "clocks per tick", "ticks per clock")?;
        for Pace { least, most, clocks_a_tick, calls, .. } in links {
            let link = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let rate = 1.0 / clocks_a_tick;
            let calls = calls
                .as_ref()
                .map_or_else(String::new, |Calls { alone, in_a_row }| format!("{alone:>16}{in_a_row:>16.2}"));
            let bar = "#".repeat(signs(rate));
            writeln!(f, "{}", format!("{link:>13}{calls}{clocks_a_tick:>16.2}{rate:>16.3}  {bar}").trim_end())?;
        }
        Ok(())
    }
}
