//! The hardware counted in a netlist is what yosys makes of the Verilog: block memories exactly, flip-flops and LUTs
//! within a few per cent. `TORUSWEAVE_FULL=1 cargo test --test all hardware -- --nocapture` prints how far off they are; without
//! `TORUSWEAVE_FULL` yosys is asked about a sample of the designs.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use torusweave::emit::{self, Options};
use torusweave::net::{ShapeName, Topology};
use torusweave::netlist::{Crossbar, Rom};
use torusweave::paths::supply::Switching::{Memory, None, Periodic};
use torusweave::program::{Link, Program};
use torusweave::schemes::SchemeName;
use torusweave::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::study::hardware::{Hardware, ModuleCells};
use torusweave::task::{Choice, Task};

use crate::fixtures::command::project;
use crate::fixtures::designs::{self, Folder, design_on, woven};
use crate::fixtures::ranges::sampled;
use crate::fixtures::tools::{call, counted_cells, has};
use crate::reduce;

/// Per cent that the LUTs of a design may be off: outputs that are told the same share a part of their multiplexers.
const TOLERANCE: f64 = 10.0;
/// LUTs that a design may be off that is hardly more than registers.
const HANDFUL: u64 = 10;
/// Per cent that its flip-flops may be off: what a node sends alike by two ports its neighbours keep alike, and of registers that
/// hold the same yosys keeps one.
const FEW: f64 = 2.5;

pub struct Case {
    pub name: &'static str,
    pub program: Program,
    pub options: Options,
}

