//! Words and marks of Verilog, one after the other.

use super::VerilogError;

/// A text without what says nothing of its modules: comments, and what nets are that nobody declares. Lines stay lines.
pub fn without_comments(text: &str) -> String {
    let line = |line: &str| {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        if code.trim_start().starts_with("`default_nettype ") {
            String::from("\n")
        } else {
            format!("{}\n", code.trim_end())
        }
    };
    text.lines().map(line).collect()
}

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct TextCursor<'t> {
    text: &'t str,
    at: usize,
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\'')
}

/// The words of a text: names, keywords and numbers, which begin with a digit.
pub struct WordIter<'t>(pub &'t str);

impl<'t> Iterator for WordIter<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let begin = self.0.bytes().position(is_of_word)?;
        let rest = &self.0[begin..];
        let (word, after) = rest.split_at(rest.bytes().position(|byte| !is_of_word(byte)).unwrap_or(rest.len()));
        self.0 = after;
        Some(word)
    }
}

impl<'t> TextCursor<'t> {
    pub fn new(text: &'t str) -> Self {
        let mut cursor = Self { text, at: 0 };
        cursor.skip_space();
        cursor
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
    }

    /// The word or the mark here; `the end` where there is none.
    pub fn peek(&self) -> &'t str {
        let rest = &self.text[self.at..];
        let word = rest.bytes().position(|byte| !is_of_word(byte)).unwrap_or(rest.len());
        match rest.chars().next() {
            None => "the end",
            Some(first) => &rest[..word.max(first.len_utf8())],
        }
    }

    fn is_over(&self) -> bool {
        self.at == self.text.len()
    }

    fn advance(&mut self) -> &'t str {
        let token = self.peek();
        if !self.is_over() {
            self.at += token.len();
            self.skip_space();
        }
        token
    }

    /// Goes on if this is here.
    pub fn takes(&mut self, token: &str) -> bool {
        self.takes_if(|here| here == token)
    }

    /// Takes the word that closes what another opened.
    pub fn takes_end_of(&mut self, opened: &str) -> bool {
        self.takes_if(|here| here.strip_prefix("end") == Some(opened))
    }

    fn takes_if(&mut self, is_meant: impl Fn(&str) -> bool) -> bool {
        let is_here = !self.is_over() && is_meant(self.peek());
        if is_here {
            self.advance();
        }
        is_here
    }

    pub fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), VerilogError> {
        if self.takes(token) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// A name, which it goes past.
    pub fn word(&mut self) -> Result<&'t str, VerilogError> {
        let is_word = !self.is_over() && self.peek().bytes().all(is_of_word);
        if is_word { Ok(self.advance()) } else { Err(self.expected("a name")) }
    }

    /// `[7:0]`, or nothing if none is here.
    pub fn range(&mut self) -> Result<&'t str, VerilogError> {
        let begin = self.at;
        if self.peek() != "[" {
            return Ok("");
        }
        while self.peek() != "]" {
            if self.is_over() {
                return Err(self.expected("`]`"));
            }
            self.advance();
        }
        self.advance();
        Ok(self.since(begin))
    }

    /// Reads up to the next comma or closing bracket.
    pub fn expression(&mut self) -> Result<&'t str, VerilogError> {
        let (begin, mut depth) = (self.at, 0);
        loop {
            match self.peek() {
                _ if self.is_over() => return Err(self.expected("`)`")),
                "(" | "[" | "{" => depth += 1,
                "," | ")" | "]" | "}" if depth == 0 => return Ok(self.since(begin)),
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// `( one, another )`
    pub fn list<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, VerilogError>) -> Result<Vec<T>, VerilogError> {
        self.expect("(", "`(`")?;
        let mut all = Vec::new();
        loop {
            all.push(one(self)?);
            if !self.takes(",") {
                self.expect(")", "`)`")?;
                return Ok(all);
            }
        }
    }

    /// `(* keep = "yes" *)`
    pub fn skip_attribute(&mut self) -> Result<(), VerilogError> {
        while self.text[self.at..].starts_with("(*") {
            let Some(length) = self.text[self.at..].find("*)") else { return Err(self.expected("`*)`")) };
            self.at += length + 2;
            self.skip_space();
        }
        Ok(())
    }

    pub fn skip_to_semicolon(&mut self) -> Result<(), VerilogError> {
        while self.advance() != ";" {
            if self.is_over() {
                return Err(self.expected("`;`"));
            }
        }
        Ok(())
    }

    /// Skips the one statement of an `always` block, with everything nested in it.
    pub fn skip_process(&mut self) -> Result<(), VerilogError> {
        let mut depth = 0_u32;
        loop {
            if self.is_over() {
                return Err(self.expected("`end`"));
            }
            match self.advance() {
                "begin" | "case" => {
                    depth += 1;
                    continue;
                }
                "end" | "endcase" => depth = depth.saturating_sub(1),
                ";" => {}
                _ => continue,
            }
            if depth == 0 && self.peek() != "else" {
                return Ok(());
            }
        }
    }

    /// Position in the text.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Text between an earlier position and this one.
    pub fn since(&self, begin: usize) -> &'t str {
        self.text[begin..self.at].trim_end()
    }

    fn line(&self) -> usize {
        1 + self.text[..self.at].matches('\n').count()
    }

    pub fn expected(&self, expected: &'static str) -> VerilogError {
        VerilogError::Expected { line: self.line(), expected, found: self.peek().to_owned() }
    }

    pub fn unknown(&self) -> VerilogError {
        VerilogError::Unknown { line: self.line(), what: self.peek().to_owned() }
    }
}
