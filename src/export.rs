//! A schedule in formats that others execute: packets over links, without ticks.

mod blocks;
#[cfg(feature = "cli")]
mod chakra;
mod messages;
mod msccl;
mod mscclpp;
mod places;

#[cfg(feature = "cli")]
pub use chakra::chakra;
pub use msccl::msccl;
pub use mscclpp::mscclpp;
