//! The programs of every scheme, to be read: a change of what a router does shows here first.

use torusweave::explain::program_text::Text;
use torusweave::paths::supply::Switching::{self, Memory, None, Periodic};
use torusweave::schemes::{hamiltonian::Hamiltonian, optimal::Optimal, staircase::Staircase, zigzag::Zigzag};
use torusweave::task::Scheme;

use crate::fixtures::designs::woven;

#[test]
fn programs_as_text() {
    let designs: [(&[u32], &dyn Scheme, Switching); 15] = [
        (&[2, 2], &Staircase, None),
        (&[4, 4], &Staircase, None),
        (&[6, 8], &Staircase, None),
        (&[8, 6], &Staircase, None),
        (&[6, 7], &Staircase, None),
        (&[6, 7], &Staircase, Memory),
        (&[6, 7], &Staircase, Periodic),
        (&[7, 7], &Hamiltonian, None),
        (&[3, 3, 3], &Hamiltonian, None),
        (&[8, 6], &Zigzag, None),
        (&[8, 6], &Zigzag, Memory),
        (&[8, 6], &Zigzag, Periodic),
        (&[7, 7], &Zigzag, Memory),
        (&[3, 3, 4], &Zigzag, None),
        (&[8, 8], &Optimal, None),
    ];
    for (sides, scheme, switching) in designs {
        let program = woven(sides, scheme, switching);
        insta::assert_snapshot!(format!("{scheme}_{}_{switching}", program.topology), Text(&program).to_string());
    }
}

/// The classes of a design do not depend on its size.
#[test]
fn classes_are_the_same_at_every_size() {
    let behaviour = |sides: [u32; 2]| {
        let program = woven(&sides, &Staircase, None);
        let words = |class: &torusweave::program::Class| {
            class
                .outputs
                .iter()
                .map(|track| track.runs.iter().map(|run| run.source).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        program.classes.iter().map(words).collect::<Vec<_>>()
    };
    assert_eq!(behaviour([6, 8]), behaviour([12, 16]));
    assert_eq!(behaviour([6, 8]), behaviour([24, 32]));
}
