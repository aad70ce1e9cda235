//! A program with a fault in every class: a proof that does not see it proves nothing.

use std::collections::BTreeSet;

use crate::net::Channel;
use crate::program::{Class, Program, Source};

/// The program with a fault in each class that can have one of this kind: two inputs change places, or the only one is read
/// a tick too late. The routers keep their ports.
pub fn faulty(program: &Program) -> Program {
    let classes = program.classes.iter().map(|class| faulty_class(class).unwrap_or_else(|| class.clone())).collect();
    Program { classes, ..program.clone() }
}

/// None for a class that reads nothing.
fn faulty_class(class: &Class) -> Option<Class> {
    let read: BTreeSet<Channel> = class.sources().into_iter().flat_map(Source::inputs).collect();
    let inputs: Vec<Channel> = read.into_iter().collect();
    let wrong = |source| match (source, inputs.as_slice()) {
        (Source::In { port, lane, age }, &[one, other, ..]) => {
            let here = Channel { port, lane };
            let Channel { port, lane } = if here == one {
                other
            } else if here == other {
                one
            } else {
                here
            };
            Source::In { port, lane, age }
        }
        (Source::In { port, lane, age }, [_]) => Source::In { port, lane, age: age + 1 },
        (other, _) => other,
    };
    let mut faulty = class.clone();
    for run in faulty.outputs.iter_mut().flat_map(|track| &mut track.runs) {
        run.source = wrong(run.source);
    }
    (faulty != *class).then_some(faulty)
}

/// Whether a class has a fault in the faulty program.
pub fn is_faulty(class: &Class) -> bool {
    faulty_class(class).is_some()
}
