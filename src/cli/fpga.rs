//! `torusweave fpga`: what a design takes of a device, and how fast it runs there.

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::args::{FormatArgs, ResultFormat, ScheduleArgs, TimeArgs};
use super::error::CliError;
use super::folder::ToolFolder;
use super::size_limits::benchable;
use super::{CommandEnd, listed, output};
use crate::design::Design;
use crate::design::config::{Config, HostBus, HostChoice};
use crate::design::listed::Programs;
use crate::design::support::{self, DesignUse, Unsupported, building, lists};
use crate::emit::Files;
use crate::emit::fpga::{self, FpgaDevice, FpgaTop, Resources};
use crate::emit::node::Bus;
use crate::files::{FilesError, NewFolder};
use crate::program::count;
use crate::tools::fpga::{DeviceFigures, FamilyTools, FpgaError, PlacedClock};
use crate::tools::{ScratchFolder, ToolError};

/// Put a design on an FPGA: scripts and constraints, and what the tools make of them.
///
/// Prints LUTs, flip-flops, block memories and the fastest clock, by itself and with its pins, whether it fits, and what
/// limits the clock. Runs yosys and nextpnr-ice40, nextpnr-ecp5 or nextpnr-himbaechel, or their Python
/// packages. Without them the files are written all the same, unless JSON is asked for.
#[derive(Debug, Args)]
pub struct FpgaArgs {
    #[command(flatten)]
    design: ScheduleArgs,

    /// Device to build for; hx8k has the pins of the iCE40-HX8K-B-EVN, the ECP5 those of the ULX3S, the Tang Nano its own
    #[arg(long, value_enum)]
    device: FpgaDevice,

    /// Part of the design to put on the device [default: fabric; host for a config with `programs`]
    #[arg(long, value_enum)]
    top: Option<FpgaTop>,

    /// Place and route so often, with seeds 1, 2, ...; the median clock counts.
    #[arg(long, value_name = "N", default_value = "1")]
    seeds: NonZero<u32>,

    /// Write the RTL, the top, constraints and scripts there; fpga/NAME-DEVICE if the tools are missing.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    time: TimeArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// The figures of a design on a device.
#[derive(Serialize)]
struct PlacedFigures<'a> {
    name: &'a str,
    device: FpgaDevice,
    top: FpgaTop,
    width: u32,
    nodes: u32,
    fits: bool,
    #[serde(flatten)]
    all: Resources,
    /// The median of the seeds.
    fmax_mhz: Option<f64>,
    available: Resources,
    /// By itself, without what is around it.
    design: Resources,
    /// Resources divided by the number of nodes.
    per_node: PerNode,
    timings: &'a [PlacedClock],
}

#[derive(Serialize)]
struct PerNode {
    lut: f64,
    ff: f64,
    bram: f64,
}

impl PerNode {
    fn of(Resources { lut, ff, bram }: Resources, nodes: u32) -> Self {
        let [lut, ff, bram] = [lut, ff, bram].map(|all| (100.0 * all as f64 / f64::from(nodes)).round() / 100.0);
        Self { lut, ff, bram }
    }
}

/// Design to put on a device.
enum FpgaSubject {
    One(Box<Design>, FpgaTop),
    Programs(Box<Programs>, FpgaTop),
}

