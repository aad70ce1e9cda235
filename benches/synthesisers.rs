//! Writes docs/tables/synthesisers.md: `cargo bench --bench synthesisers`. Every cell is a process of its own with a limit on
//! its processor time; the greedy beside a schedule runs in the same process.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::study::bounds;

#[path = "shared/greedy.rs"]
mod greedy;
#[path = "synthesisers/text.rs"]
mod text;

/// Names the cell that a process is to measure.
const CELL: &str = "TORUSWEAVE_CELL";

/// Names the limit on the processor time of a cell, in seconds.
const LIMIT: &str = "TORUSWEAVE_CELL_SECONDS";

/// Limit on processor time if none is named, in seconds.
const USUAL_LIMIT: u64 = 8;

/// Most memory that a cell may take, in bytes.
const MOST_MEMORY: u64 = 6 << 30;

/// A network by its name, its config, a dead link and a dead node of it.
struct Network {
    name: &'static str,
    config: &'static str,
    link: &'static str,
    node: &'static str,
}

const fn plain(name: &'static str, config: &'static str, is_cube: bool) -> Network {
    let (link, node) = if is_cube { ("0,0,0 x1+", "1,1,1") } else { ("0,0 x1+", "1,1") };
    Network { name, config, link, node }
}

const NETWORKS: [Network; 9] = [
    plain("8x8", "torus: [8, 8]", false),
    plain("16x16", "torus: [16, 16]", false),
    plain("32x32", "torus: [32, 32]", false),
    plain("200x200", "torus: [200, 200]", false),
    plain("4x4x4", "torus: [4, 4, 4]", true),
    plain("8x8x8", "torus: [8, 8, 8]", true),
    plain("16x16x16", "torus: [16, 16, 16]", true),
    plain("4x4x8 twisted", "lattice: [[4, 0, 4], [0, 4, 4], [0, 0, 8]]", true),
    plain("4x8x8 twisted", "lattice: [[4, 4, 4], [0, 8, 0], [0, 0, 8]]", true),
];

const STATES: [&str; 3] = ["healthy", "a dead link", "a dead node"];

/// Collectives by their settings.
const COLLECTIVES: [(&str, &[&str]); 4] = [
    ("all-gather", &["collective=gossip"]),
    ("reduce-scatter", &["collective=reduce-scatter", "operation=sum"]),
    ("all-reduce", &["collective=all-reduce", "operation=sum"]),
    ("all-to-all", &["collective=exchange"]),
];

/// One cell of the table.
#[derive(Clone, Copy)]
struct Cell {
    network: &'static Network,
    state: usize,
    collective: usize,
}

/// Lines that a cell prints: names and values.
#[derive(Clone, Default)]
struct Measured(Vec<(String, String)>);

impl Measured {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }
}

impl Cell {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for network in &NETWORKS {
            for state in 0..STATES.len() {
                all.extend((0..COLLECTIVES.len()).map(|collective| Self { network, state, collective }));
            }
        }
        all
    }

    fn config(self) -> Config {
        let Network { config, link, node, .. } = self.network;
        let dead = match self.state {
            0 => String::new(),
            1 => format!(", dead: {{ links: [\"{link}\"] }}"),
            _ => format!(", dead: {{ nodes: [\"{node}\"] }}"),
        };
        let config = Config::parse(&format!("topology: {{ {config}{dead} }}")).expect("a config");
        let set = |config: Config, setting: &&str| {
            setting.parse::<Setting>().expect("a setting").apply(&config).expect("a value of its field")
        };
        COLLECTIVES[self.collective].1.iter().fold(config, set)
    }

    /// In a process of its own; what it has printed until its limit counts.
    fn measure(index: usize) -> Measured {
        let program = env::current_exe().expect("a running program has a file");
        let output = Command::new(program).env(CELL, index.to_string()).output().expect("it runs once more");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines: Vec<_> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        if !output.status.success() {
            lines.push(("stopped", "limit"));
        }
        Measured(lines.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Measures the cell, and prints each figure as soon as it is known.
    fn run(self, seconds_limit: u64) {
        limit(Resource::Cpu, seconds_limit);
        limit(Resource::As, MOST_MEMORY);
        let begun = seconds();
        let design = match Design::new(self.config()) {
            Ok(design) => design,
            Err(refusal) => return print("refused", refusal.to_string().lines().next().unwrap_or_default()),
        };
        print("seconds", seconds() - begun);
        let program = &design.program;
        let bound = bounds::of(program);
        print("scheme", program.title.scheme.clone());
        print("packets", program.demand.most_packets());
        print("bound", bound.ticks);
        print("reason", bound.due_to);
        print("steps", program.ticks);
        let begun = seconds();
        let report = check::by_either(program);
        assert!(report.passed(), "{:?}", report.violations.first());
        print("checked", seconds() - begun);
        if self.collective == 0 {
            let begun = seconds();
            let steps = greedy::gather(&program.topology, program.demand.most_packets() as usize);
            print("greedy seconds", seconds() - begun);
            print("greedy", steps);
        }
    }
}

fn print(name: &str, value: impl std::fmt::Display) {
    println!("{name}\t{value}");
    io::stdout().flush().expect("a pipe to the page's process");
}

fn limit(resource: Resource, most: u64) {
    let Rlimit { maximum, .. } = getrlimit(resource);
    setrlimit(resource, Rlimit { current: Some(most), maximum }).expect("a limit below the present one");
}

/// Processor seconds of this process so far.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() -> io::Result<()> {
    let limit = env::var(LIMIT).ok().and_then(|text| text.parse().ok()).unwrap_or(USUAL_LIMIT);
    let cells = Cell::all();
    if let Some(index) = env::var(CELL).ok().and_then(|text| text.parse::<usize>().ok()) {
        cells[index].run(limit);
        return Ok(());
    }
    // `cargo test` runs benches too, to see that they run
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let mut measured = Vec::new();
    for (index, &cell) in cells.iter().enumerate() {
        let figures = Cell::measure(index);
        eprintln!("{} {} {}: {:?}", cell.network.name, STATES[cell.state], COLLECTIVES[cell.collective].0, figures.0);
        measured.push((cell, figures));
    }
    fs::write("docs/tables/synthesisers.md", text::page(&measured, limit))
}
