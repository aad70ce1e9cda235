//! Comparison of Verilog files apart from names and the opening comment, which has sizes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::classes::{ClassDifference, ClassSide};
use super::{Choices, DiffSubject};
use crate::emit::{MemoryFiles, names, write_rtl};
use crate::program::Program;

/// A file of either design, or of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileDifference {
    /// Path in the first design.
    pub from: Option<String>,
    /// Path in the second design.
    pub to: Option<String>,
    /// True if both are byte-identical but for names and the opening comment.
    pub equal: bool,
}

/// Compares the Verilog files for [`super::diff`].
pub fn compare(from: &DiffSubject, to: &DiffSubject, classes: &[ClassDifference]) -> Vec<FileDifference> {
    let (Some(before), Some(after)) = (&from.choices, &to.choices) else { return Vec::new() };
    let (one, other) = (DiffRtl::new(from.program, before), DiffRtl::new(to.program, after));
    let router = |class: &ClassDifference| {
        let from = class.from.as_ref().and_then(|side| one.router(side));
        let to = class.to.as_ref().and_then(|side| other.router(side));
        file(&one, from, &other, to)
    };
    let fabric = file(&one, Some(one.name().to_owned()), &other, Some(other.name().to_owned()));
    classes.iter().filter_map(router).chain(fabric).collect()
}

/// A module on both sides or on one; none if it is on neither, as the router of a class that sends nothing.
fn file(one: &DiffRtl, from: Option<String>, other: &DiffRtl, to: Option<String>) -> Option<FileDifference> {
    if from.is_none() && to.is_none() {
        return None;
    }
    let bodies = (from.as_ref().map(|module| one.body(module)), to.as_ref().map(|module| other.body(module)));
    let path = |module: Option<String>| module.map(|module| format!("{module}.v"));
    Some(FileDifference { equal: bodies.0 == bodies.1, from: path(from), to: path(to) })
}

/// The modules of one design.
struct DiffRtl<'a> {
    program: &'a Program,
    files: Cow<'a, BTreeMap<String, Vec<u8>>>,
}

impl<'a> DiffRtl<'a> {
    fn new(program: &'a Program, choices: &'a Choices<'a>) -> Self {
        let written = || {
            let mut files = MemoryFiles::default();
            write_rtl(program, &choices.options, &mut files).expect("memory takes all files");
            Cow::Owned(files.0)
        };
        Self { program, files: choices.found.map_or_else(written, |found| Cow::Borrowed(&found.0)) }
    }

    fn name(&self) -> &str {
        &self.program.title.name
    }

    /// The module of a class, if it sends anything.
    fn router(&self, side: &ClassSide) -> Option<String> {
        let module = names::router(self.program, side.id);
        self.files.contains_key(&format!("{module}.v")).then_some(module)
    }

    /// A module's text without the comment that opens it and without its own name.
    fn body(&self, module: &str) -> String {
        let text = String::from_utf8_lossy(&self.files[&format!("{module}.v")]);
        let body: String = text.split_inclusive('\n').skip_while(|line| line.starts_with("//")).collect();
        body.replace(module, "")
    }
}
