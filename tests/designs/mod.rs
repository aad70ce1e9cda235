//! Designs the Verilog is tried on, a folder to put one in, and the tools to try it with.
#![allow(dead_code)] // each test file uses some of it

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use torusweave::emit::{self, Files, Options};
use torusweave::net::{Port, Torus};
use torusweave::netlist::Rom;
use torusweave::paths::supply::Switching;
use torusweave::program::{Builder, Program, Run, Source, Title};
use torusweave::schemes::optimal::{self, Store};
use torusweave::schemes::staircase;
use torusweave::schemes::{Choice, Scheme};
use torusweave::tools::lockstep::Toolchain;

pub const OWN: Source = Source::Own { packet: 0 };
pub const IDLE: Source = Source::Idle;

/// What arrived `age` ticks ago at the port of this index.
pub fn late(port: usize, age: u32) -> Source {
    Source::In { port: Port::from_index(port), age }
}

pub fn run(source: Source, ticks: u32) -> Run {
    Run { source, ticks }
}

fn title(name: &str, scheme: &str) -> Title {
    Title { name: name.into(), collective: "gossip".into(), scheme: scheme.into() }
}

pub fn staircase(n1: u32, n2: u32) -> Program {
    let torus = Torus::new(&[n1, n2]).unwrap();
    staircase::program(&torus, Switching::None, title(&format!("torus_{n1}x{n2}"), "staircase")).unwrap()
}

/// The optimal schedule: one table for all nodes.
pub fn optimal(dims: &[u32]) -> Program {
    let torus = Torus::new(dims).unwrap();
    let sides: Vec<String> = dims.iter().map(u32::to_string).collect();
    optimal::program(&torus, Store::Any, title(&format!("optimal_{}", sides.join("x")), "optimal")).unwrap()
}

/// Delay lines of every kind: a register, a few, a memory; an output that falls silent, one that never speaks.
pub fn late_sender() -> Program {
    let torus = Torus::new(&[3, 4]).unwrap();
    let mut builder = Builder::new(&torus, 100, 2);
    let tracks = [
        builder.track(&[run(OWN, 1), run(late(1, 1), 20)], late(1, 2)),
        builder.track(&[run(IDLE, 2), run(OWN, 1), run(late(0, 5), 30)], late(0, 40)),
        builder.track(&[run(Source::Own { packet: 1 }, 1), run(late(3, 32), 60), run(late(3, 3), 38)], IDLE),
        builder.track(&[run(Source::Own { packet: 1 }, 1), run(late(2, 1), 40), run(late(2, 34), 30)], late(0, 33)),
    ];
    for node in torus.node_ids() {
        let silent = node.0 == 5;
        for (port, &track) in
            torus.port_ids().zip(&tracks).filter(|(port, _)| !silent && (port.index() != 0 || node.0 % 2 == 0))
        {
            builder.set(node, port, track);
        }
    }
    builder.finish(title("late_sender", "by hand"))
}

/// Tracks that repeat: one without an intro, one with, one that never comes round, next to plain ones, in three axes.
pub fn repeater() -> Program {
    let torus = Torus::new(&[2, 3, 3]).unwrap();
    let mut builder = Builder::new(&torus, 37, 1);
    let tracks = [
        builder.repeating_track(&[], &[run(OWN, 1), run(late(1, 1), 2), run(IDLE, 1)]),
        builder.repeating_track(&[run(OWN, 1), run(late(0, 1), 2)], &[run(late(3, 2), 3), run(late(4, 1), 2)]),
        builder.repeating_track(&[run(OWN, 3)], &[run(late(3, 1), 100)]),
        builder.track(&[run(OWN, 1)], late(2, 1)),
        builder.track(&[run(OWN, 1), run(late(5, 2), 35)], IDLE),
        builder.track(&[], late(4, 2)),
    ];
    for node in torus.node_ids() {
        for (port, &track) in torus.port_ids().zip(&tracks) {
            builder.set(node, port, track);
        }
    }
    builder.finish(title("repeater", "by hand"))
}

/// Numbers that look like chance, the same every time.
struct Chance(u32);

impl Chance {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % bound
    }
}

