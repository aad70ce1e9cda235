//! Classes lowered: which registers they get, and that a table's words say what the tracks say.

use super::*;
use crate::net::{Channel, Port};
use crate::program::{Class, Run, Source, Track};

const OWN: Source = Source::own(0);

fn late(port: usize, age: u32) -> Source {
    Source::input(Port::from_index(port), age)
}

fn class(tracks: &[&[(Source, u32)]]) -> Class {
    let run = |&(source, ticks): &(Source, u32)| Run { source, ticks };
    let track =
        |runs: &&[(Source, u32)]| Track { runs: runs.iter().map(run).collect(), repeat_from: None, inject: None };
    Class { outputs: tracks.iter().map(track).collect() }
}

fn router(tracks: &[&[(Source, u32)]]) -> Router {
    let ticks = tracks[0].iter().map(|(_, ticks)| ticks).sum();
    Router::of(&class(tracks), 1, ticks, 1)
}

/// One output that reads each of these ages for a tick, by turns with an own packet.
fn reader(ages: &[(usize, u32)]) -> Router {
    let runs: Vec<_> = ages.iter().flat_map(|&(port, age)| [(OWN, 50), (late(port, age), 1)]).collect();
    router(&[&runs])
}

#[test]
fn four_legs_are_counted_and_five_told_by_a_table() {
    let legs = [(OWN, 1), (late(0, 1), 5), (late(1, 1), 5), (late(2, 1), 5), (late(3, 1), 5)];
    let (four, five) = (router(&[&legs[..4]]), router(&[&legs]));
    assert!(four.table.is_none() && five.table.is_some());
    assert_eq!(four.counters, [Counter { clock: Clock::Tick, last: 11, restart: None }]);
    assert!(five.counters.is_empty());
}

/// Both sizes reckoned here, the choice made there.
#[test]
fn the_coding_chosen_is_the_smaller_of_the_two() {
    let mut chosen = [0, 0];
    for ticks in [7, 40, 300] {
        for each in 1..=ticks / 6 {
            // the output changes every `each` ticks, but at least five times
            let sources = [OWN, late(0, 1), late(1, 1)];
            let full = (0..ticks / each).map(|stretch| (sources[stretch as usize % 3], each));
            let mut runs: Vec<_> = full.collect();
            runs.extend((ticks % each > 0).then(|| (Source::Idle, ticks % each)));
            let table = router(&[&runs]).table.unwrap();
            let word = if ticks % each > 0 { 2 } else { bits_for(3) };
            let (plain, run_length) = (ticks * word, runs.len() as u32 * (word + digits(ticks)));
            let expected = if run_length < plain { Coding::RunLength } else { Coding::Plain };
            assert_eq!((table.coding, table.bits), (expected, word), "{ticks} ticks, a change every {each}");
            let entries = if expected == Coding::Plain { ticks as usize } else { runs.len() };
            assert_eq!(table.entries.len(), entries);
            chosen[usize::from(expected == Coding::Plain)] += 1;
        }
    }
    assert!(chosen.iter().all(|&count| count > 5), "{chosen:?}: both codings are tried");
}

#[test]
fn eight_delayed_inputs_are_lines_and_nine_a_store() {
    let ages: Vec<_> = (3..12).map(|age| (0, age)).collect();
    let (lines, stores) = (reader(&ages[..8]), reader(&ages));
    assert_eq!(
        (lines.lines.as_slice(), lines.stores.len()),
        (&[Line { input: Channel::first(Port::minus(0)), stages: 9 }][..], 0)
    );
    assert_eq!((stores.lines.len(), stores.stores.len()), (0, 1));
    assert_eq!(stores.stores[0].readers, [Channel::first(Port::minus(0))]);
}

