//! Drive of an output: its possible sources, and the control bits that select one.

use std::collections::BTreeSet;

use super::bits::{WordField, bits_for, digits};
use super::common::RouterShare;
use super::course::Course;
use super::sequence::WordCollector;
use super::units::Adders;
use super::value::{LoadedValue, Own, SHIFTED};
use super::wave::LastTicks;
use crate::net::Channel;
use crate::program::{Class, Number, Operation, Source, Span, Track};

/// An output with more legs than this may be told to read from stores.
const MOST_LEGS: usize = 4;

/// A class reads at most this many different delayed inputs from delay lines; more make a store.
const MOST_TAPS: usize = 8;

/// At so many inputs what arrives is joined to what goes out first; the OR with more takes a LUT of its own.
const MOST_JOINED: usize = 3;

/// Drive of an output register: its inputs and control bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drive {
    /// Says that something is sent; none if nothing ever is, but in a window.
    pub sends: Option<WordField>,
    /// Says that nothing is sent, if that sets the register back.
    pub rests: Option<WordField>,
    /// A packet of the node's own that goes out in the first tick, when nothing arrives: it is joined to the values by an OR.
    pub first: Option<Own>,
    /// Says which of the values, if there are several.
    pub select: Option<WordField>,
    /// Values that the register can load.
    pub values: Vec<LoadedValue>,
    /// Register that prefetches a value one tick ahead, to keep the path to the output short.
    pub early: Option<PrefetchRegister>,
    /// Says where in the stores to read for the next tick, if it ever does.
    pub slot: Option<WordField>,
    /// True if the loaded value is valid whenever the output sends, so that no valid bits are read.
    pub is_certain: bool,
    /// Combination of all the values, for reductions.
    pub combine: Option<Combine>,
    /// The packets of which the configuration names one.
    pub packet: Option<ConfiguredChoice>,
    /// Selection of one arrival by the configuration.
    pub route: Option<ConfiguredChoice>,
}

/// Combination at an output register: of the node's own value with what arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combine {
    /// Operation that combines two values.
    pub operation: Operation,
    /// Operations that the control word can choose in place of it.
    pub others: Vec<Operation>,
    /// Type of the values.
    pub number: Number,
    /// Says that a value of the node's own is taken; none if it is when an operand's place selects it.
    pub takes: Option<WordField>,
    /// True if the own value is taken one tick ahead: the output also sends without it.
    pub ahead: bool,
    /// By arriving value, after the node's own: says whether it counts; it always does if none.
    pub counts: Vec<Option<WordField>>,
    /// Operands in places, each with a choice of values, in the place of what counts.
    pub adders: Option<Adders>,
}

/// Several values, of which the configuration names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredChoice {
    /// Position of the selection in the node's configuration; its value is an index into the list.
    pub select: WordField,
    /// The values, at least two.
    pub values: Vec<LoadedValue>,
}

/// Register that prefetches a value one tick ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefetchRegister {
    /// Says which of the values, if there are several, for the next tick.
    pub select: Option<WordField>,
    /// Values that can be prefetched.
    pub values: Vec<LoadedValue>,
}

/// A register that an output has.
#[derive(Clone, Copy)]
pub(super) enum Register {
    /// Output register itself.
    Output,
    /// For what is fetched a tick ahead.
    Early,
}

/// Control bits of a register.
pub(super) struct ControlBits<'d> {
    pub field: &'d mut WordField,
    pub register: Register,
    /// True if all bits of the register depend on the control bits.
    pub chooses: bool,
}

