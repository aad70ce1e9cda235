//! One page that shows a whole design: numbers, pictures, rules, files, and packets on their way. It needs no network.

mod animation;
mod classes;
mod facts;
mod pictures;

use askama::Template;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::check;
use crate::design::Design;
use crate::emit;
use crate::files::digest;
use animation::Animation;
use classes::ClassRule;
use facts::{Fact, ReportVerdict};
use pictures::ReportPicture;

/// More violations than these tell nothing new.
const VIOLATIONS_SHOWN: usize = 20;

/// Data for `templates/report/page.html`.
#[derive(Template)]
#[template(path = "report/page.html")]
struct Page<'a> {
    name: &'a str,
    headline: String,
    theorem: &'static str,
    verdict: ReportVerdict,
    violations: Vec<String>,
    facts: Vec<Fact>,
    animation: Option<Animation>,
    no_animation: String,
    classes: Vec<ClassRule>,
    classes_note: String,
    pictures: Vec<ReportPicture>,
    /// command that writes the files, and these; none of a program of a list
    command: Option<String>,
    files: Vec<FileLink>,
    style: &'static str,
    /// sources of the scripts that a browser may run
    script_policy: String,
    version: &'static str,
}

/// A link to a generated file.
struct FileLink {
    path: String,
    link: String,
}

/// The page of a design that `report` has judged. `known` is how much every node knew at the times of [`times`](crate::draw::times), if that
/// was seen. `folder` is where the generated files lie, seen from the page.
pub fn page(design: &Design, report: &check::CheckReport, known: &[Vec<u64>], folder: &str) -> String {
    let program = &design.program;
    let title = &program.title;
    let (animation, no_animation) = match Animation::new(design) {
        Ok(animation) => (Some(animation), String::new()),
        Err(why) => (None, why),
    };
    let (classes, mut classes_note) = classes::rules(program);
    if design.protocol().is_some() {
        classes_note += " So it is with these lengths: state machines find out while they run.";
    }
    let script_policy = policy(animation.iter().flat_map(|animation| animation.scripts));
    let page = Page {
        name: &title.name,
        headline: format!("{}, scheme {}", program.described(), title.scheme),
        theorem: design.scheme.about().theorem,
        verdict: ReportVerdict::of(report),
        violations: report.violations.iter().take(VIOLATIONS_SHOWN).map(ToString::to_string).collect(),
        facts: facts::facts(design, report),
        animation,
        no_animation,
        classes,
        classes_note,
        pictures: pictures::pictures(design, known),
        command: design.listed.is_none().then(|| design.command()),
        files: files(design, folder),
        style: include_str!("../../templates/report/page.css"),
        script_policy,
        version: env!("CARGO_PKG_VERSION"),
    };
    page.render().expect("a string takes all text") + "\n"
}

/// Value of `script-src` in a Content-Security-Policy: these scripts by their hashes, and no others.
fn policy(scripts: impl Iterator<Item = &'static str>) -> String {
    // the template ends the line of the tag, and that belongs to the script
    let source = |script| format!("'sha256-{}'", BASE64_STANDARD.encode(digest(format!("\n{script}").as_bytes())));
    let sources: Vec<String> = scripts.map(source).collect();
    if sources.is_empty() { "'none'".into() } else { sources.join(" ") }
}

fn files(design: &Design, folder: &str) -> Vec<FileLink> {
    if design.listed.is_some() {
        return Vec::new();
    }
    let folder = folder.trim_end_matches('/');
    let mut paths = emit::paths(&design.program, &design.options());
    paths.extend(["program.txt", "program.json"].map(str::to_owned));
    paths.into_iter().map(|path| FileLink { link: format!("{folder}/{path}"), path }).collect()
}

#[cfg(test)]
mod tests;
