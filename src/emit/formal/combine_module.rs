//! Module in the place of the one that combines two values in some ticks: any function of two values, in as many clocks.

use askama::Template;

use crate::emit::fabric::Neutral;

/// View of `templates/formal/unit.v`.
#[derive(Template)]
#[template(path = "formal/unit.v", escape = "none")]
pub struct CombineModule {
    module: String,
    ticks: u32,
    neutral: Neutral,
}

impl CombineModule {
    pub fn new(module: String, ticks: u32, neutral: Neutral) -> Self {
        Self { module, ticks, neutral }
    }
}
