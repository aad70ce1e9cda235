//! Words that can be counted: openings and lengths of comments, names of tests, and sentences of pages.

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

/// Fewest words that say more than the item's name.
const FEWEST_WORDS: usize = 3;

/// Openings of test names that are questions and not claims.
const QUESTIONS: [&str; 9] =
    ["how_", "the_same_", "what_", "whatever_", "where_", "which_", "who_", "whoever_", "whose_"];

/// Openings of comments inside functions that may stand: the code beside them is the subject.
const IN_CODE: [&str; 6] = ["as", "else", "it", "its", "none", "nothing"];

/// Marks of a file's header, an item's documentation, and a comment in code.
const MARKS: [&str; 3] = ["//!", "///", "//"];

/// A comment: the line on which it begins, and its text.
type Comment = (usize, String);

/// Comments of a source text that have a mark, in order.
fn comments(text: &str, mark: &str) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start().strip_prefix(mark).filter(|rest| rest.is_empty() || rest.starts_with(' '));
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

fn is_headless(comment: &str, allowed: &[&str]) -> bool {
    let comment = comment.to_lowercase();
    HEADLESS.iter().filter(|opening| !allowed.contains(opening)).any(|opening| {
        comment.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

fn is_too_short(comment: &str) -> bool {
    comment.split_whitespace().count() < FEWEST_WORDS
}

/// Paths from the root of the project, and texts, of every file below some folders whose name ends with one of these.
fn files(folders: &[&str], ends: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, ends: &[&str], found: &mut Vec<(String, String)>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, ends, found);
            } else if path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)) {
                let name = path.strip_prefix(project()).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        walk(&project().join(folder), ends, &mut found);
    }
    found.sort();
    found
}

/// Paths and texts of every Rust file below some folders.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    files(folders, &["rs"])
}

/// Paragraphs of comments that have a mark: an empty line of a comment ends one.
fn paragraphs(text: &str, mark: &str) -> Vec<Comment> {
    let is_empty = |line: &str| line.trim() == mark;
    let text: Vec<&str> = text.lines().map(|line| if is_empty(line) { "" } else { line }).collect();
    comments(&text.join("\n"), mark)
}

