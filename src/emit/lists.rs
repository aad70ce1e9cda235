//! The lists of files that tools read: plain ones, a `FuseSoC` core description, a Bender manifest, a script for Vivado.

use askama::Template;

use crate::emit::shared::design::EmitDesign;
use crate::emit::shared::names;
use crate::emit::shared::output::{EmittedPart, FileType, OutputFile, paths_of};
use crate::netlist::BoardPort;

/// The RTL, one path per line, for `verilator -f` and `iverilog -f` in the design's folder.
pub struct FileList;

impl EmittedPart for FileList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let rtl = paths_of(FileType::Rtl, before);
        vec![OutputFile::of(format!("{}.f", design.name()), FileType::List, move || Paths { rtl: rtl.clone() })]
    }
}

#[derive(Template)]
#[template(path = "lists/files.f", escape = "none")]
struct Paths {
    rtl: Vec<String>,
}

/// File list of the nodes with streams, where there are any.
pub struct SystemList;

impl EmittedPart for SystemList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let rtl = of_nodes(design, before);
        let path = format!("{}.f", names::system(design.program));
        let list = || OutputFile::of(path, FileType::List, move || Paths { rtl: rtl.clone() });
        design.nodes.is_some().then(list).into_iter().collect()
    }
}

/// Modules of nodes with streams, with the unit that combines their values, which is also one of the fabric.
fn of_nodes<'d>(design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<String> {
    let units = paths_of(FileType::Rtl, before).into_iter();
    let unit = format!("{}.v", names::unit(design.program));
    units.filter(|path| *path == unit).chain(paths_of(FileType::Node, before)).collect()
}

/// File list of the top with a processing element at each node, where there is one.
pub struct TopList;

impl EmittedPart for TopList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let elements = paths_of(FileType::Element, before);
        if elements.is_empty() {
            return Vec::new();
        }
        let rtl = [of_nodes(design, before), elements].concat();
        let path = format!("{}.f", names::top(design.program));
        vec![OutputFile::of(path, FileType::List, move || Paths { rtl: rtl.clone() })]
    }
}

/// File list of a board of its own for each node or block of nodes, where there is one.
pub struct BoardList;

impl EmittedPart for BoardList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        with(FileType::Board, &names::board(design.program), before)
    }
}

/// The RTL and what of one kind stands beside it, if anything does: the list has the name of the module that is the top.
fn with<'d>(kind: FileType, top: &str, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
    let beside = paths_of(kind, before);
    if beside.is_empty() {
        return Vec::new();
    }
    let rtl = [paths_of(FileType::Rtl, before), beside].concat();
    vec![OutputFile::of(format!("{top}.f"), FileType::List, move || Paths { rtl: rtl.clone() })]
}

/// File list for use from any folder: an environment variable named after the design gives its folder. Icarus has no
/// list with paths relative to the list.
pub struct AnywhereList;

impl EmittedPart for AnywhereList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let rtl = paths_of(FileType::Rtl, before);
        let list = move || Anywhere { name: design.name(), rtl: rtl.clone() };
        vec![OutputFile::of(format!("{}.anywhere.f", design.name()), FileType::List, list)]
    }
}

#[derive(Template)]
#[template(path = "lists/anywhere.f", escape = "none")]
struct Anywhere<'d> {
    name: &'d str,
    rtl: Vec<String>,
}

/// Version of the package that the files are.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Facts in the descriptions of a design; each template uses those that its tool needs.
#[derive(Clone)]
pub struct Sources {
    /// Name of the design.
    pub name: String,
    /// Description in a few words.
    pub description: String,
    /// Line that says where the files come from.
    pub generated: String,
    /// Module that a user's design holds.
    pub whole: String,
    /// Paths of the RTL.
    pub rtl: Vec<String>,
    /// Bench of the RTL, if there is one.
    pub bench: Option<String>,
    /// Paths of the benches of the RTL.
    pub testbenches: Vec<String>,
    /// Constraints and interfaces, if there are any.
    pub host: Option<Constrained>,
    /// Paths of the files that benches read.
    pub data: Vec<String>,
    /// Nodes and boards beside the fabric of one collective.
    pub beside: Beside,
}

/// Files beside a fabric.
#[derive(Clone, Default)]
pub struct Beside {
    /// modules with the memories of nodes, the module of both together, and its bench
    nodes: Vec<String>,
    system: String,
    system_benches: Vec<String>,
    system_top: String,
    /// modules of a board of its own, and its bench
    boards: Vec<String>,
    board: String,
    board_benches: Vec<String>,
    board_top: String,
}

