//! What can go wrong in a command, and what to do about it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::check;
use crate::design::DesignError;
use crate::design::config::ConfigError;
use crate::draw::DrawError;
use crate::explain::arrivals::TooMany;
use crate::export::ExportError;
use crate::files::{FilesError, Shown, shown};
use crate::program::{ProgramError, joined};
use crate::task::Collective;
use crate::tools::ToolError;
use crate::tools::fpga::FpgaError;
use crate::tools::icarus::IcarusError;
use crate::tools::lockstep::LockstepError;
use crate::tools::prove::ProveError;

/// What went wrong.
#[derive(Debug, Error)]
pub enum CliError {
    /// The command line is not one of ours, or asks for help.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// There is no design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// There is no design of one of several configs.
    #[error("config `{}`: {source}", Shown(path))]
    OfSeveral {
        /// The config.
        path: PathBuf,
        /// Why.
        source: Box<DesignError>,
    },
    /// Designs that would take the place of one another.
    #[error("`{}` and `{}` would both be generated into `{}`", Shown(&configs[0]), Shown(&configs[1]), Shown(folder))]
    SameFolder {
        /// The configs.
        configs: [PathBuf; 2],
        /// The folder.
        folder: PathBuf,
    },
    /// One folder for several designs.
    #[error("one folder named by --out for {designs} designs")]
    OneFolder {
        /// How many there are.
        designs: usize,
    },
    /// A file or a folder cannot be written.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Lockstep cannot run.
    #[error(transparent)]
    Lockstep(#[from] LockstepError),
    /// Icarus cannot run.
    #[error(transparent)]
    Icarus(#[from] IcarusError),
    /// Nothing can be proved.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The tools for FPGAs fail.
    #[error(transparent)]
    Fpga(#[from] FpgaError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Print(#[from] io::Error),
    /// The tables would be too large.
    #[error(transparent)]
    Arrivals(#[from] TooMany),
    /// There is no such picture.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// There is no such export.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Executing the program would take days or more memory than there is.
    #[error("a {network} is too large to execute: {}", excess(*link_ticks, *bytes))]
    TooLarge {
        /// The network, `6x8 torus`.
        network: String,
        /// Register updates.
        link_ticks: u64,
        /// Memory for the known packets.
        bytes: u64,
        /// What there can be less of.
        less: Vec<String>,
    },
    /// Comparing builds and checks every scheme.
    #[error("a {network} is too large to compare: {nodes} nodes are more than {most}")]
    TooLargeToCompare {
        /// The network, `6x8 torus`.
        network: String,
        /// Its nodes.
        nodes: u32,
        /// The most nodes that are compared.
        most: u32,
    },
    /// So many runs would take many minutes.
    #[error("--runs: {runs} runs on a {network} take many minutes")]
    LongRuns {
        /// How many were asked for.
        runs: u32,
        /// The network, `6x8 torus`.
        network: String,
        /// How many are not too many.
        most: u64,
    },
    /// A link that runs something, or leads away from the files.
    #[error("--rtl `{}` is a link of another kind than to a folder", shown(link))]
    Link {
        /// What was typed.
        link: String,
    },
    /// Registers of state machines that no waveform is kept of.
    #[error("no waveform by --engine verilator of schemes that find lengths out while they run")]
    NoWaveform,
    /// An option of other pictures.
    #[error("a picture of {what} has no use for {option}")]
    IdleOption {
        /// The option.
        option: &'static str,
        /// What is to be drawn.
        what: String,
        /// What it is for.
        kinds: Vec<String>,
    },
    /// Waveforms of what begins when it has found out that it can.
    #[error("waves are drawn of routers that are told what to do, not of those that find lengths out while they run")]
    NoWaves,
    /// Routers of what has none.
    #[error("modules are drawn of routers that are told what to do, not of state machines that find lengths out")]
    NoModules,
    /// Waveforms of streams that are not there.
    #[error("streams are drawn of nodes with memories for gossip, and a stream in and one out at each")]
    NoStreams,
    /// Lengths that the routers do not find out.
    #[error("--random-lengths is for schemes that find lengths out while they run, with --engine verilator")]
    NoRandomLengths,
    /// A way to Verilate what is not, or not in parts.
    #[error("--by is for --engine verilator, and not for schemes that find lengths out while they run")]
    NoParts,
    /// Nothing to compare schemes on.
    #[error("no network named to compare schemes on")]
    NoNetwork,
    /// A table of a collective in which no node is the root.
    #[error("--format rows is for a broadcast, scatter or gather, not for {collective}")]
    NoRows {
        /// The collective.
        collective: Collective,
    },
    /// A table of one node.
    #[error("--format rows has all nodes, not one")]
    RowsOfNode,
    /// Nothing to compare the first design with.
    #[error("one design named, and nothing to compare it with")]
    OneDesign,
    /// What was named holds no program of ours.
    #[error("`{}`: {source}", Shown(path))]
    Program {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ProgramError,
    },
    /// A folder without a program.
    #[error("`{}` has no program.json", Shown(folder))]
    NoProgram {
        /// The folder.
        folder: PathBuf,
    },
    /// A fabric that does not say where it comes from.
    #[error("`{}` does not say which command generated it", Shown(path))]
    NoOrigin {
        /// The fabric.
        path: PathBuf,
    },
    /// A fabric that comes from what is refused now.
    #[error("`{}` was generated by `{command}`: {reason}", Shown(path))]
    Origin {
        /// The fabric.
        path: PathBuf,
        /// The command in its opening comment.
        command: String,
        /// Why it is refused.
        reason: String,
    },
    /// Another size of what has no config.
    #[error("`{}` is a program, without the config that --to and --to-set would change", Shown(path))]
    NoConfig {
        /// The program.
        path: PathBuf,
    },
    /// Fields set of designs that stand on disk.
    #[error("fields of the design are set, and neither side is a config")]
    NothingToSet,
    /// A node that the network does not have.
    #[error("`{text}` is not a node of a {network}")]
    Node {
        /// The text.
        text: String,
        /// The network.
        network: String,
        /// A node it has.
        example: String,
    },
    /// A port that the nodes of the network do not have.
    #[error("`{text}` is not a port of a {network}")]
    Port {
        /// The text.
        text: String,
        /// The network.
        network: String,
        /// The ports they have.
        ports: Vec<String>,
    },
    /// A tick that the program does not have.
    #[error("there is no tick {tick}: the program runs from tick 1 to tick {last}")]
    Tick {
        /// The tick.
        tick: u32,
        /// The last one.
        last: u32,
    },
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Design(error.into())
    }
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        Self::Prove(error.into())
    }
}

impl CliError {
    /// Whether the reader of our output has gone, as `head` does: no error to speak of.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Print(error) | Self::Files(FilesError::Write { source: error, .. })
            if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Usage(_) => "`torusweave --help` lists the commands".into(),
            Self::Design(error) => error.help(),
            Self::OfSeveral { source, .. } => source.help(),
            Self::SameFolder { .. } => "give each a `name` of its own".into(),
            Self::OneFolder { .. } => "leave it out: each goes to generated/NAME; or generate one at a time".into(),
            Self::Files(error) => error.help().into(),
            Self::Lockstep(error) => error.help(),
            Self::Icarus(error) => error.help(),
            Self::Prove(error) => error.help(),
            Self::Fpga(error) => error.help(),
            Self::Print(_) => "is the disk full?".into(),
            Self::Arrivals(_) => "choose a smaller network, or fewer flits: the rules are the same".into(),
            Self::Draw(error) => error.help().into(),
            Self::Export(error) => error.help().into(),
            Self::TooLarge { less, .. } => {
                let less = joined(less, "or");
                format!("choose {less}; `torusweave check --structural` proves schedules of any size")
            }
            Self::TooLargeToCompare { .. } => {
                "choose a smaller network; `torusweave schemes` tells the steps of schemes that have a formula".into()
            }
            Self::LongRuns { most, .. } => format!("say --runs {most}, or choose a smaller network"),
            Self::Link { .. } => "name the folder as it is seen from the page, like ../generated/torus_6x8".into(),
            Self::NoWaveform => "say --engine icarus, or --engine model".into(),
            Self::IdleOption { kinds, .. } => format!("leave it out; it is for --what {}", joined(kinds, "or")),
            Self::NoWaves => "`torusweave simulate --engine icarus --vcd FILE` writes what they do".into(),
            Self::NoModules => {
                "`torusweave generate` writes their Verilog, with what each does in its first lines".into()
            }
            Self::NoStreams => {
                "say --order origin, without --host chain; --what waves is for the fabric's ports".into()
            }
            Self::NoRandomLengths => {
                "say --collective gather --scheme shoulder-tap or certification, and --engine verilator".into()
            }
            Self::NoParts => "say --engine verilator, or leave --by out".into(),
            Self::NoNetwork => "say --torus 16x16, --cycle 8, or --table-2 for the paper's table".into(),
            Self::NoRows { .. } => "say --collective broadcast, scatter or gather, or --format json".into(),
            Self::RowsOfNode => "leave --node out; its column is the one that counts".into(),
            Self::OneDesign => {
                "name a second config file, or say what differs, like --to 12x16 or --to-set switching=memory".into()
            }
            Self::Program { source, .. } => source.help().into(),
            Self::NoProgram { .. } => {
                "name a folder that `torusweave generate` wrote with its program, a program.json, or a config file"
                    .into()
            }
            Self::NoOrigin { .. } | Self::Origin { .. } => {
                "name the program.json beside it: what the nodes do is compared then, and no Verilog".into()
            }
            Self::NoConfig { .. } => "name a config file as the second design, or the folder of the program".into(),
            Self::NothingToSet => "leave them out, or name a config: what stands on disk is compared as it is".into(),
            Self::Port { ports, .. } => format!("its ports are {}", ports.join(", ")),
            Self::Tick { last, .. } => format!("choose a tick from 1 to {last}"),
            Self::Node { example, .. } => format!("write its coordinates, counted from 0, like --node {example}"),
        }
    }
}

/// What is over its limit.
fn excess(link_ticks: u64, bytes: u64) -> String {
    const GB: f64 = 1e9;
    let ticks = format!("{link_ticks} link-ticks of at most {}", check::MOST_EXECUTED);
    let memory = format!(
        "{:.1} GB of at most {:.1} GB for what arrived and who knows what",
        bytes as f64 / GB,
        check::MOST_BYTES as f64 / GB
    );
    match (link_ticks > check::MOST_EXECUTED, bytes > check::MOST_BYTES) {
        (true, true) => format!("{ticks}, {memory}"),
        (true, false) => ticks,
        (false, _) => memory,
    }
}
