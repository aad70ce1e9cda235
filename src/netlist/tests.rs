//! Classes lowered: which registers they get, and that a sequence's words say what the tracks say.

use super::*;
use crate::net::{Channel, Port, ShapeName, Topology};
use crate::program::{Class, Demand, Entries, Operation, PartialOrder, Program, Reduction, Run, Source, Title, Track};

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

fn lowered(tracks: &[&[(Source, u32)]]) -> (Router, Sequence) {
    let ticks = tracks[0].iter().map(|(_, ticks)| ticks).sum();
    of(&class(tracks), ticks, true)
}

/// With no output certain.
fn of(class: &Class, ticks: u32, own_ahead: bool) -> (Router, Sequence) {
    with(class, RouterShare { lanes: 1, ticks, flits: 1, latency: 1, own_ahead, clears: false })
}

fn with(class: &Class, common: RouterShare) -> (Router, Sequence) {
    Router::of(class, &vec![false; class.outputs.len()], &mut None, common)
}

fn router(tracks: &[&[(Source, u32)]]) -> Router {
    lowered(tracks).0
}

/// One output that reads each of these ages for a tick, by turns with an own packet.
fn reader(ages: &[(usize, u32)]) -> Router {
    let runs: Vec<_> = ages.iter().flat_map(|&(port, age)| [(OWN, 50), (late(port, age), 1)]).collect();
    router(&[&runs])
}

/// Own, then an input, for ever: the word says whether anything is sent, and which of the two; all outputs share it.
#[test]
fn first_send_and_forwarding_take_two_bits_for_all_outputs() {
    let legs = [(OWN, 1), (late(0, 1), 11)];
    let (router, sequence) = lowered(&[&legs, &legs, &[(OWN, 1), (late(1, 1), 11)]]);
    assert_eq!((sequence.bits, sequence.coding, sequence.lengths().max()), (2, Coding::Steps, Some(1)));
    assert_eq!(sequence.entries.iter().map(|entry| entry.last).collect::<Vec<_>>(), [0, 1, 12]);
    assert!(router.outputs.iter().all(|output| output.drive.select == router.outputs[0].drive.select));
    assert!(router.lines.is_empty() && router.outputs.iter().all(|output| output.drive.early.is_none()));
}

/// Two outputs that are told the same, a third that does what the first does, and one that is told something else, too.
#[test]
fn control_bits_with_high_fan_out_are_duplicated_per_output() {
    let [first, second] = [0, 1].map(|port| [(OWN, 1), (late(port, 1), 11)]);
    let (told, sequence) = lowered(&[&first, &second, &first, &[(OWN, 1), (late(1, 1), 5), (late(0, 1), 6)]]);
    let spread = |width| {
        let mut router = Router { word: vec![WordField { low: 0, bits: sequence.bits }], ..told.clone() };
        router.spread(width);
        router
    };
    let narrow = spread(16);
    assert!(!narrow.is_spread() && narrow.outputs == told.outputs, "two outputs of 16 bits");
    let wide = spread(17);
    assert_eq!((wide.is_spread(), wide.word_bits()), (true, sequence.bits + 2));
    let fields = |output: &Output| {
        let mut drive = output.drive.clone();
        drive.told_mut().map(|told| *told.field).collect::<Vec<_>>()
    };
    for (before, after) in told.outputs.iter().zip(&wide.outputs) {
        assert_eq!(fields(after).into_iter().map(|field| wide.told(field)).collect::<Vec<_>>(), fields(before));
    }
    let copied = fields(&wide.outputs[1]);
    assert!(copied.iter().all(|field| field.low >= sequence.bits), "{copied:?}");
    assert_eq!(wide.outputs[2].drive, wide.outputs[0].drive, "one register for both");
    assert_eq!(wide.outputs[3], told.outputs[3], "its choice is its own");
}

/// Two of three values are known one tick early and prefetched, which leaves a multiplexer of two.
#[test]
fn values_known_a_tick_early_are_prefetched() {
    let legs = [(OWN, 1), (late(0, 1), 5), (late(1, 6), 4)];
    let fetching = router(&[&legs]);
    let Drive { values, early: Some(early), .. } = &fetching.outputs[0].drive else { panic!("nothing is fetched") };
    assert_eq!((values.len(), values[0], early.values.len()), (2, LoadedValue::Early, 2));
    assert_eq!(fetching.lines, [DelayLine { input: Channel::first(Port::plus(0)), stages: 4 }]);
    // flits that the fabric asks for tick by tick cannot be
    let class = class(&[&legs]);
    assert!(of(&class, 10, false).0.outputs[0].drive.early.is_none());
}

