//! Scope of a lockstep run and its outcome.

use std::fmt;

use crate::net::Channel;

/// Statistics of a run in which everything was equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Ticks compared, over all passes.
    pub ticks: u64,
    /// Registers compared after each tick.
    pub registers: usize,
    /// Modules that were Verilated.
    pub verilated: Verilated,
}

/// Unit of Verilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The fabric with all that is in it, once.
    Fabric,
    /// Each class of routers and each other module once; instances are wired as the fabric's text says.
    Class,
}

impl By {
    /// From so many nodes on each module is Verilated once, if nobody says otherwise: a whole fabric takes a millisecond a
    /// node and more.
    pub const CLASS_FROM: u32 = 256;
    /// Instances per module from which parts pay; designs that differ from node to node are better Verilated as a
    /// whole.
    pub(super) const INSTANCES_A_MODULE: usize = 8;
}

/// Modules that were Verilated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verilated {
    /// The fabric, as a whole.
    Fabric,
    /// Each of so many modules once, and what wires the instances.
    Modules {
        /// Number of modules.
        modules: usize,
        /// Instances of them.
        instances: usize,
    },
}

impl fmt::Display for Verilated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fabric => f.write_str("the fabric was Verilated as a whole"),
            Self::Modules { modules, instances } => write!(
                f,
                "each of {modules} modules was Verilated once; {instances} instances of them are wired as the fabric says"
            ),
        }
    }
}

/// The first register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDifference {
    /// Pass during which it was seen.
    pub pass: LockstepPass,
    /// The tick after which it differs; 0 after the program stopped or was reset.
    pub tick: u32,
    /// The router's node.
    pub node: Vec<u32>,
    /// Place of the value that differs.
    pub place: DifferencePlace,
    /// The node's class.
    pub class: String,
    /// The model's value in hexadecimal, or none if the register must be invalid.
    pub expected: Option<String>,
    /// Value in the RTL.
    pub got: Option<String>,
}

/// Place of a value that differs, at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferencePlace {
    /// Register of an output.
    Output(Channel),
    /// Arrival at an input, at the far end of a link.
    Input(Channel),
    /// Word that the node gives at the end of a call, by its place.
    Word(usize),
    /// Control of all nodes.
    Control,
}

impl fmt::Display for DifferencePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(channel) => write!(f, "output {channel}"),
            Self::Input(channel) => write!(f, "input {channel}"),
            Self::Word(place) => write!(f, "word {place} of those that it gives"),
            Self::Control => f.write_str("control"),
        }
    }
}

/// Pass over the program. Three passes show that nothing stale survives a stop or a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockstepPass {
    /// First pass, from reset.
    First,
    /// Again with other packets, after `run` was low for one cycle.
    Restart,
    /// Again with other packets, after a reset in the middle of the program.
    AfterReset,
    /// One of many calls of several programs.
    Call {
        /// Number of the call, from 0.
        number: u32,
        /// Number of the program.
        program: usize,
        /// Root that the call names.
        root: u32,
    },
}

impl fmt::Display for LockstepPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first pass"),
            Self::Restart => f.write_str("restart"),
            Self::AfterReset => f.write_str("pass after a reset"),
            Self::Call { number, program, root } => write!(f, "call {number} of program {program} with root {root}"),
        }
    }
}

impl fmt::Display for RegisterDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "invalid".to_owned());
        let node: Vec<String> = self.node.iter().map(u32::to_string).collect();
        write!(
            f,
            "{}, tick {}, node {}, {} (class {}): expected {}, got {}",
            self.pass,
            self.tick,
            node.join(","),
            self.place,
            self.class,
            value(&self.expected),
            value(&self.got)
        )
    }
}

/// The outcome of a run: all equal, or the first difference.
pub type LockstepOutcome = Result<Agreement, Box<RegisterDifference>>;
