//! Optimal gossip on half-duplex meshes over every size: a sample, under `TORUSWEAVE_FULL=all` all of them, which takes minutes.

use torusweave::check;
use torusweave::net::{ShapeName, Topology};
use torusweave::program::Link;
use torusweave::schemes::{SchemeName, optimal::Optimal};
use torusweave::study::bounds::{self, Goal};
use torusweave::task::{Choice, Task};

use crate::fixtures::ranges::{ascending, sparsely_sampled};

#[test]
fn every_mesh_up_to_16x16_takes_at_most_a_step_more_than_the_bound() {
    for dims in sparsely_sampled(ascending(2, 2, 16), 24) {
        for dims in [[dims[0], dims[1]], [dims[1], dims[0]]] {
            let mesh = Topology::new(ShapeName::Mesh, &dims).unwrap();
            let task = Task { topology: &mesh, link: Link::half(1), choice: Choice::default() };
            let program = SchemeName::from(&Optimal).build(&task, "mesh").unwrap().program;
            assert!(check::by_execution(&program).passed(), "{dims:?}");
            let bound = bounds::lower_bound(&mesh, task.link, Goal::Gossip { flits: 1 }).ticks;
            let over = u64::from(program.ticks) - bound;
            assert!(over <= 1, "{dims:?}: {over} more than {bound}");
        }
    }
}
