//! Mutants that may live, each below the reason why: `reasons.txt`.

use std::collections::BTreeSet;

use crate::list::{Genre, Mutant};

/// Text that identifies a mutant when other lines come and go.
pub fn told(mutant: &Mutant, text: &str) -> String {
    let function = mutant.function.as_ref().map_or("", |function| function.function_name.as_str());
    let line = text.lines().nth(mutant.span.start.line - 1).unwrap_or_default();
    let was = || {
        let last = if mutant.span.end.line == mutant.span.start.line { mutant.span.end.column - 1 } else { usize::MAX };
        line.chars().take(last).skip(mutant.span.start.column - 1).collect::<String>()
    };
    let change = match mutant.genre {
        Genre::FnValue => format!("body -> {}", mutant.replacement),
        Genre::MatchArm => "arm -> gone".to_owned(),
        Genre::MatchArmGuard => format!("guard -> {}", mutant.replacement),
        Genre::UnaryOperator => format!("{} -> gone", was()),
        Genre::BinaryOperator => format!("{} -> {}", was(), mutant.replacement),
    };
    format!("{} {function}: {change} | {}", mutant.file, line.trim())
}

/// Mutants that may survive; a line with `#` gives the reason.
pub fn read(text: &str) -> BTreeSet<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const REASONS: &str = include_str!("reasons.txt");

    #[test]
    fn every_reason_is_of_lines_that_stand_in_their_files() {
        assert!(REASONS.starts_with('#'));
        for told in read(REASONS) {
            let (file, function) = told.split_once(' ').unwrap();
            let (_, line) = told.split_once(" -> ").and_then(|(_, change)| change.split_once(" | ")).unwrap();
            let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            assert!(text.lines().any(|other| other.trim() == line), "{told}");
            // types are named as their files name them
            let (function, _) = function.split_once(": ").unwrap();
            if let Some((of, name)) = function.rsplit_once("::") {
                let of = of.strip_prefix('<').and_then(|of| of.strip_suffix('>')).unwrap_or(of);
                assert!(text.lines().any(|other| other.starts_with("impl") && other.contains(of)), "{told}");
                assert!(text.contains(&format!("fn {name}")), "{told}");
            }
        }
    }
}
