//! A schedule in formats that others execute: packets over links, without ticks.

mod chakra;
mod dialect;
mod error;
mod judge;
mod messages;
mod msccl;
mod places;
mod rules;
mod run;
mod xml;

pub use chakra::chakra;
pub use dialect::Dialect;
pub use error::FileFault;
pub use judge::{Verdict, check};
pub use msccl::msccl;
