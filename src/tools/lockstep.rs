//! RTL and model in lockstep: after every tick every router register of the Verilated fabric equals the model's.
//!
//! A register is read where it arrives, at a port of the fabric, so that the wires are compared with it.

mod build;
mod byte_ports;
mod cache;
mod calls;
mod dut;
mod edited;
mod loaded;
mod model;
mod outcome;
mod parts;
mod probe;
mod protocol;
mod serve;
mod toolchain;
mod wiring;
mod words;

use std::path::PathBuf;

use thiserror::Error;

use crate::emit;
use crate::play::Payloads;
use crate::program::Program;
use crate::tools::{ScratchFolder, ToolError};

pub use byte_ports::BytePorts;
pub use calls::{CallAgreement, CallSimulator, CallWatch, SeenCall};
pub use edited::refuse_foreign;
pub use outcome::{Agreement, By, DifferencePlace, LockstepOutcome, LockstepPass, RegisterDifference, Verilated};
pub use parts::PartsError;
pub use serve::Served;
pub use toolchain::Toolchain;

pub use protocol::{ProtocolDifference, play_protocol, random_lengths};

use build::Recipe;
use dut::Dut;
use model::{ReferenceModel, presented};
use parts::VerilatedModules;
use probe::Probe;
use wiring::Wiring;

/// Why lockstep could not run at all.
#[derive(Debug, Error)]
pub enum LockstepError {
    /// A tool is missing, too old or failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The build folder cannot be written.
    #[error("cannot write the simulator's build folder: {0}")]
    Io(#[from] std::io::Error),
    /// The fabric cannot be taken apart.
    #[error("the fabric cannot be taken apart: {0}")]
    Parts(#[from] PartsError),
    /// Edited RTL has other files, or does more than simulate.
    #[error("`{path}`: `{what}` is not supported in RTL")]
    Edited {
        /// Path of the file.
        path: String,
        /// Text found there.
        what: String,
    },
    /// The simulator does not load.
    #[error("the simulator does not load: {0}")]
    Load(String),
    /// The simulator lacks a register or an input that the design must have.
    #[error("the simulator has no `{name}`")]
    NoVariable {
        /// The instance and the variable.
        name: String,
    },
    /// A register or an input is wider or narrower than the design says.
    #[error("`{name}` takes {found} bytes in the simulator, not {expected}")]
    Size {
        /// The instance and the variable.
        name: String,
        /// The bytes that Verilator stores it in.
        found: usize,
        /// The bytes for the width that the design has.
        expected: usize,
    },
}

impl LockstepError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(error) => error.help(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
            Self::Parts(_) => "play it as a whole, with --by fabric".into(),
            Self::Edited { .. } => "keep the files' names, and use no system task, directive or import".into(),
            Self::Load(_) | Self::NoVariable { .. } | Self::Size { .. } => {
                "the emitted Verilog and the simulator disagree: please report this design".into()
            }
        }
    }
}

/// Builds the simulator of a program's RTL and plays it beside the model.
pub fn run(
    tools: &Toolchain,
    program: &Program,
    options: &emit::Options,
    by: Option<By>,
    seed: u64,
) -> Result<LockstepOutcome, LockstepError> {
    Simulator::build(tools, program, options, by)?.play(seed)
}

/// Ports of the fabric after a rising edge.
pub struct SeenPorts<'s> {
    /// `rst` and `run`, as the edge has seen them.
    pub inputs: [bool; 2],
    /// The tick that it ends; 0 if that is none.
    pub tick: u32,
    dut: &'s Dut,
    registers: &'s [usize],
}

impl SeenPorts<'_> {
    /// Register values as seen at the far ends of their links, in 64-bit words.
    pub fn arrived(&self) -> impl Iterator<Item = (usize, Option<Vec<u64>>)> + '_ {
        self.registers.iter().enumerate().map(|(index, &register)| (register, self.dut.words(index)))
    }
}

/// Callback that sees every clock.
pub type ClockWatch<'w> = &'w mut dyn FnMut(&SeenPorts<'_>);

/// The simulator of a program's RTL: built once, played as often as asked.
pub struct Simulator<'p> {
    program: &'p Program,
    wiring: Wiring,
    width: u32,
    /// clocks from `run` to the first tick
    delay: u32,
    object: PathBuf,
    /// wiring of the parts
    table: Vec<u32>,
    verilated: Verilated,
    /// keeps the object
    _folder: ScratchFolder,
}