impl Drive {
    /// The values that it can load or fetch.
    pub fn sources(&self) -> impl Iterator<Item = LoadedValue> + '_ {
        let fetched = self.early.iter().flat_map(|early| &early.values);
        let chosen = self.choices().flat_map(|choice| &choice.values);
        let first = self.first.map(LoadedValue::Own);
        let stands_for_others =
            |value: &&LoadedValue| matches!(value, LoadedValue::Early | LoadedValue::Packet | LoadedValue::Route);
        let loaded = self.values.iter().filter(move |value| !stands_for_others(value));
        loaded.chain(fetched).chain(chosen).copied().chain(first)
    }

    /// Choices that are left to the configuration.
    pub fn choices(&self) -> impl Iterator<Item = &ConfiguredChoice> {
        self.packet.iter().chain(&self.route)
    }

    /// Control bits of the output's registers.
    pub(super) fn told_mut(&mut self) -> impl Iterator<Item = ControlBits<'_>> {
        let Self { sends, rests, select, early, slot, combine, .. } = self;
        let told = |register, chooses| move |field| ControlBits { field, register, chooses };
        let combine = combine.iter_mut().flat_map(|Combine { takes, counts, adders, .. }| {
            let of_adders = adders.iter_mut().flat_map(Adders::told_mut);
            takes.iter_mut().chain(counts.iter_mut().flatten()).chain(of_adders)
        });
        let choosing = [rests, select].into_iter().flatten().chain(combine).map(told(Register::Output, true));
        let next = early.iter_mut().filter_map(|early| early.select.as_mut()).map(told(Register::Early, true));
        let others = [sends, slot].into_iter().flatten().map(told(Register::Output, false));
        others.chain(choosing).chain(next)
    }

    /// Returns true if the output ever loads this value.
    pub fn loads(&self, value: LoadedValue) -> bool {
        self.sources().any(|source| source == value)
    }
}

/// Storage of old arrivals by age.
#[derive(Clone, Copy)]
pub(super) struct Ages {
    /// Ages beyond this one are read from a store.
    stored: u32,
    /// Words of a store, if there are any: one for each tick that is read again, and one to spare for later ones.
    pub store: Option<u32>,
    /// Own packets can be fetched a tick ahead: they stay the same.
    own_ahead: bool,
    /// Ticks that links take.
    latency: u32,
    /// Outputs are set back before the first tick.
    clears: bool,
}

impl Ages {
    /// Chooses the storage of a class: delay lines while a few are enough; otherwise a store for all ages above a
    /// packet's length. A store returns an arrival after three ticks at the earliest.
    pub fn of(class: &Class, courses: &[(Channel, Course)], common: RouterShare) -> Self {
        let RouterShare { ticks, flits, own_ahead, latency, clears, .. } = common;
        let none = Self { stored: u32::MAX, store: None, own_ahead, latency, clears };
        if courses.iter().all(|(_, course)| course.legs.len() <= MOST_LEGS) {
            return none;
        }
        let young = flits.max(2);
        let spans = class.outputs.iter().flat_map(|track| track.spans(ticks)).flat_map(|span| arrived(span, latency));
        let read = spans.filter_map(|Span { last, source, .. }| match source {
            Source::In { port, lane, age } if age > young => Some((Channel { port, lane }, age, last + 1 - age)),
            _ => None,
        });
        let read: Vec<(Channel, u32, u32)> = read.collect();
        let taps: BTreeSet<(Channel, u32)> = read.iter().map(|&(input, age, _)| (input, age)).collect();
        let few = taps.len() <= MOST_TAPS && taps.iter().all(|&(_, age)| age <= SHIFTED);
        let last = read.iter().map(|&(_, _, slot)| slot).max();
        if few { none } else { Self { stored: young, store: last.map(|last| last + 1), ..none } }
    }

    /// Place of a source in the router.
    fn value(self, source: Source) -> Option<LoadedValue> {
        match source {
            Source::In { port, lane, age } if age > self.stored => {
                Some(LoadedValue::Store { input: Channel { port, lane } })
            }
            source => LoadedValue::of(source),
        }
    }

    /// Place of a value one tick earlier.
    fn ahead(self, value: LoadedValue) -> Option<LoadedValue> {
        value.ahead().filter(|_| self.own_ahead || !matches!(value, LoadedValue::Own(_)))
    }
}

