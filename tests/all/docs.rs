//! The pages under docs/: those made by a command are what it makes, the others name commands and tests that exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixtures::command::{TORUSWEAVE, project};

/// Every page by its path under docs/, sorted.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = files(&project().join("docs"), "md")
        .iter()
        .map(|path| {
            let name = path.strip_prefix(project().join("docs")).unwrap();
            (name.to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|found| found == extension));
    files.chain(folders.iter().flat_map(|folder| self::files(folder, extension))).collect()
}

/// Texts between backticks, each with the rest of its line.
fn spans(page: &str) -> Vec<(&str, &str)> {
    let line = |line| {
        let parts: Vec<&str> = str::split(line, '`').collect();
        parts[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    };
    page.lines().filter(|line| line.contains('`')).flat_map(line).collect()
}

fn stdout(command: &str) -> String {
    let arguments = command.strip_prefix("torusweave ").expect("a command of ours");
    let output = Command::new(TORUSWEAVE).args(arguments.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "`{command}`: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The command in `Made by ...`, third line of a page that a command makes.
fn maker(page: &str) -> Option<&str> {
    page.lines().nth(2)?.strip_prefix("Made by `")?.strip_suffix("`.")
}

#[test]
fn pages_made_by_a_command_are_what_it_makes() {
    let mut made = 0;
    for (name, page) in pages() {
        if let Some(command) = maker(&page) {
            assert!(stdout(command) == page, "docs/{name} is out of date: run `{command} > docs/{name}`");
            made += 1;
        }
    }
    assert!(made >= 4, "only {made} pages say what makes them");
}

/// `torusweave check ...`: 31 steps.
#[test]
fn the_steps_that_pages_name_are_measured() {
    let pages = ["papers.md", "half-duplex.md"];
    let pages = pages.map(|page| fs::read_to_string(project().join("docs").join(page)).unwrap()).concat();
    let mut measured = 0;
    for (command, after) in spans(&pages).into_iter().filter(|(command, _)| command.starts_with("torusweave ")) {
        let output = stdout(command);
        let ticks = after.strip_prefix(": complete after ").and_then(|after| after.split_once(" ticks"));
        if let Some(ticks) = ticks.and_then(|(ticks, _)| ticks.parse::<u32>().ok()) {
            assert!(output.contains(&format!("after tick {ticks}\n")), "`{command}`: {output}");
            measured += 1;
        }
        let claim = after.strip_prefix(": ").and_then(|after| after.split_once(" steps"));
        if let Some(steps) = claim.and_then(|(steps, _)| steps.parse::<u32>().ok()) {
            let line =
                output.lines().find_map(|line| line.trim().strip_prefix("steps")).expect("check prints the steps");
            let first = line.split(',').next().unwrap_or_default();
            assert_eq!(first.trim(), steps.to_string(), "`{command}`");
            measured += 1;
        }
    }
    assert!(measured > 20, "{measured} commands with steps");
}

/// A block that begins with a command shows what it prints.
#[test]
fn pages_show_the_output_of_their_commands() {
    let mut shown = 0;
    for (name, page) in pages() {
        for block in page.split("```\n$ ").skip(1) {
            let (command, rest) = block.split_once('\n').unwrap();
            let printed = rest.split("```").next().unwrap();
            assert!(stdout(command) == printed, "docs/{name}: `{command}` prints something else");
            shown += 1;
        }
    }
    assert!(shown >= 2, "{shown} blocks");
}

/// A test is named by words in snake case, at least three.
#[test]
fn the_tests_that_the_papers_page_names_exist() {
    let sources: Vec<String> = ["src", "tests"]
        .iter()
        .flat_map(|folder| files(&project().join(folder), "rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let page = fs::read_to_string(project().join("docs/papers.md")).unwrap();
    let snake_case = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let names = spans(&page).into_iter().map(|(span, _)| span).filter(|span| snake_case(span));
    let names: Vec<&str> = names.filter(|name| name.matches('_').count() >= 2).collect();
    assert!(names.len() > 20, "{} tests are named", names.len());
    for name in names {
        let head = format!("fn {name}(");
        assert!(sources.iter().any(|source| source.contains(&head)), "no test is called {name}");
    }
}

/// `floors::no_room_has_a_circle_inside` is a test in tests/all/floors.rs; `src/net/` and `tests/all/faults.rs` are there.
#[test]
fn names_in_the_architecture_exist() {
    let page = fs::read_to_string(project().join("ARCHITECTURE.md")).unwrap();
    let (mut tests, mut paths) = (0, 0);
    for (span, _) in spans(&page) {
        if let Some((room, name)) = span.split_once("::").filter(|(_, name)| name.matches('_').count() >= 2) {
            let source = fs::read_to_string(project().join(format!("tests/all/{room}.rs"))).unwrap_or_default();
            assert!(source.contains(&format!("fn {name}(")), "no test is called {span}");
            tests += 1;
        } else if span.contains('/') && !span.contains([' ', '<', '*']) {
            assert!(project().join(span).exists(), "there is no {span}");
            paths += 1;
        }
    }
    assert!(tests >= 7 && paths >= 12, "{tests} tests and {paths} paths are named");
}

/// Every room has a row in the map, and no room is missing.
#[test]
fn the_map_of_the_architecture_has_every_room() {
    let page = fs::read_to_string(project().join("ARCHITECTURE.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let mut mapped: Vec<&str> = rows.map(|(room, _)| room).collect();
    mapped.sort_unstable();
    let lib = fs::read_to_string(project().join("src/lib.rs")).unwrap();
    let modules = |text: &str| -> Vec<String> {
        let named =
            |line: &str| Some(line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?.to_owned());
        text.lines().filter_map(named).collect()
    };
    let emitter = fs::read_to_string(project().join("src/emit.rs")).unwrap();
    let inside = modules(&emitter).into_iter().map(|room| format!("emit::{room}"));
    let mut rooms: Vec<String> = modules(&lib).into_iter().chain(inside).collect();
    rooms.sort();
    assert_eq!(mapped, rooms);
}

/// docs/torus-6x8.svg shows the cycles of examples/torus-6x8.yaml, docs/modules-torus-6x7.svg the modules of another, and
/// so on.
#[test]
fn pictures_are_what_draw_draws() {
    let mut pictures = files(&project().join("docs"), "svg");
    pictures.retain(|picture| picture.parent() == Some(&project().join("docs")));
    assert!(pictures.len() >= 4, "only {} pictures", pictures.len());
    for picture in pictures {
        let name = picture.file_stem().unwrap().to_string_lossy().into_owned();
        let (what, example) = name.strip_prefix("modules-").map_or(("cycles", name.as_str()), |name| ("modules", name));
        let command = format!("torusweave draw {}/examples/{example}.yaml --what {what}", project().display());
        let drawn = stdout(&command) == fs::read_to_string(&picture).unwrap();
        assert!(drawn, "out of date: `torusweave draw examples/{example}.yaml --what {what} -o docs/{name}.svg`");
    }
}

/// Each picture of the gallery stands below the command that draws it, and no other picture is kept.
#[test]
fn the_gallery_shows_what_its_commands_draw() {
    let page = fs::read_to_string(project().join("docs/gallery.md")).unwrap();
    let mut shown = Vec::new();
    for (command, path) in
        page.lines().filter_map(|line| line.strip_prefix('`')?.strip_suffix('`')?.split_once(" -o docs/"))
    {
        assert!(page.contains(&format!("]({path})")), "{path} is not shown");
        let command = command.replace("examples/", &format!("{}/examples/", project().display()));
        let drawn = stdout(&command) == fs::read_to_string(project().join("docs").join(path)).unwrap();
        assert!(drawn, "docs/{path} is out of date: `just gallery` draws it again");
        shown.push(project().join("docs").join(path));
    }
    shown.sort();
    let mut kept = files(&project().join("docs/gallery"), "svg");
    kept.sort();
    assert_eq!(shown, kept);
}
