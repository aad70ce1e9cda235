//! Names and texts of others, on a terminal: what would steer it is shown and not obeyed.

use std::fmt;
use std::path::Path;

/// Text whose control characters, line ends among them, are written like `\u{1b}` and `\n`.
pub fn shown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |text, c| push(text, c, false))
}

/// Beginning of an entry that cannot be read.
pub fn shown_beginning(text: &str) -> String {
    const MOST_LETTERS: usize = 24;
    shown(&text.chars().take(MOST_LETTERS).collect::<String>())
}

/// Escapes control characters but keeps line breaks, for whole messages.
pub fn shown_lines(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |text, c| push(text, c, true))
}

fn push(mut text: String, c: char, is_line_end_kept: bool) -> String {
    if steers(c) && !(is_line_end_kept && c == '\n') {
        text.extend(c.escape_default());
    } else {
        text.push(c);
    }
    text
}

/// Returns true if a terminal obeys the character, or shows what follows in another order.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A path with nothing in it that steers a terminal.
pub struct Shown<'p>(pub &'p Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.0.to_string_lossy()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown("a\x1b[31m\nb\r\u{202e}"), "a\\u{1b}[31m\\nb\\r\\u{202e}");
        assert_eq!(shown_lines("é\n\x07ü"), "é\n\\u{7}ü");
        assert_eq!(Shown(Path::new("x\ty")).to_string(), "x\\ty");
    }
}
