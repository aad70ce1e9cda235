//! `torusweave pace`: how fast boards are that wait for each other, by the clocks that links take.

use std::fmt::{self, Display, Formatter};

use clap::Args;
use serde::Serialize;

use super::args::{DesignArgs, Format, FormatArgs};
use super::error::CliError;
use super::progress::Progress;
use super::size_limits::executable;
use super::{Outcome, output};
use crate::check;
use crate::design::support::{self, Use, building};
use crate::emit::DIVISOR;
use crate::net::Channel;
use crate::net::splitmix::mix;
use crate::program::count;
use crate::study::pace;
use crate::study::pace::wires::{self, WireClocks};

/// Tell how many clocks a tick takes on boards with elastic links, by the clocks that a link takes.
///
/// A board plays its next tick when it has what its neighbours sent `link.latency` ticks before, so that a tick takes that part
/// of a link and two registers. Boards that are given other links than their neighbours go at the pace of the slowest pair.
#[derive(Debug, Args)]
pub struct PaceArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Number of runs, played one after the other
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,

    #[command(flatten)]
    format: FormatArgs,
}

/// The clocks of links: all the same, or each its own.
const LINKS: [(u32, u32); 9] = [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (32, 32), (64, 64), (1, 20), (20, 50)];

/// Pace of a design.
#[derive(Serialize)]
struct Paces<'d> {
    name: &'d str,
    boards: u32,
    runs: u32,
    ticks: u32,
    /// ticks that a board may be ahead
    latency: u32,
    links: Vec<Pace>,
}

#[derive(Serialize)]
struct Pace {
    least: u32,
    most: u32,
    clocks: u64,
    clocks_a_tick: f64,
}

pub fn run(args: &PaceArgs) -> Result<Outcome, CliError> {
    let design = args.design.design()?;
    support::check_use(&design, Use::Boards)?;
    support::check_use(&design, Use::Pace)?;
    let program = &design.program;
    executable(program)?;
    let most = check::MOST_EXECUTED / program.link_ticks().max(1);
    if u64::from(args.runs) > most {
        let problem = format!("{} runs on a {} take many minutes", args.runs, program.topology.describe());
        let help = format!("say --runs {most}, or choose a smaller network");
        return Err(building::RUNS.refusal_with(problem, help).into());
    }
    let blocks = design.blocks();
    let boards = blocks.boards();
    let played = u64::from(args.runs) * u64::from(program.ticks);
    let progress = Progress::of_steps(format!("playing {}", program.title.name), LINKS.len() as u64 * played);
    let pace = |(row, &(least, most)): (u64, &(u32, u32))| {
        let link = &design.config.link;
        let beside = pace::beside(link.checksum.is_some(), link.clocks);
        let drawn = |number: usize| least + (mix(number as u64) % u64::from(most + 1 - least)) as u32;
        let watch = |ticks| progress.at(row * played + ticks);
        let latency = |board, output| drawn(program.register(board, output));
        let clocks = if design.has_throttle() {
            let wire = |board, output: Channel| {
                let latency = latency(board, output);
                let of_beats = design.beats(output.port).map(|beats| WireClocks::of_beats(beats, link.clocks, latency));
                let bits = || design.frame_bits(output.port).expect("a checksum is required");
                of_beats.unwrap_or_else(|| WireClocks::new(bits(), DIVISOR, latency))
            };
            wires::clocks(program, boards, args.runs, wire, &watch)
        } else {
            let latency = |board, output| beside + latency(board, output);
            pace::clocks(program, boards, link.start, args.runs, latency, &watch)
        };
        Pace { least, most, clocks, clocks_a_tick: (100.0 * clocks as f64 / played as f64).round() / 100.0 }
    };
    let paces = Paces {
        name: &program.title.name,
        boards: boards.nodes(),
        runs: args.runs,
        ticks: program.ticks,
        latency: program.latency,
        links: (0..).zip(&LINKS).map(pace).collect(),
    };
    drop(progress);
    match args.format.format {
        Format::Json => output::json("pace", &paces)?,
        Format::Text => output::text(&paces)?,
    }
    Ok(Outcome::Fine)
}

impl Display for Paces<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        /// Signs of a bar that stands for a tick per clock.
        const BAR: u64 = 40;
        let Self { name, boards, runs, ticks, latency, links } = self;
        let played = u64::from(*runs) * u64::from(*ticks);
        writeln!(
            f,
            "{name}: {boards} boards, {} of {}, up to {} ahead\n\n{:>12}{:>16}{:>16}",
            count((*runs).into(), "run"),
            count((*ticks).into(), "tick"),
            count((*latency).into(), "tick"),
            "clocks per link",
            "clocks per tick",
            "ticks per clock",
        )?;
        for Pace { least, most, clocks, clocks_a_tick } in links {
            let link = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let rate = 1.0 / clocks_a_tick;
            let bar = "#".repeat(((2 * BAR * played + clocks) / (2 * clocks)) as usize);
            writeln!(f, "{}", format!("{link:>13}{clocks_a_tick:>16.2}{rate:>16.3}  {bar}").trim_end())?;
        }
        Ok(())
    }
}
