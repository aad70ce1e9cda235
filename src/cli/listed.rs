//! Designs of several programs in commands: generated, and served in simulation as the board would be.

mod lines;
mod ports;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::CliError;
use super::folder::ToolFolder;
use super::progress::Progress;
use super::{CommandEnd, output};
use crate::design::config::{Config, HostBus, HostChoice};
use crate::design::listed::Programs;
use crate::design::support::lists;
use crate::emit::fpga::{self, FpgaDevice, FpgaTop};
use crate::emit::node::{Bus, boards_module, boards_path};
use crate::emit::{DesignPart, MemoryFiles};
use crate::files::{self, FilesError};
use crate::tools::ScratchFolder;
use crate::tools::fpga::{self as fpga_tools, FamilyTools, FpgaError};
use crate::tools::lockstep::{self, BytePorts, LockstepError, Served, Toolchain};
use lines::ServedLine;

/// Builds every program of a list.
pub fn built(config: Config) -> Result<Programs, CliError> {
    let _progress = Progress::of(format!("building the schedules of {}", config.name()));
    Ok(Programs::new(config)?)
}

/// RTL of a list or of all its boards, the module with streams of bytes, and the number of its lines.
struct ListedRtl {
    top: String,
    files: Vec<(String, String)>,
    lines: u32,
}

/// Path of a module where all files lie in one folder.
fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn rtl_of(programs: &Programs) -> io::Result<ListedRtl> {
    let mut files = MemoryFiles::default();
    let (top, paths, lines) = programs.emitted(|design| {
        let (top, paths) = design.simulated();
        design.write(&[DesignPart::Rtl, DesignPart::Testbench], &mut files).map(|()| (top, paths, design.lines()))
    })?;
    let text = |path: String| {
        let bytes = files.0.remove(&path).unwrap_or_default();
        Ok((file_name(&path), String::from_utf8(bytes).map_err(io::Error::other)?))
    };
    Ok(ListedRtl { top, files: paths.into_iter().map(text).collect::<io::Result<_>>()?, lines })
}

const DESCRIPTION: &str = "_programs.json";

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CliError {
    let path = path.to_owned();
    move |source| CliError::Files(FilesError::Read { path, source })
}

/// Bytes of a file of a design: more than the largest that is supported has.
const MOST_BYTES: u64 = 1 << 30;

fn text_of(path: &Path) -> Result<String, CliError> {
    Ok(files::read_text(path, MOST_BYTES)?)
}

/// Name of the design in a folder.
fn name_in(folder: &Path) -> Result<String, CliError> {
    let entries = fs::read_dir(folder).map_err(unreadable(folder))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(DESCRIPTION)?.to_owned())).collect();
    names.sort();
    match names.as_slice() {
        [] => Err(CliError::NoDesignIn { folder: folder.to_owned() }),
        // it names modules and files of the simulator
        [name] if is_plain(name) => Ok(name.clone()),
        _ => Err(CliError::NotOneDesignIn { folder: folder.to_owned(), names: names.join(", ") }),
    }
}

