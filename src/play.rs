//! The cycle-accurate model: which flit every register holds after every tick, what its bits are, and who knows what.

mod combiner;
mod knowledge;
mod machine;
mod moments;
mod notes;
mod payload;
mod player;
mod shift;
mod together;
mod values;

pub use combiner::{Combiner, OwnStreams};
pub use knowledge::{Knowledge, steps_to_complete};
pub use machine::Machine;
pub use moments::Moments;
pub use notes::Notes;
pub use payload::Payloads;
pub use player::Player;
pub use together::{Meeting, meeting};
pub use values::Values;
