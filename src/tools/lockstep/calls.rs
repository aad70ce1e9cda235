//! Lockstep of a design with several programs: calls in random order, with random roots and words, beside the model.
//!
//! Routers of such a design have no valid bits. A register is compared after every tick in which the model has a value for it.

mod arrays;
mod bench;
mod events;
mod ports;
mod ring;
mod traffic;

use std::path::PathBuf;

use super::build::{self, Recipe};
use super::dut::DutWires;
use super::{LockstepError, RegisterDifference, Toolchain, edited};
use crate::emit::node::ListDesign;
use crate::net::splitmix::Splitmix;
use crate::net::{NodeId, Topology};
use crate::netlist::listed::{PlacedProgram, TogetherPart};
use crate::program::Program;
use crate::tools::ScratchFolder;
use bench::CallLockstep;
use ports::{CallDevice, CallPorts};

/// Statistics of calls in which everything was equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAgreement {
    /// Calls of each program.
    pub calls: Vec<u32>,
    /// Ticks compared, over all calls.
    pub ticks: u64,
    /// Registers of all outputs and arrivals at all inputs, which are compared where they have a value.
    pub registers: usize,
    /// Values compared in them, over all ticks.
    pub values: u64,
    /// Words compared that nodes gave.
    pub words: u64,
}

/// Call of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    number: u32,
    program: usize,
    root: u32,
}

/// Call of a number of a list: of a program, or of several at once.
struct CallProgram<'p> {
    parts: Vec<CallPart<'p>>,
    /// Ticks of a run.
    ticks: u32,
}

/// Program of a list, with its place in the design, and in a call.
struct CallPart<'p> {
    program: &'p Program,
    placed: PlacedProgram,
    /// Ticks after which it begins.
    after: u32,
    /// Root of the program, if that is not the call's.
    root: Option<NodeId>,
}

impl<'p> CallProgram<'p> {
    /// Everything that the numbers of a design call.
    fn all(design: &ListDesign<'_>, programs: &[&'p Program]) -> Vec<Self> {
        let of_number = |(number, placed): (u32, &PlacedProgram)| {
            let parts = design.netlist.parts(number);
            let is_alone = parts.len() == 1;
            let part = |part: &TogetherPart| {
                let program = programs[part.program as usize];
                let of_program = design.schedules[part.program as usize].roots.first().copied();
                let root = of_program.or_else(|| program.topology.live_ids().next());
                let placed = design.netlist.programs[part.program as usize].clone();
                CallPart { program, placed, after: part.after, root: root.filter(|_| !is_alone) }
            };
            Self { parts: parts.iter().map(part).collect(), ticks: placed.ticks }
        };
        (0..).zip(&design.netlist.programs).map(of_number).collect()
    }

    fn topology(&self) -> &'p Topology {
        &self.parts[0].program.topology
    }
}

/// Clock of a design that plays calls, after its edge.
pub struct SeenCall<'s> {
    wires: &'s DutWires,
    ports: &'s CallPorts,
}

impl SeenCall<'_> {
    /// Values of the sequencer and of all links in 64-bit words, in the order of [`crate::emit::vcd::call_scopes`].
    pub fn values(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let of_device = |device: &CallDevice| {
            let links = device.nodes.iter().flat_map(|node| node.outputs.iter().chain(&node.inputs));
            device.sequencer.iter().chain([&device.played]).chain(links).copied().collect::<Vec<usize>>()
        };
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let all = self.ports.devices.iter().flat_map(of_device);
        all.map(move |index| self.wires.get(index).chunks(8).map(word).collect())
    }
}

/// Callback that sees every clock of calls.
pub type CallWatch<'w> = &'w mut dyn FnMut(&SeenCall<'_>);

/// Simulator of a design with several programs: built once, played as often as asked.
pub struct CallSimulator<'p> {
    listed: Vec<CallProgram<'p>>,
    width: u32,
    ports: CallPorts,
    object: PathBuf,
    /// keeps the object
    _folder: ScratchFolder,
}

/// Calls above which the simulator is compiled with optimisation, by registers and ticks.
const OPTIMISE_ABOVE: u64 = 20_000;

impl<'p> CallSimulator<'p> {
    /// Builds it; the programs are those of the design, in its order.
    pub fn build(
        tools: &Toolchain,
        design: &ListDesign<'_>,
        programs: impl IntoIterator<Item = &'p Program>,
    ) -> Result<Self, LockstepError> {
        Self::of(tools, design, programs, rtl(design)?)
    }

    /// Builds it from RTL that was edited: paths and texts of all RTL files.
    pub fn build_edited(
        tools: &Toolchain,
        design: &ListDesign<'_>,
        programs: impl IntoIterator<Item = &'p Program>,
        files: Vec<(String, String)>,
    ) -> Result<Self, LockstepError> {
        Self::of(tools, design, programs, edited::checked(&rtl(design)?, files)?)
    }

    fn of(
        tools: &Toolchain,
        design: &ListDesign<'_>,
        programs: impl IntoIterator<Item = &'p Program>,
        files: Vec<(String, String)>,
    ) -> Result<Self, LockstepError> {
        let folder = ScratchFolder::new()?;
        let ports = CallPorts::of(design);
        let programs: Vec<&Program> = programs.into_iter().collect();
        let listed = CallProgram::all(design, &programs);
        let is_long = programs.iter().map(|program| program.link_ticks()).sum::<u64>() > OPTIMISE_ABOVE;
        let recipe = Recipe::of_calls(&design.with_all_nodes(), &ports.lines(), ports::public(design), files, is_long);
        let object = recipe.simulator(tools, folder.path())?;
        Ok(Self { listed, width: design.width, ports, object, _folder: folder })
    }

    /// Plays calls of these programs in random order, each once before any comes twice, from a reset on.
    pub fn play(
        &self,
        programs: &[usize],
        calls: u32,
        seed: u64,
    ) -> Result<Result<CallAgreement, Box<RegisterDifference>>, LockstepError> {
        self.play_watched(programs, calls, seed, &mut |_| {})
    }

    /// Plays them, and shows every clock to `watch`.
    pub fn play_watched(
        &self,
        programs: &[usize],
        calls: u32,
        seed: u64,
        watch: CallWatch<'_>,
    ) -> Result<Result<CallAgreement, Box<RegisterDifference>>, LockstepError> {
        let wires = DutWires::load(&self.object, &self.ports.bytes, &self.ports.probes)?;
        Ok(CallLockstep::new(self, wires, seed, watch).play(&self.calls(programs, calls, seed)))
    }

    fn calls(&self, programs: &[usize], calls: u32, seed: u64) -> Vec<Call> {
        let nodes = self.listed[0].topology().live_nodes();
        let mut random = Splitmix(seed);
        let mut first = programs.to_vec();
        random.shuffle(&mut first);
        let call = |number: u32| {
            let program = first.get(number as usize).copied();
            let program = program.unwrap_or_else(|| programs[random.below(programs.len() as u32) as usize]);
            Call { number, program, root: random.below(nodes) }
        };
        (0..calls).map(call).collect()
    }
}

/// RTL of a design, with all boards if it has some: paths and texts.
fn rtl(design: &ListDesign<'_>) -> std::io::Result<Vec<(String, String)>> {
    let files = build::collected(|files| design.write_with_all_nodes(files))?;
    // all lie in one folder
    let name = |path: String| path.rsplit('/').next().map_or_else(String::new, str::to_owned);
    Ok(files.into_iter().map(|(path, text)| (name(path), text)).collect())
}
