//! The lists of files that tools read: a plain one, and a `FuseSoC` core description.

use askama::Template;

use super::{Design, expected_path, names, own_path};

/// The RTL, one path a line, for `verilator -f` and `iverilog -f`.
#[derive(Template)]
#[template(path = "lists/files.f", escape = "none")]
pub struct FileList {
    rtl: Vec<String>,
}

impl FileList {
    pub fn new(design: &Design) -> Self {
        Self { rtl: design.rtl() }
    }
}

/// The `FuseSoC` core, CAPI2.
#[derive(Template)]
#[template(path = "lists/fusesoc.core", escape = "none")]
pub struct Core<'d> {
    name: &'d str,
    testbench: String,
    description: String,
    generated: String,
    rtl: Vec<String>,
    data: [String; 2],
}

impl<'d> Core<'d> {
    pub fn new(design: &'d Design) -> Self {
        let program = design.program;
        let title = &program.title;
        Self {
            name: &title.name,
            testbench: names::testbench(program),
            description: format!("{} on a {}, scheme {}", title.collective, program.topology.describe(), title.scheme),
            generated: design.options.generated(),
            rtl: design.rtl(),
            data: [own_path(program), expected_path(program)],
        }
    }
}
