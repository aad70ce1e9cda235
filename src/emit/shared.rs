//! Common ground of all rooms of the emitter: files, names, words, ports, and the design that they write.

pub(in crate::emit) mod axis;
pub(in crate::emit) mod call_words;
pub(in crate::emit) mod design;
pub(in crate::emit) mod files;
pub(in crate::emit) mod lines;
pub mod names;
pub(in crate::emit) mod numbers;
pub(in crate::emit) mod options;
pub(in crate::emit) mod output;
pub(in crate::emit) mod own;
pub(in crate::emit) mod parts;
pub(in crate::emit) mod words;