/// One of three values is used only in the first tick, when the inputs are idle, which leaves a multiplexer of two.
#[test]
fn first_packets_are_ored_in_where_registers_are_reset() {
    let turning = [(OWN, 1), (late(0, 1), 2), (Source::Idle, 1), (late(1, 1), 2)];
    let steady = [(OWN, 1), (late(0, 1), 5)];
    let again = [(OWN, 1), (late(0, 1), 2), (OWN, 1), (late(1, 1), 2)];
    let class = class(&[&turning, &steady, &again]);
    let common = RouterShare { lanes: 1, ticks: 6, flits: 1, latency: 1, own_ahead: true, clears: true };
    let (router, sequence) = with(&class, common);
    let [turning, steady, again] = [0, 1, 2].map(|index| &router.outputs[index].drive);
    assert_eq!([turning, steady, again].map(|drive| drive.values.len()), [2, 1, 3]);
    assert_eq!([turning, steady, again].map(|drive| drive.first.is_some()), [true, true, false]);
    assert_eq!((steady.select, router.firsts().len()), (None, 1));
    let begins = router.begins.expect("all that others read in the first tick is set back before");
    assert_eq!([0, 1, 4, 6].map(|tick| field(&sequence, tick, begins)), [1, 0, 0, 0]);
    assert_says(&class, 6, (router, sequence));
    assert!(of(&class, 6, true).0.outputs.iter().all(|output| output.drive.first.is_none()));
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
            let (_, sequence) = lowered(&[&runs]);
            // one bit for "sends", and the source; the time before the first tick is a stretch of its own
            let word = 3;
            let length = if each > 1 { digits(each) } else { 0 };
            let (plain, run_length) = (ticks * word, (runs.len() as u32 + 1) * (word + length));
            let expected = if run_length < plain && ticks > 15 { Coding::RunLength } else { Coding::Plain };
            assert_eq!((sequence.coding, sequence.bits), (expected, word), "{ticks} ticks, a change every {each}");
            let entries = if expected == Coding::Plain { ticks as usize } else { runs.len() };
            assert_eq!(sequence.entries.len(), entries + 1);
            chosen[usize::from(expected == Coding::Plain)] += 1;
        }
    }
    assert!(chosen.iter().all(|&count| count > 2), "{chosen:?}: both codings are tried");
}

#[test]
fn eight_delayed_inputs_are_lines_and_nine_a_store() {
    let ages: Vec<_> = (3..12).map(|age| (0, age)).collect();
    let (lines, stores) = (reader(&ages[..8]), reader(&ages));
    assert_eq!(
        (lines.lines.as_slice(), lines.stores.len()),
        (&[DelayLine { input: Channel::first(Port::minus(0)), stages: 8 }][..], 0),
        "the last stage is what the output fetches"
    );
    assert_eq!((stores.lines.len(), stores.stores.len()), (0, 1));
    assert_eq!(stores.stores[0].readers, [Channel::first(Port::minus(0))]);
}

#[test]
fn a_store_has_a_word_for_each_arrival_that_is_read_and_one_to_spare() {
    let ages: Vec<_> = (3..12).map(|age| (0, age)).collect();
    let router = reader(&ages);
    // 9 times 50 ticks of its own and one of a reading; the last reads what arrived 11 ticks ago, under the number of the
    // tick after that
    assert_eq!(router.stores[0].words, 9 * 51 + 1 - 11 + 1);
    assert_eq!(digits(router.stores[0].words), router.outputs[0].drive.slot.unwrap().bits);
    let never_read = [(OWN, 1), (late(1, 1), 458)];
    let deep: Vec<_> = (3..12).flat_map(|age| [(OWN, 50), (late(0, age), 1)]).collect();
    let two = self::router(&[&never_read, &deep]);
    assert_eq!(
        two.stores[0].readers,
        [Channel::first(Port::plus(0))],
        "an output that reads no store has no port of it"
    );
    assert_eq!(two.outputs[0].drive.slot, None);
}

#[test]
fn an_age_too_deep_for_a_line_makes_a_store_and_the_young_stay_on_wires() {
    let ages = |deepest| [(0, 1), (1, 2), (0, 5), (1, deepest), (0, 7)];
    assert!(reader(&ages(32)).stores.is_empty());
    let stored = reader(&ages(33));
    assert_eq!(stored.stores.iter().map(|store| store.input.port).collect::<Vec<_>>(), [Port::minus(0), Port::plus(0)]);
    assert!(
        stored.outputs[0].drive.loads(LoadedValue::Wire { input: Channel::first(Port::plus(0)) }),
        "fetched a tick ahead"
    );
    assert!(stored.lines.is_empty() && stored.rings.is_empty());
    assert_eq!(stored.inputs, [Port::minus(0), Port::plus(0)].map(Channel::first));
}