/// Facts for Vivado on a design with a clock of its own.
#[derive(Clone)]
pub struct Constrained {
    /// The interface has a description.
    pub is_axi: bool,
}

impl Sources {
    fn of<'d>(design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Self {
        use FileType::{Board, BoardBench, Data, Node, Rtl, SystemBench, Testbench};
        let kinds = [Rtl, Node, Board, Testbench, SystemBench, BoardBench, Data];
        let [rtl, nodes, boards, testbenches, system_benches, board_benches, data] =
            kinds.map(|kind| paths_of(kind, before));
        Self {
            name: design.name().to_owned(),
            description: design.headline(),
            generated: design.generated(),
            whole: design.name().to_owned(),
            rtl,
            bench: (!testbenches.is_empty()).then(|| names::testbench(design.program)),
            testbenches,
            data,
            host: None,
            beside: Beside {
                nodes,
                system: names::system(design.program),
                system_benches,
                system_top: names::system_testbench(design.program),
                boards,
                board: match design.options.form.port {
                    BoardPort::Stream => names::board(design.program),
                    BoardPort::Serial => names::serial(design.program),
                    BoardPort::Bytes => names::bytes(design.program),
                },
                board_benches,
                board_top: names::testbench_of(&names::board(design.program)),
            },
        }
    }
}

/// Facts on the nodes with streams alone.
pub fn of_system<'d>(design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Sources {
    Sources { whole: names::system(design.program), rtl: of_nodes(design, before), ..Sources::of(design, before) }
}

impl Sources {
    /// Names of all modules.
    fn modules(&self) -> impl Iterator<Item = &String> {
        self.rtl.iter().chain(&self.beside.nodes).chain(&self.beside.boards)
    }

    /// Every bench of them.
    fn benches(&self) -> impl Iterator<Item = &String> {
        self.testbenches.iter().chain(&self.beside.system_benches).chain(&self.beside.board_benches)
    }
}

#[derive(Template)]
#[template(path = "lists/fusesoc.core", escape = "none")]
struct CoreFile {
    sources: Sources,
}

#[derive(Template)]
#[template(path = "lists/bender.yml", escape = "none")]
struct Package {
    sources: Sources,
}

#[derive(Template)]
#[template(path = "lists/vivado.tcl", escape = "none")]
struct BuildScript {
    sources: Sources,
}

/// The `FuseSoC` core (CAPI2), the manifest of a Bender package, and the script that reads the RTL into Vivado.
pub fn packages<'d>(sources: Sources) -> [OutputFile<'d>; 3] {
    let [core, package, script] = [sources.clone(), sources.clone(), sources];
    let name = core.name.clone();
    [
        OutputFile::of(format!("{name}.core"), FileType::List, move || CoreFile { sources: core.clone() }),
        OutputFile::of("Bender.yml".into(), FileType::List, move || Package { sources: package.clone() }),
        OutputFile::of(format!("{name}.vivado.tcl"), FileType::List, move || BuildScript { sources: script.clone() }),
    ]
}

/// Descriptions of the design for `FuseSoC`, Bender and Vivado.
pub struct Packages;

impl EmittedPart for Packages {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        packages(Sources::of(design, before)).into()
    }
}

/// The flits per pair of nodes, where the command that made the design reads them from a file.
pub struct LengthsList;

/// Name of that file.
pub fn lengths_file(name: &str) -> String {
    format!("{name}_lengths.csv")
}

impl EmittedPart for LengthsList {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some(rows) = &design.options.lengths else { return Vec::new() };
        vec![OutputFile::of(lengths_file(design.name()), FileType::List, || RowsFile { rows })]
    }
}

#[derive(Template)]
#[template(path = "lists/lengths.csv", escape = "none")]
struct RowsFile<'d> {
    rows: &'d str,
}

/// The file of the schedule, as it was read.
pub struct ScheduleCopy;

/// Name of that file: lines, JSON, or XML.
pub fn schedule_file(name: &str, text: &str) -> String {
    let end = match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
        Some('{') => "json",
        Some('<') => "xml",
        _ => "csv",
    };
    format!("{name}_schedule.{end}")
}

impl EmittedPart for ScheduleCopy {
    fn files<'d>(&self, design: &'d EmitDesign<'d>, _before: &[OutputFile<'d>]) -> Vec<OutputFile<'d>> {
        let Some(text) = &design.options.schedule else { return Vec::new() };
        let path = schedule_file(design.name(), text);
        vec![OutputFile::streamed(path, FileType::List, |out| out.write_all(text.as_bytes()))]
    }
}
