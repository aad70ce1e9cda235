//! Algorithms of GPU libraries as schedules: those that are exported read back as right and as fast, those of others are checked and
//! become Verilog, and wrong ones are refused by their place.

use std::collections::BTreeMap;

use torusweave::algorithm::Dialect;
use torusweave::check;
use torusweave::design::Design;
use torusweave::design::config::Config;
use torusweave::export;
use torusweave::schemes::{SCHEMES, SchemeName};

use crate::schedules::read;

/// Formats that are written and read, by their names.
const FORMATS: [&str; 3] = ["RCCL", "MSCCL", "MSCCL++"];

/// The schedule of a design in a format, if it is exported.
fn exported(design: &Design, format: &str) -> Option<String> {
    let written = match format {
        "RCCL" => export::msccl(&design.program, Dialect::Rccl),
        "MSCCL" => export::msccl(&design.program, Dialect::Msccl),
        _ => export::mscclpp(&design.program),
    };
    written.ok()
}

/// Ticks of schedules that were exported, and of those read back.
#[derive(Default)]
struct RoundTrips {
    taken: u32,
    faster: u32,
    slower: Vec<String>,
    schemes: BTreeMap<String, u32>,
}

impl RoundTrips {
    /// Exports the schedules of all schemes for a config, and reads them back.
    fn take(&mut self, yaml: &str) {
        let config = Config::parse(yaml).unwrap();
        let picks = SCHEMES.iter().copied().map(SchemeName::One).chain([SchemeName::Auto]);
        for scheme in picks {
            let Ok(design) = Design::in_blocks(Config { scheme, ..config.clone() }) else { continue };
            for format in FORMATS {
                let Some(text) = exported(&design, format) else { continue };
                let what = format!("{} of {} by {format}", design.program.title.scheme, yaml.replace('\n', "; "));
                let again = read(&design, &text).unwrap_or_else(|error| panic!("{what}: {error}"));
                let report = check::by_execution(&again.program);
                assert!(report.passed(), "{what}: {:?}", report.violations);
                let (before, after) = (design.program.ticks, again.program.ticks);
                self.taken += 1;
                self.faster += u32::from(after < before);
                *self.schemes.entry(design.program.title.scheme.clone()).or_default() += 1;
                if after > before {
                    self.slower.push(format!("{what}: {after} ticks, {before} before"));
                }
            }
        }
    }
}

const NETWORKS: [&str; 8] = [
    "torus: [4, 4]",
    "torus: [6, 8]",
    "torus: [3, 3, 4]",
    "cycle: 7",
    "mesh: [3, 4]",
    "torus: [2, 3]",
    "torus: [4, 4], dead: { links: [\"0,0:x2+\"] }",
    "torus: [4, 5], dead: { nodes: [\"1,2\"] }",
];

#[test]
fn exported_schedules_read_back_right_and_as_fast() {
    let mut trips = RoundTrips::default();
    for network in NETWORKS {
        for more in [
            "collective: gossip",
            "collective: gossip\nlink: { flits: 3, latency: 2 }",
            "collective: gossip\nlink: { lanes: 2 }",
            "collective: broadcast\nroot: 3\nlink: { flits: 5 }",
            "collective: scatter\nroot: 1\nlink: { flits: 2 }",
            "collective: gather\nlink: { flits: 2 }",
            "collective: exchange",
            "collective: exchange\nlink: { flits: 2 }",
            "collective: all-reduce\noperation: sum",
            "collective: all-reduce\noperation: sum\nlink: { flits: 2, latency: 2 }",
            "collective: all-reduce\noperation: sum\nnumber: f32\nlink: { flits: 8 }",
            "collective: reduce-scatter\noperation: sum",
            "collective: reduce-scatter\noperation: sum\nlink: { flits: 3 }",
        ] {
            let yaml = format!("topology: {{ {network} }}\n{more}\n");
            trips.take(&yaml);
        }
    }
    println!("{} round trips, {} faster, {} slower", trips.taken, trips.faster, trips.slower.len());
    println!("{:?}", trips.schemes);
    println!("{}", trips.slower.join("\n"));
    assert_eq!(trips.slower.len(), 0);
}

#[test]
fn exported_schedules_of_half_duplex_links_read_back_right() {
    let mut trips = RoundTrips::default();
    for network in NETWORKS {
        for more in
            ["collective: gossip\nlink: { duplex: half }", "collective: gossip\nlink: { duplex: half, lanes: 2 }"]
        {
            trips.take(&format!("topology: {{ {network} }}\n{more}\n"));
        }
    }
    println!("{} round trips, {} faster, {} slower", trips.taken, trips.faster, trips.slower.len());
    println!("{}", trips.slower.join("\n"));
}
