//! Speed of others on the same machine in the same run: searches that know no closed form, and simulators by themselves.

#[path = "../shared/greedy.rs"]
mod greedy;

use std::fs;
use std::process::Command;

use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::emit;
use torusweave::net::{NodeId, ShapeName, Torus};
use torusweave::play::Machine;
use torusweave::program::Program;
use torusweave::schemes::{SchemeName, staircase::Staircase};
use torusweave::tools::icarus;

use greedy::Chance;

use super::played::processor_seconds;
use super::seconds;

/// A search that has found nothing by then finds nothing.
const PATIENCE: f64 = 10.0;

/// The greedy search beside the closed form: seconds and steps of both.
pub fn synthesised(sides: &[u32], built: impl Fn() -> Program) {
    let torus = Torus::new(sides).expect("a torus");
    println!("other steps\t{}", super::phase("other", || greedy::gather(&torus, 1)));
    let program = super::phase("ours", built);
    println!("our steps\t{}", program.ticks);
}

/// A Hamiltonian cycle by chance: a path that grows into any free neighbour, and turns round in itself where it cannot.
/// As successor and predecessor of each node; none if it takes too long.
fn cycle(torus: &Torus, chance: &mut Chance, until: f64) -> Option<Vec<(usize, usize)>> {
    let nodes = torus.nodes() as usize;
    let start = chance.below(nodes);
    let (mut path, mut place) = (vec![start], vec![usize::MAX; nodes]);
    place[start] = 0;
    let mut turns = 0usize;
    loop {
        let end = path[path.len() - 1];
        let around: Vec<usize> =
            torus.port_ids().map(|port| torus.neighbour(NodeId(end as u32), port).index()).collect();
        if path.len() == nodes && around.contains(&path[0]) {
            let next = |at: usize| path[(at + 1) % nodes];
            let last = |at: usize| path[(at + nodes - 1) % nodes];
            return Some((0..nodes).map(|node| (next(place[node]), last(place[node]))).collect());
        }
        let free: Vec<usize> = around.iter().copied().filter(|&node| place[node] == usize::MAX).collect();
        if free.is_empty() {
            // Posa's rotation: what follows the neighbour is walked the other way round
            let pivot = place[around[chance.below(around.len())]];
            path[pivot + 1..].reverse();
            (pivot + 1..path.len()).for_each(|at| place[path[at]] = at);
            turns += 1;
            if turns.is_multiple_of(1024) && seconds() > until {
                return None;
            }
        } else {
            let node = free[chance.below(free.len())];
            place[node] = path.len();
            path.push(node);
        }
    }
}

/// Returns true if the links that a Hamiltonian cycle leaves are one, too.
fn leaves_another(torus: &Torus, cycle: &[(usize, usize)]) -> bool {
    let (mut node, mut before, mut length) = (0, usize::MAX, 0);
    loop {
        let around = torus.port_ids().map(|port| torus.neighbour(NodeId(node as u32), port).index());
        let (next, last) = cycle[node];
        let Some(there) = around.into_iter().find(|&there| there != next && there != last && there != before) else {
            return false;
        };
        (before, node) = (node, there);
        length += 1;
        if node == 0 {
            return length == cycle.len();
        }
    }
}

/// Cycles by chance until one leaves another, beside the closed form: the seconds of both.
pub fn paired(sides: &[u32], built: impl Fn() -> Program) {
    let torus = Torus::new(sides).expect("a torus");
    let (tried, found) = super::phase("other", || {
        let (begun, mut chance) = (seconds(), Chance(1));
        let mut tried = 0u32;
        loop {
            tried += 1;
            match cycle(&torus, &mut chance, begun + PATIENCE) {
                Some(cycle) if leaves_another(&torus, &cycle) => break (tried, true),
                Some(_) if seconds() < begun + PATIENCE => {}
                _ => break (tried, false),
            }
        }
    });
    println!("tried\t{tried}\nfound\t{}", u8::from(found));
    super::phase("ours", built);
}

/// The testbench of a design in Icarus and in Verilator, each by itself: seconds to compile and to run it, beside the model's.
pub fn simulated(sides: &[u32]) {
    let config = Config { scheme: SchemeName::from(&Staircase), ..Config::of(ShapeName::Torus, sides.to_vec()) };
    let design = Design::new(config).expect("a design");
    let program = &design.program;
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = emit::MemoryFiles::default();
    emit::write_all(program, &design.options(), &mut files).expect("memory takes all");
    for (path, text) in files.0 {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    println!("register-ticks\t{}", program.registers() as u64 * u64::from(program.ticks));
    super::phase("model", || {
        let mut machine = Machine::new(program);
        (0..program.ticks).for_each(|_| machine.step());
        machine.register(0)
    });
    let begun = processor_seconds();
    if icarus::run_testbench(folder.path(), program, None).is_ok_and(|ended| ended.passed) {
        println!("icarus\t{}", processor_seconds() - begun);
    }
    let name = &program.title.name;
    let command = format!("--binary --timing -CFLAGS -O1 -o sim --top-module {name}_tb -f {name}.f tb/{name}_tb.v");
    let begun = processor_seconds();
    let compiled = Command::new("verilator").args(command.split(' ')).current_dir(&folder).output();
    if compiled.is_ok_and(|output| output.status.success()) {
        let (compile, begun) = (processor_seconds() - begun, processor_seconds());
        let ran = Command::new(folder.path().join("obj_dir/sim")).current_dir(&folder).output();
        if ran.is_ok_and(|output| output.status.success()) {
            println!("verilator compiles\t{compile}\nverilator\t{}", processor_seconds() - begun);
        }
    }
}
