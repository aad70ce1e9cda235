//! Verdict on programs that are played at once: whether the model finds a link that two of them want.

use std::fmt;

use serde::Serialize;

use crate::design::Design;
use crate::netlist::listed::{Together, TogetherPart};
use crate::play::{self, Meeting};
use crate::program::{Program, count, joined, port_name};

/// Verdict on programs of a list that are played at once.
#[derive(Debug, Serialize)]
pub struct TogetherVerdict {
    name: String,
    /// Number by which they are called.
    pub number: u32,
    programs: Vec<TogetherPart>,
    /// Ticks until all of them are over.
    ticks: u32,
    pub passed: bool,
    /// Place where two of them want a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    meeting: Option<String>,
}

impl TogetherVerdict {
    /// Plays programs at once by the model; `designs` are all of the list.
    pub fn of(name: &str, together: &Together, designs: &[Design]) -> Self {
        let program = |part: &TogetherPart| (&designs[part.program as usize].program, part.after);
        let programs: Vec<(&Program, u32)> = together.programs.iter().map(program).collect();
        let meeting = play::meeting(&programs);
        Self {
            name: name.to_owned(),
            number: together.number,
            programs: together.programs.clone(),
            ticks: programs.iter().map(|(program, after)| program.ticks + after).max().unwrap_or(0),
            passed: meeting.is_none(),
            meeting: meeting.map(|meeting| place(programs[0].0, meeting)),
        }
    }
}

fn place(program: &Program, Meeting { tick, register }: Meeting) -> String {
    let (node, output) = program.owner(register);
    let port = port_name(program.topology.axes(), output.port);
    format!("tick {tick}, node {}, port {port}", program.topology.show(node))
}

impl fmt::Display for TogetherVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, number, programs, ticks, passed, meeting } = self;
        let of_part = |part: &TogetherPart| match part.after {
            0 => part.program.to_string(),
            after => format!("{} after {}", part.program, count(after.into(), "tick")),
        };
        let parts: Vec<String> = programs.iter().map(of_part).collect();
        let verdict = if *passed { "correct" } else { "WRONG" };
        writeln!(f, "{name} program {number}: programs {} at once, {verdict}", joined(&parts, "and"))?;
        writeln!(f, "  ticks       {ticks}")?;
        let links =
            meeting.as_ref().map_or_else(|| "none is wanted by two".to_owned(), |at| format!("WANTED BY TWO: {at}"));
        writeln!(f, "  links       {links}")
    }
}
