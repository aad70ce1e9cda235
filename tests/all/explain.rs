//! Output of `torusweave explain` for one node of each scheme.

use torusweave::explain::{Explainer, Explanation};

use crate::fixtures::designs::design;

fn explanation(dims: &[u32], settings: &[&str], node: &[u32], tick: Option<u32>) -> Explanation {
    let design = design(dims, settings);
    let explainer = Explainer::new(&design);
    let torus = &design.program.topology;
    let node = torus.node(node);
    let mut explanation = explainer.node(node, None);
    explanation.at = tick
        .into_iter()
        .flat_map(|tick| design.program.channels().map(move |input| (input, tick)))
        .map(|(input, tick)| explainer.at(node, input, tick))
        .collect();
    explanation
}

#[test]
fn zigzag_off_a_cycle_with_memory() {
    insta::assert_snapshot!(explanation(&[8, 6], &["scheme=zigzag", "switching=memory"], &[3, 4], Some(9)));
}

#[test]
fn zigzag_off_a_cycle_without_switching() {
    insta::assert_snapshot!(explanation(&[8, 6], &["scheme=zigzag"], &[3, 4], None));
}

#[test]
fn zigzag_off_a_cycle_with_periodic_switching() {
    insta::assert_snapshot!(explanation(&[16, 12], &["scheme=zigzag", "switching=periodic"], &[3, 4], None));
}

#[test]
fn zigzag_on_both_cycles() {
    insta::assert_snapshot!(explanation(&[8, 6], &["scheme=zigzag"], &[3, 0], None));
}

#[test]
fn zigzag_in_three_dimensions_with_long_packets() {
    insta::assert_snapshot!(explanation(&[3, 3, 4], &["scheme=zigzag", "link.flits=4"], &[1, 2, 0], Some(30)));
}

#[test]
fn staircase_double_node() {
    insta::assert_snapshot!(explanation(&[6, 7], &["scheme=staircase", "switching=memory"], &[2, 5], Some(21)));
}

#[test]
fn hamiltonian_with_a_silent_last_tick() {
    insta::assert_snapshot!(explanation(&[4, 5], &["scheme=hamiltonian"], &[1, 2], Some(10)));
}

#[test]
fn optimal_by_arcs_of_the_tree() {
    insta::assert_snapshot!(explanation(&[4, 4], &["scheme=optimal"], &[1, 2], Some(3)));
}

#[test]
fn a_node_as_json() {
    let explanation = explanation(&[8, 6], &["scheme=zigzag", "switching=memory"], &[3, 4], Some(2));
    insta::assert_snapshot!(serde_json::to_string_pretty(&explanation).unwrap());
}

#[test]
fn a_node_that_combines_and_gathers() {
    let settings = ["scheme=zigzag", "switching=memory", "collective=all-reduce", "operation=sum"];
    insta::assert_snapshot!(explanation(&[4, 6], &settings, &[2, 4], Some(5)));
}

#[test]
fn a_node_of_a_reduce_scatter_on_long_links_as_json() {
    let settings = ["scheme=optimal", "collective=reduce-scatter", "operation=max", "link.flits=2", "link.latency=3"];
    let explanation = explanation(&[3, 3], &settings, &[1, 2], Some(7));
    insta::assert_snapshot!(serde_json::to_string_pretty(&explanation).unwrap());
}
