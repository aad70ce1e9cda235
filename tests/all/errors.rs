//! The page of wrong inputs and their messages, as the command prints them.

use std::fs;

use crate::fixtures::command::{Place, project};

/// Configs that the commands read.
const CONFIGS: [(&str, &str); 13] = [
    ("good.yaml", "topology: { torus: [6, 8] }\n"),
    ("typo.yaml", "topologie: { torus: [6, 8] }\n"),
    ("wide.yaml", "topology: { torus: [6, 8] }\nlink: { width: 5000 }\n"),
    ("empty.yaml", "# nothing yet\n"),
    ("no-network.yaml", "over: { scheme: [auto, optimal] }\ndo: [check]\n"),
    ("no-fields.yaml", "design: { topology: { torus: [6, 8] } }\ndo: [check]\n"),
    ("no-list.yaml", "over: { topology: { torus: [6, 8] } }\ndo: [check]\n"),
    ("twice.yaml", "over: { topology: [{ torus: [6, 8] }], link.width: [8, 8] }\ndo: [check]\n"),
    ("misspelled.yaml", "over: { topology: [{ torus: [6, 8] }], link.widht: [8] }\ndo: [check]\n"),
    ("no-map.yaml", "cells: [{ topology: { torus: [6, 8] } }, optimal]\ndo: [check]\n"),
    ("both.yaml", "cells: [{ topology: { torus: [6, 8] }, link.width: 8 }]\nover: { link.width: [16] }\ndo: [check]\n"),
    ("no-command.yaml", "over: { topology: [{ torus: [6, 8] }] }\ndo: [chekc]\n"),
    ("flag.yaml", "over: { topology: [{ torus: [6, 8] }] }\ndo: [check --width 8]\n"),
];

/// Wrong commands by what is wrong with them.
const WRONG: [(&str, &[&str]); 6] = [
    ("The network", &["check --torus 1x8", "check --torus 6y8", "check --torus 70000x70000", "check"]),
    (
        "The collective",
        &[
            "check --torus 6x8 --collective broadcast --root 6,1",
            "check --torus 6x8 --root 1,1",
            "check --torus 6x8 --collective reduce-scatter",
            "check --torus 6x8 --operation sum",
            "check --torus 4x5 --collective gather --lengths 1,2,3",
        ],
    ),
    (
        "The scheme",
        &[
            "check --torus 6x8 --scheme stairs",
            "check --torus 7x7 --scheme staircase",
            "check --torus 6x9 --collective broadcast --scheme worm",
            "check --torus 6x8 --collective scatter --scheme staircase",
        ],
    ),
    (
        "The config",
        &[
            "check missing.yaml",
            "check empty.yaml",
            "check typo.yaml",
            "check wide.yaml",
            "check good.yaml --torus 6x8",
            "check --torus 6x8 --set link.depth=3",
            "check --torus 6x8 --width 8 --set link.width=9",
            "generate --torus 6x8 --name 3d-torus",
            "generate --torus 6x8 --name module",
        ],
    ),
    (
        "The command",
        &["explain --torus 6x8 --node 6,0", "draw --mesh 3x3x3x3", "init --torus 4x4 -o good.yaml", "diff --torus 6x8"],
    ),
    (
        "The sweep",
        &[
            "sweep empty.yaml --out study",
            "sweep no-network.yaml --out study",
            "sweep no-fields.yaml --out study",
            "sweep no-list.yaml --out study",
            "sweep twice.yaml --out study",
            "sweep misspelled.yaml --out study",
            "sweep no-map.yaml --out study",
            "sweep both.yaml --out study",
            "sweep no-command.yaml --out study",
            "sweep flag.yaml --out study",
        ],
    ),
];

/// Text of docs/errors.md; every message is printed by the command above it.
fn page() -> String {
    let mut page = "# Wrong inputs and their messages\n\nThis page is for everyone who was refused, or writes a script around \
                    torusweave. An error names the field, says what is wrong with the value, and `help` names what works. The exit \
                    code is 2, and nothing is written. `torusweave check --torus 6x8` succeeds; the commands below do not.\n\n\
                    `INSTA_UPDATE=always cargo test --test all -- errors::` writes this page.\n"
        .to_owned();
    let place = Place::new();
    for (name, text) in CONFIGS {
        place.write(name, text);
    }
    for (heading, commands) in WRONG {
        page += &format!("\n## {heading}\n");
        for command in commands {
            let ended = place.run(command);
            assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{command}");
            page += &format!("\n```text\ntorusweave {command}\n\n{}```\n", ended.stderr);
        }
    }
    page
}

#[test]
fn page_of_errors_is_printed_by_the_commands() {
    let path = project().join("docs/errors.md");
    let page = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(&path, &page).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == page, "docs/errors.md is out of date");
    assert!(page.matches("\nerror: ").count() >= 20, "fewer than twenty errors");
}

#[test]
fn every_error_has_a_cure() {
    for block in page().split("```text\n").skip(1) {
        let message = block.split_once("\n\n").unwrap().1;
        assert!(message.contains("help: ") || message.contains("For more information, try"), "{block}");
    }
}
