//! Term of the value that an output must hold.

use askama::Template;

/// Value that an output must hold, of what `both` makes of its operands.
#[derive(Template)]
#[template(path = "formal/term.sv", escape = "none")]
pub enum FormalTerm {
    /// A register of the question.
    Value(String),
    /// Combination of two.
    Both(Box<FormalTerm>, Box<FormalTerm>),
    /// A value that passes a unit alone.
    Alone(Box<FormalTerm>),
}

impl FormalTerm {
    fn both(one: Self, other: Self) -> Self {
        Self::Both(Box::new(one), Box::new(other))
    }

    /// One after the other, for an operation that does not mind.
    pub fn in_a_row(values: Vec<String>) -> Option<Self> {
        values.into_iter().map(Self::Value).reduce(Self::both)
    }

    /// Neighbours pairwise until one is left, as docs/program-format.md says.
    pub fn pairwise(values: Vec<String>) -> Option<Self> {
        let mut terms: Vec<Self> = values.into_iter().map(Self::Value).collect();
        if terms.len() == 1 {
            return terms.pop().map(|alone| Self::Alone(Box::new(alone)));
        }
        while terms.len() > 1 {
            let mut left = terms.into_iter();
            terms = Vec::new();
            while let Some(one) = left.next() {
                terms.push(match left.next() {
                    Some(other) => Self::both(one, other),
                    None => one,
                });
            }
        }
        terms.pop()
    }
}
