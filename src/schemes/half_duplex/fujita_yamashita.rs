//! The scheme `fujita-yamashita`: what Lau and Zhang improve upon, as a baseline.

use super::{MOST_NODES, grid};
use crate::paths::moves;
use crate::program::Title;
use crate::task::Task;
use crate::task::{About, Claim, Scheme, SchemeLinks, Woven};
use crate::task::{ConstructError, Unmet};

/// Scheme `fujita-yamashita` of the list.
pub struct FujitaYamashita;

impl Scheme for FujitaYamashita {
    fn about(&self) -> About {
        About {
            name: "fujita-yamashita",
            summary: "One packet per node on half-duplex links of a path or a mesh, the lower end of a link always first: a baseline",
            theorem: "Fujita and Yamashita, Fast gossiping on square mesh computers",
            condition: "half-duplex links of one lane; a path, or a mesh of two axes, of at most 4096 nodes",
            packets: "1",
            preference: 6,
        }
    }

    fn links(&self) -> SchemeLinks {
        SchemeLinks::Half
    }

    fn applies(&self, task: &Task) -> Result<(), Unmet> {
        let topology = task.topology;
        let needs = if topology.is_product_of_cycles() || topology.axes() > 2 {
            "a path, or a mesh of two axes"
        } else if task.link.lanes > 1 {
            "one lane"
        } else if topology.nodes() > MOST_NODES {
            "at most 4096 nodes"
        } else {
            return Ok(());
        };
        Err(Unmet { needs })
    }

    fn packets(&self, _: &Task) -> u16 {
        1
    }

    fn weave(&self, task: &Task, title: Title) -> Result<Woven, ConstructError> {
        self.applies(task)?;
        let moves = match task.topology.axes() {
            1 => grid::fujita_yamashita_path(task.topology),
            _ => grid::fujita_yamashita_mesh(task.topology),
        };
        Ok(Woven { program: moves::program(task.topology, 1, moves, None, title), cover: None })
    }

    fn claim(&self, task: &Task) -> Option<Claim> {
        let theorem = "as Lau and Zhang cite it";
        self.steps(task).map(|steps| Claim { theorem, steps: steps.into() })
    }

    fn steps(&self, task: &Task) -> Option<u32> {
        match *task.topology.dims() {
            [n] => Some(2 * (n - 1)),
            [m, n] if m == n => Some(n * n / 2 + 2 * n - 3 + n % 2),
            _ => None,
        }
    }
}
