//! An engine with the pins of a board, which has a serial line for it.

use askama::Template;

use super::super::engine::EngineDesign;
use super::super::output::File;
use super::super::words;

/// View of `templates/fpga/engine.v`.
#[derive(Template)]
#[template(path = "fpga/engine.v", escape = "none")]
struct Board {
    module: String,
    engine: String,
    notes: Vec<String>,
}

/// The engine as a user's design holds it, without registers and bus.
pub fn measured(design: &EngineDesign<'_>) -> String {
    format!("{}_engine", design.name)
}

/// The RTL, that of the pins last, and the description for the driver.
pub fn files<'d>(design: &'d EngineDesign<'d>) -> Vec<File<'d>> {
    let mut files = design.files();
    let module = super::module(design.name);
    let board = move || Board {
        module: super::module(design.name),
        engine: design.top(),
        notes: words::wrap_all(&design.notes()),
    };
    files.push(File::module(&module, board));
    files.push(design.description());
    files
}