impl<'p> Simulator<'p> {
    /// Builds it; `by: None` picks the faster way.
    pub fn build(
        tools: &Toolchain,
        program: &'p Program,
        options: &emit::Options,
        by: Option<By>,
    ) -> Result<Self, LockstepError> {
        Self::of(tools, program, options, by, build::rtl(program, options)?)
    }

    /// Builds it from RTL that was edited: paths and texts of the files that [`emit::write_rtl`] writes.
    pub fn build_edited(
        tools: &Toolchain,
        program: &'p Program,
        options: &emit::Options,
        by: Option<By>,
        rtl: Vec<(String, String)>,
    ) -> Result<Self, LockstepError> {
        Self::of(tools, program, options, by, edited::checked(&build::rtl(program, options)?, rtl)?)
    }

    fn of(
        tools: &Toolchain,
        program: &'p Program,
        options: &emit::Options,
        by: Option<By>,
        files: Vec<(String, String)>,
    ) -> Result<Self, LockstepError> {
        let folder = ScratchFolder::new()?;
        let netlist = emit::netlist(program, options);
        let wiring = Wiring::of(program, &netlist, options);
        let parts = match by {
            Some(By::Class) => Some(VerilatedModules::of(&files, &program.title.name, &wiring)?),
            None if options.protocol.is_none() && program.topology.nodes() >= By::CLASS_FROM => {
                let parts = VerilatedModules::of(&files, &program.title.name, &wiring)?;
                Some(parts).filter(|parts| parts.instances >= parts.modules.len() * By::INSTANCES_A_MODULE)
            }
            Some(By::Fabric) | None => None,
        };
        let recipe = match &parts {
            Some(parts) => Recipe::of_parts(program, parts, files),
            None => Recipe::of_fabric(program, &wiring, options, files),
        };
        let object = recipe.simulator(tools, folder.path())?;
        let verilated = match &parts {
            Some(parts) => Verilated::Modules { modules: parts.modules.len(), instances: parts.instances },
            None => Verilated::Fabric,
        };
        let table = parts.map(|parts| parts.table).unwrap_or_default();
        let delay = emit::start_delay(&netlist, options);
        Ok(Self { program, wiring, width: options.width, delay, object, table, verilated, _folder: folder })
    }

    /// Plays it from the beginning beside the model.
    pub fn play(&self, seed: u64) -> Result<LockstepOutcome, LockstepError> {
        self.play_watched(seed, &mut |_| {})
    }

    /// Plays all passes and shows every clock to `watch`.
    pub fn play_watched(&self, seed: u64, watch: ClockWatch<'_>) -> Result<LockstepOutcome, LockstepError> {
        let mut dut = self.load(&[])?;
        dut.configure(&self.wiring.configuration);
        let registers = self.wiring.arrivals.iter().map(|&(_, register)| register).collect();
        let Self { program, width, delay, verilated, .. } = *self;
        Ok(FabricLockstep { program, width, delay, dut, registers, ticks: 0, verilated, watch }.play_all(seed))
    }

    /// A new one of the fabric.
    fn load(&self, probes: &[Probe]) -> Result<Dut, LockstepError> {
        Dut::load(&self.object, &self.table, &self.wiring, probes)
    }
}

/// A fabric, its model, and the registers both have.
struct FabricLockstep<'p, 'w> {
    program: &'p Program,
    width: u32,
    delay: u32,
    dut: Dut,
    /// the model's, in the order of the fabric's
    registers: Vec<usize>,
    ticks: u64,
    verilated: Verilated,
    watch: ClockWatch<'w>,
}

impl FabricLockstep<'_, '_> {
    /// A clock cycle, at whose edge a tick ends or none.
    fn clock(&mut self, rst: bool, run: bool, tick: u32) {
        self.dut.tick(rst, run);
        (self.watch)(&SeenPorts { inputs: [rst, run], tick, dut: &self.dut, registers: &self.registers });
    }

