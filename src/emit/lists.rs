//! The lists of files that tools read: a plain one, and a `FuseSoC` core description.

use askama::Template;

use super::design::Design;
use super::names;
use super::output::{File, Kind, Output, paths_of};

/// The RTL, one path a line, for `verilator -f` and `iverilog -f`.
pub struct FileList;

impl Output for FileList {
    fn files<'d>(&self, design: &'d Design<'d>, before: &[File<'d>]) -> Vec<File<'d>> {
        let rtl = paths_of(Kind::Rtl, before);
        vec![File::of(format!("{}.f", design.name()), Kind::List, move || Paths { rtl: rtl.clone() })]
    }
}

#[derive(Template)]
#[template(path = "lists/files.f", escape = "none")]
struct Paths {
    rtl: Vec<String>,
}

/// The `FuseSoC` core, CAPI2.
pub struct FuseSoc;

impl Output for FuseSoc {
    fn files<'d>(&self, design: &'d Design<'d>, before: &[File<'d>]) -> Vec<File<'d>> {
        let [rtl, testbenches, data] = [Kind::Rtl, Kind::Testbench, Kind::Data].map(|kind| paths_of(kind, before));
        let core = move || Core {
            name: design.name(),
            top: names::testbench(design.program),
            description: design.headline(),
            generated: design.generated(),
            rtl: rtl.clone(),
            testbenches: testbenches.clone(),
            data: data.clone(),
        };
        vec![File::of(format!("{}.core", design.name()), Kind::List, core)]
    }
}

#[derive(Template)]
#[template(path = "lists/fusesoc.core", escape = "none")]
struct Core<'d> {
    name: &'d str,
    top: String,
    description: String,
    generated: String,
    rtl: Vec<String>,
    testbenches: Vec<String>,
    data: Vec<String>,
}
