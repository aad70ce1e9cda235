//! Assertions about the buffer between the clock of a cable and that of its board, proved by induction.

use askama::Template;

use crate::emit::boards::crossing::{self, CrossingFacts, CrossingModule};
use crate::emit::formal::rendered;

/// Largest address that is proved: more bits of a pointer are the same text, and a longer wait for the solver.
const MOST_ADDRESS: u32 = 4;
/// Steps of two clocks in which items have passed a buffer with a fault.
pub const STEPS: u32 = 28;

/// Change of the Verilog that a proof must notice.
pub type Fault = fn(&str) -> String;

/// A question for the solver in yosys: its script fails if an assertion does.
#[derive(Clone, Debug)]
pub struct Induction {
    /// Claim that is proved.
    pub claim: &'static str,
    /// Module with the assertions, in `SystemVerilog`; its file has its name and ends in `.sv`.
    pub module: String,
    /// Contents of that file.
    pub text: String,
    /// Modules that are asked about, and their Verilog; a file has the name of its module and ends in `.v`.
    pub rtl: Vec<(String, String)>,
    /// Script for yosys, which solves.
    pub script: String,
    /// Number of steps, if not all are covered.
    pub steps: Option<u32>,
}

/// Supposition about what writes into the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Order,
    Credits,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Credits => "room",
        }
    }
}

#[derive(Template)]
#[template(path = "formal/crossing.sv", escape = "none")]
struct CrossingAssertions {
    module: String,
    crossing: String,
    mode: Mode,
    address: u32,
    room: u32,
    tokens: u32,
    is_checked: bool,
}

#[derive(Template)]
#[template(path = "formal/crossing.ys", escape = "none")]
struct CrossingScript {
    module: String,
    crossing: String,
    sync: String,
    room: u32,
    steps: Option<u32>,
}

#[derive(Template)]
#[template(path = "formal/sync.v", escape = "none")]
struct Sync {
    module: String,
}

impl CrossingAssertions {
    fn places(&self) -> std::ops::Range<u32> {
        0..self.room
    }
}

impl CrossingScript {
    fn places(&self) -> std::ops::Range<u32> {
        0..self.room
    }
}

/// The questions about the buffer between two clocks.
pub fn questions(facts: &CrossingFacts, fault: Option<Fault>) -> Vec<Induction> {
    let of = facts.module("crossing");
    let address = facts.address().min(MOST_ADDRESS);
    let room = 1 << address;
    // as many as the buffer is for, but for those that have left unseen
    let tokens = facts.items().min(u64::from(room) - crossing::UNSEEN) as u32;
    let rtl = rendered(&CrossingModule::new(facts));
    let rtl = fault.map_or_else(|| rtl.clone(), |fault| fault(&rtl));
    let question = |(claim, mode): (&'static str, Mode)| {
        let steps = fault.is_some().then_some(STEPS);
        let module = format!("{of}_{}", mode.name());
        let sync = rendered(&Sync { module: facts.module("sync") });
        let assertions = CrossingAssertions {
            module: module.clone(),
            crossing: of.clone(),
            mode,
            address,
            room,
            tokens,
            is_checked: facts.is_checked(),
        };
        Induction {
            claim,
            text: rendered(&assertions),
            script: rendered(&CrossingScript { module: module.clone(), crossing: of.clone(), sync, room, steps }),
            module,
            rtl: vec![(of.clone(), rtl.clone())],
            steps,
        }
    };
    [
        ("every token leaves once in its turn, or is dropped by a reset", Mode::Order),
        ("there is room for every token that may come", Mode::Credits),
    ]
    .map(question)
    .into()
}
