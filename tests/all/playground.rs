//! The playground in a browser, used as a person does; its files are those of the command.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use torusweave::files;

use crate::embed::DESIGNS;
use crate::fixtures::browser::CHROMIUM;
use crate::fixtures::command::{Place, project};
use crate::fixtures::tools::{first_of, skip};

/// Lines that the page says while a script uses it; none without a browser, or where the page is not built.
fn said(change: impl Fn(String) -> String) -> Option<Vec<String>> {
    let path = project().join("target/playground/index.html");
    if !path.exists() {
        skip("target/playground/index.html", "playground/build.py builds it");
        return None;
    }
    let chromium = first_of(&CHROMIUM)?;
    let designs = serde_json::to_string(&DESIGNS).unwrap();
    let script = include_str!("playground.js").replace("DESIGNS", &designs);
    let digest = BASE64_STANDARD.encode(Sha256::digest(&script));
    let page = change(fs::read_to_string(path).unwrap());
    let page = page.replacen("; script-src ", &format!("; script-src 'sha256-{digest}' "), 1);
    let place = Place::new();
    place.write("page.html", page.replace("</body>", &format!("<script>{script}</script></body>")));
    let mut browser = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", place.path().join("profile").display()))
        .arg(format!("file://{}", place.path().join("page.html").display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (told, heard) = mpsc::channel();
    let errors = BufReader::new(browser.stderr.take().unwrap());
    thread::spawn(move || errors.lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
    let (begun, mut said) = (Instant::now(), Vec::new());
    let said_something = |line: &str| {
        let (_, rest) = line.split_once("\"SAYS ")?;
        Some(rest.rsplit_once("\", source:").map_or(rest, |(text, _)| text).to_owned())
    };
    while begun.elapsed() < Duration::from_secs(300) && said.last().is_none_or(|last| last != "end") {
        if let Ok(line) = heard.recv_timeout(Duration::from_secs(1)) {
            said.extend(said_something(&line));
        }
    }
    browser.kill().unwrap();
    browser.wait().unwrap();
    assert_eq!(said.last().map(String::as_str), Some("end"), "{said:#?}");
    Some(said)
}

/// Files that the command writes for all designs, each with its hash.
fn written() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for config in DESIGNS {
        let place = Place::new();
        place.write("d.yaml", config);
        let ended = place.run("generate d.yaml");
        assert_eq!(ended.code, 0, "{config}: {}", ended.stderr);
        let folder = fs::read_dir(place.path().join("generated")).unwrap().next().unwrap().unwrap();
        let name = folder.file_name().into_string().unwrap();
        let manifest = fs::read(folder.path().join("MANIFEST")).unwrap();
        let text = String::from_utf8(manifest.clone()).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once("  "));
        all.extend(lines.map(|(hash, path)| format!("file {name}/{path} {hash}")));
        let hash = files::sha256(&manifest);
        all.insert(format!("file {name}/MANIFEST {hash}"));
    }
    all
}

#[test]
fn a_person_chooses_sees_and_takes_what_the_command_makes() {
    let Some(said) = said(|page| page) else { return };
    let expected = [
        "first topology: { torus: [6, 8] } 24",
        "collective topology: { torus: [6, 8] }; collective: broadcast 7",
        "root topology: { torus: [6, 8] }; collective: broadcast; root: [1, 1] 9",
        "broken topology: { torus: [6, 8], dead: { links: [\"0,0:x2+\"] } } 16",
        "keys Node 2,2. Broken: 0,0 x2+.",
        "broken by key topology: { torus: [6, 8], dead: { links: [\"0,0 x2+\", \"2,2:x1+\"] } }",
        "mended topology: { torus: [6, 8], dead: { links: [\"2,2 x1+\"] } }",
    ];
    for line in expected {
        assert!(said.iter().any(|said| said == line), "{line}\n{said:#?}");
    }
    let after = |word: &str| {
        said.iter().find_map(|line| line.strip_prefix(word)).unwrap_or_else(|| panic!("{word}: {said:#?}"))
    };
    assert!(after("wrong ").contains("operation: required") && after("wrong ").ends_with("true"), "{said:#?}");
    assert!(after("cured ").contains("operation: sum") && after("cured ").ends_with("false"), "{said:#?}");
    assert!(after("torn ").contains("error:"), "{said:#?}");
    assert!(after("large ").contains("4096 nodes are too many") && after("large ").contains("torusweave generate"));
    assert!(after("schemes ").split(',').any(|scheme| scheme == "optimal"));
    assert!(after("scheme ").contains("scheme: optimal"), "{said:#?}");
    assert!(after("list ").contains("programs:") && after("list ").contains("bus: streams"), "{said:#?}");
    assert_eq!(after("report "), "true true");
    assert_eq!(after("address "), "topology: { path: 3 } 2");
    assert!(after("back ").contains("programs:"));
    assert_eq!(after("shown "), "torus_6x8.v true");
    assert!(after("32x32 ").starts_with("512 "), "{said:#?}");
    assert_eq!((after("requests "), after("errors ")), ("0", "true"));
    let taken: BTreeSet<String> = said.iter().filter(|line| line.starts_with("file ")).cloned().collect();
    let written = written();
    assert!(taken == written, "differ: {:?}", taken.symmetric_difference(&written).take(4).collect::<Vec<_>>());
}

#[test]
fn a_changed_byte_in_the_archive_is_seen() {
    let spoiled = |page: String| {
        let right = "const bytes = ask(data.request);";
        assert_eq!(page.matches(right).count(), 1);
        let wrong = "if (data.request.ask === \"zip\") bytes[200] ^= 1;";
        page.replace(right, &format!("{right} {wrong}"))
    };
    let Some(said) = said(spoiled) else { return };
    let taken: BTreeSet<String> = said.iter().filter(|line| line.starts_with("file ")).cloned().collect();
    assert_eq!(taken.symmetric_difference(&written()).count(), 2 * DESIGNS.len());
}
