//! `torusweave cables`: which port of which board each cable joins.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::DesignArgs;
use super::error::CliError;
use super::{CommandEnd, output};
use crate::design::Design;
use crate::design::support::{self, DesignUse};
use crate::draw;
use crate::emit::names;
use crate::netlist::PortClock;
use crate::study::cables::{cables, fifo_depth};

/// List the cables between boards: board and port at both ends, and the tokens that a FIFO at an end has room for.
///
/// Boards and ports have the names of the generated Verilog: `n0_1` is the board at 0,1, `b0_1` with a block of nodes per board,
/// and its port `r` has the streams `r_m_axis` and `r_s_axis`. A cable is for both directions.
#[derive(Debug, Args)]
pub struct CablesArgs {
    #[command(flatten)]
    design: DesignArgs,

    /// Format of the list
    #[arg(long, value_enum, default_value_t)]
    format: CableFormat,

    /// The file to write; stdout if left out or -.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CableFormat {
    /// One line per cable
    #[default]
    Csv,
    /// Picture of the boards with numbered cables, for networks of up to three axes
    Svg,
}

pub fn run(args: &CablesArgs) -> Result<CommandEnd, CliError> {
    let design = args.boards()?;
    let text = match args.format {
        CableFormat::Csv => csv(&design),
        CableFormat::Svg => draw::cable_map(&design.program, &design.blocks(), depth(&design))?,
    };
    output::to(args.out.as_deref(), &text)?;
    Ok(CommandEnd::Fine)
}

impl CablesArgs {
    /// The design with its boards. Those of a list of programs have the cables of any of them.
    fn boards(&self) -> Result<Design, CliError> {
        let link = self.design.config()?.link;
        let mut design = self.design.schedules()?.swap_remove(0);
        if design.listed.is_some() {
            design.config.link = link;
        } else {
            support::check_use(&design, DesignUse::Boards)?;
        }
        Ok(design)
    }
}

/// Tokens that the FIFO at each end of a cable has room for; behind a link layer it has the clock of the board.
fn depth(design: &Design) -> u32 {
    let link = &design.config.link;
    fifo_depth(design.program.latency, link.clocks == PortClock::Cable && link.checksum.is_none())
}

fn csv(design: &Design) -> String {
    let (program, blocks) = (&design.program, design.blocks());
    let axes = program.topology.axes();
    let depth = depth(design);
    let mut text = "cable,board,port,other_board,other_port,fifo_depth\n".to_owned();
    for (number, cable) in (1..).zip(cables(program, blocks.boards())) {
        let [board, other] = [cable.board, cable.other].map(|board| names::of_board(&blocks, board));
        let [port, other_port] = [cable.port, cable.other_port].map(|port| names::channel(axes, port));
        writeln!(text, "{number},{board},{port},{other},{other_port},{depth}").expect("a string takes all text");
    }
    text
}