/// Asserts that no comment with one of some marks has a fault.
fn assert_none(what: &str, marks: &[&str], read: fn(&str, &str) -> Vec<Comment>, is_wrong: fn(&str) -> bool) {
    let (mut all, mut wrong) = (0, Vec::new());
    for (path, text) in sources(&["src", "tests", "benches", "sim"]) {
        for (line, comment) in marks.iter().flat_map(|mark| read(&text, mark)) {
            all += 1;
            if is_wrong(&comment) {
                wrong.push(format!("{path}:{line}: {comment}"));
            }
        }
    }
    println!("{what}: {} of {all} comments", wrong.len());
    assert!(all > 500, "only {all} comments: looked in the wrong place?");
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn doc_comments_open_with_a_noun_or_a_verb() {
    assert_none("headless", &MARKS[..2], paragraphs, |comment| is_headless(comment, &[]));
}

#[test]
fn comments_in_code_open_with_a_noun_or_a_verb() {
    assert_none("headless", &MARKS[2..], paragraphs, |comment| is_headless(comment, &IN_CODE));
}

/// Docstrings and comments of a Python file, in order.
fn of_python(text: &str) -> Vec<Comment> {
    let docstring = |(number, line): (usize, &str)| {
        let text = line.trim_start().strip_prefix("\"\"\"").filter(|text| !text.is_empty());
        text.map(|text| (number, text.to_owned()))
    };
    comments(text, "#").into_iter().chain((1..).zip(text.lines()).filter_map(docstring)).collect()
}

#[test]
fn comments_in_templates_and_in_python_open_with_a_noun_or_a_verb() {
    // headers that views write are in what the examples generate
    let templates = files(&["templates", "generated"], &["v", "sv", "js", "h"]);
    let templates = templates.into_iter().map(|(path, text)| (path, paragraphs(&text, "//")));
    let python =
        files(&["python", "sim", "templates"], &["py"]).into_iter().map(|(path, text)| (path, of_python(&text)));
    let (mut all, mut wrong) = (0, Vec::new());
    for (path, (line, comment)) in
        templates.chain(python).flat_map(|(path, found)| found.into_iter().map(move |it| (path.clone(), it)))
    {
        all += 1;
        if is_headless(&comment, &IN_CODE) {
            wrong.push(format!("{path}:{line}: {comment}"));
        }
    }
    assert!(all > 400, "only {all} comments: looked in the wrong place?");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn doc_comments_have_at_least_three_words() {
    assert_none("too short", &MARKS[..2], comments, is_too_short);
}

#[test]
fn wrong_comments_are_found() {
    let text = "//! Who knows what.\n/// What it is.\nfn a() {}\n    /// A node.\n    b: u32,\n/// Number of\n/// nodes.\n\
                fn c() {}\n//// no comment\n    // it is code\n";
    let [headers, documentation, in_code] = MARKS.map(|mark| comments(text, mark));
    assert_eq!(headers, [(1, "Who knows what.".into())]);
    assert_eq!(paragraphs("// A module\n//\n// What comes in.\n", "//")[1], (3, "What comes in.".into()));
    assert_eq!(documentation, [(2, "What it is.".into()), (4, "A node.".into()), (6, "Number of nodes.".into())]);
    assert_eq!(in_code, [(10, "it is code".into())]);
    let python = of_python("\"\"\"What it does.\"\"\"\nx = 1\n    # who knows\n");
    assert_eq!(python, [(3, "who knows".into()), (1, "What it does.\"\"\"".into())]);
    let headless = |comments: &[Comment], allowed: &[&str]| {
        comments.iter().map(|(_, text)| is_headless(text, allowed)).collect::<Vec<_>>()
    };
    assert_eq!(headless(&headers, &[]), [true]);
    assert_eq!(headless(&documentation, &[]), [true, false, false]);
    assert_eq!((headless(&in_code, &[]), headless(&in_code, &IN_CODE)), (vec![true], vec![false]));
    assert_eq!(documentation.iter().map(|(_, text)| is_too_short(text)).collect::<Vec<_>>(), [false, true, false]);
    assert!(is_headless("the same at another tick", &IN_CODE) && is_headless("Its place.", &[]));
    for text in ["Offset from a node.", "Items in order.", "Ofen, a word."] {
        assert!(!is_headless(text, &[]), "{text}");
    }
}

/// Most words of a sentence on a page.
const MOST_WORDS: usize = 40;

/// Sentences of a page's running text; code spans count as one word, and tables, headings and code blocks do not count.
fn sentences(page: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in page.lines() {
        let is_indented = line.starts_with("    ") && paragraphs.last().is_some_and(String::is_empty);
        let line = line.trim();
        let fence = line.starts_with("```");
        is_code ^= fence;
        let is_prose = !(fence
            || is_code
            || is_indented
            || line.is_empty()
            || ["|", "#", "<", "!["].iter().any(|mark| line.starts_with(mark)));
        let item = line.split_once(' ').filter(|(mark, _)| {
            ["-", "*", ">"].contains(mark) || mark.strip_suffix('.').is_some_and(|number| number.parse::<u32>().is_ok())
        });
        if !is_prose || item.is_some() {
            paragraphs.push(String::new());
        }
        if is_prose {
            let paragraph = paragraphs.last_mut().expect("there is one from the start");
            *paragraph += item.map_or(line, |(_, rest)| rest);
            paragraph.push(' ');
        }
    }
    let without_code = paragraphs.iter().map(|paragraph| {
        let parts = paragraph.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "code" });
        parts.collect::<String>()
    });
    without_code
        .flat_map(|paragraph| {
            let ends = [". ", "? ", "! ", ".) "];
            let paragraph =
                ends.iter().fold(paragraph, |text, end| text.replace(end, &format!("{}\n", end.trim_end())));
            paragraph.lines().map(|sentence| sentence.trim().to_owned()).collect::<Vec<_>>()
        })
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

fn is_too_long(sentence: &str) -> bool {
    sentence.split_whitespace().count() > MOST_WORDS
}

/// Pages of the project: those at its root and those in `docs/` and `docs/tables/`.
fn pages() -> Vec<(String, String)> {
    let folders = ["", "docs", "docs/tables"].map(|folder| project().join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .map(|path| (path.strip_prefix(project()).unwrap().display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    pages.sort();
    pages
}

#[test]
fn sentences_of_pages_have_at_most_forty_words() {
    let (mut all, mut wrong) = (0, Vec::new());
    for (path, text) in pages() {
        let sentences = sentences(&text);
        all += sentences.len();
        wrong.extend(
            sentences.into_iter().filter(|sentence| is_too_long(sentence)).map(|text| format!("{path}: {text}")),
        );
    }
    assert!(all > 1000, "only {all} sentences: looked in the wrong place?");
    assert!(wrong.is_empty(), "{} sentences are too long:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn long_sentences_are_found() {
    let words = |count| vec!["word"; count].join(" ");
    let page =
        format!("# {}\n\n{}.\n\n- {}\n- `{}`\n\n```\n{}\n```\n", words(50), words(41), words(40), words(50), words(50));
    let sentences = sentences(&page);
    assert_eq!(sentences.iter().map(|sentence| is_too_long(sentence)).collect::<Vec<_>>(), [true, false, false]);
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
