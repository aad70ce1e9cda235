//! Comments in a rewritten file that say which lines belong to which mutants.

use std::collections::BTreeSet;

/// The mutants to which a line of such a file belongs: those that it names, or the innermost expression around it.
pub fn blamed(text: &str, line: usize) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let own: Vec<usize> = lines.last().into_iter().flat_map(|line| marks(line)).map(|(_, number)| number).collect();
    if !own.is_empty() {
        return own;
    }
    let mut closed = BTreeSet::new();
    for line in lines.iter().rev() {
        let (closes, others): (Vec<_>, Vec<_>) = marks(line).partition(|(mark, _)| *mark == Mark::Closes);
        closed.extend(closes.into_iter().map(|(_, number)| number));
        let open: Vec<usize> = others
            .into_iter()
            .filter(|(mark, number)| *mark == Mark::Opens && !closed.contains(number))
            .map(|(_, number)| number)
            .collect();
        if !open.is_empty() {
            return open;
        }
    }
    Vec::new()
}

/// The mutants that are written in such a file.
pub fn written(text: &str) -> impl Iterator<Item = usize> {
    text.lines().flat_map(marks).map(|(_, number)| number)
}

/// Mark in a comment that ties a line to a mutant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// the expression that it changes begins
    Opens,
    /// mutant is in this line
    Stands,
    /// the expression ends
    Closes,
}

impl Mark {
    pub fn of(self, mutants: &[(usize, String)]) -> String {
        let sign = match self {
            Self::Opens => "(",
            Self::Stands => "",
            Self::Closes => ")",
        };
        mutants
            .iter()
            .flat_map(|(number, _)| ["/*@".to_owned(), sign.to_owned(), number.to_string(), "*/".to_owned()])
            .collect()
    }
}

fn marks(line: &str) -> impl Iterator<Item = (Mark, usize)> {
    line.split("/*@").skip(1).filter_map(|rest| {
        let said = rest.split("*/").next()?;
        let (mark, number) = match said.strip_prefix('(') {
            Some(number) => (Mark::Opens, number),
            None => said.strip_prefix(')').map_or((Mark::Stands, said), |number| (Mark::Closes, number)),
        };
        Some((mark, number.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_expression_is_blamed_or_the_mutant_in_the_line() {
        let text = "a\n/*@(1*/\nb\n/*@(2*/\nc\n/*@2*/\n}/*@)2*/\nd\n/*@)1*/\ne";
        let blamed: Vec<Vec<usize>> = (1..=10).map(|line| blamed(text, line)).collect();
        assert_eq!(blamed, [vec![], vec![1], vec![1], vec![2], vec![2], vec![2], vec![2], vec![1], vec![1], vec![]]);
    }
}
