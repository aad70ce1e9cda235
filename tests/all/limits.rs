//! The table of settings that are not supported together: reported at once, on one page, and nothing else refuses them.

use std::fs;

use torusweave::design::support;

use crate::farm::{COLLECTIVES, NETWORKS, built, config};
use crate::fixtures::command::{Place, project};

#[test]
fn two_violations_are_reported_together_with_their_fields() {
    let ended = Place::new().run("check --torus 4x4 --root 1,1 --lengths 3 --bist true --crossbar configurable");
    assert_eq!(ended.code, 2);
    assert_eq!(
        ended.stderr,
        "error: root: not supported with `collective: gossip` (1,1)\n\
         help: leave `root` out, or take `collective: broadcast`, `scatter`, `gather` or `reduce`\n\
         error: lengths: not supported with `collective: gossip` (3)\n\
         help: leave `lengths` out, or take `collective: scatter`, `gather` or `exchange`; a halo has `count`\n\
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
const FEATURES: [&[&str]; 22] = [
    &[],
    &["root=0"],
    &["lengths=2"],
    &["tree=bfs"],
    &["link.flits=2"],
    &["link.lanes=2"],
    &["link.duplex=half"],
    &["link.latency=2"],
    &["link.elastic=true"],
    &["link.elastic=true", "link.checksum=crc8"],
    &["link.elastic=true", "link.clocks=cable"],
    &["link.elastic=true", "link.checksum=crc8", "link.start=common"],
    &["link.elastic=true", "link.checksum=crc8", "link.ports=serial"],
    &["link.elastic=true", "link.checksum=crc8", "link.ports=bytes"],
    &["local.order=origin"],
    &["local.words=2"],
    &["local.results=memory"],
    &["local.elements=true"],
    &["host=chain"],
    &["bist=true"],
    &["crossbar=configurable"],
    &["packets=3"],
];

/// Builds every pair of features on every collective. Nothing panics, what is accepted passes, and only the table refuses.
#[test]
fn every_pair_of_features_is_accepted_or_refused_by_the_table() {
    let networks = if std::env::var_os("TORUSWEAVE_FULL").is_some() { &NETWORKS[..] } else { &NETWORKS[..1] };
    let (mut accepted, mut by_config, mut by_program) = (0, 0, 0);
    for (network, collective) in networks.iter().flat_map(|network| COLLECTIVES.map(|it| (network, it))) {
        for (index, first) in FEATURES.iter().enumerate() {
            for second in &FEATURES[index..] {
                let second = if first == second { &[] } else { *second };
                let config = config(network, &[collective, first, second]);
                let is_listed = support::check(&config).is_err();
                match built(config) {
                    Ok(design) => {
                        assert!(!is_listed, "{collective:?} {first:?} {second:?}");
                        let report = torusweave::check::by_either(&design.program);
                        assert!(report.passed(), "{network} {collective:?} {first:?} {second:?}");
                        accepted += 1;
                    }
                    Err(_) if is_listed => by_config += 1,
                    Err(_) => by_program += 1,
                }
            }
        }
    }
    println!("{accepted} accepted and checked, {by_config} refused by the config, {by_program} by the program");
    assert!(accepted > 100 && by_config > 100 && by_program > 0);
}
