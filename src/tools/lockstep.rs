//! RTL and model in lockstep: after every tick every router register of the Verilated fabric equals the model's.

mod build;
mod dut;
mod probe;
mod toolchain;

use std::fmt;
use std::path::Path;

use thiserror::Error;

use crate::emit;
use crate::net::{NodeId, Port};
use crate::play::Machine;
use crate::play::Payloads;
use crate::program::Program;
use crate::tools::{ScratchFolder, ToolError};

pub use build::Mutation;
pub use toolchain::Toolchain;

use dut::{Dut, Probe};

/// Why lockstep could not run at all.
#[derive(Debug, Error)]
pub enum LockstepError {
    /// A tool is missing, too old or failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The build folder cannot be written.
    #[error("cannot write the simulator's build folder: {0}")]
    Io(#[from] std::io::Error),
    /// The simulator does not load, or lacks a register that the design must have.
    #[error("the simulator does not load: {0}")]
    Load(String),
}

impl LockstepError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Tool(error) => error.help(),
            Self::Io(_) => "set TMPDIR to a folder with space left".into(),
            Self::Load(_) => "the emitted Verilog and the simulator disagree: please report this design".into(),
        }
    }
}

/// What ran, when all of it was equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Ticks compared, over all passes.
    pub ticks: u64,
    /// Registers compared after each tick.
    pub registers: usize,
}

/// The first register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What was being played.
    pub pass: Pass,
    /// The tick after which it differs; 0 after the program stopped or was reset.
    pub tick: u32,
    /// The router's node.
    pub node: Vec<u32>,
    /// The output port.
    pub port: Port,
    /// The node's class.
    pub class: String,
    /// The model's value in hexadecimal, or none if the register must be invalid.
    pub expected: Option<String>,
    /// The RTL's.
    pub got: Option<String>,
}

/// What is played: three passes in all, so that nothing stale survives a stop or a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// From reset.
    First,
    /// Again with other packets, after `run` was low for one cycle.
    Restart,
    /// Again with other packets, after a reset in the middle of the program.
    AfterReset,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first pass",
            Self::Restart => "restart",
            Self::AfterReset => "pass after a reset",
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "invalid".to_owned());
        let node: Vec<String> = self.node.iter().map(u32::to_string).collect();
        write!(
            f,
            "{}, tick {}, node {}, output {} (class {}): expected {}, got {}",
            self.pass,
            self.tick,
            node.join(","),
            self.port,
            self.class,
            value(&self.expected),
            value(&self.got)
        )
    }
}

/// The outcome of a run: all equal, or the first difference.
pub type Outcome = Result<Agreement, Box<Difference>>;

/// Builds the simulator of a program's RTL and plays it beside the model.
pub fn run(tools: &Toolchain, program: &Program, options: &emit::Options, seed: u64) -> Result<Outcome, LockstepError> {
    run_mutant(tools, program, options, seed, &|_, text| text)
}

/// The same with the text of every RTL file changed first: for testing the test.
pub fn run_mutant(
    tools: &Toolchain,
    program: &Program,
    options: &emit::Options,
    seed: u64,
    mutation: Mutation<'_>,
) -> Result<Outcome, LockstepError> {
    let folder = ScratchFolder::new()?;
    let library = build::simulator(tools, program, options, folder.path(), mutation)?;
    let mut bench = Bench::new(&library, program, options.width)?;
    Ok(bench.play_all(seed))
}

/// A fabric, its model, and the registers both have.
struct Bench<'p> {
    program: &'p Program,
    width: u32,
    dut: Dut,
    probes: Vec<Probe>,
    ticks: u64,
}

impl<'p> Bench<'p> {
    fn new(library: &Path, program: &'p Program, width: u32) -> Result<Self, LockstepError> {
        let dut = Dut::load(library, program, width)?;
        let probes = probe::probes(&dut, program)?;
        Ok(Self { program, width, dut, probes, ticks: 0 })
    }

    fn play_all(&mut self, seed: u64) -> Outcome {
        let payloads = |pass: u64| Payloads { width: self.width, seed: seed.wrapping_mul(3).wrapping_add(pass) };
        let passes = [payloads(0), payloads(1), payloads(2), payloads(3)];
        let end = self.program.ticks;
        self.dut.tick(true, false);
        self.dut.tick(true, false);
        self.play(Pass::First, passes[0], end)?;
        // with run still high nothing moves any more
        self.dut.tick(false, true);
        self.expect_silence(Pass::First)?;
        self.dut.tick(false, true);
        self.expect_silence(Pass::First)?;
        self.dut.tick(false, false);
        self.expect_silence(Pass::First)?;
        self.play(Pass::Restart, passes[1], end)?;
        self.dut.tick(false, false);
        self.play(Pass::Restart, passes[2], end.div_ceil(2))?;
        self.dut.tick(true, true);
        self.expect_silence(Pass::AfterReset)?;
        self.play(Pass::AfterReset, passes[3], end)?;
        Ok(Agreement { ticks: self.ticks, registers: self.probes.len() })
    }

    /// Plays the program up to `end`, comparing every register after every tick.
    fn play(&mut self, pass: Pass, payloads: Payloads, end: u32) -> Result<(), Box<Difference>> {
        let mut machine = Machine::new(self.program);
        let words = dut::Words::of(payloads, self.program);
        for tick in 1..=end {
            if tick == 1 || self.program.flits > 1 {
                self.dut.present(&words);
            }
            self.dut.tick(false, true);
            machine.step();
            self.ticks += 1;
            let wrong = self.probes.iter().position(|probe| {
                let expected = machine.register(probe.register);
                !self.dut.holds(probe, expected.map(|flit| words.get(flit)))
            });
            if let Some(index) = wrong {
                let expected = machine.register(self.probes[index].register).map(|flit| payloads.hex(flit));
                return Err(self.difference(pass, tick, index, expected));
            }
        }
        Ok(())
    }

    /// After a stop or a reset no register is valid.
    fn expect_silence(&self, pass: Pass) -> Result<(), Box<Difference>> {
        match self.probes.iter().position(|probe| !self.dut.holds(probe, None)) {
            Some(index) => Err(self.difference(pass, 0, index, None)),
            None => Ok(()),
        }
    }

    #[allow(clippy::unnecessary_box_returns)] // the error of `Outcome`
    fn difference(&self, pass: Pass, tick: u32, index: usize, expected: Option<String>) -> Box<Difference> {
        let probe = &self.probes[index];
        let ports = self.program.topology.ports();
        let node = NodeId((probe.register / ports) as u32);
        Box::new(Difference {
            pass,
            tick,
            node: self.program.topology.coords(node),
            port: Port::from_index(probe.register % ports),
            class: self.program.class_name(self.program.class_of[node.index()]),
            expected,
            got: self.dut.read(probe),
        })
    }
}