#[test]
fn a_deep_read_that_seldom_changes_is_a_ring() {
    let router = router(&[&[(OWN, 1), (late(1, 33), 60)], &[(OWN, 1), (late(1, 32), 60)]]);
    let rings: Vec<_> = router.rings.iter().map(|ring| (ring.input, ring.age, ring.words)).collect();
    assert_eq!(rings, [(Channel::first(Port::plus(0)), 33, 32)]);
    assert_eq!(router.lines, [DelayLine { input: Channel::first(Port::plus(0)), stages: 31 }]);
}

/// The entry whose word is told in a tick.
fn word(sequence: &Sequence, tick: u32) -> &WordStretch {
    let last = sequence.entries.last().unwrap().last;
    let first = sequence.again.map_or(tick, |again| sequence.entries[again].first);
    let tick = if tick > last { first + (tick - first) % (last + 1 - first) } else { tick };
    sequence.entries.iter().find(|entry| (entry.first..=entry.last).contains(&tick)).unwrap()
}

fn field(sequence: &Sequence, tick: u32, field: WordField) -> u32 {
    word(sequence, tick).values[sequence.fields.iter().position(|other| *other == field).unwrap()]
}

/// Source of an output at a tick, decoded from the words as the hardware does.
fn told(sequence: &Sequence, begins: Option<WordField>, output: &Output, tick: u32) -> Source {
    let field = |tick, it: WordField| field(sequence, tick, it);
    let Drive { sends, rests, first, select, values, early, slot, .. } = &output.drive;
    let sends = sends.is_some_and(|sends| field(tick, sends) == 1);
    assert!(rests.is_none_or(|rests| field(tick, rests) == u32::from(!sends)), "it rests when it does not send");
    if !sends {
        return Source::Idle;
    }
    if let Some(own) = first
        && begins.is_some_and(|begins| field(tick - 1, begins) == 1)
    {
        return Source::own(own.packet);
    }
    let chosen = |tick, select: Option<WordField>| select.map_or(0, |select| field(tick, select) as usize);
    let source = |value: LoadedValue| match value {
        LoadedValue::Own(own) => Source::own(own.packet),
        LoadedValue::Wire { input } => Source::input(input.port, 1),
        LoadedValue::Line { input, age } | LoadedValue::Ring { input, age } => Source::input(input.port, age),
        LoadedValue::Any { ports } => Source::Any { ports },
        // the word a tick ago named it, by the tick after that of the arrival
        LoadedValue::Store { input } => Source::input(input.port, tick + 1 - field(tick - 1, slot.unwrap())),
        LoadedValue::Early => panic!("fetched from what was fetched"),
        LoadedValue::Packet | LoadedValue::Route => panic!("nothing is configured"),
    };
    match (values[chosen(tick, *select)], early) {
        (LoadedValue::Early, Some(early)) => match source(early.values[chosen(tick - 1, early.select)]) {
            Source::In { port, lane, age } => Source::In { port, lane, age: age + 1 },
            own => own,
        },
        (value, _) => source(value),
    }
}

fn assert_told(class: &Class, ticks: u32) -> Sequence {
    assert_says(class, ticks, of(class, ticks, true))
}

fn assert_says(class: &Class, ticks: u32, (router, sequence): (Router, Sequence)) -> Sequence {
    for output in &router.outputs {
        for (tick, source) in (1..).zip(class.outputs[output.channel.port.index()].sources(ticks)) {
            let expected = match source {
                Source::In { age, .. } if age >= tick => Source::Idle,
                source => source,
            };
            assert_eq!(told(&sequence, router.begins, output, tick), expected, "tick {tick} of {class:?}");
        }
    }
    sequence
}

#[test]
fn the_words_of_a_sequence_say_what_the_tracks_say() {
    let mut number = 1_u32;
    let mut below = |bound| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 8) % bound
    };
    let (mut rounds, mut fetched) = (0, 0);
    for deepest in [1, 5, 60] {
        for again in [false, true] {
            for _ in 0..10 {
                let ticks = 80;
                let mut track = |end: u32| {
                    let mut runs = vec![(OWN, 1)];
                    let mut tick = 1;
                    while tick < end {
                        let length = (1 + below(4)).min(end - tick);
                        let sources = [OWN, Source::Idle, late(0, 1), late(1, 1 + below(deepest).min(tick))];
                        runs.push((sources[below(4) as usize], length));
                        tick += length;
                    }
                    runs
                };
                // rounds of 4 and 6 ticks come round together every 12
                let (one, other) = if again { (track(5), track(7)) } else { (track(ticks), track(ticks)) };
                let mut tracks = class(&[&one, &other]);
                tracks.outputs.iter_mut().for_each(|track| track.repeat_from = again.then_some(1));
                let sequence = assert_told(&tracks, ticks);
                rounds += u32::from(sequence.again.is_some());
                fetched += u32::from(of(&tracks, ticks, true).0.outputs[0].drive.early.is_some());
            }
        }
    }
    assert!(rounds > 5 && fetched > 5, "{rounds} come round again, {fetched} fetch");
}

