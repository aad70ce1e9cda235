//! The rules of a class in the papers' words, for the comments of the emitted files.

use crate::net::Channel;
use crate::netlist::{Course, LoadedValue, Output, Own, Router, SourceLeg};
use crate::program::{Source, count, joined};

/// Changes of source a comment spells out; program.txt has the rest.
const SPELLED: usize = 6;

/// The rule of a class in short: `T <-> R, B <-> L` if every output repeats the input whose output repeats its own,
/// else the outputs it drives.
pub fn headline(router: &Router, axes: usize) -> String {
    if router.is_configured() {
        return "any input to any output, as its node is configured".to_owned();
    }
    rule_of_class(router, axes)
}

/// Rule of a class, whether its routers are fixed or configured.
pub fn rule_of_class(router: &Router, axes: usize) -> String {
    let drives = || {
        let ports: Vec<String> = router.outputs.iter().map(|output| output.channel.label(axes)).collect();
        format!("drives {}", joined(&ports, "and"))
    };
    pairs(router, axes).map_or_else(drives, |pairs| pairs.join(", "))
}

/// Comment for a router whose control word has duplicated bits.
pub const APART: &str = "Control bits are duplicated per output to limit fan-out.";

/// Comment for a router that is configured per node.
const CONFIGURED: &str = "The control word says when each output sends an own packet and when it forwards an input. The configuration \
                          selects the packet and the input.";

/// Details that the headline omits.
pub fn details(router: &Router, axes: usize) -> Vec<String> {
    if router.is_configured() {
        return vec![CONFIGURED.to_owned()];
    }
    if pairs(router, axes).is_none() {
        let line =
            |output: &Output| format!("{}: {}", output.channel.label(axes), rule(&output.course, axes, router.flits));
        return router.outputs.iter().map(line).collect();
    }
    let repeats = match router.flits {
        1 => "it repeats one input".to_owned(),
        flits => format!("it repeats one input {} late, once a packet is in", count(u64::from(flits - 1), "tick")),
    };
    let injects = router.outputs.iter().filter(|output| injection(&output.course, router.flits).is_some()).count();
    if injects == 0 {
        return vec![format!("For each output, {repeats}.")];
    }
    let begin = match router.flits {
        1 => "In the first tick".to_owned(),
        flits => format!("In the first {flits} ticks"),
    };
    let which = if injects == router.outputs.len() { "each output" } else { "an output that injects" };
    vec![format!("{begin} {which} sends one of the node's own packets; after that {repeats}.")]
}

fn pairs(router: &Router, axes: usize) -> Option<Vec<String>> {
    let mut pairs = Vec::new();
    for output in &router.outputs {
        let input = repeated(&output.course, router.flits)?;
        if router.output(input).and_then(|back| repeated(&back.course, router.flits)) != Some(output.channel) {
            return None;
        }
        if output.channel < input {
            pairs.push(format!("{} <-> {}", output.channel.label(axes), input.label(axes)));
        }
    }
    Some(pairs)
}

/// The leg after the injection of one packet in the first ticks, if there is nothing else.
fn injection(course: &Course, flits: u32) -> Option<&SourceLeg> {
    match course.legs.as_slice() {
        [own, leg]
            if matches!(own.source, Source::Own { .. }) && own.until == Some(flits) && course.round.is_none() =>
        {
            Some(leg)
        }
        _ => None,
    }
}

/// The input an output repeats at once and for ever, perhaps after it has injected, if that is all it does.
fn repeated(course: &Course, flits: u32) -> Option<Channel> {
    let leg = match course.legs.as_slice() {
        [leg] => leg,
        _ => injection(course, flits)?,
    };
    match leg.source {
        Source::In { port, lane, age } if age == flits => Some(Channel { port, lane }),
        _ => None,
    }
}

/// The comment above an output's assignments; an output with many legs shows them itself.
pub fn brief(output: &Output, axes: usize, flits: u32) -> String {
    let label = output.channel.label(axes);
    if output.drive.choices().next().is_some() {
        return label;
    }
    match repeated(&output.course, flits) {
        Some(input) => format!("{label} repeats {}", input.label(axes)),
        None if output.course.legs.is_empty() || output.course.legs.len() > 2 => label,
        None => format!("{label}: {}", rule(&output.course, axes, flits)),
    }
}

/// A course in words: `own 0, then R`, `own 0, from tick 2 on R, from tick 11 on R 1 tick late`.
fn rule(course: &Course, axes: usize, flits: u32) -> String {
    let mut text = String::new();
    let mut played = 0;
    for (index, leg) in course.legs.iter().enumerate() {
        if index == SPELLED {
            return format!("{text}, and so on ({} changes; see program.txt)", course.legs.len() - 1);
        }
        let when = match index {
            0 => String::new(),
            _ if injection(course, flits).is_some() => ", then ".to_owned(),
            _ => format!(", from tick {} on ", played + 1),
        };
        text += &when;
        text += &leg.source.describe(axes);
        played = leg.until.unwrap_or(played);
    }
    match course.round {
        Some(round) => format!("{text}; ticks {} to {} over and over", round.start + 1, round.last),
        None => text,
    }
}

/// A value in words: `own 0`, `R 3 ticks late`, `store of R`.
pub fn describe(value: LoadedValue, axes: usize) -> String {
    match value {
        LoadedValue::Store { input } => format!("store of {}", input.label(axes)),
        LoadedValue::Early => "the prefetched value".to_owned(),
        LoadedValue::Packet => "the configured packet".to_owned(),
        LoadedValue::Route => "the configured input".to_owned(),
        LoadedValue::Own(Own { packet, through }) => Source::Own { packet, through }.describe(axes),
        LoadedValue::Wire { input: Channel { port, lane } } => Source::In { port, lane, age: 1 }.describe(axes),
        LoadedValue::Any { ports } => Source::Any { ports }.describe(axes),
        LoadedValue::Line { input: Channel { port, lane }, age }
        | LoadedValue::Ring { input: Channel { port, lane }, age } => Source::In { port, lane, age }.describe(axes),
    }
}
