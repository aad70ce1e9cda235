//! A schedule in formats that others execute: packets over links, without ticks.

mod blocks;
#[cfg(feature = "cli")]
mod chakra;
mod dialect;
mod error;
mod fields;
mod judge;
mod messages;
mod msccl;
mod mscclpp;
mod places;
mod plan;
mod plan_ops;
mod plan_run;
mod rules;
mod run;
mod xml;

#[cfg(feature = "cli")]
pub use chakra::chakra;
pub use dialect::Dialect;
pub use error::FileFault;
pub use judge::{PlanVerdict, check, check_plan};
pub use msccl::msccl;
pub use mscclpp::mscclpp;
