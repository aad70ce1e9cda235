//! The columns of a comparison: what they are called, what they hold, which way is better.

use super::{ComparisonRow, Terms};

/// Columns by which schemes can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ComparisonColumn {
    /// Packets per node in one play of the program.
    Packets,
    /// Steps until every node knows every packet.
    Steps,
    /// The time in the paper's cost model, a column for each start-up time.
    Time,
    /// The clock of the fabric that a model of `--device` expects, in MHz.
    Clock,
    /// Steps at that clock, in nanoseconds.
    Ns,
    /// The lower bound at the clock of the wires, in nanoseconds.
    Floor,
    /// Steps in units of the lower bound.
    Ratio,
    /// Per cent of all links and steps in use.
    LinkUse,
    /// Packets that arrive where they are known.
    Duplicates,
    /// Different behaviours of nodes.
    Classes,
    /// Configuration bits per node.
    ConfigNode,
    /// Configuration bits of all nodes.
    Config,
    /// Bits of the largest class's table.
    TableBits,
    /// The oldest arrival that is read, in ticks.
    Depth,
    /// Bits of delay lines per node.
    DelayBits,
    /// Words of the store a node.
    StoreWords,
    /// LUTs of four inputs, all nodes.
    Luts,
    /// Flip-flops, all nodes.
    FlipFlops,
    /// Block memories, all nodes.
    Blocks,
}

/// A column as it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// Column that it shows.
    pub column: ComparisonColumn,
    /// Index and value of the start-up time, for columns of times.
    start_up: Option<(usize, f64)>,
}

impl ComparisonColumn {
    /// All but those that repeat what others say.
    pub const USUAL: [Self; 14] = [
        Self::Packets,
        Self::Steps,
        Self::Time,
        Self::Ratio,
        Self::LinkUse,
        Self::Duplicates,
        Self::Classes,
        Self::ConfigNode,
        Self::Config,
        Self::Depth,
        Self::DelayBits,
        Self::StoreWords,
        Self::Luts,
        Self::FlipFlops,
    ];

    /// Columns that a device has besides.
    pub const OF_DEVICE: [Self; 3] = [Self::Clock, Self::Ns, Self::Floor];

    /// Headings of the column: one, except for times.
    pub fn headings(self, terms: &Terms) -> Vec<Heading> {
        match self {
            Self::Time => {
                let start_ups = terms.start_ups.iter().copied().enumerate();
                start_ups.map(|start_up| Heading { column: self, start_up: Some(start_up) }).collect()
            }
            _ => vec![Heading { column: self, start_up: None }],
        }
    }

    /// Describes in a sentence the contents of the column.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Packets => "packets a node contributes in one play of the program",
            Self::Steps => "steps until every node knows every packet",
            Self::Time => {
                "time in the paper's cost model, steps (1/packets + r): a node's whole data over one link takes 1"
            }
            Self::Clock => {
                "MHz that the fabric's clock is expected to have on the device, by a model; - if it does not fit"
            }
            Self::Ns => "steps at that clock, in nanoseconds",
            Self::Floor => "the lower bound at the clock that the wires alone would have, in nanoseconds",
            Self::Ratio => "steps in units of the lower bound, which `check` explains",
            Self::LinkUse => "per cent of all links and steps in use",
            Self::Duplicates => "packets that arrive where they are known already; - if too large to execute",
            Self::Classes => "different behaviours of nodes",
            Self::ConfigNode => {
                "bits that tell one node what to do: the number of its class, and the largest class's table"
            }
            Self::Config => {
                "bits that tell all nodes what to do: the number of each node's class, and every table once"
            }
            Self::TableBits => {
                "bits of the largest class's table, plain or run-length coded; 0 if time does not matter after step 1"
            }
            Self::Depth => "how many ticks ago the oldest arrival came that an output reads; 1 is the last tick",
            Self::DelayBits => "bits of delay lines in the node that has most",
            Self::StoreWords => {
                "words of the stores in the node that has most, where a table reads too many ages for delay lines"
            }
            Self::Luts => {
                "four-input LUTs of the whole design as yosys maps it to iCE40, within 10 %; the control included"
            }
            Self::FlipFlops => {
                "flip-flops of the whole design, within 2.5 %, module by module: a shared control once; flattened, equal ones of \
                 nodes merge"
            }
            Self::Blocks => "block memories of 4 kbit that yosys puts deep delay lines, stores and long tables into",
        }
    }

    /// Returns true if there is a better and a worse: less is better, but a link or a clock is used for the sake of time.
    const fn is_judged(self) -> bool {
        !matches!(self, Self::Packets | Self::LinkUse | Self::Clock | Self::Floor)
    }
}

