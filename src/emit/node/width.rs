//! Bits of a word in declarations: a number, or a parameter.

use askama::Template;

/// Bits of a word in declarations.
#[derive(Clone, Copy, Debug)]
pub struct WordWidth {
    /// Number of bits.
    pub bits: u32,
    /// True if modules have it as the parameter `WIDTH`.
    pub is_parameter: bool,
}

#[derive(Template)]
#[template(path = "listed/range.v", escape = "none")]
struct WordRange {
    bits: u32,
    is_parameter: bool,
    more: u32,
    words: u32,
}

#[derive(Template)]
#[template(path = "listed/slice.v", escape = "none")]
struct WordPart {
    bits: u32,
    is_parameter: bool,
    word: u32,
}

#[derive(Template)]
#[template(path = "listed/zeros.v", escape = "none")]
struct ZeroWord {
    bits: u32,
    is_parameter: bool,
}

fn text(part: &impl Template) -> String {
    part.render().expect("a string takes all text")
}

impl WordWidth {
    /// Range of words side by side.
    pub fn vector(self, words: u32) -> String {
        self.vector_beside(0, words)
    }

    /// Range of words side by side, above which there are some bits more.
    pub fn vector_beside(self, more: u32, words: u32) -> String {
        let Self { bits, is_parameter } = self;
        text(&WordRange { bits, is_parameter, more, words })
    }

    /// Bits of one of the words side by side.
    pub fn slice(self, word: u32) -> String {
        let Self { bits, is_parameter } = self;
        text(&WordPart { bits, is_parameter, word })
    }

    /// Word of zeros.
    pub fn zeros(self) -> String {
        let Self { bits, is_parameter } = self;
        text(&ZeroWord { bits, is_parameter })
    }
}
