//! The rules of a class in the papers' words, for the comments of the emitted files.

use super::course::{Clock, Course, Courses};
use super::names;
use crate::net::Port;
use crate::program::Source;

/// Lines of a comment stay within this many columns, its `// ` included.
const COLUMNS: usize = 96;

/// Changes of source a comment spells out; program.txt has the rest.
const SPELLED: usize = 6;

/// Breaks text into lines that fit a comment.
pub fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("one line at least");
        if !line.is_empty() && 3 + line.len() + 1 + word.len() > COLUMNS {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// `1 node`, `2 nodes`.
pub fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Text as a sentence of its own.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Joins names as a sentence does: `T`, `T and R`, `T, R and B`.
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The rule of a class in short: `T <-> R, B <-> L` if every output repeats the input whose output repeats its own,
/// else the outputs it drives.
pub fn headline(courses: &Courses, axes: usize) -> String {
    pairs(courses, axes).map_or_else(
        || {
            let ports: Vec<String> = courses.outputs.iter().map(|(port, _)| names::label(axes, *port)).collect();
            format!("drives {}", list(&ports))
        },
        |pairs| pairs.join(", "),
    )
}

/// What the headline leaves open.
pub fn details(courses: &Courses, axes: usize) -> Vec<String> {
    if pairs(courses, axes).is_none() {
        let lines = courses.outputs.iter();
        return lines.map(|(port, course)| format!("{}: {}", names::label(axes, *port), rule(course, axes))).collect();
    }
    let repeats = match courses.flits {
        1 => "it repeats one input".to_owned(),
        flits => format!("it repeats one input {} late, once a packet is in", count(u64::from(flits - 1), "tick")),
    };
    if !courses.uses_first() {
        return vec![format!("For each output, {repeats}.")];
    }
    let begin = match courses.flits {
        1 => "In the first tick".to_owned(),
        flits => format!("In the first {flits} ticks"),
    };
    let all = courses.outputs.iter().all(|(_, course)| course.clock == Clock::First);
    let which = if all { "each output" } else { "an output that injects" };
    vec![format!("{begin} {which} sends one of the node's own packets; after that {repeats}.")]
}

fn pairs(courses: &Courses, axes: usize) -> Option<Vec<String>> {
    let mut pairs = Vec::new();
    for (output, course) in &courses.outputs {
        let input = repeated(course, courses.flits)?;
        if courses.output(input).and_then(|back| repeated(back, courses.flits)) != Some(*output) {
            return None;
        }
        if *output < input {
            pairs.push(format!("{} <-> {}", names::label(axes, *output), names::label(axes, input)));
        }
    }
    Some(pairs)
}

/// The input an output repeats at once and for ever after it has injected, if that is all it does.
fn repeated(course: &Course, flits: u32) -> Option<Port> {
    let source = match (course.clock, course.legs.as_slice()) {
        (Clock::Steady, [leg]) => leg.source,
        (Clock::First, [own, leg]) if matches!(own.source, Source::Own { .. }) => leg.source,
        _ => return None,
    };
    match source {
        Source::In { port, age } if age == flits => Some(port),
        _ => None,
    }
}

/// The comment above an output's assignments; an output with many legs shows them itself.
pub fn brief(port: Port, course: &Course, axes: usize, flits: u32) -> String {
    let label = names::label(axes, port);
    match repeated(course, flits) {
        Some(input) => format!("{label} repeats {}", names::label(axes, input)),
        None if course.legs.len() > 2 => label,
        None => format!("{label}: {}", rule(course, axes)),
    }
}

/// A course in words: `own 0, then R`, `own 0, from tick 2 on R, from tick 11 on R 1 tick late`.
pub fn rule(course: &Course, axes: usize) -> String {
    let mut text = String::new();
    let mut played = 0;
    for (index, leg) in course.legs.iter().enumerate() {
        if index == SPELLED {
            return format!("{text}, and so on ({} changes; see program.txt)", course.legs.len() - 1);
        }
        let when = match (index, course.clock) {
            (0, _) => String::new(),
            (_, Clock::First) => ", then ".to_owned(),
            _ => format!(", from tick {} on ", played + 1),
        };
        text += &when;
        text += &leg.source.describe(axes);
        played = leg.until.unwrap_or(played);
    }
    match course.clock {
        Clock::Round { start, last } => format!("{text}; ticks {} to {} over and over", start + 1, last + 1),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words() {
        let text = "word ".repeat(50);
        let lines = wrap(&text);
        assert!(lines.iter().all(|line| line.len() + 3 <= COLUMNS));
        assert_eq!(lines.join(" "), text.trim());
    }
}