impl Heading {
    /// Title for people.
    pub fn title(self) -> String {
        match (self.column, self.start_up) {
            (ComparisonColumn::Time, Some((_, r))) => format!("r={r}"),
            (ComparisonColumn::Clock, _) => "MHz".into(),
            (ComparisonColumn::LinkUse, _) => "link %".into(),
            (ComparisonColumn::ConfigNode, _) => "cfg/node".into(),
            (ComparisonColumn::Config, _) => "cfg".into(),
            (ComparisonColumn::TableBits, _) => "table".into(),
            (ComparisonColumn::DelayBits, _) => "delay".into(),
            (ComparisonColumn::StoreWords, _) => "store".into(),
            (ComparisonColumn::Luts, _) => "LUT".into(),
            (ComparisonColumn::FlipFlops, _) => "FF".into(),
            (column, _) => column.name(),
        }
    }

    /// Key for programs.
    pub fn key(self) -> String {
        match self.start_up {
            Some((_, r)) => format!("time_r{r}"),
            None => self.column.name().replace('-', "_"),
        }
    }

    /// The value in a row, if it is known.
    pub fn value(self, row: &ComparisonRow) -> Option<f64> {
        let whole = |number: u64| Some(number as f64);
        match self.column {
            ComparisonColumn::Packets => whole(row.packets.into()),
            ComparisonColumn::Steps => whole(row.steps),
            ComparisonColumn::Time => self.start_up.map(|(index, _)| row.times[index]),
            ComparisonColumn::Clock => row.clock.map(|clock| clock.fabric),
            ComparisonColumn::Ns => row.clock.map(|clock| clock.time(row.steps)),
            ComparisonColumn::Floor => row.clock.map(|clock| clock.floor(row.bound)),
            ComparisonColumn::Ratio => Some(row.ratio()),
            ComparisonColumn::LinkUse => row.link_use.map(|share| 100.0 * share),
            ComparisonColumn::Duplicates => row.duplicates.and_then(whole),
            ComparisonColumn::Classes => whole(row.classes as u64),
            ComparisonColumn::ConfigNode => whole(row.config_bits_node),
            ComparisonColumn::Config => whole(row.config_bits),
            ComparisonColumn::TableBits => whole(row.table_bits),
            ComparisonColumn::Depth => whole(row.depth.into()),
            ComparisonColumn::DelayBits => whole(row.hardware.delay_bits),
            ComparisonColumn::StoreWords => whole(row.hardware.store_words),
            ComparisonColumn::Luts => whole(row.hardware.cells.luts),
            ComparisonColumn::FlipFlops => whole(row.hardware.cells.flip_flops),
            ComparisonColumn::Blocks => whole(row.hardware.cells.blocks),
        }
    }

    /// The value as it is shown.
    pub fn text(self, row: &ComparisonRow) -> String {
        let decimals = match self.column {
            ComparisonColumn::Time | ComparisonColumn::LinkUse | ComparisonColumn::Ns | ComparisonColumn::Floor => 1,
            ComparisonColumn::Ratio => 3,
            _ => 0,
        };
        self.value(row).map_or("-".into(), |value| format!("{value:.decimals$}"))
    }

    /// The best value shown in a column, if the rows differ at all.
    pub fn best(self, rows: &[ComparisonRow]) -> Option<String> {
        if !self.column.is_judged() {
            return None;
        }
        let known = rows.iter().filter_map(|row| Some((self.value(row)?, self.text(row))));
        let best = known.min_by(|(one, _), (other, _)| one.total_cmp(other))?.1;
        rows.iter().any(|row| self.text(row) != best).then_some(best)
    }
}

impl ComparisonColumn {
    /// Name on the command line.
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::study::clock::ModelDevice;

    #[test]
    fn names_are_those_of_the_command_line() {
        let named = |value: Option<clap::builder::PossibleValue>| value.unwrap().get_name().to_owned();
        for column in ComparisonColumn::value_variants() {
            assert_eq!(column.name(), named(column.to_possible_value()));
        }
        for device in ModelDevice::value_variants() {
            assert_eq!(device.name(), named(device.to_possible_value()));
        }
    }
}
