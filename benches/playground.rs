//! Seconds of the playground beside those of the same work without a browser: `cargo bench --bench playground`, after
//! `playground/build.py`.

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use torusweave::check;
use torusweave::draw::{report, times};
use torusweave::tools::ScratchFolder;
use torusweave::whole::WholeDesign;

#[path = "../tests/all/fixtures/pressed.rs"]
#[allow(dead_code, reason = "keys, and the tree of a screen reader, are for tests")]
mod pressed;

/// Sides of the tori.
const SIDES: [u32; 4] = [4, 8, 16, 32];
/// Times that each is measured: the least counts.
const TIMES: u32 = 20;
/// The page may take so many times as long.
const MOST: f64 = 4.0;

/// Seconds from a text to its report and files.
fn native(yaml: &str) -> f64 {
    let once = || {
        let begun = Instant::now();
        let design = WholeDesign::from_yaml(yaml).expect("a design");
        black_box(design.files().expect("memory takes all"));
        for design in design.designs() {
            let (checked, known) = check::by_execution_seen(&design.program, &times(&design.program), &|_| {});
            black_box(report::page(design, &checked, &known, ""));
        }
        begun.elapsed().as_secs_f64()
    };
    (0..TIMES).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/playground/index.html");
    assert!(page.exists(), "playground/build.py builds the page");
    let chromium = env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
    let folder = ScratchFolder::new().expect("a folder");
    let mut browser = pressed::PressedPage::open(&chromium, &page, &folder.path().join("profile"));
    browser.ask("new Promise((come) => document.readyState === 'complete' ? come() : addEventListener('load', come))");
    println!("torus   page      native    ratio");
    let mut worst: f64 = 0.0;
    for side in SIDES {
        let yaml = format!("topology: {{ torus: [{side}, {side}] }}\n");
        let typed = format!(
            "new Promise(async (come) => {{
                let least = Infinity;
                for (let time = 0; time < {TIMES}; time++) {{
                    const built = new Promise((come) => new MutationObserver(come).observe(document.body, {{ attributeFilter: ['data-built'] }}));
                    const begun = performance.now();
                    playground.type({yaml:?});
                    await built;
                    least = Math.min(least, performance.now() - begun);
                }}
                come(least / 1000);
            }})"
        );
        let (on_page, alone) = (browser.ask(&typed).as_f64().expect("seconds"), native(&yaml));
        println!("{:7} {on_page:7.3} s {alone:7.3} s {:6.1}", format!("{side}x{side}"), on_page / alone);
        if side >= 8 {
            worst = worst.max(on_page / alone);
        }
    }
    println!("from 8x8 on at most {worst:.1} times as long, {MOST} wanted");
}