#[test]
fn a_store_has_a_word_for_each_arrival_that_is_read_and_one_to_spare() {
    let router = reader(&(3..12).map(|age| (0, age)).collect::<Vec<_>>());
    let table = router.table.as_ref().unwrap();
    // the last tick reads what arrived 11 ticks ago, under the number of the tick after that
    assert_eq!(router.stores[0].words, table.ticks + 1 - 11 + 1);
    assert_eq!(digits(router.stores[0].words), router.outputs[0].slot.unwrap().bits);
    let never_read = [(OWN, 1), (late(1, 1), 458)];
    let deep: Vec<_> = (3..12).flat_map(|age| [(OWN, 50), (late(0, age), 1)]).collect();
    let two = self::router(&[&never_read, &deep]);
    assert_eq!(
        two.stores[0].readers,
        [Channel::first(Port::plus(0))],
        "an output that reads no store has no port of it"
    );
    assert_eq!(two.outputs[0].slot, None);
}

#[test]
fn an_age_too_deep_for_a_line_makes_a_store_and_the_young_stay_on_wires() {
    let ages = |deepest| [(0, 1), (1, 2), (0, 5), (1, deepest), (0, 7)];
    assert!(reader(&ages(32)).stores.is_empty());
    let stored = reader(&ages(33));
    assert_eq!(stored.stores.iter().map(|store| store.input.port).collect::<Vec<_>>(), [Port::minus(0), Port::plus(0)]);
    assert_eq!(stored.lines, [Line { input: Channel::first(Port::plus(0)), stages: 1 }]);
    assert!(stored.rings.is_empty());
    assert_eq!(stored.inputs, [Port::minus(0), Port::plus(0)].map(Channel::first));
}

#[test]
fn without_a_table_a_deep_read_is_a_ring() {
    let router = router(&[&[(OWN, 1), (late(1, 33), 60)], &[(OWN, 1), (late(1, 32), 60)]]);
    assert_eq!(router.rings, [Ring { input: Channel::first(Port::plus(0)), age: 33, words: 31 }]);
    assert_eq!(router.lines, [Line { input: Channel::first(Port::plus(0)), stages: 31 }]);
}

/// What an output of a table sends at a tick, read from the words as the hardware does.
fn told(router: &Router, output: &Output, tick: u32) -> Source {
    let table = router.table.as_ref().unwrap();
    let word = |tick| table.entries.iter().find(|entry| (entry.first..=entry.last).contains(&tick)).unwrap();
    let field = |tick, field| word(tick).values[table.fields.iter().position(|other| *other == field).unwrap()];
    let value = match &output.drive {
        Drive::Chosen { select, values } => values[field(tick, *select) as usize],
        Drive::Always(value) => *value,
        other => panic!("{other:?} in a table"),
    };
    match value {
        Value::Nothing => Source::Idle,
        Value::Own(own) => Source::own(own.packet),
        Value::Wire { input } => Source::input(input.port, 1),
        Value::Line { input, age } | Value::Ring { input, age } => Source::input(input.port, age),
        // the word a tick ago named it, by the tick after that of the arrival
        Value::Any { ports } => Source::Any { ports },
        Value::Store { input } => Source::input(input.port, tick + 1 - field(tick - 1, output.slot.unwrap())),
    }
}

#[test]
fn the_words_of_a_table_say_what_the_tracks_say() {
    let mut number = 1_u32;
    let mut below = |bound| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 8) % bound
    };
    for deepest in [1, 5, 60] {
        for _ in 0..10 {
            let ticks = 80;
            let mut track = || {
                let mut runs = vec![(OWN, 1)];
                let mut tick = 1;
                while tick < ticks {
                    let length = (1 + below(4)).min(ticks - tick);
                    let sources = [OWN, Source::Idle, late(0, 1), late(1, 1 + below(deepest).min(tick))];
                    runs.push((sources[below(4) as usize], length));
                    tick += length;
                }
                runs
            };
            let (one, other) = (track(), track());
            let tracks = class(&[&one, &other]);
            let router = Router::of(&tracks, 1, ticks, 1);
            for output in &router.outputs {
                for (tick, source) in (1..).zip(tracks.outputs[output.channel.port.index()].sources(ticks)) {
                    let expected = match source {
                        Source::In { age, .. } if age >= tick => Source::Idle,
                        source => source,
                    };
                    assert_eq!(told(&router, output, tick), expected, "tick {tick} of {tracks:?}");
                }
            }
        }
    }
}
