//! Algorithms of GPU libraries, read by the rules of their readers, executed and judged: XML of MSCCL and RCCL, plans of MSCCL++.

mod dialect;
mod error;
mod fields;
mod judge;
mod plan;
mod plan_ops;
mod plan_run;
mod rules;
mod run;
mod xml;

pub use dialect::{Dialect, MOST_CHANNELS, MOST_CHILDREN, MOST_COUNT, MOST_ELEMENTS};
pub use error::FileFault;
pub use judge::{PlanVerdict, check, check_plan};
pub use plan::{MOST_BLOCKS, MOST_OPS};
pub use plan_ops::MOST_SEMAPHORES;
