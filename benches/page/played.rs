//! The rows of what is played tick by tick: complete checks, the model, lockstep.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::net::ShapeName;
use torusweave::play::{Combiner, Machine, Notes, Payloads};
use torusweave::program::Program;
use torusweave::schemes::SchemeName;
use torusweave::task::Scheme;
use torusweave::tools::lockstep::{self, By, Toolchain};

use super::interpreter;

/// The interpreter looks at every tick before: fewer.
const INTERPRETED: u32 = 40;
/// Words that are copied to tell how fast that is; and registers that the model moves, unless the program is shorter.
const MOVED: usize = 1 << 28;

/// A complete check, with the seconds of all threads and those on the wall.
pub fn checked(program: &Program, method: check::Method) {
    let (begun, wall) = (processor_seconds(), Instant::now());
    let report = check::by(program, method, &|_| {});
    assert!(report.passed(), "{:?}", report.violations.first());
    println!("check\t{}\nwall\t{}", processor_seconds() - begun, wall.elapsed().as_secs_f64());
    println!("link-ticks\t{}", program.link_ticks());
}

/// A program played on the model, and what every node has in the end.
pub fn simulated(program: &Program) {
    let (begun, wall) = (processor_seconds(), Instant::now());
    let is_right = if let Some(mut combiner) = Combiner::new(program, Payloads { width: 32, seed: 1 }) {
        while !combiner.is_done() {
            combiner.step();
        }
        combiner.is_right()
    } else {
        let (mut machine, mut notes) = (Machine::new(program), Notes::new(program));
        while !machine.is_done() {
            machine.step();
            notes.tick(&machine);
        }
        notes.finish().2.is_some()
    };
    assert!(is_right, "some node lacks packets");
    println!("check\t{}\nwall\t{}", processor_seconds() - begun, wall.elapsed().as_secs_f64());
    println!("link-ticks\t{}", program.link_ticks());
}

/// Nanoseconds a register and tick: the model, a copy of as many words, and a plain interpreter.
pub fn played(program: &Program) {
    let registers = program.registers();
    let ticks = program.ticks.min((MOVED / registers) as u32);
    let from = vec![1u32; registers];
    let mut to = vec![2u32; registers];
    let times = MOVED / registers;
    let each = |seconds: f64, times: usize| seconds * 1e9 / times as f64 / registers as f64;
    // by turns, so that what disturbs the one disturbs the other
    let (mut copy, mut model) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..5 {
        let begun = super::seconds();
        for _ in 0..times {
            to.copy_from_slice(black_box(&from));
            black_box(&mut to);
        }
        copy = copy.min(each(super::seconds() - begun, times));
        let mut machine = Machine::new(program);
        let begun = super::seconds();
        (0..ticks).for_each(|_| machine.step());
        model = model.min(each(super::seconds() - begun, ticks as usize));
        black_box(machine.register(0));
    }
    let begun = super::seconds();
    black_box(interpreter::play(program, INTERPRETED));
    let plain = each(super::seconds() - begun, INTERPRETED as usize);
    println!("copy\t{copy}\nmodel\t{model}\ninterpreter\t{plain}");
}

/// Lockstep, in a cache that was empty, of a design that was never built, and of one that was; with the seconds of Verilator and the compiler.
pub fn in_lockstep(sides: &[u32], scheme: &'static dyn Scheme, by: Option<By>) {
    let Ok(tools) = Toolchain::find() else { return };
    let run = |sides: &[u32], by| {
        let config = Config { scheme: SchemeName::from(scheme), ..Config::of(ShapeName::Torus, sides.to_vec()) };
        let design = Design::new(config).expect("a design");
        let begun = processor_seconds();
        let outcome = lockstep::run(&tools, &design.program, &design.options(), by, 7).expect("it runs");
        let agreement = outcome.expect("RTL and model are equal");
        (processor_seconds() - begun, agreement)
    };
    // headers and run-time library are compiled once for all designs
    match by {
        Some(By::Fabric) if sides[0] >= 32 => run(&[24, 24], by),
        Some(By::Fabric) => run(&[2, 2], by),
        _ => run(&[2, 2], Some(By::Class)),
    };
    let ((first, _), (again, agreement)) = (run(sides, by), run(sides, by));
    println!("first\t{first}\nagain\t{again}\nregister-ticks\t{}", agreement.registers as u64 * agreement.ticks);
}

/// Seconds of all threads and all that they started, in hundredths.
pub fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // the letter of the state is no number: user, system, and both of children
    fields.get(10..14).map_or(f64::NAN, |ticks| ticks.iter().sum::<f64>() / 100.0)
}
