//! Words that can be counted: openings and lengths of doc comments, names of tests, and names of types.

use std::fs;
use std::path::Path;

use crate::fixtures::command::project;

/// Openings that need their neighbours to be understood: questions, pronouns, and references.
const HEADLESS: [&str; 33] = [
    "as",
    "else",
    "how",
    "it",
    "its",
    "likewise",
    "none",
    "nothing",
    "of",
    "same",
    "see",
    "so many",
    "so much",
    "such",
    "that",
    "the same",
    "their",
    "them",
    "these",
    "they",
    "this",
    "those",
    "what",
    "whatever",
    "where",
    "wherever",
    "whether",
    "which",
    "whichever",
    "who",
    "whoever",
    "whose",
    "whom",
];

/// Files whose comments are still to be rewritten together with the help and the schema that show them, and how many.
const EXCEPTIONS: [(&str, usize); 2] = [("src/design/config.rs", 5), ("src/design/config/network.rs", 3)];

/// Fewest words that say more than the item's name.
const FEWEST_WORDS: usize = 3;

/// Openings of test names that are questions and not claims.
const QUESTIONS: [&str; 9] =
    ["how_", "the_same_", "what_", "whatever_", "where_", "which_", "who_", "whoever_", "whose_"];

/// A doc comment: the line on which it begins, and its text.
type DocComment = (usize, String);

/// Doc comments of a source text, in order.
fn doc_comments(text: &str) -> Vec<DocComment> {
    let mut found: Vec<DocComment> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start().strip_prefix("///").filter(|rest| rest.is_empty() || rest.starts_with(' '));
        match line {
            None => is_open = false,
            Some(rest) if is_open => found.last_mut().expect("it is open").1 += rest,
            Some(rest) => {
                found.push((number, rest.trim_start().to_owned()));
                is_open = true;
            }
        }
    }
    found
}

fn is_headless(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    HEADLESS.iter().any(|opening| {
        comment.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

fn is_too_short(comment: &str) -> bool {
    comment.split_whitespace().count() < FEWEST_WORDS
}

/// Paths from the root of the project, and texts, of every Rust file below some folders.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<(String, String)>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(project()).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        walk(&project().join(folder), &mut found);
    }
    found.sort();
    found
}

/// Asserts that no doc comment has a fault.
fn assert_none(what: &str, is_wrong: fn(&str) -> bool) {
    let (mut all, mut wrong) = (0, Vec::new());
    for (path, text) in sources(&["src", "tests", "benches", "sim"]) {
        let comments = doc_comments(&text);
        all += comments.len();
        let found: Vec<DocComment> = comments.into_iter().filter(|(_, comment)| is_wrong(comment)).collect();
        if EXCEPTIONS.iter().any(|(file, most)| *file == path && found.len() <= *most) {
            continue;
        }
        wrong.extend(found.into_iter().map(|(line, comment)| format!("{path}:{line}: {comment}")));
    }
    println!("{what}: {} of {all} doc comments", wrong.len());
    assert!(all > 5000, "only {all} doc comments: looked in the wrong place?");
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn doc_comments_open_with_a_noun_or_a_verb() {
    assert_none("headless", is_headless);
}

#[test]
fn doc_comments_have_at_least_three_words() {
    assert_none("too short", is_too_short);
}

#[test]
fn wrong_doc_comments_are_found() {
    let text = "/// What it is.\nfn a() {}\n    /// A node.\n    b: u32,\n/// Number of\n/// nodes.\nfn c() {}\n//// no comment\n";
    let comments = doc_comments(text);
    assert_eq!(comments, [(1, "What it is.".into()), (3, "A node.".into()), (5, "Number of nodes.".into())]);
    assert_eq!(comments.iter().map(|(_, text)| is_headless(text)).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(comments.iter().map(|(_, text)| is_too_short(text)).collect::<Vec<_>>(), [false, true, false]);
    assert!(is_headless("the same at another tick") && is_headless("Its place."));
    assert!(!is_headless("Offset from a node.") && !is_headless("Items in order.") && !is_headless("Ofen, a word."));
}

#[test]
fn test_names_are_claims() {
    let mut tests = 0;
    for (path, text) in sources(&["src", "tests", "sim"]) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_test = |at: usize| {
            lines[..at].iter().rev().take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]")
        };
        for (at, name) in lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix("fn ")?))) {
            if is_test(at) {
                tests += 1;
                let question = QUESTIONS.iter().find(|question| name.starts_with(**question));
                assert!(question.is_none(), "{path}: test `{name}` asks instead of claiming");
            }
        }
    }
    assert!(tests > 700, "only {tests} tests found: has the way they are written changed?");
}
