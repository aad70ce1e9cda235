//! The scheme `lau-zhang`: both papers' algorithms, for one lane and two.

use super::{MOST_NODES, grid, line};
use crate::net::Topology;
use crate::paths::moves;
use crate::program::{Link, Title};
use crate::task::Task;
use crate::task::{About, Claim, Scheme, SchemeLinks, Woven};
use crate::task::{ConstructError, Unmet};

/// Scheme `lau-zhang` of the list.
pub struct LauZhang;

impl Scheme for LauZhang {
    fn about(&self) -> About {
        About {
            name: "lau-zhang",
            summary: "One packet per node on half-duplex links, on paths and cycles in the fewest steps there are",
            theorem: "Lau and Zhang, Optimal gossiping in paths and cycles; Fast gossiping in meshes/tori with bounded-size packets",
            condition: "half-duplex links; a path or a cycle, with one lane or two; a mesh or a torus of two axes, with one",
            packets: "1",
            preference: 5,
        }
    }

    fn links(&self) -> SchemeLinks {
        SchemeLinks::Half
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        applies(task.topology, task.link)
    }

    fn packets(&self, _: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        let (topology, Link { lanes, .. }) = (task.topology, task.link);
        applies(topology, task.link)?;
        let program = match topology.axes() {
            1 => line::program(topology, lanes, title),
            _ if topology.is_product_of_cycles() => {
                moves::program(topology, 1, grid::lau_zhang_torus(topology), None, title)
            }
            _ => moves::program(topology, 1, grid::lau_zhang_mesh(topology), None, title),
        };
        Ok(Woven { program, cover: None })
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let mut steps = self.steps(task)?.into();
        let (n, lanes) = (task.topology.nodes(), task.link.lanes);
        // only square planes
        if task.topology.axes() == 2 && task.topology.side(0) != task.topology.side(1) {
            return None;
        }
        let theorem = match (task.topology.axes(), task.topology.is_product_of_cycles()) {
            (1, false) if lanes == 1 => "Theorem 2.2 of paths and cycles",
            (1, false) if n % 2 == 1 => "Theorem 3.2 of paths and cycles",
            (1, false) => "Theorem 3.3 of paths and cycles",
            (1, true) if lanes == 1 || n <= 3 => "Theorem 2.1 of paths and cycles",
            (1, true) if n % 2 == 0 => "Theorem 3.4 of paths and cycles",
            (1, true) => "Theorem 3.5 of paths and cycles",
            (_, false) => "Theorem 4 of meshes and tori, n^2/2 read for n^2",
            (_, true) if n % 2 == 0 => "Theorem 5 of meshes and tori",
            (_, true) => {
                steps = u64::from(n).div_ceil(2) + 1;
                "Theorem 6 of meshes and tori"
            }
        };
        Some(Claim { theorem, steps })
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        Some(match (task.topology.axes(), task.topology.is_product_of_cycles()) {
            (1, _) => line::steps(task.topology, task.link.lanes),
            (_, false) => mesh_steps(task.topology),
            (_, true) => torus_steps(task.topology),
        })
    }

    /// Round a cycle packets go one way.
    fn never_turns(&self, task: &Task) -> bool {
        task.topology.axes() == 1 && task.topology.has_every_link() && task.link.lanes == 1
    }

    /// On lines counters do; on planes every node has a table.
    fn is_time_independent(&self, task: &Task) -> bool {
        task.topology.axes() == 1
    }
}

fn applies(topology: &Topology, link: Link) -> Result<(), Unmet> {
    let is_odd_cycle = topology.has_every_link() && link.lanes > 1 && topology.nodes() % 2 == 1;
    let needs = match topology.axes() {
        1 if is_odd_cycle && topology.nodes() > MOST_NODES => "at most 4095 nodes on an odd cycle with two lanes",
        2 if link.lanes > 1 => "one lane on two axes",
        2 if topology.nodes() > MOST_NODES => "at most 4096 nodes on two axes",
        1 | 2 => return Ok(()),
        _ => "one axis or two",
    };
    Err(Unmet { needs })
}

/// The shorter side and the longer one.
fn sides(plane: &Topology) -> (u32, u32) {
    let (n1, n2) = (plane.side(0), plane.side(1));
    (n1.min(n2), n1.max(n2))
}

/// 004, section 3: half of the links' work, and the way to the far end of the last packet.
fn mesh_steps(mesh: &Topology) -> u32 {
    let (m, n) = sides(mesh);
    // on an odd square the middle column is one step behind
    m * n / 2 + n - 1 + u32::from(m == n && n % 2 == 1)
}

/// 004, section 4, corrected.
fn torus_steps(torus: &Topology) -> u32 {
    let (m, n) = sides(torus);
    match (m % 2 == 1 && n % 2 == 1, m == n) {
        (false, _) => (m * n + n - m).div_ceil(2),
        (true, true) => (n * n).div_ceil(2),
        (true, false) => (m * n + n - m - 1) / 2,
    }
}
