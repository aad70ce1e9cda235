//! Algorithms of GPU libraries, read by the rules of their readers, executed and judged: XML of MSCCL and RCCL, plans of MSCCL++.

mod dialect;
mod error;
mod fields;
mod judge;
mod op_lines;
mod plan;
mod plan_ops;
mod plan_run;
mod read;
mod rules;
mod run;
mod transfers;
mod xml;

pub use dialect::{Dialect, MOST_CHANNELS, MOST_CHILDREN, MOST_COUNT, MOST_ELEMENTS, collective_of};
pub use error::{FaultPlace, FileFault};
pub use judge::{PlanVerdict, check, check_plan};
pub use plan::{MOST_BLOCKS, MOST_OPS};
pub use plan_ops::MOST_SEMAPHORES;
pub use read::{JudgedAlgorithm, is_algorithm, read};
pub use run::value;
pub use transfers::{ChunkContents, ChunkTransfer, StepPlace, TransferRecord};
