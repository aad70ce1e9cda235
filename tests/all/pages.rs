//! The README and the pages under docs/ as a reader meets them: their order, their links, their length, and the Verilog they show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::fixtures::command::{Place, contents, project};
use crate::fixtures::tools::has;

/// Number of words that can be read aloud in some six minutes, or skimmed in one.
const MOST_WORDS: usize = 1000;

pub fn read(path: &str) -> String {
    fs::read_to_string(project().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Paths of every page that a person reads, from the root of the project.
pub fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned).into();
    for folder in ["docs", "docs/tables"] {
        let names = fs::read_dir(project().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.into_string().unwrap());
        let names = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"));
        pages.extend(names.map(|name| format!("{folder}/{name}")));
    }
    pages.sort();
    pages
}

/// Targets of the links and pictures of a page, outside its code.
pub fn links(page: &str) -> Vec<String> {
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
pub fn anchors(page: &str) -> BTreeSet<String> {
    let headings =
        page.lines().filter_map(|line| line.strip_prefix('#')).map(|rest| anchor(rest.trim_start_matches('#')));
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(id, _)| id.to_owned());
    headings.chain(named).collect()
}

/// A target without its anchor as a path from the root of the project, and the anchor.
pub fn resolve(page: &str, target: &str) -> (PathBuf, Option<String>) {
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
        let is_there = text.is_some() || project().join(&path).exists();
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

/// Returns true for a page that a command or a test writes.
fn is_made(page: &str) -> bool {
    let opening: String = page.lines().skip(1).take(6).collect::<Vec<_>>().join(" ");
    ["Made by `", "Written by `", "writes this page", "makes this page"].iter().any(|words| opening.contains(words))
}

/// Pages under docs/ that people write, and their texts.
fn written_pages() -> Vec<(String, String)> {
    let pages = pages().into_iter().filter(|name| name.starts_with("docs/"));
    pages.map(|name| (name.clone(), read(&name))).filter(|(_, page)| !is_made(page)).collect()
}

#[test]
fn generated_tables_stand_in_a_folder_of_their_own() {
    for name in pages().iter().filter(|name| name.starts_with("docs/tables/")) {
        assert!(is_made(&read(name)), "{name} does not say what makes it");
    }
}

#[test]
fn every_page_says_who_it_is_for() {
    let pages = written_pages();
    assert!(pages.len() > 10, "only {} pages", pages.len());
    for (name, page) in pages {
        let opening: String = page.lines().skip(1).take(6).collect::<Vec<_>>().join(" ");
        assert!(opening.contains("This page is for "), "{name} does not say in its first lines who it is for");
    }
}

/// Lines within which a page shows its first command.
const OPENING: usize = 16;

#[test]
fn every_page_opens_with_a_command_that_works() {
    for (name, page) in written_pages() {
        let opening: Vec<&str> = page.lines().take(OPENING).collect();
        let opening = opening.join("\n");
        let commands = torusweave::cli::command();
        let is_command = |rest: &&str| {
            let word = rest.split([' ', '`', '\n']).next().unwrap_or_default();
            commands.get_subcommands().any(|command| command.get_name() == word)
        };
        let command = opening.split("torusweave ").skip(1).find(is_command);
        let command = command.unwrap_or_else(|| panic!("{name} shows no command in its first {OPENING} lines"));
        let command = command.split(['`', '\n']).next().unwrap();
        let place = Place::new();
        // folder into which the gallery's commands write
        fs::create_dir_all(place.path().join("docs/gallery")).unwrap();
        for (path, bytes) in contents(&project().join("examples")) {
            if !path.ends_with('/') {
                place.write(&format!("examples/{path}"), bytes);
            }
        }
        if ["prove ", "fpga "].iter().any(|tools| command.starts_with(tools)) && !(has("yosys") && has("z3")) {
            continue;
        }
        let ended = place.run(command);
        assert_eq!(ended.code, 0, "{name}: torusweave {command}\n{}", ended.stderr);
    }
}

/// Terms of the glossary that are everyday words as well, and need no link where they are meant so.
const EVERYDAY: [&str; 11] =
    ["board", "control", "message", "result", "ring", "run", "source", "step", "store", "system", "window"];

/// Every term of the glossary with its anchor.
fn terms() -> Vec<(String, String)> {
    let page = read("docs/concepts.md");
    let mut terms = Vec::new();
    for rest in page.split("<a id=\"").skip(1) {
        let (anchor, rest) = rest.split_once("\"></a>**").expect("an anchor stands before its terms");
        let names = rest.split_once("**").unwrap().0;
        terms.extend(names.split(", ").map(|name| (name.to_lowercase(), anchor.to_owned())));
    }
    terms
}

/// Text of a page in lower case with everything blanked that is no prose: code, headings, tables, pictures, and targets of links.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut text = String::new();
    for line in page.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let is_blank = is_code || is_fence || ["    ", "#", "|", "!["].iter().any(|start| line.starts_with(start));
        text += &if is_blank { " ".repeat(line.len()) } else { line.to_lowercase() };
        text.push('\n');
    }
    let mut kept = String::with_capacity(text.len());
    let (mut in_code, mut in_target, mut last) = (false, false, ' ');
    for letter in text.chars() {
        in_code ^= letter == '`';
        in_target = (in_target || letter == '(' && last == ']') && letter != ')';
        if letter != '\n' && (in_code || letter == '`' || in_target && letter != '(') {
            // replaced by as many bytes, so that places in both texts agree
            kept.push_str(&" ".repeat(letter.len_utf8()));
        } else {
            kept.push(letter);
        }
        last = letter;
    }
    kept
}

