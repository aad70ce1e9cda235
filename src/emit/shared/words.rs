//! Text for comments.

/// Lines of a comment stay within this many columns, its `// ` included.
const COLUMNS: usize = 96;

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

/// Breaks paragraphs into lines that fit a comment.
pub fn wrap_all(paragraphs: &[String]) -> Vec<String> {
    paragraphs.iter().flat_map(|paragraph| wrap(paragraph)).collect()
}

/// Text as a sentence of its own.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
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
