//! `torusweave compare --collective`: the schemes of a collective over the length of a message.

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::program::parse_live_node;
use crate::compare::{self, Survey, TableLayout};
use crate::design::config::network_flags;
use crate::net::Topology;
use crate::task::Collective;

/// Collectives, root and lengths of a survey.
#[derive(Debug, Args)]
pub struct SurveyArgs {
    /// Compare the schemes of this collective instead, over the length of a message.
    #[arg(long, value_enum, value_name = "COLLECTIVE", conflicts_with_all = ["start_ups", "packets", "width", "columns", "table_2"])]
    collective: Option<SurveyedCollective>,

    /// The node that broadcasts, scatters, gathers or reduces; the first one if left out.
    #[arg(long, value_name = "X1,X2,...", requires = "collective")]
    root: Option<String>,

    /// The flits of a message.
    #[arg(long, value_name = "L,...", value_delimiter = ',', default_values_t = LENGTHS, requires = "collective",
          value_parser = clap::value_parser!(u32).range(1..=65_536))]
    flits: Vec<u32>,
}

const LENGTHS: [u32; 5] = [1, 4, 16, 64, 1024];

/// A collective, or all that move messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SurveyedCollective {
    /// Every node learns every node's packets: the comparison that is made without this option.
    #[value(aliases = names(Collective::Gossip))]
    Gossip,
    /// Every node learns the root's message.
    Broadcast,
    /// Every node gets a message of its own from the root.
    Scatter,
    /// The root gets every node's message.
    Gather,
    /// Every node gets a message of its own from every other node.
    #[value(aliases = names(Collective::Exchange))]
    Exchange,
    /// The root gets the combination of what all nodes have.
    Reduce,
    /// Every node gets the combination of what all nodes have for it.
    #[value(aliases = names(Collective::ReduceScatter))]
    ReduceScatter,
    /// Every node gets the combinations of what all nodes have for each.
    #[value(aliases = names(Collective::AllReduce))]
    AllReduce,
    /// Each of those that move messages: the first four.
    All,
}

/// Names of other libraries.
fn names(collective: Collective) -> impl Iterator<Item = &'static str> {
    collective.aliases().iter().copied()
}

impl SurveyedCollective {
    fn collectives(self) -> &'static [Collective] {
        match self {
            Self::Gossip => &[],
            Self::Broadcast => &[Collective::Broadcast],
            Self::Scatter => &[Collective::Scatter],
            Self::Gather => &[Collective::Gather],
            Self::Exchange => &[Collective::Exchange],
            Self::Reduce => &[Collective::Reduce],
            Self::ReduceScatter => &[Collective::ReduceScatter],
            Self::AllReduce => &[Collective::AllReduce],
            Self::All => &[Collective::Broadcast, Collective::Scatter, Collective::Gather, Collective::Exchange],
        }
    }

    fn name(self) -> String {
        self.to_possible_value().expect("no value is skipped").get_name().to_owned()
    }
}

impl SurveyArgs {
    /// Returns true if a collective other than gossip is named.
    pub fn is_asked_for(&self) -> bool {
        self.collective.is_some_and(|which| which != SurveyedCollective::Gossip)
    }

    /// Refuses what the collective does not have.
    pub fn validate(&self) -> Result<(), CliError> {
        let Some(which) = self.collective else { return Ok(()) };
        if self.root.is_some() && !which.collectives().iter().any(|collective| collective.has_root()) {
            return Err(CliError::NoRoot { collective: which.name() });
        }
        if self.flits != LENGTHS && which == SurveyedCollective::Gossip {
            return Err(CliError::NoLengths);
        }
        Ok(())
    }

    /// The tables of every network and collective.
    pub fn render(&self, topologies: &[Topology], layout: TableLayout) -> Result<String, CliError> {
        let which = self.collective.unwrap_or(SurveyedCollective::All);
        let mut surveys = Vec::new();
        for &collective in which.collectives() {
            for topology in topologies {
                let root = self.root.as_deref().map(|text| parse_live_node(topology, text)).transpose()?;
                let root = root.map_or_else(Vec::new, |root| topology.coords(root));
                surveys.push(Survey::new(topology, collective, &root, &self.flits));
            }
        }
        let tables = compare::render_surveys(&surveys, layout);
        Ok(match layout {
            TableLayout::Markdown => {
                let title = if which == SurveyedCollective::All {
                    "Which collective, which scheme".to_owned()
                } else {
                    title(which)
                };
                format!("# {title}\n\nMade by `{}`.\n\n{tables}", self.command(which, topologies))
            }
            _ => tables,
        })
    }

    /// The command line that these arguments come from.
    fn command(&self, which: SurveyedCollective, topologies: &[Topology]) -> String {
        let mut words = vec!["torusweave compare".to_owned()];
        words.extend(topologies.iter().map(network_flags));
        words.push(format!("--collective {}", which.name()));
        words.extend(self.root.as_ref().map(|root| format!("--root {root}")));
        if self.flits != LENGTHS {
            words.push(format!("--flits {}", self.flits.iter().map(u32::to_string).collect::<Vec<_>>().join(",")));
        }
        words.push("--format markdown".into());
        words.join(" ")
    }
}

fn title(which: SurveyedCollective) -> String {
    format!("Every scheme of {}", which.name())
}
