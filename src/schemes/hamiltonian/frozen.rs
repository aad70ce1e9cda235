//! The two graphs too small for a regular plan, C3 x C3 and C3 x C4 over a fibre of 3.
//!
//! Both plans were found by trying all zigzags with two squares on B. Of those whose cycles serve as A and B over a fibre
//! of 9 in turn (3x3x3x3x3 and 3x3x3x3x4 need that), they move the fewest links away from gaps 0 and 1 by turns.

use super::plan::{Switch, SwitchPlan};

/// The plan for a fibre of n and a graph of m nodes, if it is one of the two. A is read as it stands.
pub fn plan(n: usize, m: usize) -> Option<SwitchPlan> {
    match (n, m) {
        (3, 9) => {
            let on_b = vec![Switch { link: 0, gap: 1 }, Switch { link: 5, gap: 2 }];
            Some(SwitchPlan::new(n, m, &[0, 2, 0, 1, 0, 1, 0, 1], on_b))
        }
        (3, 12) => {
            let on_b = vec![Switch { link: 6, gap: 1 }, Switch { link: 1, gap: 2 }];
            Some(SwitchPlan::new(n, m, &[0, 1, 0, 2, 0, 1, 0, 1, 0, 1, 2], on_b))
        }
        _ => None,
    }
}