    fn play_all(&mut self, seed: u64) -> LockstepOutcome {
        let payloads = |pass: u64| Payloads { width: self.width, seed: seed.wrapping_mul(3).wrapping_add(pass) };
        let passes = [payloads(0), payloads(1), payloads(2), payloads(3)];
        let end = self.program.ticks;
        // control words pass registers without a reset
        (0..self.delay + 2).for_each(|_| self.clock(true, false, 0));
        self.play(LockstepPass::First, passes[0], end)?;
        // nothing moves while run is still high
        self.clock(false, true, 0);
        self.expect_silence(LockstepPass::First)?;
        self.clock(false, true, 0);
        self.expect_silence(LockstepPass::First)?;
        self.clock(false, false, 0);
        self.expect_silence(LockstepPass::First)?;
        self.play(LockstepPass::Restart, passes[1], end)?;
        self.clock(false, false, 0);
        self.play(LockstepPass::Restart, passes[2], end.div_ceil(2))?;
        self.clock(true, true, 0);
        self.play(LockstepPass::AfterReset, passes[3], end)?;
        Ok(Agreement { ticks: self.ticks, registers: self.registers.len(), verilated: self.verilated })
    }

    /// Plays the program up to `end`, comparing every register after every tick; what was before is over at its beginning.
    fn play(&mut self, pass: LockstepPass, payloads: Payloads, end: u32) -> Result<(), Box<RegisterDifference>> {
        let mut model = ReferenceModel::of(self.program, payloads);
        let words = presented(self.program, payloads);
        for _ in 0..self.delay {
            self.dut.present(&words);
            self.clock(false, true, 0);
        }
        self.expect_silence(pass)?;
        for tick in 1..=end {
            if tick == 1 || self.dut.streams() || self.program.flits > 1 {
                self.dut.present(&words);
            }
            self.clock(false, true, tick);
            model.step();
            self.ticks += 1;
            let wrong = self
                .registers
                .iter()
                .enumerate()
                .position(|(index, &register)| !self.dut.holds(index, model.register(register, &words).as_deref()));
            if let Some(index) = wrong {
                let register = self.registers[index];
                let expected = model.hex(register, payloads);
                return Err(self.difference(pass, tick, register, expected, self.dut.hex(index)));
            }
            if let Some(register) = self.dut.noise() {
                return Err(self.difference(pass, tick, register, None, Some("a valid bit".into())));
            }
        }
        Ok(())
    }

    /// After a stop or a reset no register is valid.
    fn expect_silence(&self, pass: LockstepPass) -> Result<(), Box<RegisterDifference>> {
        match (0..self.registers.len()).find(|&index| !self.dut.holds(index, None)) {
            Some(index) => Err(self.difference(pass, 0, self.registers[index], None, self.dut.hex(index))),
            None => Ok(()),
        }
    }

    #[allow(clippy::unnecessary_box_returns)] // the error of `LockstepOutcome`
    fn difference(
        &self,
        pass: LockstepPass,
        tick: u32,
        register: usize,
        expected: Option<String>,
        got: Option<String>,
    ) -> Box<RegisterDifference> {
        let (node, output) = self.program.owner(register);
        Box::new(RegisterDifference {
            pass,
            tick,
            node: self.program.topology.coords(node),
            place: DifferencePlace::Output(output),
            class: self.program.class_name(self.program.class_of[node.index()]),
            expected,
            got,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Torus;
    use crate::paths::supply::Switching;
    use crate::program::Title;
    use crate::schemes::staircase;

    /// Without unloading, every run would leave its code in memory.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_library_is_unloaded_after_a_run() {
        let Ok(tools) = Toolchain::find() else {
            assert!(std::env::var_os("TORUSWEAVE_REQUIRE_TOOLS").is_none(), "no Verilator");
            return;
        };
        let torus = Torus::new(&[2, 2]).unwrap();
        let program = staircase::program(&torus, Switching::None, Title::new("t", "staircase")).unwrap();
        let options = emit::Options::plain(8, "tests");
        let simulator = Simulator::build(&tools, &program, &options, None).unwrap();
        let object = simulator.object.to_str().unwrap();
        let is_loaded = || std::fs::read_to_string("/proc/self/maps").unwrap().contains(object);
        let dut = simulator.load(&[]).unwrap();
        assert!(is_loaded());
        drop(dut);
        assert!(!is_loaded());
    }
}
