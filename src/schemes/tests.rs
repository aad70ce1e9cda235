//! Tests of the claims that every scheme of the list makes of itself.

use super::*;
use crate::net::{ShapeName, Topology};
use crate::paths::supply::Switching;
use crate::program::Link;
use crate::task::{Choice, Knob};

/// Networks of every shape, sides of 2 among them.
fn networks() -> Vec<Topology> {
    let planes = |shape| (2..=10).flat_map(move |n1| (2..=10).map(move |n2| (shape, vec![n1, n2])));
    let lines =
        [ShapeName::Cycle, ShapeName::Path].into_iter().flat_map(|shape| (2..=9).map(move |n| (shape, vec![n])));
    let more: [&[u32]; 9] = [
        &[3, 3, 3],
        &[3, 3, 4],
        &[4, 4, 4],
        &[2, 2, 2],
        &[6, 6, 5],
        &[3, 4, 5],
        &[4, 4, 2, 4],
        &[4, 4, 4, 5],
        &[3, 3, 3, 3],
    ];
    let spaces =
        [ShapeName::Torus, ShapeName::Mesh].into_iter().flat_map(|shape| more.map(|dims| (shape, dims.to_vec())));
    let all = planes(ShapeName::Torus).chain(planes(ShapeName::Mesh)).chain(lines).chain(spaces);
    all.map(|(shape, dims)| Topology::new(shape, &dims).unwrap()).collect()
}

/// Calls `claim` with every scheme, task and what is built, for every network that the scheme fits.
fn for_every_program(claim: impl Fn(&'static dyn Scheme, &Task, &Result<Built, SchemeError>, &str)) {
    for topology in networks() {
        for switching in Switching::ALL {
            let task =
                Task { topology: &topology, link: Link::default(), choice: Choice { switching, ..Choice::default() } };
            for &scheme in SCHEMES.iter().filter(|scheme| scheme.fits(&task).is_ok()) {
                if switching == Switching::None || scheme.knobs(&task).contains(&Knob::Switching) {
                    let what = format!("{scheme} on a {}, switching {switching}", topology.describe());
                    claim(scheme, &task, &SchemeName::from(scheme).build(&task, "t"), &what);
                }
            }
        }
    }
}

#[test]
fn a_scheme_that_fits_is_built_unless_the_switching_is_refused() {
    for_every_program(|_, task, built, what| {
        assert!(built.is_ok() || task.choice.switching == Switching::Periodic, "{what}: {:?}", built.as_ref().err());
    });
}

#[test]
fn steps_and_packets_are_those_of_the_program() {
    for_every_program(|scheme, task, built, what| match built {
        Ok(Built { program, .. }) => {
            assert_eq!(scheme.packets(task), program.packets(), "{what}");
            assert!(scheme.steps(task).is_none_or(|steps| steps == program.ticks), "{what}: {}", program.ticks);
        }
        Err(_) => assert_eq!(scheme.steps(task), None, "{what}: a formula for what is refused"),
    });
}

#[test]
fn switching_makes_a_difference_where_a_cycle_passes_a_node_by() {
    for_every_program(|scheme, task, built, what| {
        if built.is_err() {
            return;
        }
        let passed_by = scheme.cover(task).is_some_and(|cover| !cover.passes_every_node());
        assert_eq!(scheme.knobs(task).contains(&Knob::Switching), passed_by, "{what}");
    });
}

#[test]
fn unsupported_tasks_are_refused_before_anything_is_built() {
    for topology in networks() {
        let task = Task { topology: &topology, link: Link::default(), choice: Choice::default() };
        for &scheme in SCHEMES {
            if let Err(unmet) = scheme.fits(&task) {
                let error = SchemeName::from(scheme).build(&task, "t").unwrap_err();
                let expected = format!("scheme {scheme} {unmet}; the {} is {topology}", topology.kind());
                assert_eq!(error.to_string(), expected);
                assert!(!error.help().is_empty());
            }
        }
    }
}

/// Help is as cheap as the refusal: on these networks a program would take gigabytes.
#[test]
fn refusals_of_large_networks_are_cheap() {
    let begun = std::time::Instant::now();
    for (shape, dims) in
        [(ShapeName::Torus, &[8191, 8191][..]), (ShapeName::Torus, &[8191, 2, 4001]), (ShapeName::Mesh, &[8191, 8191])]
    {
        let topology = Topology::new(shape, dims).unwrap();
        let task = Task { topology: &topology, link: Link::default(), choice: Choice::default() };
        assert!(!SchemeName::from(&staircase::Staircase).build(&task, "t").unwrap_err().help().is_empty());
    }
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}
