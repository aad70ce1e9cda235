//! The library without its command line: what it needs, and that it makes the files that `torusweave generate` writes.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use torusweave::check::CheckReport;
use torusweave::draw::PictureKind;
use torusweave::whole::WholeDesign;

use crate::fixtures::command::{Place, contents, project};

#[path = "../../examples/embed.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod example;

/// Designs of all kinds.
pub const DESIGNS: [&str; 20] = [
    "topology: { torus: [6, 8] }",
    "topology: { torus: [3, 3, 4] }",
    "topology: { mesh: [4, 5] }\nlink: { width: 16, flits: 3 }",
    "topology: { cycle: 9 }\nlink: { duplex: half, lanes: 2 }",
    "topology: { path: 5 }\nlink: { duplex: half }",
    "topology: { hexagonal: [4, 4] }\ncollective: halo\ncount: 2",
    "topology: { lattice: [[4, 2], [0, 4]] }\ncollective: exchange",
    "topology: { torus: [4, 4], dead: { links: [\"0,1 x2+\"], nodes: [\"2,2\"] } }",
    "topology: { torus: [4, 4] }\ncollective: all-reduce\noperation: sum\nnumber: f32",
    "topology: { torus: [4, 4] }\ncollective: all-reduce\noperation: max\ncount: 1",
    "topology: { torus: [4, 4] }\ncollective: reduce-scatter\noperation: sum\nlocal: { order: origin }",
    "topology: { torus: [4, 6] }\ncollective: broadcast\nroot: [1, 2]\nlink: { flits: 8 }",
    "topology: { torus: [4, 6] }\ncollective: gather\nscheme: certification",
    "topology: { mesh: [3, 4] }\ncollective: gather\nlengths: [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3]",
    "topology: { torus: [4, 4] }\nbist: true\nlocal: { order: arrival, words: 2 }",
    "topology: { torus: [4, 4] }\ncrossbar: configurable",
    "topology: { torus: [4, 4] }\nlink: { elastic: true, boards: [2, 2], checksum: crc16, ports: serial }",
    "topology: { torus: [4, 4] }\nhost: { bus: axi-lite }\nlink: { width: 32 }",
    "name: two\ntopology: { torus: [3, 4] }\nprograms: [{ collective: gossip }, { collective: reduce, operation: sum, root: any }]",
    "topology: { mesh: [3, 3] }\nhost: { bus: streams }\nlocal: { elements: true }\nprograms: [{ collective: exchange }]",
];

#[test]
fn files_in_memory_equal_those_that_generate_writes() {
    for config in DESIGNS {
        let place = Place::new();
        place.write("d.yaml", config);
        let ended = place.run("generate d.yaml --out files");
        assert_eq!(ended.code, 0, "{config}: {}", ended.stderr);
        let mut written = contents(&place.path().join("files"));
        written.retain(|path, _| !path.ends_with('/'));
        let design = WholeDesign::from_yaml(config).unwrap_or_else(|error| panic!("{config}: {error}"));
        assert!(design.check().iter().all(CheckReport::passed), "{config}");
        let files = design.files().unwrap();
        let paths = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(paths(&files), paths(&written), "{config}");
        let differing: Vec<_> = files.iter().filter(|(path, bytes)| written[*path] != **bytes).collect();
        assert!(differing.is_empty(), "{config}: {:?}", differing[0].0);
    }
}

#[test]
fn pictures_equal_those_that_draw_writes() {
    let kinds = [
        ("cycles", PictureKind::Cycles),
        ("classes", PictureKind::Classes),
        ("tree", PictureKind::Tree),
        ("links", PictureKind::Links),
        ("modules", PictureKind::Modules),
    ];
    for (config, (name, kind)) in DESIGNS.iter().take(8).flat_map(|config| kinds.map(|kind| (config, kind))) {
        let place = Place::new();
        place.write("d.yaml", config);
        let ended = place.run(&format!("draw d.yaml --what {name}"));
        match WholeDesign::from_yaml(config).unwrap().draw(0, kind.into()) {
            Ok(picture) => assert!(ended.code == 0 && ended.stdout == picture, "{config} {name}: {}", ended.stderr),
            Err(error) => assert!(ended.code == 2 && ended.stderr.contains(&error.to_string()), "{config} {name}"),
        }
    }
}

#[test]
fn wrong_configs_are_refused_with_a_cure() {
    for (config, problem, help) in [
        ("topology: { torus: [1, 4] }", "is not a side", "torusweave schema"),
        ("topology: { torus: [4, 4] }\ncollective: all-reduce", "operation", "sum"),
        ("", "the config", "topology"),
        ("topology: { torus: [4, 4]", "the config", ""),
    ] {
        let error = WholeDesign::from_yaml(config).err().unwrap();
        assert!(error.to_string().contains(problem), "{config}: {error}");
        assert!(error.help().contains(help), "{config}: {}", error.help());
    }
}

#[test]
fn the_example_of_the_library_runs() {
    let text = example::told().unwrap();
    assert!(text.contains("all-reduce: 8 ticks, bound 5\n") && text.contains("files of torus_4x6"), "{text}");
}

#[test]
fn the_library_alone_needs_few_packages() {
    let tree = |more: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--offline", "-e", "normal", "--prefix", "none", "--no-dedupe"])
            .args(more)
            .current_dir(project())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let (all, alone) = (tree(&[]), tree(&["--no-default-features"]));
    assert!(alone.len() < 60, "{} packages: {alone:?}", alone.len());
    // parts that a browser does not have
    for name in ["clap ", "rustix ", "nix ", "libc ", "rayon ", "tempfile "] {
        assert!(all.iter().any(|package| package.starts_with(name)), "{name}");
        assert!(!alone.iter().any(|package| package.starts_with(name)), "{name}");
    }
}
