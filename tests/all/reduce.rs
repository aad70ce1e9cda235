//! Reduce-scatter and all-reduce: programs of every scheme, read from their JSON alone and executed with integers.

use torusweave::net::Shape;
use torusweave::paths::supply::Switching;
use torusweave::program::{Operation, Program};
use torusweave::schemes::reversal::{self, Kept};
use torusweave::schemes::{staircase::Staircase, zigzag::Zigzag};

use crate::fixtures::designs::{design_on, woven};
use crate::fixtures::judge::Judge;

fn judged(program: &Program) -> Result<(), String> {
    Judge::read(&program.json()).play(7)
}

#[test]
fn sums_are_right_and_without_pruning_wrong() {
    let gather = woven(&[6, 8], &Zigzag, Switching::None);
    assert_eq!(judged(&reversal::reversed(&gather, Operation::Sum, Kept::One)), Ok(()));
    for operation in Operation::ALL {
        let every = judged(&reversal::reversed(&gather, operation, Kept::Every));
        assert_eq!(every.is_ok(), operation.is_idempotent(), "{operation}: {every:?}");
    }
    let memory = woven(&[6, 7], &Staircase, Switching::Memory);
    assert!(judged(&reversal::reversed(&memory, Operation::Sum, Kept::One)).is_ok());
}

#[test]
fn every_scheme_reduces_and_all_reduces() {
    let cases: [(Shape, &[u32], &str, &str); 16] = [
        (Shape::Torus, &[6, 8], "staircase", "none"),
        (Shape::Torus, &[6, 7], "staircase", "none"),
        (Shape::Torus, &[6, 7], "staircase", "memory"),
        (Shape::Torus, &[6, 7], "staircase", "periodic"),
        (Shape::Torus, &[3, 4], "hamiltonian", "none"),
        (Shape::Torus, &[7, 7], "hamiltonian", "none"),
        (Shape::Torus, &[3, 3, 4], "hamiltonian", "none"),
        (Shape::Mesh, &[4, 5], "hamiltonian", "none"),
        (Shape::Cycle, &[7], "hamiltonian", "none"),
        (Shape::Torus, &[6, 8], "zigzag", "none"),
        (Shape::Torus, &[6, 8], "zigzag", "memory"),
        (Shape::Torus, &[6, 8], "zigzag", "periodic"),
        (Shape::Torus, &[7, 7], "zigzag", "none"),
        (Shape::Torus, &[8, 8], "optimal", "none"),
        (Shape::Torus, &[2, 3, 4], "optimal", "none"),
        (Shape::Torus, &[3, 3, 2, 2], "optimal", "none"),
    ];
    for (shape, sides, scheme, switching) in cases {
        for (collective, operation, flits) in
            [("reduce-scatter", "sum", 1), ("reduce-scatter", "max", 3), ("all-reduce", "xor", 2)]
        {
            let settings = [
                format!("scheme={scheme}"),
                format!("switching={switching}"),
                format!("collective={collective}"),
                format!("operation={operation}"),
                format!("link.flits={flits}"),
            ];
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            let design = design_on(shape, sides, &settings);
            assert_eq!(judged(&design.program), Ok(()), "{sides:?} {settings:?}");
        }
    }
}