impl FpgaSubject {
    fn of(args: &FpgaArgs) -> Result<Self, CliError> {
        let mut config = args.design.config()?;
        if args.top == Some(FpgaTop::Host) && config.programs.is_empty() {
            config.host = HostChoice::Bus(HostBus::of(Bus::Uart));
            config = config.as_list();
        }
        if !config.programs.is_empty() {
            let is_whole = !matches!(args.top, Some(FpgaTop::Fabric | FpgaTop::Wires));
            if is_whole && args.design.is_named() {
                return Err(CliError::ProgramOfWhole);
            }
            return match args.top {
                None | Some(FpgaTop::Host) => {
                    let programs = listed::built(config)?.on_board(args.device.clock())?;
                    Self::with_pins(programs, FpgaTop::Host, args.device)
                }
                Some(FpgaTop::Bist) => {
                    config.host = HostChoice::Bus(HostBus::of(Bus::Streams));
                    config.link = config.link.with_pins();
                    config.bist = true;
                    Self::with_pins(listed::built(config)?, FpgaTop::Bist, args.device)
                }
                Some(FpgaTop::System) => {
                    config.host = HostChoice::Bus(HostBus::of(Bus::Streams));
                    config.link = config.link.on_one_device();
                    Ok(Self::Programs(Box::new(listed::built(config)?), FpgaTop::System))
                }
                Some(top @ (FpgaTop::Fabric | FpgaTop::Wires)) => {
                    let design = if top == FpgaTop::Fabric || args.design.is_named() {
                        args.design.built(config)?
                    } else {
                        // links are those of every program
                        listed::built(config)?.designs.swap_remove(0)
                    };
                    benchable(&design)?;
                    Ok(Self::One(Box::new(design), top))
                }
            };
        }
        let design = args.design.design()?;
        benchable(&design)?;
        support::check_use(&design, DesignUse::Fpga)?;
        let top = args.top.unwrap_or_default();
        match top {
            FpgaTop::Bist => support::check_use(&design, DesignUse::SelfTestOnFpga)?,
            FpgaTop::System => support::check_use(&design, DesignUse::SystemOnFpga)?,
            FpgaTop::Fabric | FpgaTop::Wires | FpgaTop::Host => {}
        }
        Ok(Self::One(Box::new(design), top))
    }

    /// Programs on boards whose ports have pins.
    fn with_pins(programs: Programs, top: FpgaTop, device: FpgaDevice) -> Result<Self, CliError> {
        match programs.emitted(|design| fpga::pins_to_boards(design, device)) {
            Some((pins, most)) if pins > most => {
                let problem = format!("{pins} pins to other boards are more than the {most} of {}", device.name());
                Err(lists::PINS.refusal(problem).into())
            }
            _ => Ok(Self::Programs(Box::new(programs), top)),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::One(design, _) => design.program.title.name.clone(),
            Self::Programs(programs, _) => programs.name(),
        }
    }

    const fn top(&self) -> FpgaTop {
        match self {
            Self::One(_, top) | Self::Programs(_, top) => *top,
        }
    }

    const fn config(&self) -> &Config {
        match self {
            Self::One(design, _) => &design.config,
            Self::Programs(programs, _) => &programs.config,
        }
    }

    /// Nodes of one device: the live ones of the network, or those of a board.
    fn nodes(&self) -> u32 {
        match self {
            Self::One(design, _) => design.program.topology.live_nodes(),
            Self::Programs(programs, _) => programs.emitted(fpga::nodes_of),
        }
    }

    fn write(&self, device: FpgaDevice, files: &mut dyn Files) -> io::Result<Vec<String>> {
        match self {
            Self::One(design, top) => fpga::write_all(&design.program, &design.options(), *top, device, files),
            Self::Programs(programs, top) => {
                programs.emitted(|design| fpga::write_listed(design, *top, true, device, files))
            }
        }
    }
}

pub fn run(args: &FpgaArgs) -> Result<CommandEnd, CliError> {
    args.time.apply();
    let subject = FpgaSubject::of(args)?;
    let flow = match FamilyTools::find(args.device.family()) {
        // JSON is requested for the figures, so without them it is an error
        Err(error) if args.format.format == ResultFormat::Json => return Err(FpgaError::from(error).into()),
        flow => flow,
    };
    let folder = args.out.clone().or_else(|| flow.is_err().then(|| default_folder(&subject, args.device)));
    if let Some(folder) = &folder {
        keep(&subject, args.device, folder)?;
    }
    let flow = match flow {
        Ok(flow) => flow,
        Err(error @ ToolError::Missing { .. }) => {
            let help = FpgaError::from(error);
            output::message(format_args!("no figures: {help}\nhelp: {}", help.help()));
            return Ok(CommandEnd::Fine);
        }
        Err(error) => return Err(FpgaError::from(error).into()),
    };
    if let FpgaSubject::One(design, _) = &subject {
        refuse_too_large(design, args.device)?;
    }
    let scratch = ScratchFolder::new().map_err(FpgaError::from)?;
    subject.write(args.device, &mut ToolFolder(scratch.path())).map_err(FpgaError::from)?;
    let placing = fpga::placing(&subject.name(), args.device, subject.top());
    let figures = flow.run(args.device, &placing, args.seeds, scratch.path(), |done| output::progress(done))?;
    let name = subject.name();
    let placed = placed(&subject, &name, args.device, &figures);
    match args.format.format {
        ResultFormat::Json => output::json("fpga", &placed)?,
        ResultFormat::Text => output::text(describe(&placed, &figures))?,
    }
    Ok(if placed.fits { CommandEnd::Fine } else { CommandEnd::Failed })
}

