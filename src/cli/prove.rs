//! `torusweave prove`: proofs by solvers.

mod design;
mod every_size;
mod listed;

use std::path::PathBuf;

use clap::Args;

use super::CommandEnd;
use super::args::{FormatArgs, ScheduleArgs, TimeArgs};
use super::error::CliError;
use crate::design::support::{self, DesignUse};
use crate::tools::prove::design::ProofPart;

/// Prove that the generated Verilog does what its program says; or that cycles are right at every size.
///
/// A design is proved in parts. The router of each class, in the fabric less all others, does what the program says: by
/// bounded model checking from any state, with any arrivals and packets. The fabric connects routers of these classes as the
/// topology does: its netlist is compared. And the program gives every node every packet, as `check` finds. Together that
/// holds for a network of any size; small ones are proved as a whole, too. With `link.clocks: cable` the buffer between
/// the clocks is proved for any two clocks, with `link.checksum` the receiver of frames. Each proof is first made to fail by a fault. Needs yosys and Z3.
///
/// The router of a config with `programs` is proved to do what each program says with the control words of that program, and the wires
/// between nodes, also those through cables of boards, are compared; small designs on one device are proved as a whole, too. Words that
/// come into nodes and go out are left to `simulate --engine verilator`.
///
/// With --every-size, one SMT-LIB file is written an obligation: that what it supposes can hold, and that what it claims
/// cannot fail. Z3 is asked about each, and every answer is printed, with what is proved on paper only. Without Z3 the files
/// are written, to DIR or to `every-size`, and the exit code is 1.
#[derive(Debug, Args)]
pub struct ProveArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Prove only this; several separated by commas.
    #[arg(long, value_name = "PART", value_enum, value_delimiter = ',', conflicts_with = "every_size")]
    part: Vec<ProofPart>,

    /// Prove the cycles of a scheme at every size, instead of a design.
    #[arg(long, value_name = "SCHEME", value_enum, conflicts_with = "config")]
    every_size: Option<every_size::Whose>,

    /// Put faults in, one at a time: each must be refuted, or proved to change nothing.
    #[arg(long, requires = "every_size")]
    mutants: bool,

    /// Keep the files of --every-size there.
    #[arg(short, long, value_name = "DIR", requires = "every_size")]
    out: Option<PathBuf>,

    #[command(flatten)]
    time: TimeArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub fn run(args: &ProveArgs) -> Result<CommandEnd, CliError> {
    args.time.apply();
    if let Some(whose) = args.every_size {
        return every_size::run(whose, args.mutants, args.out.as_deref());
    }
    let config = args.design.config()?.as_list();
    if !config.programs.is_empty() {
        return listed::run(config, args);
    }
    let design = args.design.built(config)?;
    let is_of_links = |part: &ProofPart| matches!(part, ProofPart::Crossing | ProofPart::Receiver);
    if args.part.is_empty() || !args.part.iter().all(is_of_links) {
        support::check_use(&design, DesignUse::Proof)?;
    }
    if args.part.contains(&ProofPart::Crossing) {
        support::check_use(&design, DesignUse::CrossingProof)?;
    }
    if args.part.contains(&ProofPart::Receiver) {
        support::check_use(&design, DesignUse::ReceiverProof)?;
    }
    if args.part.contains(&ProofPart::Whole) {
        support::check_use(&design, DesignUse::WholeProof)?;
    }
    design::run(&design, &args.part, args.format.format)
}
