//! The table of settings that are not supported together: reported at once, on one page, and nothing else refuses them.

use std::fs;

use torusweave::design::config::{Config, Setting};
use torusweave::design::{Design, DesignError, support};
use torusweave::net::Shape;

use crate::fixtures::command::{Place, project};

#[test]
fn two_violations_are_reported_together_with_their_fields() {
    let ended = Place::new().run("check --torus 4x4 --root 1,1 --lengths 3 --bist true --crossbar configurable");
    assert_eq!(ended.code, 2);
    assert_eq!(
        ended.stderr,
        "error: root: not supported with `collective: gossip` (1,1)\n\
         help: leave `root` out, or take `collective: broadcast`, `scatter` or `gather`\n\
         error: lengths: not supported with `collective: gossip` (3)\n\
         help: leave `lengths` out, or take `collective: scatter` or `gather`\n\
         error: bist: not supported with `crossbar: configurable` (true)\n\
         help: leave `bist` out, or `crossbar`\n"
    );
}

/// `INSTA_UPDATE=always` writes the page.
#[test]
fn page_of_limits_is_the_table() {
    let path = project().join("docs/limits.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(&path, support::page()).unwrap();
    }
    assert!(fs::read_to_string(path).unwrap() == support::page(), "docs/limits.md is out of date");
}

/// Settings that make each feature a config of its own.
const FEATURES: [&[&str]; 14] = [
    &[],
    &["root=0"],
    &["lengths=2"],
    &["tree=bfs"],
    &["link.flits=2"],
    &["link.lanes=2"],
    &["link.duplex=half"],
    &["link.latency=2"],
    &["link.elastic=true"],
    &["local.order=origin"],
    &["host=chain"],
    &["bist=true"],
    &["crossbar=configurable"],
    &["packets=3"],
];

/// Every collective with what it requires.
const COLLECTIVES: [&[&str]; 7] = [
    &["collective=gossip"],
    &["collective=broadcast"],
    &["collective=scatter"],
    &["collective=gather"],
    &["collective=exchange"],
    &["collective=reduce-scatter", "operation=sum"],
    &["collective=all-reduce", "operation=sum"],
];

/// Builds every pair of features on every collective, and counts who accepts or refuses. Nothing panics, and what is accepted passes.
#[test]
fn every_pair_of_features_is_accepted_or_refused_with_help() {
    let all = [
        (Shape::Torus, vec![4, 4]),
        (Shape::Torus, vec![3, 5]),
        (Shape::Torus, vec![2, 3, 2]),
        (Shape::Mesh, vec![3, 4]),
        (Shape::Cycle, vec![5]),
        (Shape::Path, vec![4]),
    ];
    let networks = if std::env::var_os("TORUSWEAVE_FULL").is_some() { &all[..] } else { &all[..1] };
    let (mut accepted, mut by_table, mut elsewhere) = (0, 0, 0);
    for (shape, sides) in networks {
        for collective in COLLECTIVES {
            for (index, first) in FEATURES.iter().enumerate() {
                for second in &FEATURES[index..] {
                    let mut settings = [collective, first].concat();
                    settings.extend(second.iter().filter(|_| first != second));
                    let config = settings.iter().fold(Config::of(*shape, sides.clone()), |config, setting| {
                        setting.parse::<Setting>().unwrap().apply(&config).unwrap()
                    });
                    let is_listed = support::check(&config).is_err();
                    match Design::new(config) {
                        Ok(design) => {
                            assert!(!is_listed, "{settings:?}");
                            let report = torusweave::check::by_either(&design.program);
                            assert!(report.passed(), "{shape} {sides:?} {settings:?}");
                            accepted += 1;
                        }
                        Err(DesignError::Unsupported(_)) => by_table += 1,
                        Err(error) => {
                            assert!(!is_listed && !error.help().is_empty(), "{settings:?}: {error}");
                            elsewhere += 1;
                        }
                    }
                }
            }
        }
    }
    eprintln!("{accepted} accepted and checked, {by_table} refused by the table, {elsewhere} by the program's limits");
    assert!(accepted > 100 && by_table > 100);
}
