//! A design for an FPGA: its top with few pins, constraints and scripts for one common board a family.

mod device;
mod fabric;

use std::io;

use askama::Template;

use super::design::Design;
use super::output::{File, Kind, paths_of};
use super::{Files, Options, write};
use crate::program::Program;

pub use device::{Device, Family, Resources};

/// What of the design is put on the device. A new one is a value here, its module in `files_of`, and its pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Top {
    /// The fabric, between registers that feed it and sum up what arrives.
    #[default]
    Fabric,
}

impl Top {
    /// The module that has the pins.
    pub fn module(self, program: &Program) -> String {
        let name = &program.title.name;
        match self {
            Self::Fabric => format!("{name}_fpga"),
        }
    }

    /// The file of that module.
    fn file<'d>(self, design: &'d Design<'d>) -> File<'d> {
        match self {
            Self::Fabric => File::module(&self.module(design.program), move || fabric::Harness::new(design, self)),
        }
    }
}

/// What Yosys is told.
pub const SCRIPT: &str = "synth.ys";

#[derive(Template)]
#[template(path = "fpga/synth.ys", escape = "none")]
struct Synthesis<'d> {
    module: String,
    design: &'d str,
    device: &'static str,
    family: &'static str,
    width: u32,
    files: Vec<String>,
}

#[derive(Template)]
#[template(path = "fpga/build.sh", escape = "none")]
struct Build {
    module: String,
    device: &'static str,
    board: Option<&'static str>,
    place: String,
    pack: String,
}

#[derive(Template)]
#[template(path = "fpga/board.pcf", escape = "none")]
struct IcePins;

#[derive(Template)]
#[template(path = "fpga/board.lpf", escape = "none")]
struct Ulx3sPins;

/// Writes the RTL, the top, the constraints and the scripts; returns the paths in that order.
pub fn write_all(
    program: &Program,
    options: &Options,
    top: Top,
    device: Device,
    files: &mut dyn Files,
) -> io::Result<Vec<String>> {
    let design = &Design::new(program, options);
    let mut all = super::files_of(design, &[super::Part::Rtl]);
    all.push(top.file(design));
    let module = top.module(program);
    let rtl = paths_of(Kind::Rtl, &all);
    let synthesis = {
        let module = module.clone();
        move || Synthesis {
            module: module.clone(),
            design: design.name(),
            device: device.name(),
            family: device.family().name(),
            width: options.width,
            files: rtl.clone(),
        }
    };
    all.push(File::of(SCRIPT.into(), Kind::List, synthesis));
    if let Some(constraints) = device.constraints() {
        all.push(match device.family() {
            Family::Ice40 => File::of(constraints.into(), Kind::List, || IcePins),
            Family::Ecp5 => File::of(constraints.into(), Kind::List, || Ulx3sPins),
        });
    }
    let build = move || Build {
        module: module.clone(),
        device: device.name(),
        board: device.board(),
        place: [vec![device.family().placer().to_owned()], device.arguments(&module)].concat().join(" "),
        pack: device.pack(&module),
    };
    all.push(File::of("build.sh".into(), Kind::List, build));
    all.iter().try_for_each(|file| write(file, files))?;
    Ok(all.into_iter().map(|file| file.path).collect())
}