/// Byte range of the first use of a term in prose, outside of any longer term.
fn first_use(prose: &str, term: &str, terms: &[(String, String)]) -> Option<std::ops::Range<usize>> {
    let words = |term: &str| regex_lite::escape(term).replace(' ', r"\s+");
    let whole = |term: &str| regex_lite::Regex::new(&format!(r"(^|[^\w-])({}s?)($|[^\w-])", words(term))).unwrap();
    let mut text = prose.to_owned();
    for (longer, _) in terms.iter().filter(|(longer, _)| longer != term && longer.split(' ').any(|word| word == term)) {
        while let Some(found) = whole(longer).captures(&text.clone()) {
            let range = found.get(2).unwrap().range();
            text.replace_range(range.clone(), &"_".repeat(range.len()));
        }
    }
    whole(term).captures(&text).map(|found| found.get(2).unwrap().range())
}

/// Terms of a page whose first use in prose is no link to the glossary.
fn unlinked(name: &str, page: &str) -> Vec<String> {
    let (terms, prose) = (terms(), prose(page));
    let mut unlinked = Vec::new();
    for (term, anchor) in terms.iter().filter(|(term, _)| !EVERYDAY.contains(&term.as_str())) {
        let Some(found) = first_use(&prose, term, &terms) else { continue };
        let link = page[..found.start].rfind('[').and_then(|open| {
            let close = open + page[open..].find("](")?;
            let end = close + page[close..].find(')')?;
            (close >= found.end).then(|| page[close + 2..end].to_owned())
        });
        // a link to another page explains the term there
        if link.is_none_or(|link| link.contains("concepts.md") && !link.ends_with(&format!("#{anchor}"))) {
            unlinked.push(format!("{name}: {term}"));
        }
    }
    unlinked
}

#[test]
fn terms_are_linked_from_their_first_use_on_every_page() {
    let pages = written_pages();
    let pages = pages.iter().filter(|(name, _)| !["docs/concepts.md", "docs/SUMMARY.md"].contains(&name.as_str()));
    let unlinked: Vec<String> = pages.flat_map(|(name, page)| unlinked(name, page)).collect();
    assert!(unlinked.is_empty(), "first uses without a link to docs/concepts.md: {unlinked:?}");
    assert!(terms().len() > 40, "only {} terms", terms().len());
}

#[test]
fn unlinked_terms_are_found() {
    let page = "# Ticks\n\nEvery [flit](concepts.md#flit) takes a tick, as `lane` says. Lanes: [lanes](concepts.md#lane).\n\n    node\n";
    assert_eq!(unlinked("page", page), ["page: lane", "page: tick"]);
}

#[test]
fn rust_in_pages_is_code_of_the_project() {
    let sources = texts(&project().join("src"), ".rs");
    let mut shown = 0;
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for block in blocks(&read(name), "rust") {
            assert!(
                sources.iter().any(|file| file.contains(&block)),
                "{name} shows code that is not in src/:\n{block}"
            );
            shown += 1;
        }
    }
    assert!(shown >= 4, "{shown} blocks");
}

/// The smallest scheme is shown whole, so that a reader sees all that a construction needs.
#[test]
fn the_architecture_shows_the_construction_of_fork() {
    let file = read("src/schemes/broadcast/fork.rs");
    let construction = file.split("\n\n").find(|part| part.contains("pub fn tree(")).unwrap();
    assert!(read("ARCHITECTURE.md").contains(construction), "ARCHITECTURE.md does not show the construction of `fork`");
}

/// Most invariants on the page, and most lines of each.
const INVARIANTS: [usize; 2] = [12, 2];

#[test]
fn the_architecture_has_at_most_twelve_invariants_of_two_lines() {
    let page = read("ARCHITECTURE.md");
    let section = page.split("\n## Invariants\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let lines: Vec<&str> = section.lines().filter(|line| !line.is_empty()).collect();
    let invariants = lines.iter().filter(|line| line.contains(". **")).count();
    assert!(
        invariants <= INVARIANTS[0] && lines.len() <= INVARIANTS[1] * invariants,
        "{invariants} invariants, {} lines",
        lines.len()
    );
}
