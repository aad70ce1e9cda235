//! The buffer between the clock of a cable and that of a board is proved for any two clocks, and faults in it are refuted.

use torusweave::emit::formal::{self, Fault, Induction};
use torusweave::net::ShapeName;
use torusweave::tools::ScratchFolder;
use torusweave::tools::prove::Prover;

use crate::fixtures::command::Place;
use crate::fixtures::designs::design_on;
use crate::fixtures::ranges::sampled;
use crate::prove::can_prove;

/// Gray code of the writing pointer, and the pattern of a full buffer.
const GRAY: &str = "put_next ^ {1'b0, put_next[ADDRESS:1]}";
const FULL: &str = "!= {2'b11, {(ADDRESS-1){1'b0}}}";

/// Questions about the crossing of a design, with a fault or without.
fn questions(settings: &str, fault: Option<Fault>) -> Vec<Induction> {
    let all = format!("link.elastic=true link.clocks=cable scheme=optimal {settings}");
    let design = design_on(ShapeName::Cycle, &[8], &all.split_whitespace().collect::<Vec<_>>());
    formal::crossing(&design.program, &design.options(), fault)
}

fn holds(question: &Induction) -> bool {
    let folder = ScratchFolder::new().unwrap();
    Prover::find().unwrap().induct(question, folder.path()).unwrap()
}

/// Rooms of 4, and of 8 with frames in place of flits.
#[test]
fn crossings_are_proved_for_any_two_clocks() {
    if !can_prove() {
        return;
    }
    for question in questions("link.checksum=crc8", None) {
        assert!(question.steps.is_none() && holds(&question), "{}", question.claim);
    }
    let printed = Place::new().run("prove --cycle 5 --scheme optimal --elastic true --clocks cable --part crossing");
    assert_eq!(printed.code, 0, "{}{}", printed.stdout, printed.stderr);
    assert_eq!(printed.stdout.matches("its fault is seen").count(), 2, "{}", printed.stdout);
}

/// Boards of a list: routers with their control words, the buffers and the receiver of their ports.
#[test]
fn boards_of_a_list_are_proved() {
    if !can_prove() {
        return;
    }
    let place = Place::new();
    let link = "link: { elastic: true, checksum: crc8, boards: [1, 2], width: 8, clocks: cable }";
    let programs = "[{ collective: gossip }, { collective: all-reduce, operation: sum }]";
    place.write("list.yaml", format!("topology: {{ torus: [2, 2] }}\n{link}\nprograms: {programs}\n"));
    let printed = place.run("prove list.yaml");
    assert_eq!(printed.code, 0, "{}{}", printed.stdout, printed.stderr);
    let said = |text: &str| printed.stdout.matches(text).count();
    assert_eq!([said("proved program "), said("proved crossing: "), said("proved receiver: ")], [2, 2, 1]);
    assert!(printed.stdout.contains("connections of 4 nodes on 2 boards compared"), "{}", printed.stdout);
    assert_eq!([said("its fault fails in step"), said("its fault is seen")], [2, 3], "{}", printed.stdout);
    let refused = place.run("prove list.yaml --part whole");
    assert!(refused.code == 2 && refused.stderr.contains("leave --part out"), "{}", refused.stderr);
    let ports = place.run("prove list.yaml --part receiver");
    assert!(ports.code == 0 && ports.stdout.contains("\nproved: ports hand on what comes"), "{}", ports.stdout);
    let refused = place.run("prove list.yaml --part crossing --set link.clocks=board");
    assert!(
        refused.code == 2 && refused.stderr.contains("say `link.elastic: true` and `link.clocks: cable`"),
        "{}",
        refused.stderr
    );
}

/// The cure in the refusal of a design on one device is enough.
#[test]
fn parts_of_boards_are_proved_once_the_cure_is_taken() {
    if !can_prove() {
        return;
    }
    let place = Place::new();
    for (part, cure, flags) in [
        ("crossing", "say `link.elastic: true` and `link.clocks: cable`", "--elastic true --clocks cable"),
        ("receiver", "say `link.elastic: true` and `link.checksum: crc8`", "--elastic true --checksum crc8"),
    ] {
        let refused = place.run(&format!("prove --torus 2x2 --part {part}"));
        assert!(refused.code == 2 && refused.stderr.contains(cure), "{}", refused.stderr);
        let ended = place.run(&format!("prove --torus 2x2 --part {part} {flags}"));
        assert!(ended.code == 0 && ended.stdout.contains(&format!("proved {part}: ")), "{part}: {}", ended.stdout);
    }
}