/// Every scheme and way of switching, delay lines and rings, tables in logic and in memory, stores in either.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, program: Program, width, flits| {
        let program = program.stretched(flits).unwrap();
        cases.push(Case { name, program, options: designs::options(width) });
    };
    case("staircase 4x4", woven(&[4, 4], &Staircase, None), 32, 1);
    case("staircase 6x7, none", woven(&[6, 7], &Staircase, None), 8, 2);
    case("staircase 6x7, memory", woven(&[6, 7], &Staircase, Memory), 32, 1);
    case("staircase 6x7, memory in rings", woven(&[6, 7], &Staircase, Memory), 16, 3);
    case("staircase 6x7, periodic", woven(&[6, 7], &Staircase, Periodic), 24, 1);
    case("hamiltonian 6x6", woven(&[6, 6], &Hamiltonian, None), 32, 1);
    case("hamiltonian 3x3x3", woven(&[3, 3, 3], &Hamiltonian, None), 1, 1);
    case("hamiltonian 7x7", woven(&[7, 7], &Hamiltonian, None), 8, 3);
    case("hamiltonian mesh 4x5", on_a_mesh(&[4, 5]), 16, 1);
    case("zigzag 8x6, none", woven(&[8, 6], &Zigzag, None), 9, 3);
    case("zigzag 8x6, memory", woven(&[8, 6], &Zigzag, Memory), 32, 1);
    case("zigzag 8x6, memory in rings", woven(&[8, 6], &Zigzag, Memory), 8, 5);
    case("zigzag 8x6, memory in long rings", woven(&[8, 6], &Zigzag, Memory), 9, 60);
    case("zigzag 8x6, periodic", woven(&[8, 6], &Zigzag, Periodic), 32, 1);
    case("zigzag 7x7, memory", woven(&[7, 7], &Zigzag, Memory), 32, 1);
    case("zigzag 3x3x4, memory", woven(&[3, 3, 4], &Zigzag, Memory), 16, 1);
    case("zigzag 3x4, memory in two rows of blocks", woven(&[3, 4], &Zigzag, Memory), 7, 3500);
    case("zigzag 4x4, memory in three rows of blocks", woven(&[4, 4], &Zigzag, Memory), 16, 600);
    case("zigzag 3x4, memory in five rows of blocks", woven(&[3, 4], &Zigzag, Memory), 24, 1200);
    case("zigzag 3x3x4, memory of several depths", woven(&[3, 3, 4], &Zigzag, Memory), 9, 300);
    case("optimal 4x4, by counters", woven(&[4, 4], &Optimal, None), 32, 1);
    case("optimal 5x5", woven(&[5, 5], &Optimal, None), 32, 1);
    case("optimal 7x7", woven(&[7, 7], &Optimal, None), 32, 1);
    case("optimal 6x6, four flits", woven(&[6, 6], &Optimal, None), 8, 4);
    case("optimal 6x6, store in three rows of blocks", woven(&[6, 6], &Optimal, None), 9, 120);
    case("optimal 8x8", woven(&[8, 8], &Optimal, None), 64, 1);
    case("optimal 4x4x4", woven(&[4, 4, 4], &Optimal, None), 32, 1);
    case("stores in registers", designs::optimal(&[2, 5, 4]), 8, 3);
    case("stores in blocks, long table", designs::rereader(), 32, 1);
    case("table of 64 words, lines", designs::meander(), 16, 1);
    let reduced = |sides: &[u32], config: &str| reduce::design(ShapeName::Torus, sides, config).program;
    case("reduce-scatter, sum, staircase 4x4", reduced(&[4, 4], "staircase none reduce-scatter sum"), 32, 1);
    case("reduce-scatter, max, optimal 4x5", reduced(&[4, 5], "optimal none reduce-scatter max"), 16, 1);
    case("reduce-scatter, sum, optimal 8x8", reduced(&[8, 8], "optimal none reduce-scatter sum"), 32, 1);
    case("all-reduce, sum, staircase 6x8", reduced(&[6, 8], "staircase none all-reduce sum"), 32, 2);
    case("all-reduce, sum, optimal 4x5", reduced(&[4, 5], "optimal none all-reduce sum"), 32, 1);
    case("all-reduce, xor, zigzag 4x6, memory", reduced(&[4, 6], "zigzag memory all-reduce xor"), 32, 1);
    case("all-reduce, sum, hamiltonian 3x4", reduced(&[3, 4], "hamiltonian none all-reduce sum"), 16, 3);
    let per_node = Options { rom: Rom::PerNode, ..designs::options(32) };
    let program = woven(&[5, 5], &Optimal, None);
    cases.push(Case { name: "optimal 5x5, a table per node", program, options: per_node.clone() });
    let program = woven(&[4, 5], &Optimal, None);
    let near = Options { leaves: 1, ..per_node };
    cases.push(Case { name: "optimal 4x5, a table per node, a leaf a row", program, options: near });
    let program = woven(&[4, 6], &Staircase, None);
    let far = Options { leaves: 5, ..designs::options(8) };
    cases.push(Case { name: "staircase 4x6, five leaves a row", program, options: far });
    let mut configurable = |name, program: Program, width, flits| {
        let program = program.stretched(flits).unwrap();
        let options = Options { crossbar: Crossbar::Configurable, ..designs::options(width) };
        cases.push(Case { name, program, options });
    };
    configurable("staircase 4x4, configurable", woven(&[4, 4], &Staircase, None), 8, 1);
    configurable("staircase 6x8, configurable, two flits", woven(&[6, 8], &Staircase, None), 16, 2);
    configurable("hamiltonian 3x3x3, configurable", woven(&[3, 3, 3], &Hamiltonian, None), 32, 1);
    configurable("hamiltonian mesh 4x5, configurable", on_a_mesh(&[4, 5]), 16, 1);
    let mut rooted = |name, sides: &[u32], settings: &[&str]| {
        let design = design_on(ShapeName::Torus, sides, settings);
        cases.push(Case { name, options: design.options(), program: design.program });
    };
    rooted("broadcast of 8 flits on 4x4", &[4, 4], &["collective=broadcast", "link.flits=8"]);
    rooted("scatter on 4x6", &[4, 6], &["collective=scatter"]);
    rooted("scatter of 3 flits on 5x5", &[5, 5], &["collective=scatter", "link.flits=3", "link.width=16"]);
    rooted("gather on 4x6", &[4, 6], &["collective=gather"]);
    rooted("gather of 3 flits on 5x5", &[5, 5], &["collective=gather", "link.flits=3", "link.width=16"]);
    rooted("exchange on 4x4", &[4, 4], &["collective=exchange"]);
    rooted("optimal 4x5 on links of 3 ticks", &[4, 5], &["scheme=optimal", "link.latency=3"]);
    rooted("half duplex, optimal 4x6", &[4, 6], &["scheme=optimal", "link.duplex=half"]);
    cases
}

fn on_a_mesh(sides: &[u32]) -> Program {
    let mesh = Topology::new(ShapeName::Mesh, sides).unwrap();
    let task = Task { topology: &mesh, link: Link::default(), choice: Choice::default() };
    SchemeName::from(&Hamiltonian).build(&task, "mesh").unwrap().program
}

fn counted(case: &Case) -> ModuleCells {
    let netlist = emit::netlist(&case.program, &case.options);
    Hardware::of(&case.program, &netlist).cells
}

/// Cells that yosys makes of each module, times the number of its instances.
fn synthesised(case: &Case) -> ModuleCells {
    let folder = Folder::with_options(&case.program, &case.options);
    let name = &case.program.title.name;
    let rtl = std::fs::read_to_string(folder.path().join(format!("{name}.f"))).unwrap().replace('\n', " ");
    // passes after the mapping of cells only give names
    let script =
        format!("read_verilog {rtl}; synth_ice40 -noflatten -run begin:check -top {name}; tee -q -o stat.txt stat");
    let (success, said) = call(&folder, "yosys", &["-q", "-p", &script]);
    assert!(success, "{}: {said}", case.name);
    modules(&std::fs::read_to_string(folder.path().join("stat.txt")).unwrap(), name)
}

