//! All-reduce of vectors of `count` words: combined at one root, which broadcasts the results, or in a block per node.
//!
//! A block takes a whole schedule of gossip back and forth, however short it is. Along trees to a root a vector takes twice the ticks
//! of a broadcast as long. Blocks are padded to whole packets.

use super::adders;
use super::config::{Config, Count, WordMessages};
use super::support::{Unsupported, building};
use super::{Design, DesignError};
use crate::net::{NodeId, Topology};
use crate::program::count as counted;
use crate::schedule::PacketOrigins;
use crate::schemes::{Among, Built, Reason, SCHEMES, SchemeName};
use crate::task::{Collective, CollectiveTraffic, CombinePlace, Scheme, Task};

/// Most words that one root combines: it has a register for each result.
const MOST_WORDS: u32 = 64;

/// Vectors of an all-reduce on a network.
#[derive(Clone, Copy)]
pub(super) struct CountedWords<'a> {
    config: &'a Config,
    topology: &'a Topology,
    words: u32,
    root: NodeId,
}

impl<'a> CountedWords<'a> {
    pub(super) fn new(config: &'a Config, topology: &'a Topology, words: u32) -> Self {
        Self { config, topology, words, root: CollectiveTraffic::at_middle(topology, words).root(topology) }
    }

    /// Design of the scheme that the config names, or of the fastest one.
    pub(super) fn design(self, without: &[&'static dyn Scheme]) -> Result<Design, DesignError> {
        if let SchemeName::One(scheme) = self.config.scheme
            && scheme.combines() != CombinePlace::Blocks
            && self.words > MOST_WORDS
        {
            let problem = format!("{} are more than the {MOST_WORDS} that {scheme} combines", self.shown());
            return Err(building::COUNT.refusal(problem).into());
        }
        Design::supported(self.config, without.to_vec(), |without| Ok((self.built(without)?, Vec::new())))
    }

    /// Program of the named scheme, or the fastest one: schemes with the same messages compete, then the best of each messages.
    fn built(self, without: &[&'static dyn Scheme]) -> Result<Built, Unsupported> {
        if let SchemeName::One(scheme) = self.config.scheme {
            return self.by(self.messages(scheme), without);
        }
        let mut all: Vec<(WordMessages, Vec<&'static dyn Scheme>)> = Vec::new();
        for &scheme in SCHEMES.iter().filter(|scheme| !without.contains(scheme) && self.competes(**scheme)) {
            let messages = self.messages(scheme);
            match all.iter_mut().find(|(other, _)| *other == messages) {
                Some((_, schemes)) => schemes.push(scheme),
                None => all.push((messages, vec![scheme])),
            }
        }
        let mut best: Option<Built> = None;
        let mut compared = Vec::new();
        let mut refused = None;
        for (messages, schemes) in all {
            let others: Vec<&dyn Scheme> = SCHEMES.iter().copied().filter(|scheme| !schemes.contains(scheme)).collect();
            match self.by(messages, &others) {
                Ok(built) => {
                    compared.extend(built.reason.iter().flat_map(|reason| reason.compared.iter().copied()));
                    // the least padding decides among equal ones
                    let cost = |built: &Built| (built.program.ticks, built.program.demand.flits());
                    if best.as_ref().is_none_or(|best| cost(&built) < cost(best)) {
                        best = Some(built);
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        let is_restricted = !without.is_empty();
        let joined = |reason: Reason| {
            let among = Among { is_restricted, ..reason.among };
            Reason { words: Some(self.words), wanted: Some(1), compared, among, ..reason }
        };
        match (best, refused) {
            (Some(built), _) => Ok(Built { reason: built.reason.map(joined), ..built }),
            (None, Some(error)) => Err(error),
            // says why no scheme applies
            (None, None) => self.by(WordMessages::blocks(1), without),
        }
    }

    /// Program of the named scheme, or of the fastest one, that moves the words in these messages.
    fn by(self, messages: WordMessages, without: &[&'static dyn Scheme]) -> Result<Built, Unsupported> {
        let task = self.task(messages);
        let flits = if messages.combined == CombinePlace::Blocks { messages.flits } else { 1 };
        adders::built(self.config, &task, flits, without)
    }

    /// Asks for as many packets as there are, so that the fewest ticks in all are taken.
    fn task(self, messages: WordMessages) -> Task<'a> {
        let mut task =
            self.config.task(self.topology, Some(messages)).expect("an all-reduce has no traffic of its own");
        task.choice.packets = Some(u16::try_from(self.shares(messages.flits)).unwrap_or(u16::MAX));
        task
    }

    /// Packets of so many flits that each node contributes at least.
    fn shares(self, flits: u32) -> u32 {
        let room = u64::from(self.topology.live_nodes()) * u64::from(flits);
        u64::from(self.words).div_ceil(room) as u32
    }

    /// Returns true if a scheme applies to messages of its own.
    fn competes(self, scheme: &'static dyn Scheme) -> bool {
        let fits = || scheme.fits(&self.task(self.messages(scheme))).is_ok();
        let is_short = scheme.combines() != CombinePlace::Blocks && self.words <= MOST_WORDS;
        (is_short || scheme.collectives().contains(&Collective::Gossip)) && fits()
    }

    /// Messages in which a scheme moves the words. Packets are padded to the ticks of a link, if the scheme sends them on after as many.
    fn messages(self, scheme: &'static dyn Scheme) -> WordMessages {
        match scheme.combines() {
            CombinePlace::Blocks => {}
            CombinePlace::Root => return WordMessages::at(self.root, self.words),
            CombinePlace::Everywhere => return WordMessages::everywhere(self.words),
        }
        let of = WordMessages::blocks;
        let task = |flits: u32| self.task(of(flits));
        let fits = |flits: u32| scheme.fits(&task(flits)).is_ok();
        let latency = self.config.link.latency.get();
        let rows = (self.topology.ports() as u32).next_power_of_two().trailing_zeros().max(1);
        let long = latency + rows * self.config.adder_ticks();
        let packets = if fits(long) { scheme.packets(&task(long)) } else { 1 };
        let least = self.shares(1).div_ceil(packets.into()).max(1);
        let waits = least >= long || scheme.awaits_arrivals(&task(least)) && fits(least);
        of(if waits { least } else { long })
    }

    fn shown(self) -> String {
        counted(self.words.into(), "word")
    }
}

impl Design {
    /// All-reduce as one short vector of `count` words, if that takes fewer ticks: where `auto` chooses, and no node takes its words in
    /// blocks.
    pub(super) fn or_as_vector(self) -> Self {
        let Self { config, program, .. } = &self;
        let is_open = self.reason.is_some() && config.count.is_none() && config.packets.is_none();
        let is_asked = is_open && config.collective() == Collective::AllReduce && config.local().is_none();
        let words = self.of_group().program.demand.flits();
        if !is_asked || words > MOST_WORDS.into() || u64::from(program.ticks) <= self.bound().ticks {
            return self;
        }
        let mut vector = config.clone();
        vector.count = Some(Count::new(words as u32));
        vector.link.flits = Count::new(1);
        match Self::without(vector, &[]) {
            Ok(vector) if vector.program.ticks < program.ticks => vector,
            _ => self,
        }
    }

    /// Messages in which the program moves a vector of `count` words; none if words are not counted.
    pub(super) fn word_messages(&self) -> Option<WordMessages> {
        self.config.vector_words().map(|_| WordMessages::of(&self.program))
    }
}

impl Config {
    /// Messages of a schedule in a file, if words are counted. Faults of the file are found when it is read.
    pub(super) fn messages_of_file(&self, topology: &Topology, text: &str) -> Option<WordMessages> {
        let words = self.vector_words()?;
        let PacketOrigins { only, packets } = PacketOrigins::of(topology, text).unwrap_or_default();
        let room = u64::from(topology.live_nodes()) * u64::from(packets.max(1));
        let flits = if only.is_some() { words } else { u64::from(words).div_ceil(room) as u32 };
        Some(only.map_or_else(|| WordMessages::blocks(flits), |root| WordMessages::at(root, flits)))
    }
}