/// Each changes one thing, and a run of two clocks shows it, not only the induction; every second one, or all under `TORUSWEAVE_FULL`.
#[test]
fn mutants_of_a_crossing_are_refuted() {
    if !can_prove() {
        return;
    }
    let mutants: [(&str, usize, &str, Fault); 10] = [
        ("the pointer is no gray code", 0, GRAY, |rtl| rtl.replace(GRAY, "put_next")),
        ("the other one is none", 0, "got_next ^ {", |rtl| {
            rtl.replace("got_next ^ {1'b0, got_next[ADDRESS:1]}", "got_next")
        }),
        ("it is never full", 0, FULL, |rtl| rtl.replace(FULL, "!= {1'b1, {ADDRESS{1'b0}}}")),
        ("it is full while there is room", 1, FULL, |rtl| rtl.replace(FULL, "!= {1'b0, 2'b11, {(ADDRESS-2){1'b0}}}")),
        ("full ones are written", 0, "if (puts)", |rtl| rtl.replace("if (puts)", "if (s_axis_tvalid)")),
        ("the pointer is not waited for", 0, "put_seen;\n", |rtl| {
            rtl.replace("got_gray != put_seen", "got_gray != put_gray")
        }),
        ("it is empty too late", 0, "waits & ~drains", |rtl| rtl.replace("waits & ~drains", "~drains")),
        ("data goes one place on", 0, "put[ADDRESS-1", |rtl| {
            rtl.replace("put[ADDRESS-1:0]}] <=", "put_next[ADDRESS-1:0]}] <=")
        }),
        ("what is taken stays", 0, "waits : take", |rtl| rtl.replace("waits : take", "waits : 1'b0")),
        ("a reset drops one only", 0, "drained | ~waits", |rtl| rtl.replace("(drained | ~waits)", "1'b1")),
    ];
    let right = &questions("", None)[0].rtl[0].1;
    for (what, claim, there, fault) in sampled(mutants, 2) {
        let wrong = questions("", Some(fault));
        assert!(right.contains(there) && wrong[0].rtl[0].1 != *right, "{what}");
        assert!(!holds(&wrong[claim]), "{what}");
    }
}

/// The question about the receiver of a cycle on long links.
fn receiver(fault: Option<Fault>) -> Induction {
    let settings = ["link.elastic=true", "link.checksum=crc8", "link.clocks=cable", "scheme=optimal", "link.latency=3"];
    let design = design_on(ShapeName::Cycle, &[8], &settings);
    formal::receiver(&design.program, &design.options(), fault).unwrap()
}

/// Numbers tell lost, doubled and exchanged tokens while as many are on their way as a link lets there be.
#[test]
fn a_receiver_is_proved_to_hand_on_every_token_once_or_to_name_a_fault() {
    if !can_prove() {
        return;
    }
    assert!(holds(&receiver(None)));
    let mutants: [(&str, Fault); 6] = [
        ("later numbers are the next", formal::later_numbers),
        ("numbers are not compared", |rtl| rtl.replace("is_next = number == awaited", "is_next = 1'b1")),
        ("a bit of them is not", |rtl| rtl.replace("number == awaited", "number[3:0] == awaited[3:0] & number[0]")),
        ("it counts frames", |rtl| rtl.replace("awaited + {4'd0, put}", "awaited + {4'd0, heard}")),
        ("damage passes", |rtl| rtl.replace("heard = seen & sound", "heard = seen")),
        ("order is no fault", |rtl| rtl.replace("counts & ~is_next) ? 4'd2", "counts & ~is_next) ? 4'd0")),
    ];
    for (what, fault) in sampled(mutants, 2) {
        let wrong = receiver(Some(fault));
        assert!(wrong.rtl != receiver(None).rtl && !holds(&wrong), "{what}");
    }
}

/// The room is as small as it can be: with one token more, one finds no room.
#[test]
fn one_token_more_has_no_room() {
    if !can_prove() {
        return;
    }
    let same: Fault = str::to_owned;
    let mut question = questions("", Some(same)).remove(1);
    let bounds = |line: &&str| !line.contains("since_got_early <= 2");
    let text: Vec<&str> = question.text.lines().filter(bounds).collect();
    assert!(text.len() + 1 == question.text.lines().count() && question.text.contains("since_got_before < 2"));
    question.text = text.join("\n").replace("since_got_before < 2", "since_got_before < 3");
    assert!(!holds(&question));
}
