//! The pages as a book: what mdBook is given has every page once, and no link that leads out of the book.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::fixtures::command::project;
use crate::fixtures::tools::has;
use crate::pages::{anchors, links, pages, read, resolve};

/// Runs the preprocessor on chapters by their paths from docs/; returns the book, or what it says.
fn preprocessed(chapters: &[(String, String)]) -> Result<Value, String> {
    let chapters: Vec<Value> = chapters
        .iter()
        .map(|(path, content)| {
            let chapter = json!({ "name": path, "content": content, "number": null, "sub_items": [], "path": path,
                "source_path": path, "parent_names": [] });
            json!({ "Chapter": chapter })
        })
        .collect();
    let input = json!([{ "root": "." }, { "items": chapters }]).to_string();
    let mut child = Command::new("python3")
        .arg("python/book.py")
        .current_dir(project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout).unwrap())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn the_book_has_every_page_and_no_link_out_of_it() {
    if !has("python3") {
        return;
    }
    let targets = links(&read("docs/SUMMARY.md"));
    assert_eq!(targets.len(), pages().len() - 1);
    let chapters: Vec<(String, String)> = targets
        .into_iter()
        .map(|target| (target.clone(), read(resolve("docs/SUMMARY.md", &target).0.to_str().unwrap())))
        .collect();
    let book = preprocessed(&chapters).unwrap();
    let text = |chapter: &Value, field: &str| chapter["Chapter"][field].as_str().unwrap().to_owned();
    let items = book["items"].as_array().unwrap();
    let written: BTreeMap<PathBuf, String> =
        items.iter().map(|chapter| (PathBuf::from(text(chapter, "path")), text(chapter, "content"))).collect();
    assert_eq!(written.len(), chapters.len(), "two pages have one path");
    let mut followed = 0;
    for (path, content) in &written {
        assert!(!path.starts_with(".."), "{}", path.display());
        for target in links(content).iter().filter(|target| !target.starts_with("https://")) {
            let (at, anchor) = resolve(path.to_str().unwrap(), target);
            let is_file = || project().join("docs").join(&at).is_file() && at.extension() != Some("md".as_ref());
            let page = written.get(&at);
            assert!(page.is_some() || is_file(), "{}: {target} is not in the book", path.display());
            let is_there = |anchor| page.is_some_and(|page| anchors(page).contains(&anchor));
            assert!(anchor.is_none_or(is_there), "{}: {target} has no such place", path.display());
            followed += 1;
        }
    }
    assert!(followed > 80, "only {followed} links");
    // the picture of the front page, and a file that is no page
    let front = &written[Path::new("index.md")];
    assert!(front.contains("](torus-6x8.svg)") && !front.contains("examples/torus-6x8.yaml)"), "{front}");
}

#[test]
fn a_dead_link_of_the_book_is_found() {
    if has("python3") {
        let page = |content: &str| preprocessed(&[("tables/made-up.md".into(), content.into())]);
        let book = page("[a](../concepts.md#flit) `x`\n\n    [code](missing.md)\n").unwrap();
        assert_eq!(book["items"][0]["Chapter"]["path"], "tables/made-up.md");
        let fault = page("[a](missing.md)\n").unwrap_err();
        assert!(fault.contains("docs/tables/made-up.md") && fault.contains("missing.md"), "{fault}");
    }
}