/// Returns true for a name that no tool takes for anything else.
fn is_plain(name: &str) -> bool {
    let is_first = |first: char| first.is_ascii_alphabetic() || first == '_';
    name.starts_with(is_first) && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns true for the path of Verilog inside of a folder.
fn is_inside(path: &str) -> bool {
    path.strip_suffix(".v").is_some_and(|path| path.split('/').all(is_plain))
}

fn rtl_in(folder: &Path, is_trusted: bool) -> Result<ListedRtl, CliError> {
    let name = name_in(folder)?;
    let about: Described = described_in(folder, &name)?;
    with_host(about.config)?;
    let lines = about.boards.map_or(1, |boards| boards.each.len() as u32);
    let list = text_of(&folder.join(format!("{name}.f")))?;
    let joined = (lines > 1).then(|| boards_path(&name));
    let top = if joined.is_some() { boards_module(&name) } else { format!("{name}_host") };
    let paths: Vec<String> = list.lines().map(str::to_owned).chain(joined).collect();
    if let Some(path) = paths.iter().find(|path| !is_inside(path)) {
        return Err(CliError::NotInside { list: folder.join(format!("{name}.f")), path: path.clone() });
    }
    let files = paths.iter().map(|path| text_of(&folder.join(path)).map(|text| (file_name(path), text)));
    let files: Vec<(String, String)> = files.collect::<Result<_, CliError>>()?;
    if !is_trusted {
        lockstep::refuse_foreign(&files).map_err(|error| CliError::NotTrusted { error })?;
    }
    Ok(ListedRtl { top, files, lines })
}

/// Part of the description in a folder.
#[derive(Deserialize)]
struct Described {
    config: Config,
    boards: Option<DescribedBoards>,
}

#[derive(Deserialize)]
struct DescribedBoards {
    each: Vec<serde_json::Value>,
}

fn described_in(folder: &Path, name: &str) -> Result<Described, CliError> {
    let path = folder.join(format!("{name}{DESCRIPTION}"));
    serde_json::from_str(&text_of(&path)?).map_err(|error| unreadable(&path)(error.into()))
}

/// Device whose bitstreams are simulated.
const DEVICE: FpgaDevice = FpgaDevice::Hx8k;
const CONSTRAINTS: &str = "board.pcf";

/// Bitstream with what its pins are.
struct Flashed {
    bitstream: PathBuf,
    constraints: PathBuf,
    divisor: u32,
    /// Module with the chips of all boards, and their number, if there are several.
    joined: Option<(String, u32)>,
}

/// Module with the chips of all boards, and their number, if there are several.
fn joined(programs: &Programs) -> Option<(String, u32)> {
    programs.emitted(|design| Some((fpga::joined(design, fpga_tools::CHIP)?, design.lines())))
}

/// Places a design in a folder of the tools.
fn flashed(config: Config, folder: &Path) -> Result<Flashed, CliError> {
    let programs = built(config)?.on_board(DEVICE.clock())?;
    let flow = FamilyTools::find(DEVICE.family()).map_err(FpgaError::from)?;
    programs
        .emitted(|design| fpga::write_listed(design, FpgaTop::Host, false, DEVICE, &mut ToolFolder(folder)))
        .map_err(FpgaError::from)?;
    let name = programs.name();
    let placing = fpga::placing(&name, DEVICE, fpga::FpgaTop::Host);
    let bitstream = flow.bitstream(DEVICE, &placing, &fpga::module(&name), folder, |done| output::progress(done))?;
    Ok(Flashed {
        bitstream,
        constraints: folder.join(CONSTRAINTS),
        divisor: programs.bus().divisor(),
        joined: joined(&programs),
    })
}

/// The bitstream in a folder of `fpga --top host`.
fn flashed_in(folder: &Path) -> Result<Flashed, CliError> {
    let name = name_in(folder)?;
    let about = described_in(folder, &name)?;
    let host = about.config.host;
    // cables are those of the boards that the config has
    let joined = if about.boards.is_some() { joined(&built(about.config)?) } else { None };
    let divisor = match host {
        HostChoice::Bus(bus) => bus.divisor(),
        HostChoice::Streams(_) => HostBus::of(Bus::Uart).divisor(),
    };
    let there = |path: PathBuf| if path.is_file() { Ok(path) } else { Err(CliError::NoBitstream { path }) };
    Ok(Flashed {
        bitstream: there(folder.join(format!("{}.bin", fpga::module(&name))))?,
        constraints: there(folder.join(CONSTRAINTS))?,
        divisor,
        joined,
    })
}

/// Simulator of the Verilog, from a folder of generated files or from a config.
fn simulated(
    folder: Option<&Path>,
    is_trusted: bool,
    config: impl FnOnce() -> Result<Config, CliError>,
) -> Result<Served, CliError> {
    let ListedRtl { top, files, lines } = match folder {
        Some(folder) => rtl_in(folder, is_trusted)?,
        None => rtl_of(&built(config()?)?)?,
    };
    compiled(&top, BytePorts::Streams { lines }, files)
}

/// Simulator of the bitstream, from a folder that has it or from a config.
fn unpacked(folder: Option<&Path>, config: impl FnOnce() -> Result<Config, CliError>) -> Result<Served, CliError> {
    let scratch = ScratchFolder::new().map_err(FpgaError::from)?;
    let Flashed { bitstream, constraints, divisor, joined } = match folder {
        Some(folder) => flashed_in(folder)?,
        None => flashed(config()?, scratch.path())?,
    };
    let mut files = {
        let _progress = Progress::of("unpacking the bitstream");
        fpga_tools::unpacked(&bitstream, &constraints, scratch.path())?
    };
    let Some((text, lines)) = joined else {
        return compiled(fpga_tools::CHIP, BytePorts::Pins { prefix: "pin_", divisor, lines: 1 }, files);
    };
    files.push((format!("{}.v", fpga::JOINED), text));
    compiled(fpga::JOINED, BytePorts::Pins { prefix: "", divisor, lines }, files)
}

fn compiled(top: &str, ports: BytePorts, files: Vec<(String, String)>) -> Result<Served, CliError> {
    let tools = Toolchain::find().map_err(LockstepError::from)?;
    let _progress = Progress::of(format!("compiling {top}"));
    Ok(Served::build(&tools, top, ports, files)?)
}

/// Refuses a config whose nodes have streams in place of a host.
fn with_host(config: Config) -> Result<Config, CliError> {
    if config.has_streams_of_nodes() {
        return Err(lists::NO_HOST.refusal("not supported with `simulate --serve` (streams)").into());
    }
    Ok(config)
}

/// Serves a design in simulation until nobody is at the other end of the line, or for ever on a port.
pub fn serve(
    line: &str,
    is_bitstream: bool,
    folder: Option<&Path>,
    is_trusted: bool,
    config: impl FnOnce() -> Result<Config, CliError>,
) -> Result<CommandEnd, CliError> {
    let line = ServedLine::parse(line)?;
    let config = || {
        let config = config()?;
        if config.programs.is_empty() { Err(CliError::NoPrograms) } else { with_host(config) }
    };
    let served = if is_bitstream { unpacked(folder, config) } else { simulated(folder, is_trusted, config) }?;
    let ended = line.serve(&served).map_err(CliError::Serve)?;
    if ended.success() {
        return Ok(CommandEnd::Fine);
    }
    output::error(format_args!("error: the simulation ended: {ended}"));
    Ok(CommandEnd::Failed)
}
