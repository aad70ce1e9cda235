//! A design for people: words, pictures, comparisons, one page with all of it.

pub mod arrivals;
pub mod compare;
pub mod diff;
pub mod draw;
pub mod explain;
pub mod export;
pub mod report;
pub mod rows;
pub mod text;
pub mod waves;