/// Lowers a track: what it does in ticks 1 to `ticks` becomes words.
pub(super) fn drive(track: &Track, is_certain: bool, ticks: u32, ages: Ages, words: &mut WordCollector) -> Drive {
    let spans: Vec<Span> = track.spans(ticks).flat_map(|span| arrived(span, ages.latency)).collect();
    let mut values: Vec<LoadedValue> = Vec::new();
    for value in spans.iter().filter_map(|span| ages.value(span.source)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.is_empty() {
        return Drive::default();
    }
    let mut told = |is_so: fn(Source) -> bool| {
        let told = |span: &Span| (span.last, Some(u32::from(is_so(span.source))));
        let before = (0, Some(u32::from(is_so(Source::Idle))));
        words.field(LastTicks::new([before].into_iter().chain(spans.iter().map(told))), 1)
    };
    let sends = told(|source| source != Source::Idle);
    let first = opening(track, ticks).filter(|_| ages.clears).map(|(own, _)| own);
    if first.is_some() {
        values.retain(|value| !matches!(value, LoadedValue::Own(_)));
    }
    let fetched: Vec<LoadedValue> = values.iter().filter_map(|&value| ages.ahead(value)).collect();
    let has_early = fetched.len() > 1 && values.len() > 2;
    let early = has_early.then(|| {
        let number = |span: &Span| {
            let ahead = ages.value(span.source).and_then(|value| ages.ahead(value))?;
            fetched.iter().position(|&it| it == ahead)
        };
        // selected one tick ahead
        let stretches = spans.iter().map(|span| (span.last - 1, number(span).map(|number| number as u32)));
        words.select(LastTicks::new(stretches.chain([(ticks, None)])), fetched.len())
    });
    let place = |value: LoadedValue| if has_early && ages.ahead(value).is_some() { LoadedValue::Early } else { value };
    let mut loaded: Vec<LoadedValue> = Vec::new();
    for value in values.into_iter().map(place) {
        if !loaded.contains(&value) {
            loaded.push(value);
        }
    }
    let number = |span: &Span| {
        let value = place(ages.value(span.source)?);
        loaded.iter().position(|&it| it == value).map(|number| number as u32)
    };
    let stretches = spans.iter().map(|span| (span.last, number(span)));
    let select = words.select(LastTicks::new([(0, None)].into_iter().chain(stretches)), loaded.len());
    let slot = loaded.iter().any(|value| matches!(value, LoadedValue::Store { .. })).then(|| {
        let slots = spans.iter().flat_map(|span| (span.first..=span.last).map(|tick| (tick, span.source)));
        // selected one tick ahead: the number of the tick after the arrival
        let slot = |(tick, source)| match source {
            Source::In { age, .. } if age > ages.stored => (tick - 1, Some(tick + 1 - age)),
            _ => (tick - 1, None),
        };
        words.field(LastTicks::new(slots.map(slot).chain([(ticks, None)])), digits(ages.store.unwrap_or(1)))
    });
    let early = early.map(|select| PrefetchRegister { select, values: fetched });
    Drive { sends: Some(sends), first, select, values: loaded, early, slot, is_certain, ..Drive::default() }
}

/// The packet of the node's own that goes out in the first tick alone, before what has just arrived at an input or a few, and
/// how many these are.
pub(super) fn opening(track: &Track, ticks: u32) -> Option<(Own, usize)> {
    let mut spans = track.spans(ticks);
    let Span { last: 1, source: Source::Own { packet, through }, .. } = spans.next()? else { return None };
    let mut inputs = BTreeSet::new();
    for span in spans {
        match span.source {
            Source::Idle => {}
            Source::In { port, lane, age: 1 } => {
                inputs.insert(Channel { port, lane });
            }
            _ => return None,
        }
    }
    (1..=MOST_JOINED).contains(&inputs.len()).then_some((Own { packet, through }, inputs.len()))
}

/// A span without the ticks in which what it reads cannot have arrived by links of such a latency.
pub(super) fn arrived(span: Span, latency: u32) -> impl Iterator<Item = Span> {
    let Span { first, last, source } = span;
    let late = match source {
        Source::In { age, .. } => (age + latency - 1).clamp(first - 1, last),
        _ => first - 1,
    };
    let idle = (late >= first).then_some(Span { first, last: late, source: Source::Idle });
    let rest = (late < last).then_some(Span { first: late + 1, last, source });
    idle.into_iter().chain(rest)
}

impl WordCollector {
    /// The bits that tell so many values apart; none for one.
    fn select(&mut self, wave: LastTicks, values: usize) -> Option<WordField> {
        (values > 1).then(|| self.field(wave, bits_for(values as u64)))
    }
}