fn by_chance(torus: &Torus, ticks: u32, classes: u32, mut next: impl FnMut(u32, &mut Chance) -> Run) -> Builder {
    let mut builder = Builder::new(torus, ticks, 2);
    let mut chance = Chance(7);
    let tracks: Vec<Vec<_>> = (0..classes)
        .map(|_| {
            torus
                .port_ids()
                .map(|_| {
                    let mut runs = vec![run(OWN, 1)];
                    while runs.iter().map(|run| run.ticks).sum::<u32>() < ticks {
                        let tick = runs.iter().map(|run| run.ticks).sum();
                        runs.push(next(tick, &mut chance));
                    }
                    builder.track(&runs, IDLE)
                })
                .collect()
        })
        .collect();
    for node in torus.node_ids() {
        for (port, &track) in torus.port_ids().zip(&tracks[(node.0 % classes) as usize]) {
            builder.set(node, port, track);
        }
    }
    builder
}

/// Long runs of a few sources: a run-length coded table and delay lines.
pub fn meander() -> Program {
    let torus = Torus::new(&[3, 4]).unwrap();
    let sources = [OWN, Source::Own { packet: 1 }, IDLE, late(0, 1), late(1, 1), late(2, 2), late(3, 5), late(0, 9)];
    let next = |_, chance: &mut Chance| run(sources[chance.below(8) as usize], 1 + chance.below(30));
    by_chance(&torus, 300, 1, next).finish(title("meander", "by hand"))
}

/// Every tick another source of any age: a plain table and packet stores, for two classes of nodes.
pub fn rereader() -> Program {
    let torus = Torus::new(&[3, 4]).unwrap();
    let next = |tick, chance: &mut Chance| match chance.below(8) {
        0 => run(OWN, 1),
        1 => run(IDLE, 2),
        2 => run(late(1, 1 + chance.below(3)), 3),
        _ => run(late(chance.below(3) as usize, 1 + chance.below(tick + 3)), 1),
    };
    by_chance(&torus, 90, 2, next).finish(title("rereader", "by hand"))
}

pub fn options(width: u32) -> Options {
    Options { width, origin: "tests/designs".into(), rom: Rom::default() }
}

/// A folder that is removed with its contents.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("torusweave-{}-{made}-{name}", std::process::id()));
        fs::create_dir_all(path.join("tb")).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A folder with the files of a design.
    pub fn with(program: &Program, width: u32) -> Self {
        Self::with_options(program, &options(width))
    }

    /// The same, with every option chosen.
    pub fn with_options(program: &Program, options: &Options) -> Self {
        let mut folder = Self::new(&format!("{}-{}-{}", program.title.name, options.width, program.flits));
        emit::write_all(program, options, &mut folder).unwrap();
        folder
    }
}

impl Files for Folder {
    fn file(&mut self, path: &str) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(fs::File::create(self.0.join(path))?))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The program of a scheme, for packets of one flit.
pub fn woven(sides: &[u32], scheme: Scheme, switching: Switching) -> Program {
    let torus = Torus::new(sides).unwrap();
    let choice = Choice { switching, ..Choice::default() };
    scheme.build(&torus, choice, &format!("torus_{torus}")).unwrap().program
}

/// Verilator and a C++ compiler; says so if there are none.
pub fn toolchain() -> Option<Toolchain> {
    let found = Toolchain::find();
    if let Err(error) = &found {
        skip("Verilator", &error.to_string());
    }
    found.ok()
}

/// Skips a test for want of a tool, unless the environment says that every tool must be there.
pub fn skip(tool: &str, reason: &str) {
    assert!(std::env::var_os("TORUSWEAVE_REQUIRE_TOOLS").is_none(), "no {tool}: {reason}");
    println!("skipped: no {tool}");
}

/// Not in every distribution: may be missing where the others may not.
const RARE: [&str; 1] = ["verible-verilog-lint"];

/// Whether a tool can be run; says so if not.
pub fn has(tool: &str) -> bool {
    let found =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file()));
    if !found {
        if RARE.contains(&tool) {
            println!("skipped: no {tool}");
        } else {
            skip(tool, "not in the PATH");
        }
    }
    found
}

/// Runs a tool in a design's folder: whether it succeeded, and all it said.
pub fn call(folder: &Folder, tool: &str, arguments: &[&str]) -> (bool, String) {
    let output = Command::new(tool).args(arguments).current_dir(folder.path()).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Plays a design's testbench under Icarus and returns what it printed.
pub fn play(folder: &Folder, name: &str) -> String {
    let list = format!("{name}.f");
    let bench = format!("tb/{name}_tb.v");
    let (built, said) = call(folder, "iverilog", &["-g2005", "-Wall", "-o", "sim", "-f", &list, &bench]);
    assert!(built, "{said}");
    let (_, printed) = call(folder, "vvp", &["sim"]);
    said + &printed
}
