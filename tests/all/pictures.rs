//! Every kind of picture of every example: drawn, or refused with a reason.

use crate::cli::refusals;
use crate::fixtures::command::{Place, examples, examples_that_move};

const KINDS: [&str; 10] =
    ["cycles", "classes", "supply", "links", "spacetime", "progress", "tree", "modules", "waves", "streams"];

/// Width in pixels beyond which text is too small to read on a page.
const MOST_READABLE: f64 = 1_200.0;

#[test]
fn every_example_is_drawn_or_the_reason_said() {
    let place = Place::new();
    for example in examples() {
        let moves = examples_that_move().contains(&example);
        for kind in KINDS {
            let ended = place.run(&format!("draw {} --what {kind}", example.display()));
            let what = format!("{kind} of {}: {}", example.display(), ended.stderr);
            match ended.code {
                0 => assert!(ended.stdout.starts_with("<svg") && ended.stdout.trim_end().ends_with("</svg>"), "{what}"),
                code => assert!(code == 2 && ended.stderr.contains("\nhelp: "), "{what}"),
            }
            if ended.code == 0 && matches!(kind, "waves" | "streams" | "modules") {
                let width = ended.stdout.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
                let width: f64 = width.unwrap().parse().unwrap();
                assert!(width <= MOST_READABLE, "{what}: {width} pixels wide");
            }
            // pictures that need nothing that an example may lack
            let is_told = !example.ends_with("path-6-gather.yaml");
            let is_sure =
                kind == "classes" || moves && (matches!(kind, "spacetime" | "tree") || kind == "modules" && is_told);
            assert!(ended.code == 0 || !is_sure, "{what}");
        }
    }
}

/// All packets of a broadcast come from the root: its row is shown, and they are told by their numbers.
#[test]
fn messages_of_one_root_are_told_by_their_numbers() {
    let ended = Place::new().run("draw --torus 4x6 --collective scatter --root 2,3 --what spacetime");
    assert!(
        ended.stdout.contains("the line with the root along x2") && ended.stdout.contains("coloured by its message")
    );
    let ended = Place::new().run("draw --torus 4x6 --scheme optimal --what spacetime");
    assert!(ended.stdout.contains("the first line along x2") && ended.stdout.contains("coloured by its origin"));
}

/// Paper has two dimensions, and waves need none of the network's.
#[test]
fn waves_are_drawn_of_any_number_of_axes() {
    let place = Place::new();
    for line in ["--torus 4x4x4x4 --what waves --node 1,2,1,2", "--torus 3x3x3x3 --order arrival --what streams"] {
        let ended = place.run(&format!("draw {line}"));
        assert!(ended.code == 0 && ended.stdout.starts_with("<svg"), "{line}: {}", ended.stderr);
    }
}

#[test]
fn waves_of_what_is_not_there_are_refused() {
    let said = refusals(
        &Place::new(),
        &[
            "draw --torus 4x4 --tick 2",
            "draw --torus 4x4 --what links --follow 1",
            "draw --torus 4x4 --what progress --node 1,1 --tick 2",
            "draw --torus 4x4 --what streams",
            "draw --torus 4x4 --host chain --what streams",
            "draw --path 5 --collective gather --scheme shoulder-tap --what waves",
            "draw --torus 4x5 --collective gather --scheme certification --what modules",
            "draw --cycle 5 --collective gather --scheme shoulder-tap --what modules",
            "draw --torus 4x4 --what waves --node 4,0",
            "draw --torus 1000x1000 --what waves",
        ],
    );
    assert_eq!(said.matches("error: draw --what streams: not supported with").count(), 2, "{said}");
    assert!(
        said.contains("draw --what waves: not supported with schemes that find out") && said.contains("4,0"),
        "{said}"
    );
    assert_eq!(said.matches("error: draw --what modules: not supported with").count(), 2, "{said}");
}
