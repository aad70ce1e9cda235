//! Reduce-scatter and all-reduce: programs of every scheme, read from their JSON alone and executed with integers; checked,
//! played, and beside their Verilog.

use torusweave::check;
use torusweave::design::Design;
use torusweave::net::Shape;
use torusweave::paths::supply::Switching;
use torusweave::play::{Combiner, Payloads};
use torusweave::program::{Operation, Program};
use torusweave::schemes::reversal::{self, Kept};
use torusweave::schemes::{Pick, hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::tools::lockstep;

use crate::fixtures::designs::{self, Folder, design_on, woven};
use crate::fixtures::judge::Judge;
use crate::fixtures::tools::{has, play, toolchain};

fn judged(program: &Program) -> Result<(), String> {
    Judge::read(&program.json()).play(7)
}

/// Whether the model combines every value rightly.
fn is_played_right(program: &Program) -> bool {
    let mut combiner = Combiner::new(program, Payloads { width: 40, seed: 3 }).unwrap();
    while !combiner.is_done() {
        combiner.step();
    }
    combiner.is_right()
}

/// A config in short: `staircase none all-reduce sum 2`, the last its flits.
fn design(shape: Shape, sides: &[u32], config: &str) -> Design {
    let fields = ["scheme", "switching", "collective", "operation", "link.flits"];
    let settings: Vec<String> = fields.iter().zip(config.split(' ')).map(|(field, it)| format!("{field}={it}")).collect();
    design_on(shape, sides, &settings.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn sums_are_right_and_without_pruning_wrong() {
    let gather = woven(&[6, 8], &Zigzag, Switching::None);
    let one = reversal::reversed(&gather, Operation::Sum, Kept::One);
    assert_eq!(judged(&one), Ok(()));
    assert!(check::by_execution(&one).passed() && is_played_right(&one));
    for operation in Operation::ALL {
        let every = reversal::reversed(&gather, operation, Kept::Every);
        let report = check::by_execution(&every);
        let is_right = operation.is_idempotent();
        assert_eq!(judged(&every).is_ok(), is_right, "{operation}");
        assert_eq!(report.passed(), is_right, "{operation}: {:?}", report.violations.first());
        assert_eq!(is_played_right(&every), is_right, "{operation}");
    }
}

#[test]
fn every_scheme_reduces_and_all_reduces() {
    let cases: [(Shape, &[u32], &str); 16] = [
        (Shape::Torus, &[6, 8], "staircase none"),
        (Shape::Torus, &[6, 7], "staircase none"),
        (Shape::Torus, &[6, 7], "staircase memory"),
        (Shape::Torus, &[6, 7], "staircase periodic"),
        (Shape::Torus, &[3, 4], "hamiltonian none"),
        (Shape::Torus, &[7, 7], "hamiltonian none"),
        (Shape::Torus, &[3, 3, 4], "hamiltonian none"),
        (Shape::Mesh, &[4, 5], "hamiltonian none"),
        (Shape::Cycle, &[7], "hamiltonian none"),
        (Shape::Torus, &[6, 8], "zigzag none"),
        (Shape::Torus, &[6, 8], "zigzag memory"),
        (Shape::Torus, &[6, 8], "zigzag periodic"),
        (Shape::Torus, &[7, 7], "zigzag none"),
        (Shape::Torus, &[8, 8], "optimal none"),
        (Shape::Torus, &[2, 3, 4], "optimal none"),
        (Shape::Torus, &[3, 3, 2, 2], "optimal none"),
    ];
    for (shape, sides, scheme) in cases {
        for rest in ["reduce-scatter sum 1", "reduce-scatter max 3", "all-reduce xor 2", "all-reduce and 1"] {
            let config = format!("{scheme} {rest}");
            let design = design(shape, sides, &config);
            let program = &design.program;
            assert_eq!(judged(program), Ok(()), "{sides:?} {config}");
            let report = check::by_execution(program);
            assert!(report.passed(), "{sides:?} {config}: {:?}", report.violations.first());
            assert!(u64::from(report.steps.unwrap()) >= design.bound().steps, "{sides:?} {config}");
            assert!(is_played_right(program), "{sides:?} {config}");
        }
    }
}

/// The ticks of all-reduce, twice those of the gossip and one of silence between.
#[test]
fn all_reduce_takes_the_gossip_twice_and_a_tick() {
    let ticks = |sides: &[u32], scheme: &str| {
        let program = design(Shape::Torus, sides, &format!("{scheme} none all-reduce sum")).program;
        let report = check::by_execution(&program);
        assert!(report.passed(), "{sides:?} {scheme}: {:?}", report.violations.first());
        assert_eq!(report.complete_at, Some(program.ticks), "{sides:?} {scheme}");
        program.ticks
    };
    let found = [ticks(&[8, 8], "optimal"), ticks(&[16, 16], "optimal"), ticks(&[6, 8], "staircase")];
    assert_eq!(found, [33, 129, 49]);
    assert_eq!([ticks(&[3, 3, 4], "hamiltonian"), ticks(&[4, 4, 4], "hamiltonian")], [37, 65]);
    assert_eq!(ticks(&[6, 8], "zigzag"), 41);
}

/// Classes of the gossip, classes of the reduce-scatter, the most operands, the largest age.
#[test]
fn classes_operands_and_ages_are_those_that_were_measured() {
    type Case = (&'static [u32], Pick, Switching, [usize; 4]);
    let (none, memory) = (Switching::None, Switching::Memory);
    let cases: [Case; 13] = [
        (&[6, 8], (&Staircase).into(), none, [2, 2, 2, 1]),
        (&[6, 7], (&Staircase).into(), none, [3, 8, 4, 16]),
        (&[6, 7], (&Staircase).into(), memory, [3, 3, 4, 1]),
        (&[6, 8], (&Hamiltonian).into(), none, [12, 12, 2, 1]),
        (&[3, 3, 4], (&Hamiltonian).into(), none, [33, 33, 2, 1]),
        (&[4, 4, 4], (&Hamiltonian).into(), none, [44, 44, 2, 1]),
        (&[5, 5, 4], (&Hamiltonian).into(), none, [53, 54, 2, 1]),
        (&[4, 6, 5], (&Hamiltonian).into(), none, [46, 47, 2, 1]),
        (&[6, 8], (&Zigzag).into(), none, [2, 8, 4, 11]),
        (&[7, 7], (&Zigzag).into(), none, [15, 49, 4, 13]),
        (&[8, 8], (&Optimal).into(), none, [1, 1, 4, 15]),
        (&[16, 16], (&Optimal).into(), none, [1, 1, 4, 63]),
        (&[4, 4, 4, 4], (&Optimal).into(), none, [1, 1, 5, 31]),
    ];
    for (sides, scheme, switching, expected) in cases {
        let gather = woven(sides, scheme, switching);
        let reduced = reversal::reduce_scatter(&gather, Operation::Sum);
        let (classes, operands, age) = Judge::read(&reduced.json()).figures();
        assert_eq!([gather.classes.len(), classes, operands, age], expected, "{sides:?} {scheme} {switching:?}");
    }
}

/// What every check must find: each duplicate put back, each operand dropped, each age off.
#[test]
fn mutants_are_caught_by_every_check() {
    let gather = woven(&[4, 6], &Zigzag, Switching::None);
    let duplicates = (0..).map_while(|n| reversal::with_a_duplicate(&gather, Operation::Sum, n));
    let mut tried = 0;
    for mutant in duplicates {
        let report = check::by_execution(&mutant);
        assert!(!report.passed() && judged(&mutant).is_err() && !is_played_right(&mutant), "duplicate {tried}");
        tried += 1;
    }
    println!("{tried} duplicates put back");
    assert!(tried > 0);
}

const SCHEMES: [(&[u32], &str); 5] = [
    (&[4, 6], "staircase none"),
    (&[4, 5], "staircase memory"),
    (&[3, 4], "hamiltonian none"),
    (&[4, 6], "zigzag none"),
    (&[4, 5], "optimal none"),
];

#[test]
fn icarus_agrees_with_the_model() {
    if !has("iverilog") {
        return;
    }
    for (sides, scheme) in SCHEMES {
        for rest in ["reduce-scatter sum 1", "all-reduce max 1", "reduce-scatter xor 3", "all-reduce min 2"] {
            let design = design(Shape::Torus, sides, &format!("{scheme} {rest}"));
            let name = &design.program.title.name;
            let printed = play(&Folder::with_options(&design.program, &designs::options(32)), name);
            assert!(printed.starts_with("PASS "), "{sides:?} {scheme} {rest}: {printed}");
        }
    }
}

#[test]
fn verilator_agrees_with_the_model() {
    let Some(tools) = toolchain() else { return };
    for ((sides, scheme), rest) in SCHEMES.into_iter().zip([
        "all-reduce sum 1",
        "reduce-scatter max 2",
        "all-reduce xor 1",
        "all-reduce sum 2",
        "all-reduce max 1",
    ]) {
        let design = design(Shape::Torus, sides, &format!("{scheme} {rest}"));
        let outcome = lockstep::run(&tools, &design.program, &designs::options(70), 5).unwrap();
        outcome.unwrap_or_else(|difference| panic!("{sides:?} {scheme} {rest}: {difference}"));
    }
}
