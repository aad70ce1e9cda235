//! A schedule in formats that others execute: packets over links, without ticks.

mod chakra;
mod messages;
mod msccl;

pub use chakra::chakra;
pub use msccl::msccl;
