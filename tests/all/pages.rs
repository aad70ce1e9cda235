//! The README and the pages under docs/ as a reader meets them: their order, their links, their length, and the Verilog they show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::fixtures::command::project;

/// Number of words that can be read aloud in some six minutes, or skimmed in one.
const MOST_WORDS: usize = 1000;

fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths of every page that a person reads, from the root of the project.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned).into();
    let docs = fs::read_dir(project().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let docs = docs
        .map(|name| name.into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
    pages.extend(docs.map(|name| format!("docs/{name}")));
    pages.sort();
    pages
}

/// Targets of the links and pictures of a page, outside its code.
fn links(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if !is_code && !line.starts_with("    ") {
            let ends = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(ends.map(|(target, _)| target.to_owned()));
        }
    }
    found
}

/// The name that a heading has in a link: lower case, words joined by hyphens.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// Every place of a page that a link can lead to.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings =
        page.lines().filter_map(|line| line.strip_prefix('#')).map(|rest| anchor(rest.trim_start_matches('#')));
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id.to_owned());
    headings.chain(named).collect()
}

/// A target without its anchor as a path from the root of the project, and the anchor.
fn resolve(page: &str, target: &str) -> (PathBuf, Option<String>) {
    let (path, anchor) =
        target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor.to_owned())));
    let folder = Path::new(page).parent().unwrap();
    let mut at = if path.is_empty() { PathBuf::from(page) } else { folder.to_owned() };
    for part in Path::new(path).components() {
        match part {
            std::path::Component::ParentDir => drop(at.pop()),
            part => at.push(part),
        }
    }
    (at, anchor)
}

fn dead_links(name: &str, page: &str) -> Vec<String> {
    let is_dead = |target: &String| {
        if target.starts_with("https://") {
            return false;
        }
        let (path, anchor) = resolve(name, target);
        let text = if path == Path::new(name) {
            Some(page.to_owned())
        } else {
            fs::read_to_string(project().join(&path)).ok()
        };
        let is_there = text.is_some() || project().join(&path).is_dir();
        !is_there || anchor.is_some_and(|anchor| !text.is_some_and(|text| anchors(&text).contains(&anchor)))
    };
    links(page).into_iter().filter(is_dead).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut followed = 0;
    for name in pages() {
        let page = read(&name);
        followed += links(&page).len();
        let dead = dead_links(&name, &page);
        assert!(dead.is_empty(), "{name}: these links lead nowhere: {dead:?}");
    }
    assert!(followed > 80, "only {followed} links: has the way they are written changed?");
}

#[test]
fn a_dead_link_is_found() {
    let page = "# A page\n[a](missing.md) [b](#a-page) [c](#no-page) [d](concepts.md#flit) [e](concepts.md#flute)\n    [code](missing.md)\n";
    assert_eq!(dead_links("docs/made-up.md", page), ["missing.md", "#no-page", "concepts.md#flute"]);
}

#[test]
fn the_summary_names_every_page_once() {
    let mut named: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for target in links(&read("docs/SUMMARY.md")) {
        *named.entry(resolve("docs/SUMMARY.md", &target).0).or_default() += 1;
    }
    for page in pages().iter().filter(|page| *page != "docs/SUMMARY.md") {
        assert_eq!(named.remove(Path::new(page)), Some(1), "docs/SUMMARY.md names {page} another number of times");
    }
    assert!(named.is_empty(), "docs/SUMMARY.md names pages that are none: {named:?}");
}

#[test]
fn the_readme_has_at_most_a_thousand_words() {
    let words = read("README.md").split_whitespace().count();
    assert!(words <= MOST_WORDS, "README.md has {words} words");
}

/// Contents of the fenced blocks of one language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// Texts of all files under a folder that end so.
fn texts(folder: &Path, end: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(texts(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

#[test]
fn verilog_in_pages_is_generated_verilog() {
    let generated = texts(&project().join("generated"), ".v");
    let mut shown = 0;
    for name in pages() {
        for block in blocks(&read(&name), "verilog") {
            assert!(
                generated.iter().any(|file| file.contains(&block)),
                "{name} shows Verilog that no example has:\n{block}"
            );
            shown += 1;
        }
    }
    assert!(shown >= 1, "no page shows Verilog");
}

#[test]
fn the_config_of_the_readme_is_the_example() {
    let examples = texts(&project().join("examples"), ".yaml");
    let blocks = blocks(&read("README.md"), "yaml");
    assert!(!blocks.is_empty(), "README.md shows no config");
    for block in blocks {
        assert!(
            examples.iter().any(|file| file.ends_with(&block)),
            "README.md shows a config that no example is:\n{block}"
        );
    }
}

/// A page that is not made by a command begins with who it is for.
#[test]
fn every_page_says_who_it_is_for() {
    for name in pages().iter().filter(|name| name.starts_with("docs/")) {
        let page = read(name);
        let opening: String = page.lines().skip(1).take(6).collect::<Vec<_>>().join(" ");
        let is_made =
            opening.contains("Made by `") || opening.contains("Written by `") || opening.contains("writes this page");
        assert!(
            is_made || opening.contains("This page is for "),
            "{name} does not say in its first lines who it is for"
        );
    }
}
