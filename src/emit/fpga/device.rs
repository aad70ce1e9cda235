//! The devices: how tools call them, what they have, and the board that is common for them.

/// Devices that are built alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Lattice iCE40 family.
    Ice40,
    /// Lattice ECP5 family.
    Ecp5,
}

impl Family {
    /// Name in Yosys: `synth_ice40`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ice40 => "ice40",
            Self::Ecp5 => "ecp5",
        }
    }

    /// Program that places and routes.
    pub const fn placer(self) -> &'static str {
        match self {
            Self::Ice40 => "nextpnr-ice40",
            Self::Ecp5 => "nextpnr-ecp5",
        }
    }

    /// Program that makes the bitstream.
    pub const fn packer(self) -> &'static str {
        match self {
            Self::Ice40 => "icepack",
            Self::Ecp5 => "ecppack",
        }
    }
}

/// Device with its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    /// iCE40 HX8K in the package of the iCE40-HX8K-B-EVN.
    #[value(name = "hx8k")]
    Hx8k,
    /// iCE40 HX1K in the package of the iCEstick; no constraints.
    #[value(name = "hx1k")]
    Hx1k,
    /// iCE40 UP5K, package SG48; no constraints.
    #[value(name = "up5k")]
    Up5k,
    /// ECP5 25F in the package of the ULX3S.
    #[value(name = "ecp5-25k")]
    #[serde(rename = "ecp5-25k")]
    Ecp5x25k,
    /// ECP5 85F in the package of the ULX3S.
    #[value(name = "ecp5-85k")]
    #[serde(rename = "ecp5-85k")]
    Ecp5x85k,
}

/// Resources of a device, or use by a design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Resources {
    /// Look-up tables of four inputs, those in adders and small memories counted.
    pub lut: u64,
    /// Number of flip-flops.
    pub ff: u64,
    /// Number of block memories.
    pub bram: u64,
}

impl Device {
    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hx8k => "hx8k",
            Self::Hx1k => "hx1k",
            Self::Up5k => "up5k",
            Self::Ecp5x25k => "ecp5-25k",
            Self::Ecp5x85k => "ecp5-85k",
        }
    }

    /// Family of the device.
    pub const fn family(self) -> Family {
        match self {
            Self::Hx8k | Self::Hx1k | Self::Up5k => Family::Ice40,
            Self::Ecp5x25k | Self::Ecp5x85k => Family::Ecp5,
        }
    }

    /// Resources of the device.
    pub const fn cells(self) -> Resources {
        let (cells, bram) = match self {
            Self::Hx8k => (7_680, 32),
            Self::Hx1k => (1_280, 16),
            Self::Up5k => (5_280, 30),
            Self::Ecp5x25k => (24_288, 56),
            Self::Ecp5x85k => (83_640, 208),
        };
        Resources { lut: cells, ff: cells, bram }
    }

    /// The oscillator of that board, in Hz.
    pub const fn clock(self) -> u32 {
        match self.family() {
            Family::Ice40 => 12_000_000,
            Family::Ecp5 => 25_000_000,
        }
    }

    /// A common board that has it.
    pub const fn board(self) -> Option<&'static str> {
        match self {
            Self::Hx8k => Some("iCE40-HX8K-B-EVN"),
            Self::Ecp5x25k | Self::Ecp5x85k => Some("ULX3S"),
            Self::Hx1k | Self::Up5k => None,
        }
    }

    /// The file that says which pins of that board are which.
    pub const fn constraints(self) -> Option<&'static str> {
        match (self.board(), self.family()) {
            (Some(_), Family::Ice40) => Some("board.pcf"),
            (Some(_), Family::Ecp5) => Some("board.lpf"),
            (None, _) => None,
        }
    }

    /// Arguments of the placer for a module.
    pub(super) fn arguments(self, module: &str) -> Vec<String> {
        let (device, package) = match self {
            Self::Hx8k => ("--hx8k", "ct256"),
            Self::Hx1k => ("--hx1k", "tq144"),
            Self::Up5k => ("--up5k", "sg48"),
            Self::Ecp5x25k => ("--25k", "CABGA381"),
            Self::Ecp5x85k => ("--85k", "CABGA381"),
        };
        let (pins, out) = match self.family() {
            Family::Ice40 => ("--pcf", ["--asc".to_owned(), format!("{module}.asc")]),
            Family::Ecp5 => ("--lpf", ["--textcfg".to_owned(), format!("{module}.config")]),
        };
        let mut arguments = [device, "--package", package, "--json"].map(str::to_owned).to_vec();
        arguments.push(format!("{module}.json"));
        arguments.extend(self.constraints().into_iter().flat_map(|file| [pins.to_owned(), file.to_owned()]));
        arguments.extend(out);
        // the oscillator's frequency is a wish only
        arguments.push("--timing-allow-fail".to_owned());
        if self.family() == Family::Ice40 {
            // moves cells on slow paths once more: a tenth faster, and the seeds differ less
            arguments.push("--opt-timing".to_owned());
            // global buffers stand at the chip's edge: resets and clears on them cost up to a fifth of the clock
            arguments.push("--no-promote-globals".to_owned());
        }
        arguments
    }

    /// The command that makes the bitstream.
    pub fn pack(self, module: &str) -> String {
        let packer = self.family().packer();
        match self.family() {
            Family::Ice40 => format!("{packer} {module}.asc {module}.bin"),
            Family::Ecp5 => format!("{packer} {module}.config {module}.bit"),
        }
    }
}
