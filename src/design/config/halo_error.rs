//! Errors of the neighbours of a halo, with advice.

use thiserror::Error;

use super::lengths_error::LengthsError;

/// Error in the neighbours of a halo.
#[derive(Debug, Error)]
pub enum HaloError {
    /// Offsets that are no neighbours, or more of them than nodes.
    #[error("reach: must be smaller ({reach}): {}", why.as_ref().map_or_else(|| few_nodes(network), ToString::to_string))]
    Reach {
        /// Number of hops along an axis.
        reach: u32,
        /// The most hops that lead to other nodes.
        most: Option<u32>,
        /// Description of the network.
        network: String,
        /// Fault of an offset; none if there are more offsets than nodes.
        why: Option<LengthsError>,
    },
    /// More words than there can be, or more nodes.
    #[error("{}: {source}", if matches!(source, LengthsError::TooMany { .. }) { "count" } else { "collective" })]
    Messages {
        /// Reason for the refusal.
        source: LengthsError,
    },
}

impl HaloError {
    /// Returns the cure that is shown after `help:`.
    pub fn help(&self) -> String {
        match self {
            Self::Reach { most: Some(most), .. } => format!("say `reach: {most}`, --reach {most}, or less"),
            Self::Reach { most: None, .. } => {
                "take `collective: exchange` with `lengths: { offsets: .. }` along the other axes".into()
            }
            Self::Messages { source: LengthsError::Nodes { .. } } => "choose a smaller network".into(),
            Self::Messages { source } => source.help(),
        }
    }
}

fn few_nodes(network: &str) -> String {
    format!("a {network} has fewer nodes than neighbours")
}