/// Fails where no tool need be asked: every output has a register per bit, which nothing can merge or leave out.
fn refuse_too_large(design: &Design, device: FpgaDevice) -> Result<(), Unsupported> {
    let (nodes, netlist) = (design.program.class_sizes(), design.netlist());
    let outputs = netlist.driven().map(|(class, router)| router.outputs.len() as u64 * u64::from(nodes[class.index()]));
    let takes = outputs.sum::<u64>() * u64::from(netlist.width);
    let has = device.cells().ff;
    if takes <= has {
        return Ok(());
    }
    let problem = format!("{} has {has} flip-flops, and the routers' outputs take {takes}", device.name());
    Err(building::DEVICE.refusal(problem))
}

fn default_folder(subject: &FpgaSubject, device: FpgaDevice) -> PathBuf {
    Path::new("fpga").join(format!("{}-{}", subject.name(), device.name()))
}

/// Writes the files for the user to keep.
fn keep(subject: &FpgaSubject, device: FpgaDevice, folder: &Path) -> Result<(), CliError> {
    let mut new = NewFolder::begin(folder)?;
    let failed = |source| FilesError::Write { path: folder.to_owned(), source };
    let written = subject.write(device, &mut new).map_err(failed)?;
    new.commit(false)?;
    output::progress(format_args!("{} in {}", count(written.len() as u64, "file"), folder.display()));
    Ok(())
}

fn placed<'a>(
    subject: &FpgaSubject,
    name: &'a str,
    device: FpgaDevice,
    figures: &'a DeviceFigures,
) -> PlacedFigures<'a> {
    let nodes = subject.nodes();
    PlacedFigures {
        name,
        device,
        top: subject.top(),
        width: subject.config().width(),
        nodes,
        fits: figures.fits(device),
        all: figures.all,
        fmax_mhz: figures.median().map(|timing| (100.0 * timing.mhz).round() / 100.0),
        available: device.cells(),
        design: figures.design,
        per_node: PerNode::of(figures.design, nodes),
        timings: &figures.timings,
    }
}

fn describe(placed: &PlacedFigures, figures: &DeviceFigures) -> String {
    let PlacedFigures { name, device, width, all, available, design, per_node, .. } = placed;
    let mut text = format!("{name} on {}, {}\n", device.name(), count(u64::from(*width), "bit") + " a flit");
    let mut line = |label: &str, words: String| text += &format!("  {label:<10} {words}\n");
    line("by itself", format!("{} LUT, {} FF, {} BRAM", design.lut, design.ff, design.bram));
    line("a node", format!("{:.1} LUT, {:.1} FF, {:.2} BRAM", per_node.lut, per_node.ff, per_node.bram));
    line(
        "with pins",
        format!(
            "{} of {} LUT, {} of {} FF, {} of {} BRAM: {}",
            all.lut,
            available.lut,
            all.ff,
            available.ff,
            all.bram,
            available.bram,
            if placed.fits { "fits" } else { "DOES NOT FIT" }
        ),
    );
    if let Some(median) = figures.median() {
        let seeds: Vec<String> = figures.timings.iter().map(|timing| format!("{:.0}", timing.mhz)).collect();
        let of_seeds = match seeds.as_slice() {
            [_] => "one seed".to_owned(),
            several => format!("the median of {}", several.join(", ")),
        };
        line("clock", format!("{:.1} MHz, {of_seeds}", median.mhz));
        if let Some(limit) = &median.limit {
            let path = format!("{} -> {}", limit.from, limit.to);
            let cells = count(limit.cells as u64, "cell");
            line(
                "limited by",
                format!("{path}: {:.1} ns in {cells}, {:.1} ns on wires", limit.logic_ns, limit.wire_ns),
            );
        }
    }
    text
}
