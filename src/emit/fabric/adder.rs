//! The module that combines two floats: sizes and registers for `templates/rtl/adder.v` and `templates/rtl/comparer.v`.

use std::io;

use askama::Template;

use crate::emit::shared::output::{FileType, OutputFile};
use crate::emit::shared::words;
use crate::netlist::{AdderSizes, FloatUnit, STAGES};
use crate::program::{Operation, count};

#[derive(Template)]
#[template(path = "rtl/adder.v", escape = "none")]
struct Adder {
    module: String,
    number: &'static str,
    notes: Vec<String>,
    width: u32,
    sizes: AdderSizes,
    flush: bool,
    held: [bool; STAGES],
}

#[derive(Template)]
#[template(path = "rtl/comparer.v", escape = "none")]
struct Comparer {
    module: String,
    number: &'static str,
    notes: Vec<String>,
    width: u32,
    sizes: AdderSizes,
    is_max: bool,
    /// the comparison is held before the choice
    is_held: bool,
    /// registers behind the choice, besides that of the output
    later: u32,
}

#[derive(Template)]
#[template(path = "rtl/stub.v", escape = "none")]
struct Stub {
    module: String,
    notes: Vec<String>,
    width: u32,
    /// registers behind the first
    later: u32,
}

/// The file of the module.
pub fn file<'d>(unit: FloatUnit, module: String, width: u32, generated: String) -> OutputFile<'d> {
    OutputFile::streamed(format!("{module}.v"), FileType::Rtl, move |out| {
        let text = text(unit, &module, width, &generated).map_err(io::Error::other)?;
        writeln!(out, "{text}")
    })
}

/// The text of the module.
pub fn text(unit: FloatUnit, module: &str, width: u32, generated: &str) -> Result<String, askama::Error> {
    let ticks = count(unit.ticks.into(), "clock");
    if unit.operation == Operation::Custom {
        let notes = words::wrap_all(&[format!(
            "y follows a and b after {ticks} in which ce is high. It has no reset. a with 0 gives a; everything else is up to \
                 you: values are combined in the order that docs/program-format.md describes. `torusweave generate` does not \
                 overwrite this file once you have edited it."
        )]);
        return Stub { module: module.to_owned(), notes, width, later: unit.ticks - 1 }.render();
    }
    let sizes = unit.sizes();
    let (number, width) = (unit.number.name(), 1 + sizes.exponent + sizes.fraction);
    let module = module.to_owned();
    if !unit.adds() {
        let notes = words::wrap_all(&[
            format!(
                "y follows a and b after {ticks}. A NaN makes it the one NaN; positive zero is larger than negative zero."
            ),
            generated.to_owned(),
        ]);
        let is_max = unit.operation == Operation::Max;
        let (is_held, later) = (unit.ticks > 1, unit.ticks.saturating_sub(2));
        return Comparer { module, number, notes, width, sizes, is_max, is_held, later }.render();
    }
    let subnormal = if unit.flush {
        "Subnormal inputs and sums count as zeros of their sign."
    } else {
        "Subnormal numbers are kept."
    };
    let notes = words::wrap_all(&[
        format!(
            "y follows a and b after {ticks}, rounded to the nearest, ties to even. {subnormal} NaN is the quiet one, positive; \
             opposite numbers give positive zero."
        ),
        generated.to_owned(),
    ]);
    Adder { module, number, notes, width, sizes, flush: unit.flush, held: unit.held() }.render()
}