#[test]
fn registers_are_set_back_only_if_every_node_that_sends_opens_with_its_own() {
    let path = Topology::new(ShapeName::Path, &[3]).unwrap();
    let opens: &[&[(Source, u32)]] = &[&[(OWN, 1), (late(0, 1), 1), (late(1, 1), 1)], &[(OWN, 1), (late(0, 1), 2)]];
    let forwards: &[&[(Source, u32)]] = &[&[(late(0, 1), 3)], &[(Source::Idle, 3)]];
    let idle: &[&[(Source, u32)]] = &[&[(Source::Idle, 3)], &[(Source::Idle, 3)]];
    let of = |classes: &[&[&[(Source, u32)]]]| {
        let mut program = Program::uniform(&path, 3, Demand::gossip(&path, 1), Vec::new(), Title::new("path", "none"));
        program.classes = classes.iter().map(|tracks| class(tracks)).collect();
        is_worth_clearing(&program)
    };
    assert_eq!(
        [of(&[opens]), of(&[opens, idle]), of(&[opens, forwards]), of(&[forwards, idle])],
        [true, true, false, false]
    );
}

/// A cycle of five, all of it alike: two ticks of sums, one of silence, then what each has is gathered.
#[test]
fn arrivals_of_an_earlier_part_do_not_count() {
    let cycle = Topology::new(ShapeName::Cycle, &[5]).unwrap();
    let track = |port: usize| vec![(OWN, 2), (Source::Idle, 1), (OWN, 1), (late(port, 3), 3)];
    let tracks = class(&[&track(1), &track(0)]).outputs;
    let order = PartialOrder { entries: Entries::Offsets(Vec::new()), starts: false };
    let reduction = Reduction::of_words(Operation::Sum, 2, order, vec![Vec::new()]);
    let demand = Demand::gossip(&cycle, 1);
    let program = Program::uniform(&cycle, 7, demand, tracks, Title::new("cycle", "none"));
    let netlist = Netlist::of(&Program { reduction: Some(reduction.into()), ..program }, Rom::Shared, 8);
    let (_, router) = netlist.driven().next().unwrap();
    let sequence = &netlist.sequences[0];
    for output in &router.outputs {
        let counts = output.drive.combine.as_ref().unwrap().counts[0].unwrap();
        // in tick 6 comes what was silent, which may count
        assert_eq!([5, 7].map(|tick| field(sequence, tick, counts)), [0, 1]);
    }
}

/// A class whose outputs send a packet of their own and then this over and over.
fn rounds(tracks: &[&[(Source, u32)]]) -> Class {
    let tracks: Vec<Vec<_>> = tracks.iter().map(|round| [&[(OWN, 1)], *round].concat()).collect();
    let mut class = class(&tracks.iter().map(Vec::as_slice).collect::<Vec<_>>());
    class.outputs.iter_mut().for_each(|track| track.repeat_from = Some(1));
    class
}

#[test]
fn a_round_that_begins_with_what_is_fetched_fetches_it_at_the_end_of_the_last() {
    let mut round = vec![(late(1, 6), 2), (late(0, 1), 3), (late(0, 7), 2), (late(0, 1), 1)];
    // repetition starts at the oldest reading, which may be anywhere in the round
    for _ in 0..round.len() {
        round.rotate_left(1);
        let class = rounds(&[&round]);
        let early = of(&class, 60, true).0.outputs[0].drive.early.clone().unwrap();
        assert!(early.select.is_some() && early.values.len() > 1, "{early:?}");
        assert!(assert_told(&class, 60).again.is_some());
    }
}

#[test]
fn rounds_that_read_a_store_are_told_tick_by_tick() {
    let ages: Vec<_> = (3..12).map(|age| (late(0, age), 1)).collect();
    let class = rounds(&[&ages]);
    assert_eq!(of(&class, 100, true).0.stores.len(), 1);
    assert!(assert_told(&class, 100).again.is_none(), "what is read is numbered by the ticks of its arrival");
}

/// Rounds of 4 and of 5 ticks after the first tick come round together after 20.
#[test]
fn rounds_are_told_as_such_if_more_than_one_is_played_in_more_than_fifteen_ticks() {
    let [four, five] = [4, 5].map(|ticks| [(late(0, 1), 2), (late(1, 1), ticks - 2)]);
    let comes_again = |tracks: &[&[(Source, u32)]], ticks| assert_told(&rounds(tracks), ticks).again.is_some();
    assert_eq!([15, 16].map(|ticks| comes_again(&[&four], ticks)), [false, true]);
    assert_eq!([21, 22].map(|ticks| comes_again(&[&four, &five], ticks)), [false, true]);
}
