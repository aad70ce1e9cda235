//! Writes docs/tables/speed.md: `cargo bench --bench page`. Every row is a process of its own, whose processor time and peak
//! memory the kernel tells; the memory copy and the hash beside them are measured in the same run.

use std::env;
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::Command;

use sha2::{Digest, Sha256};
use torusweave::check::{self, Method};
use torusweave::design::Design;
use torusweave::design::config::{Config, Setting};
use torusweave::emit::{self, Files, Options};
use torusweave::net::{ShapeName, Topology};
use torusweave::paths::supply::Switching;
use torusweave::program::{Link, Program};
use torusweave::schemes::{
    SchemeName, hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag,
};
use torusweave::task::{Choice, Scheme, Task};
use torusweave::tools::lockstep::By;

#[path = "../tests/all/fixtures/interpreter.rs"]
mod interpreter;
#[path = "page/others.rs"]
mod others;
#[path = "page/played.rs"]
mod played;
#[path = "page/text.rs"]
mod text;

/// Names the row that a process is to measure.
const ROW: &str = "TORUSWEAVE_ROW";
/// A phase shorter than this is repeated until it takes as long: a page that is not there yet, or a cold cache, counts for less.
const SHORT: f64 = 0.1;

/// Work that a row measures.
#[derive(Clone, Copy)]
enum Work {
    /// Builds a program and certifies it by structure.
    Structure(&'static dyn Scheme),
    /// Builds, certifies and emits it, every file hashed as the folder writer does.
    Generate(&'static dyn Scheme),
    /// Builds a program and checks it completely.
    Complete(&'static dyn Scheme, Method),
    /// Builds the program of a config, each setting given as `path=value`, and moves every packet of it.
    Asked(&'static [&'static str]),
    /// Builds the program of a config, and plays it on the model as `simulate` does.
    Played(&'static [&'static str]),
    /// Plays a program on the model.
    Model(&'static dyn Scheme),
    /// Plays the RTL of a scheme beside the model.
    Lockstep(&'static dyn Scheme, Option<By>),
    /// Schedules gossip by a greedy search, beside a scheme.
    Greedy(&'static dyn Scheme),
    /// Looks for two Hamiltonian cycles by chance, beside a scheme.
    Pairs(&'static dyn Scheme),
    /// Plays a testbench in the simulators of others.
    Simulators,
    /// Copies 16 bytes per node: one register per output in two dimensions.
    Copy,
    /// Hashes 1000 bytes per node.
    Hash,
}

/// Measurement of one row.
#[derive(Clone)]
struct Row {
    work: Work,
    sides: Vec<u32>,
}

/// Measured figures: seconds of each phase, peak memory and bytes written.
#[derive(Default)]
struct Measured {
    phases: Vec<(String, f64)>,
    peak: f64,
    bytes: f64,
}

impl Measured {
    fn phase(&self, name: &str) -> f64 {
        self.phases.iter().find(|(phase, _)| phase == name).map_or(f64::NAN, |&(_, number)| number)
    }
}

impl Row {
    fn new(work: Work, sides: &[u32]) -> Self {
        Self { work, sides: sides.to_vec() }
    }

    fn node_count(&self) -> usize {
        self.sides.iter().map(|&side| side as usize).product()
    }

    fn nodes(&self) -> f64 {
        self.node_count() as f64
    }

    fn sides(&self) -> String {
        self.sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
    }

    fn name(&self) -> String {
        match self.work {
            Work::Structure(scheme) => format!("check --structural {} {scheme}", self.sides()),
            Work::Generate(scheme) => format!("generate {} {scheme}", self.sides()),
            Work::Complete(scheme, Method::Execution) => format!("check --exhaustive {} {scheme}", self.sides()),
            Work::Complete(scheme, _) => format!("check --streams {} {scheme}", self.sides()),
            Work::Asked(settings) => format!("check --exhaustive {} {}", self.sides(), settings.join(" ")),
            Work::Played(settings) => format!("simulate {} {}", self.sides(), settings.join(" ")),
            Work::Model(scheme) => format!("{scheme} {}", self.sides()),
            Work::Lockstep(scheme, None) => format!("{} {scheme}", self.sides()),
            Work::Lockstep(scheme, Some(By::Fabric)) => format!("{} {scheme}, the whole fabric", self.sides()),
            Work::Lockstep(scheme, Some(By::Class)) => format!("{} {scheme}, module by module", self.sides()),
            Work::Greedy(_) | Work::Pairs(_) | Work::Simulators => self.sides(),
            Work::Copy => format!("copy of 16 B a node, {}", self.sides()),
            Work::Hash => format!("SHA-256 of 1000 B a node, {}", self.sides()),
        }
    }

    /// In a process of its own.
    fn measure(&self, index: usize) -> Measured {
        let program = env::current_exe().expect("a running program has a file");
        let cache = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(program);
        command.env(ROW, index.to_string()).env("XDG_CACHE_HOME", cache.path());
        let output = command.output().expect("it runs once more");
        assert!(output.status.success(), "{}: {}", self.name(), String::from_utf8_lossy(&output.stderr));
        let mut measured = Measured::default();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((name, number)) = line.split_once('\t') else { continue };
            let number = number.parse().expect("a number");
            match name {
                "peak" => measured.peak = number,
                "bytes" => measured.bytes = number,
                phase => measured.phases.push((phase.to_owned(), number)),
            }
        }
        measured
    }

    fn run(&self) {
        match self.work {
            Work::Structure(scheme) => drop(self.certified(scheme)),
            Work::Generate(scheme) => self.generate(scheme),
            Work::Complete(scheme, method) => played::checked(&self.built(scheme), method),
            Work::Asked(settings) => played::checked(&self.asked(settings), Method::Execution),
            Work::Played(settings) => played::simulated(&self.asked(settings)),
            Work::Model(scheme) => played::played(&self.built(scheme)),
            Work::Lockstep(scheme, by) => played::in_lockstep(&self.sides, scheme, by),
            Work::Greedy(scheme) => others::synthesised(&self.sides, || self.built(scheme)),
            Work::Pairs(scheme) => others::paired(&self.sides, || self.built(scheme)),
            Work::Simulators => others::simulated(&self.sides),
            Work::Copy => {
                let from = vec![1u32; 4 * self.node_count()];
                let mut to = vec![2u32; from.len()];
                phase("copy", || to.copy_from_slice(black_box(&from)));
                black_box(to);
            }
            Work::Hash => {
                let bytes = vec![b'0'; 1 << 20];
                let times = 1000 * self.node_count() / bytes.len();
                phase("hash", || {
                    let mut hash = Sha256::new();
                    (0..times).for_each(|_| hash.update(black_box(&bytes)));
                    hash.finalize()
                });
            }
        }
        println!("peak\t{}", peak());
    }

    fn built(&self, scheme: &'static dyn Scheme) -> Program {
        let topology = Topology::new(ShapeName::Torus, &self.sides).expect("a torus");
        let choice = Choice { switching: Switching::Memory, ..Choice::default() };
        let task = Task { topology: &topology, link: Link::default(), choice };
        SchemeName::from(scheme).build(&task, "speed").expect("it fits").program
    }

    fn asked(&self, settings: &[&str]) -> Program {
        let set = |config: Config, setting: &&str| {
            let setting: Setting = setting.parse().expect("a setting");
            setting.apply(&config).expect("a value of its field")
        };
        let config = settings.iter().fold(Config::of(ShapeName::Torus, self.sides.clone()), set);
        Design::new(config).expect("a design").program
    }

    fn certified(&self, scheme: &'static dyn Scheme) -> Program {
        let program = phase("construct", || self.built(scheme));
        let report = phase("check", || check::by_structure(&program));
        assert!(report.passed(), "{:?}", report.violations.first());
        program
    }

    fn generate(&self, scheme: &'static dyn Scheme) {
        let program = self.certified(scheme);
        let options = Options::plain(32, "a measurement");
        let (mut rtl, mut all) = (Sink::default(), Sink::default());
        let before = seconds();
        emit::write_rtl(&program, &options, &mut rtl).expect("a sink takes all");
        let between = seconds();
        emit::write_all(&program, &options, &mut all).expect("a sink takes all");
        let (rtl, all) = (between - before, (seconds() - between, all.bytes));
        println!("RTL\t{rtl}\ntestbench\t{}\nbytes\t{}", (all.0 - rtl).max(0.0), all.1);
    }
}

/// Hashes what is written, counts it and forgets it.
#[derive(Default)]
struct Sink {
    bytes: u64,
    hash: Sha256,
}

impl Files for Sink {
    fn file(&mut self, _: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(self))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints the seconds that some work takes; what is short is repeated.
fn phase<T>(name: &str, mut work: impl FnMut() -> T) -> T {
    let mut times = 1u32;
    loop {
        let begun = seconds();
        (1..times).for_each(|_| drop(work()));
        let done = work();
        let taken = seconds() - begun;
        if taken > SHORT {
            println!("{name}\t{}", taken / f64::from(times));
            return done;
        }
        times *= 2;
    }
}

/// Seconds on a processor so far, which others on the machine do not add to.
#[cfg(unix)]
fn seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds, where there is no such clock.
#[cfg(not(unix))]
fn seconds() -> f64 {
    thread_local!(static BEGIN: std::time::Instant = std::time::Instant::now());
    BEGIN.with(|begin| begin.elapsed().as_secs_f64())
}

/// The most memory this process has held, in megabytes.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(f64::NAN, |kib| kib / 1024.0)
}

/// The sizes of the growth table: 10^3 to 10^7 nodes.
const GROWTH: [u32; 5] = [32, 100, 316, 1000, 3162];

fn rows() -> Vec<Row> {
    use Work::{Copy, Generate, Hash, Structure};
    let mut rows = vec![
        Row::new(Copy, &[3163, 3163]),
        Row::new(Hash, &[256, 256]),
        Row::new(Structure(&Hamiltonian), &[3163, 3163]),
        Row::new(Structure(&Hamiltonian), &[3162, 3163]),
        Row::new(Structure(&Hamiltonian), &[256, 256, 256]),
        Row::new(Structure(&Zigzag), &[3162, 3163]),
        Row::new(Structure(&Staircase), &[3162, 3163]),
        Row::new(Structure(&Optimal), &[48, 63]),
        Row::new(Structure(&Optimal), &[64, 1000]),
        Row::new(Structure(&Optimal), &[1000, 1000]),
        Row::new(Generate(&Staircase), &[128, 128]),
        Row::new(Generate(&Staircase), &[256, 256]),
        Row::new(Generate(&Optimal), &[256, 256]),
        Row::new(Generate(&Staircase), &[512, 512]),
    ];
    rows.extend(played_rows());
    for (scheme, odd) in GROWN {
        rows.extend(GROWTH.map(|side| Row::new(Structure(scheme), &[side, side + odd])));
    }
    rows.extend(GROWTH[..4].iter().map(|&side| Row::new(Generate(&Staircase), &[side, side])));
    rows
}

/// Sides for the comparison of execution over sizes, 2^10 to 2^14 nodes.
const EXECUTED: [u32; 4] = [32, 64, 84, 128];

/// Designs beyond gossip on plain links, each with its own way of execution.
const ASKED: [([u32; 2], &[&str]); 5] = [
    ([64, 64], &["link.duplex=half"]),
    ([256, 256], &["collective=broadcast", "link.flits=1000"]),
    ([100, 100], &["collective=scatter", "scheme=fdf"]),
    ([100, 100], &["collective=gather", "scheme=fdf"]),
    ([100, 100], &["collective=reduce-scatter", "operation=sum", "scheme=optimal"]),
];

/// Designs that are played on the model.
const PLAYED: [([u32; 2], &[&str]); 3] = [
    ([128, 128], &["scheme=staircase"]),
    ([100, 100], &["collective=reduce-scatter", "operation=sum", "scheme=optimal"]),
    ([64, 64], &["collective=all-reduce", "operation=max", "scheme=optimal"]),
];

/// Rows of programs that are executed tick by tick, and of other tools.
fn played_rows() -> Vec<Row> {
    use Work::{Complete, Greedy, Lockstep, Model, Pairs, Simulators};
    let mut rows: Vec<Row> =
        EXECUTED.iter().map(|&side| Row::new(Complete(&Staircase, Method::Execution), &[side, side])).collect();
    rows.extend(ASKED.map(|(sides, settings)| Row::new(Work::Asked(settings), &sides)));
    rows.extend(PLAYED.map(|(sides, settings)| Row::new(Work::Played(settings), &sides)));
    rows.push(Row::new(Complete(&Staircase, Method::Streams), &[128, 128]));
    rows.push(Row::new(Complete(&Hamiltonian, Method::Streams), &[256, 256]));
    let models: [(&dyn Scheme, &[u32]); 7] = [
        (&Staircase, &[64, 64]),
        (&Staircase, &[256, 256]),
        (&Hamiltonian, &[255, 255]),
        (&Optimal, &[64, 64]),
        (&Optimal, &[256, 256]),
        (&Zigzag, &[64, 63]),
        (&Zigzag, &[256, 255]),
    ];
    rows.extend(models.map(|(scheme, sides)| Row::new(Model(scheme), sides)));
    rows.extend([8, 16].map(|side| Row::new(Lockstep(&Staircase, Some(By::Fabric)), &[side, side])));
    rows.extend([16, 32, 64].map(|side| Row::new(Lockstep(&Staircase, Some(By::Class)), &[side, side])));
    rows.extend([[8, 8], [16, 16], [32, 32]].map(|sides| Row::new(Greedy(&Optimal), &sides)));
    rows.extend([[14, 14], [16, 16], [18, 18]].map(|sides| Row::new(Pairs(&Hamiltonian), &sides)));
    rows.push(Row::new(Simulators, &[16, 16]));
    rows
}

/// The schemes of the growth table, and what is added to the second side.
const GROWN: [(&dyn Scheme, u32); 3] = [(&Hamiltonian, 0), (&Zigzag, 1), (&Staircase, 1)];

fn main() {
    let rows = rows();
    if let Ok(index) = env::var(ROW) {
        return rows[index.parse::<usize>().expect("the number of a row")].run();
    }
    // `cargo test` runs benches too, to see that they run
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let measured: Vec<Measured> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            eprintln!("{}", row.name());
            row.measure(index)
        })
        .collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tables/speed.md");
    fs::write(path, text::page(&rows, &measured)).expect("docs can be written");
    eprintln!("wrote {path}");
}
