//! The schemes: which fits which network, why not, and what it builds.

mod auto;
mod axes;
pub mod broadcast;
mod error;
pub mod exchange;
mod file_scheme;
pub mod general;
pub mod half_duplex;
pub mod hamiltonian;
mod links;
mod nearest;
pub mod optimal;
pub mod scatter;
mod scheme_setting;
pub mod staircase;
mod sweep;
pub mod zigzag;

use crate::program::{Program, Title};
use crate::task::{ConstructError, Scheme, Task, Unmet, Woven};
use crate::transform::Form;

pub use auto::{Among, Choosing, Reason, SchemeCandidate};
pub use error::SchemeError;
pub use file_scheme::{FileScheme, ScheduleFile};
pub use scheme_setting::SchemeName;

/// Every scheme. The order is that of listings, and means nothing else.
pub static SCHEMES: &[&dyn Scheme] = &[
    &staircase::Staircase,
    &hamiltonian::Hamiltonian,
    &zigzag::Zigzag,
    &optimal::Optimal,
    &general::General,
    &half_duplex::LauZhang,
    &half_duplex::FujitaYamashita,
    &broadcast::Fork,
    &broadcast::TreesScheme,
    &broadcast::WormScheme,
    &broadcast::WormFree,
    &broadcast::ArcTrees,
    &broadcast::Opposed,
    &scatter::PortTrees,
    &scatter::FarthestFirst,
    &scatter::ShoulderTap,
    &scatter::Certification(scatter::PortChoice::Single),
    &scatter::Certification(scatter::PortChoice::All),
    &scatter::TimedFlow,
    &exchange::OpenShop,
    &exchange::Routed,
    &sweep::Sweep,
];

/// Program and the scheme that built it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The scheme: the one named, or the one that `auto` took.
    pub scheme: &'static dyn Scheme,
    /// The program, for packets of one flit.
    pub program: Program,
    /// Why `auto` took this scheme, if it did.
    pub reason: Option<Reason>,
}

impl SchemeName {
    /// Builds the program of this scheme, or of the one that `auto` takes. `name` is the design's.
    pub fn build(self, task: &Task, name: &str) -> Result<Built, SchemeError> {
        self.build_without(task, name, Form::PLAIN, &[])
    }

    /// Builds the program of this scheme, or of the one that is the fastest in a form, some schemes left out.
    pub fn build_without(
        self,
        task: &Task,
        name: &str,
        form: Form,
        without: &[&'static dyn Scheme],
    ) -> Result<Built, SchemeError> {
        let title = Title::new(name, &self.to_string());
        let built = match self {
            // a file is read by the design that names it
            Self::File(_) => Err(Unmet { needs: "a file" }.into()),
            Self::One(scheme) => scheme.fits(task).map_err(Into::into).and_then(|()| {
                let Woven { program, .. } = scheme.woven(task, title)?;
                Ok(Built { scheme, program, reason: None })
            }),
            Self::Auto | Self::Independent => {
                let choosing = Choosing { is_independent: self == Self::Independent, without, form };
                choosing.choose(task, &title).map(|(Woven { program, .. }, reason)| Built {
                    scheme: reason.scheme,
                    program,
                    reason: Some(reason),
                })
            }
        };
        built.map_err(|error| self.refused(task, error))
    }

    fn refused(self, task: &Task, error: ConstructError) -> SchemeError {
        let (pick, topology) = (self, Box::new(task.topology.clone()));
        match error {
            ConstructError::Unmet(unmet) => {
                SchemeError::Unmet { pick, unmet, topology, link: task.link, choice: task.choice.clone() }
            }
            ConstructError::Supply(error) => SchemeError::Supply { pick, topology, error },
        }
    }
}

#[cfg(test)]
mod tests;