/// Reads what `stat` says of the modules.
fn modules(stat: &str, top: &str) -> ModuleCells {
    let (listed, _) = stat.split_once("=== design hierarchy ===").expect("`stat` ends with the hierarchy");
    let mut cells: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for module in listed.split("\n=== ").skip(1) {
        let (name, body) = module.split_once(" ===").unwrap();
        cells.insert(name, body.lines().filter_map(counted_cells).collect());
    }
    let module = cells.keys().find(|name| name.trim_start_matches('\\') == top).expect("the fabric is a module");
    total(&cells, module)
}

fn total(cells: &BTreeMap<&str, BTreeMap<&str, u64>>, module: &str) -> ModuleCells {
    let mut all = ModuleCells::default();
    for (cell, &count) in &cells[module] {
        let one = match *cell {
            "SB_LUT4" => ModuleCells { luts: 1, ..ModuleCells::default() },
            cell if cell.starts_with("SB_DFF") => ModuleCells { flip_flops: 1, ..ModuleCells::default() },
            cell if cell.starts_with("SB_RAM40") => ModuleCells { blocks: 1, ..ModuleCells::default() },
            cell if cells.contains_key(cell) => total(cells, cell),
            _ => continue,
        };
        all += one * count;
    }
    all
}

/// Returns true for the yosys whose LUTs are counted; newer ones optimise for speed first, with up to half as many
/// more.
fn is_the_yosys_of_the_page() -> bool {
    let version = Command::new("yosys").arg("-V").output().unwrap().stdout;
    version.starts_with(b"Yosys 0.23 ")
}

/// The next case that nobody has taken.
fn take<'c>(next: &AtomicUsize, cases: &'c [Case]) -> Option<(usize, &'c Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, cases.get(index)?))
}

/// Two at a time: yosys has no threads.
fn synthesised_all(cases: &[Case]) -> Vec<ModuleCells> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![ModuleCells::default(); cases.len()]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((index, case)) = take(&next, cases) {
                    let cells = synthesised(case);
                    results.lock().unwrap()[index] = cells;
                }
            });
        }
    });
    results.into_inner().unwrap()
}

#[test]
fn counted_cells_equal_those_of_yosys() {
    if !has("yosys") {
        return;
    }
    let cases: Vec<Case> = sampled(cases(), 32).collect();
    let is_of_the_page = is_the_yosys_of_the_page();
    let page = std::fs::read_to_string(project().join("docs/compare.md")).unwrap();
    let (mut rows, mut worst, mut wrong) = (String::new(), 0.0_f64, Vec::new());
    for (case, made) in cases.iter().zip(synthesised_all(&cases)) {
        let Case { name, options: Options { width, .. }, .. } = case;
        let ours = counted(case);
        let off = 100.0 * (ours.luts as f64 / made.luts as f64 - 1.0);
        let registers = format!("| {name} | {width} | {} | {} ", ours.flip_flops, made.flip_flops);
        let row = format!("{registers}| {} | {} | {} | {off:.1} % |\n", made.blocks, ours.luts, made.luts);
        if is_of_the_page && !page.contains(&row) {
            wrong.push(format!("docs/compare.md has no row {row}"));
        }
        rows += &row;
        let off_by = if ours.luts.abs_diff(made.luts) > HANDFUL { off.abs() } else { 0.0 };
        worst = worst.max(off_by);
        let flip_flops = 100.0 * (ours.flip_flops as f64 / made.flip_flops as f64 - 1.0);
        if ours.blocks != made.blocks || flip_flops.abs() > FEW || is_of_the_page && off_by > TOLERANCE {
            wrong.push(format!("{name}: {ours:?}, yosys {made:?}"));
        }
    }
    println!("| design | width | FF | yosys | blocks | LUT | yosys | off by |\n{rows}worst: {worst:.1} %");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Counting needs no yosys, so a changed estimate shows on every machine.
#[test]
fn counted_cells_equal_those_of_the_page() {
    let page = std::fs::read_to_string(project().join("docs/compare.md")).unwrap();
    let cases = cases();
    assert_eq!(page.lines().filter(|line| line.ends_with(" % |")).count(), cases.len(), "rows of the page");
    for case in cases {
        let start = format!("| {} | {} | ", case.name, case.options.width);
        let row = page.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no row {start}"));
        let [flip_flops, _, blocks, luts, ..] = row.split(" | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let on_page: [u64; 3] = [flip_flops, luts, blocks].map(|count| count.parse().unwrap());
        let ModuleCells { flip_flops, luts, blocks } = counted(&case);
        assert_eq!([flip_flops, luts, blocks], on_page, "{}", case.name);
    }
}
