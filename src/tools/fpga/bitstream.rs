//! Bitstreams of the iCE40: made of scripts as a board gets them, and unpacked to Verilog.

use std::path::{Path, PathBuf};
use std::process::Command;

use askama::Template;

use super::{FamilyTools, FpgaError};
use crate::emit::fpga::{FpgaDevice, SCRIPT};
use crate::tools::{run, run_into, tool_in};

/// Package of Debian that has the tools.
const PACKAGE: &str = "fpga-icestorm";
/// Module of a chip.
pub const CHIP: &str = "chip";
/// Block memory that unpacked chips have.
const RAM: (&str, &str) = ("ice40_ram.v", include_str!("../../../sim/ice40_ram.v"));

impl FamilyTools {
    /// Synthesises, places, routes and packs what stands in `folder`; returns the bitstream.
    pub fn bitstream(
        &self,
        device: FpgaDevice,
        placing: &[String],
        module: &str,
        folder: &Path,
        said: impl Fn(&str),
    ) -> Result<PathBuf, FpgaError> {
        said(&format!("{}: synthesis", self.synthesis));
        run(self.synthesis, "yosys", Command::new(self.synthesis).current_dir(folder).args(["-q", "-s", SCRIPT]))?;
        said(&format!("{}: seed 1 of 1", self.placer));
        let mut placer = Command::new(self.placer);
        run(self.placer, "nextpnr", placer.current_dir(folder).args(placing).args(["--quiet", "--seed", "1"]))?;
        let line = device.pack(module);
        let mut words = line.split(' ');
        let packer = device.family().packer();
        run(packer, PACKAGE, Command::new(packer).current_dir(folder).args(words.by_ref().skip(1)))?;
        Ok(folder.join(format!("{module}.bin")))
    }
}

/// Unpacks a bitstream in `folder`; returns the Verilog of module [`CHIP`], whose ports are those of the constraints.
pub fn unpacked(bitstream: &Path, constraints: &Path, folder: &Path) -> Result<Vec<(String, String)>, FpgaError> {
    let bitstream = std::path::absolute(bitstream);
    let [bits, text, pins] = ["unpacked.asc", "unpacked.v", "unpacked.pcf"];
    // icebox_vlog knows no options of a pin
    let plain = std::fs::read_to_string(constraints)?.replace("-pullup yes ", "");
    std::fs::write(folder.join(pins), plain)?;
    run("iceunpack", PACKAGE, tool_in(folder, "iceunpack").arg(bitstream?).arg(bits))?;
    let mut unpack = tool_in(folder, "icebox_vlog");
    unpack.args(["-s", "-n", CHIP, "-p"]).arg(pins).arg(bits);
    // its output may be longer than what is kept of a tool's
    let out = std::fs::File::create(folder.join(text))?;
    run_into("icebox_vlog", PACKAGE, &mut unpack, out)?;
    let verilog = mended(&std::fs::read_to_string(folder.join(text))?)?;
    Ok(vec![(RAM.0.to_owned(), RAM.1.to_owned()), (format!("{CHIP}.v"), verilog)])
}

/// View of `templates/fpga/chip.v`.
#[derive(Template)]
#[template(path = "fpga/chip.v", escape = "none")]
struct Mended<'v> {
    before: &'v str,
    chip: &'static str,
    ports: Vec<DevicePin<'v>>,
    body: &'v str,
    after: &'v str,
}

struct DevicePin<'v> {
    direction: &'v str,
    name: &'v str,
}

/// Gives the ports of an unpacked chip names of their own: `icebox_vlog` declares each again, as a wire or a register.
pub fn mended(verilog: &str) -> Result<String, FpgaError> {
    let unknown = || FpgaError::Unpacked { first: verilog.trim_start().lines().next().unwrap_or_default().to_owned() };
    let (before, rest) = verilog.split_once(&format!("module {CHIP} (")).ok_or_else(unknown)?;
    let (ports, rest) = rest.split_once(");\n").ok_or_else(unknown)?;
    let mut pins = Vec::new();
    for port in ports.split(", ") {
        let (direction, name) = port.split_once(' ').ok_or_else(unknown)?;
        if !["input", "output"].contains(&direction) {
            return Err(unknown());
        }
        pins.push(DevicePin { direction, name });
    }
    let (body, after) = rest.split_at(rest.rfind("\nend").ok_or_else(unknown)?);
    Ok(Mended { before, chip: CHIP, ports: pins, body, after }.render().expect("text of ours"))
}
