//! Reasons for which there are no tables of a program's nodes.

use thiserror::Error;

/// Reason for which there are no tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoReading {
    /// An output takes some value or result more than once, or results in another order than that of their words.
    #[error("local.order: nodes are not supported with this {collective}: an output sends a value or a result twice")]
    Repeated {
        /// Name of the collective.
        collective: &'static str,
    },
    /// A ring counts the words of a collective.
    #[error("host: {words} words in a collective are more than the {most} that a ring counts")]
    Ring {
        /// Most words that can go in and out.
        words: u64,
        /// Most of them that are supported.
        most: u64,
    },
    /// Nodes need to know when each word arrives.
    #[error("local.order: nodes are not supported where routers find out lengths while they run")]
    RunTime,
    /// The flits of a packet do not follow one another.
    #[error("local.order: the packets of this schedule are not sent as wholes")]
    NotWhole,
    /// Offsets are not coordinates modulo the sides, as the tables need.
    #[error("local.order: nodes require a torus, mesh, cycle or path (is a {kind})")]
    Network {
        /// Kind of the network.
        kind: &'static str,
    },
    /// More inputs and steps than tables are made for.
    #[error("local.order: {arrivals} inputs and steps are more than the {most} that tables are made for")]
    TooMany {
        /// Inputs of all nodes times steps.
        arrivals: u64,
        /// Most of them that are supported.
        most: u64,
    },
}

impl NoReading {
    /// Cure for it.
    pub fn help(&self) -> String {
        match self {
            Self::Ring { .. } => {
                "leave `host` out and set `local.order`: every node then has streams of its own".into()
            }
            Self::Repeated { .. } => "choose `scheme: optimal`, or another one".into(),
            Self::NotWhole | Self::RunTime | Self::Network { .. } => {
                "leave `local` and `host` out: docs/rtl.md says how to drive the fabric alone".into()
            }
            Self::TooMany { .. } => "choose smaller sides, or leave `local` and `host` out".into(),
        }
    }
}
