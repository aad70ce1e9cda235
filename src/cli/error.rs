//! Errors of the commands, with advice.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::sweep_error::SweepError;
use crate::design::DesignError;
use crate::design::config::ConfigError;
use crate::design::list::ListError;
use crate::design::listed::ProgramsError;
use crate::design::support::Unsupported;
use crate::draw::DrawError;
use crate::files::{FilesError, Shown, shown};
use crate::program::{ProgramError, joined};
use crate::tools::ToolError;
use crate::tools::fpga::FpgaError;
use crate::tools::icarus::IcarusError;
use crate::tools::lockstep::LockstepError;
use crate::tools::prove::ProveError;

/// Error of a command.
#[derive(Debug, Error)]
pub enum CliError {
    /// The command line is not one of ours, or asks for help.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// There is no design.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A list of programs cannot be built.
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    /// A line that cannot be served.
    #[error("--serve: `{}` is not supported", shown(line))]
    Line {
        /// Text after the flag.
        line: String,
    },
    /// A config of one collective, where a list with a host is asked for.
    #[error("--serve: requires a config with `programs`, or a folder with --folder")]
    NoPrograms,
    /// A folder without a design.
    #[error("--folder: `{}` has no NAME_programs.json", Shown(folder))]
    NoDesignIn {
        /// Path of the file or folder.
        folder: PathBuf,
    },
    /// A folder with several designs, or with one of another name than a module can have.
    #[error("--folder: `{}` must have one design (has {names})", Shown(folder))]
    NotOneDesignIn {
        /// Path of the folder.
        folder: PathBuf,
        /// Names of the designs.
        names: String,
    },
    /// A list that names something else than Verilog of its folder.
    #[error("--folder: `{}` names a file that is no Verilog of its folder (`{}`)", Shown(list), shown(path))]
    NotInside {
        /// Path of the list.
        list: PathBuf,
        /// Path in the list.
        path: String,
    },
    /// Verilog that does more than simulate.
    #[error("--folder: {error}")]
    NotTrusted {
        /// File, and the text in it.
        error: LockstepError,
    },
    /// A folder without a bitstream.
    #[error("--folder: `{}` is missing", Shown(path))]
    NoBitstream {
        /// Path of the file.
        path: PathBuf,
    },
    /// A bitstream that is not served.
    #[error("--engine bitstream: requires --serve")]
    NoServing,
    /// A file of a format that has no checker.
    #[error("--check: requires --to msccl, --to rccl or --to mscclpp (is chakra)")]
    NoChecker,
    /// The line cannot be opened, or breaks.
    #[error("--serve: {0}")]
    Serve(io::Error),
    /// A study cannot be written.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A list has no such program.
    #[error(transparent)]
    List(#[from] ListError),
    /// There is no design of one of several configs.
    #[error("config `{}`: {source}", Shown(path))]
    OfSeveral {
        /// Path of the config.
        path: PathBuf,
        /// Reason of the failure.
        source: Box<ProgramsError>,
    },
    /// Designs that would take the place of one another.
    #[error("`{}` and `{}` would both be generated into `{}`", Shown(&configs[0]), Shown(&configs[1]), Shown(folder))]
    SameFolder {
        /// Paths of the configs.
        configs: [PathBuf; 2],
        /// Folder that both would use.
        folder: PathBuf,
    },
    /// One folder for several designs.
    #[error("one folder named by --out for {designs} designs")]
    OneFolder {
        /// Number of designs.
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
    /// Proofs cannot be made.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The tools for FPGAs fail.
    #[error(transparent)]
    Fpga(#[from] FpgaError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Print(#[from] io::Error),
    /// There is no such picture.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// Values that are not those of a design.
    #[error("--values `{}`: {what}", Shown(path))]
    Values {
        /// Path of the file.
        path: PathBuf,
        /// Problem of the value.
        what: String,
        /// Cure for the help.
        cure: String,
    },
    /// A link that runs something, or leads away from the files.
    #[error("--rtl `{}` is a link of another kind than to a folder", shown(link))]
    Link {
        /// Text that was typed.
        link: String,
    },
    /// An option of other pictures.
    #[error("a picture of {what} has no use for {option}")]
    IdleOption {
        /// Option without effect.
        option: &'static str,
        /// Picture that is drawn.
        what: String,
        /// Pictures that use the option.
        kinds: Vec<String>,
    },
    /// Lengths that the routers do not find out.
    #[error("--random-lengths: requires --engine verilator")]
    NoRandomLengths,
    /// Calls of what is not called.
    #[error("--calls: requires --engine verilator and a config with `programs`")]
    NoCalls,
    /// A way to Verilate what is not Verilated.
    #[error("--by: requires --engine verilator")]
    NoParts,
    /// A program of a design that is put on a device as a whole.
    #[error("--program: requires --top fabric or wires")]
    ProgramOfWhole,
    /// No network to compare schemes on.
    #[error("no network named to compare schemes on")]
    NoNetwork,
    /// A root where no node differs from the others.
    #[error("--root: not supported with {collective}")]
    NoRoot { collective: String },
    /// Lengths of messages in a comparison of gossip.
    #[error("--flits: not supported with gossip")]
    NoLengths,
    /// A table of one node.
    #[error("--format rows has all nodes, not one")]
    RowsOfNode,
    /// No second design to compare with.
    #[error("one design named, and nothing to compare it with")]
    OneDesign,
    /// `--to` where the first network has no sides to change.
    #[error("--to: the first network is a lattice")]
    NoSides,
    /// A named file holds no program of torusweave.
    #[error("`{}`: {source}", Shown(path))]
    Program {
        /// Path of the file.
        path: PathBuf,
        /// Error in the program.
        source: ProgramError,
    },
    /// A folder without a program.
    #[error("`{}` has no program.json", Shown(folder))]
    NoProgram {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// A fabric that does not say where it comes from.
    #[error("`{}` does not say which command generated it", Shown(path))]
    NoOrigin {
        /// Path of the fabric's file.
        path: PathBuf,
    },
    /// A fabric that comes from what is refused now.
    #[error("`{}` was generated by `{command}`: {reason}", Shown(path))]
    Origin {
        /// Path of the fabric's file.
        path: PathBuf,
        /// The command in its opening comment.
        command: String,
        /// Why it is refused.
        reason: String,
    },
    /// Another size of what has no config.
    #[error("`{}` is a program, without the config that --to and --to-set would change", Shown(path))]
    NoConfig {
        /// Path of the program.
        path: PathBuf,
    },
    /// Fields set of designs that stand on disk.
    #[error("fields of the design are set, and neither side is a config")]
    NothingToSet,
    /// A node that the network does not have.
    #[error("`{text}` is not a node of a {network}")]
    Node {
        /// Text that was typed.
        text: String,
        /// Network that it does not fit.
        network: String,
        /// A node it has.
        example: String,
    },
    /// A node without a router.
    #[error("node `{text}` is dead")]
    DeadNode {
        /// Text that was typed.
        text: String,
        /// A node that is alive.
        example: String,
    },
    /// A port that the nodes of the network do not have.
    #[error("`{text}` is not a port of a {network}")]
    Port {
        /// Text that was typed.
        text: String,
        /// Network that it does not fit.
        network: String,
        /// The ports they have.
        ports: Vec<String>,
    },
    /// A tick that the program does not have.
    #[error("there is no tick {tick}: the program runs from tick 1 to tick {last}")]
    Tick {
        /// Tick that was asked for.
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

impl From<Unsupported> for CliError {
    fn from(error: Unsupported) -> Self {
        Self::Design(error.into())
    }
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        Self::Prove(error.into())
    }
}

impl CliError {
    /// Returns true if the reader of the output has gone, as `head` does, which is no error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Print(error) | Self::Files(FilesError::Write { source: error, .. })
            if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Usage(_) => "`torusweave --help` lists the commands".into(),
            Self::Design(error) => error.help(),
            Self::Programs(error) => error.help(),
            Self::Line { .. } => "`tcp:PORT`, `pty` or `stdio`".into(),
            Self::NoChecker => "docs/export.md says what was checked of Chakra traces".into(),
            Self::NoPrograms => "`simulate` without --serve plays one program".into(),
            Self::NoDesignIn { .. } => "`torusweave generate CONFIG --out DIR` writes one".into(),
            Self::NotOneDesignIn { .. } => {
                "`torusweave generate CONFIG --out DIR` gives each a folder of its own".into()
            }
            Self::NotInside { .. } => "`torusweave generate` writes the list anew".into(),
            Self::NotTrusted { .. } => {
                "if you trust whoever wrote it, say --trust: it then may run programs and read files".into()
            }
            Self::NoBitstream { .. } => {
                "`torusweave fpga CONFIG --device hx8k --out DIR && sh DIR/build.sh` makes it".into()
            }
            Self::NoServing => "`--serve tcp:7000` serves it on a port, `--serve pty` on a pseudo-terminal".into(),
            Self::Serve(_) => "is the port in use?".into(),
            Self::Sweep(error) => error.help(),
            Self::List(error) => error.help(),
            Self::OfSeveral { source, .. } => source.help(),
            Self::SameFolder { .. } => "give each a `name` of its own".into(),
            Self::OneFolder { .. } => "leave it out: each goes to generated/NAME; or generate one at a time".into(),
            Self::Files(error) => error.help().into(),
            Self::Lockstep(error) => error.help(),
            Self::Icarus(error) => error.help(),
            Self::Prove(error) => error.help(),
            Self::Fpga(error) => error.help(),
            Self::Print(_) => "is the disk full?".into(),
            Self::Draw(error) => error.help(),
            Self::Values { cure, .. } => cure.clone(),
            Self::Link { .. } => "name the folder as it is seen from the page, like ../generated/torus_6x8".into(),
            Self::IdleOption { kinds, .. } => format!("leave it out; it is for --what {}", joined(kinds, "or")),
            Self::NoRandomLengths => "say --engine verilator, or leave --random-lengths out".into(),
            Self::NoCalls => "leave --calls out: without a list every schedule is played once".into(),
            Self::NoParts => "say --engine verilator, or leave --by out".into(),
            Self::ProgramOfWhole => "say --top fabric, or leave --program out: the design has all programs".into(),
            Self::NoNetwork => "say --torus 16x16, --cycle 8, or --table-2 for the paper's table".into(),
            Self::NoRoot { .. } => "leave it out, or compare broadcast, scatter, gather or reduce".into(),
            Self::NoLengths => "leave it out: say --packets 4 for packets, and --r for what a packet costs".into(),
            Self::RowsOfNode => "leave --node out; its column is the one that counts".into(),
            Self::OneDesign => {
                "name a second config file, or say what differs, like --to 12x16 or --to-set switching=memory".into()
            }
            Self::NoSides => "--to-set topology.lattice=[[4,2],[0,6]] changes its rows".into(),
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
            Self::DeadNode { example, .. } => format!("choose a node that is alive, like {example}"),
            Self::Node { example, .. } => format!("write its coordinates, counted from 0, like --node {example}"),
        }
    }
}
