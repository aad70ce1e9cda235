//! Lines of Verilog that became too long, with long names or many axes, are broken where a person would.

use std::io::{self, Write};

/// Line length that linters accept and people read without scrolling.
const MOST_LETTERS: usize = 100;

/// Passes text on, with lines of code that are too long broken at spaces; comments stay, for commands in them are copied.
pub(in crate::emit) struct LineBreaker<W: Write> {
    out: W,
    /// the beginning of a line whose end has not come yet
    begun: Vec<u8>,
}

impl<W: Write> LineBreaker<W> {
    pub fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for LineBreaker<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.begun.extend(text);
        let Some(last) = self.begun.iter().rposition(|&letter| letter == b'\n') else { return Ok(text.len()) };
        let whole = &self.begun[..=last];
        if whole.split(|&letter| letter == b'\n').all(|line| line.len() <= MOST_LETTERS) {
            self.out.write_all(whole)?;
        } else {
            let mut broken = Vec::with_capacity(whole.len());
            whole.split_inclusive(|&letter| letter == b'\n').for_each(|line| fold(line, &mut broken));
            self.out.write_all(&broken)?;
        }
        self.begun.drain(..=last);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.begun))?;
        self.out.flush()
    }
}

/// Adds a line, broken where it is too long. Ports stand below ports, and what goes on with a statement stands in.
fn fold(line: &[u8], broken: &mut Vec<u8>) {
    let indent = indent_of(line);
    let mut rest = line.to_vec();
    while rest.trim_ascii_end().len() > MOST_LETTERS {
        let Some(at) = place(&rest) else { break };
        let (begun, text) = (&rest[..at], &rest[at + 1..]);
        let deeper = if text.starts_with(b".") { indent } else { indent + 4 };
        broken.extend([begun, b"\n"].concat());
        rest = [&vec![b' '; deeper], text].concat();
    }
    broken.extend(rest);
}

fn indent_of(line: &[u8]) -> usize {
    line.iter().take_while(|&&letter| letter == b' ').count()
}

/// The space to break a line at: the last one before what begins something, else the last one, else the first one that is too
/// late. None of a string or a comment.
fn place(line: &[u8]) -> Option<usize> {
    let (mut is_string, mut spaces) = (false, Vec::new());
    for at in indent_of(line)..line.len() {
        match line[at] {
            b'"' => is_string = !is_string,
            b'/' if !is_string && line[at..].starts_with(b"//") => break,
            b' ' if !is_string => spaces.push(at),
            _ => {}
        }
    }
    let begins = |&&at: &&usize| matches!(line.get(at + 1), Some(b'.' | b'&' | b'|' | b'^' | b'?' | b':'));
    let (early, late): (Vec<usize>, Vec<usize>) = spaces.into_iter().partition(|&at| at <= MOST_LETTERS);
    early.iter().rev().find(begins).or_else(|| early.last()).or_else(|| late.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written in pieces, so that lines begin in one and end in another.
    fn written(text: &str) -> String {
        let mut out = Vec::new();
        let mut lines = LineBreaker::new(&mut out);
        text.as_bytes().chunks(7).for_each(|piece| lines.write_all(piece).unwrap());
        lines.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_that_fit_are_unchanged() {
        let fits = "x".repeat(MOST_LETTERS);
        let text = format!("{fits}\n\n    a b\n{fits}\nthe last one has no end");
        assert_eq!(written(&text), text);
    }

    #[test]
    fn a_line_is_broken_where_something_begins() {
        let [a, b, c] = ["a", "b", "c"].map(|letter| letter.repeat(38));
        for (line, broken) in [
            (format!("    .in({a}), .out({b}), .on({c}),"), format!("    .in({a}), .out({b}),\n    .on({c}),")),
            (format!("  {a} & ({b} ? {c} : d)"), format!("  {a} & ({b}\n      ? {c} : d)")),
            (format!("  {a}{b} #(.N({c})) one ("), format!("  {a}{b}\n      #(.N({c})) one (")),
            (format!("  {a}{b}{c} one ("), format!("  {a}{b}{c}\n      one (")),
            (format!("  // {a} {b} : {c}"), format!("  // {a} {b} : {c}")),
        ] {
            assert_eq!(written(&format!("{line}\n")), format!("{broken}\n"));
        }
    }

    #[test]
    fn a_long_line_is_broken_more_than_once() {
        let line = format!("    {}\n", vec!["y".repeat(30); 9].join(" | "));
        let broken = written(&line);
        assert!(broken.lines().all(|line| line.len() <= MOST_LETTERS), "{broken}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&broken), words(&line));
    }

    #[test]
    fn no_string_is_broken_and_no_comment() {
        let (string, path) = ("a ".repeat(60), "p".repeat(90));
        for (line, broken) in [
            (format!("say(\"{string}\")"), format!("say(\"{string}\")")),
            (format!("    read(\"{path} x\", all)"), format!("    read(\"{path} x\",\n        all)")),
            (format!("  a; // {path} \"b c"), format!("  a;\n      // {path} \"b c")),
        ] {
            assert_eq!(written(&format!("{line}\n")), format!("{broken}\n"));
        }
    }
}
