//! The playground by keys alone, and as a screen reader has it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fixtures::browser::CHROMIUM;
use crate::fixtures::command::{Place, project};
use crate::fixtures::pressed::PressedPage;
use crate::fixtures::tools::{first_of, skip};

/// Presses of Tab that go round the page and the report in its frame, more than once.
const PRESSES: usize = 300;
/// Name of what has the focus: its id, or what a person reads of it.
const FOCUSED: &str = "(() => { const at = document.activeElement; return at.id || at.getAttribute('aria-label') || at.dataset.side \
                       || (at.type === 'radio' ? at.value : at.textContent.trim()) || at.tagName; })()";
/// Controls that a person sees and may use; of radio buttons, the one that is chosen.
const CONTROLS: &str = "[...document.querySelectorAll('a, button, input, select, textarea, summary, iframe, [tabindex=\"0\"]')]
    .filter((at) => at.checkVisibility() && !at.disabled && !(at.type === 'radio' && !at.checked))
    .map((at) => at.id || at.getAttribute('aria-label') || at.dataset.side || (at.type === 'radio' ? at.value : at.textContent.trim()))";
/// Resolves when the page has built what was chosen, and has begun nothing since.
const BUILT: &str = "new Promise(async (come) => { let same = 0; while (same < 4) { await new Promise((go) => setTimeout(go, 25)); \
                     same = playground.round > 0 && String(playground.round) === document.body.dataset.built ? same + 1 : 0; } come(); })";
const YAML: &str = "document.getElementById('yaml').value.trim().replaceAll('\\n', '; ')";

fn open(place: &Place) -> Option<PressedPage> {
    let path = project().join("target/playground/index.html");
    if !path.exists() {
        skip("target/playground/index.html", "playground/build.py builds it");
        return None;
    }
    let mut page = PressedPage::open(first_of(&CHROMIUM)?, &path, &place.path().join("profile"));
    page.ask("new Promise((come) => document.readyState === 'complete' ? come() : addEventListener('load', come))");
    page.ask(BUILT);
    Some(page)
}

/// Goes on by Tab until a control has the focus.
fn go_to(page: &mut PressedPage, control: &str) {
    for _ in 0..PRESSES {
        if page.ask(FOCUSED) == control {
            return;
        }
        page.press("Tab");
    }
    panic!("`{control}` is not reached by Tab");
}

/// Presses a key, and tells the text that the page has then.
fn pressed(page: &mut PressedPage, control: &str, key: &str) -> String {
    go_to(page, control);
    page.press(key);
    page.ask(BUILT);
    page.ask(YAML).as_str().unwrap().to_owned()
}

#[test]
fn every_control_is_reached_by_tab() {
    let place = Place::new();
    let Some(mut page) = open(&place) else { return };
    assert_eq!(missed(&mut page), [""; 0]);
    // a control that keys do not reach is seen
    page.ask("(() => { document.getElementById('add').tabIndex = -1; })()");
    assert_eq!(missed(&mut page), ["add"]);
}

/// Controls that Tab does not reach.
fn missed(page: &mut PressedPage) -> Vec<String> {
    let controls: BTreeSet<String> = serde_json::from_value(page.ask(CONTROLS)).unwrap();
    assert!(controls.len() > 18, "{controls:?}");
    let mut reached = BTreeSet::new();
    for _ in 0..PRESSES {
        page.press("Tab");
        reached.insert(page.ask(FOCUSED).as_str().unwrap().to_owned());
    }
    controls.difference(&reached).cloned().collect()
}

#[test]
fn a_design_is_chosen_changed_and_taken_by_keys() {
    let place = Place::new();
    let Some(mut page) = open(&place) else { return };
    page.ask(
        "(() => { window.taken = []; const make = URL.createObjectURL; \
              URL.createObjectURL = (blob) => { window.taken.push(blob.type); return make.call(URL, blob); }; })()",
    );
    for (control, key, yaml) in [
        ("kind", "m", "topology: { mesh: [5, 5] }"),
        ("side along x2", "ArrowLeft", "topology: { mesh: [5, 4] }"),
        ("flits", "ArrowUp", "topology: { mesh: [5, 4] }; link: { flits: 2 }"),
        ("flits", "ArrowDown", "topology: { mesh: [5, 4] }"),
        ("lanes", "ArrowUp", "topology: { mesh: [5, 4] }; link: { lanes: 2 }"),
        ("lanes", "ArrowDown", "topology: { mesh: [5, 4] }"),
        ("collective", "b", "topology: { mesh: [5, 4] }; collective: broadcast"),
    ] {
        assert_eq!(pressed(&mut page, control, key), yaml, "{control}: {key}");
    }
    go_to(&mut page, "link");
    page.press("ArrowRight");
    page.press("ArrowRight");
    assert_eq!(page.ask("document.querySelector('input[name=mode]:checked').value"), "root");
    go_to(&mut page, "map");
    page.press("ArrowRight");
    let rooted = pressed(&mut page, "map", "Enter");
    assert_eq!(rooted, "topology: { mesh: [5, 4] }; collective: broadcast; root: [0, 1]");
    let listed = pressed(&mut page, "add", "Enter");
    assert!(listed.contains("programs:") && listed.contains("bus: streams"), "{listed}");
    assert_eq!(page.ask("document.querySelectorAll('#programs tr').length"), 3);
    assert!(!pressed(&mut page, "remove", " ").contains("programs:"));
    let scheme = |page: &mut PressedPage| page.ask("document.querySelector('#schemes button')?.textContent ?? ''");
    go_to(&mut page, "Schemes that apply");
    page.press("Enter");
    page.ask("new Promise(async (come) => { while (!document.querySelector('#schemes button')) await new Promise((go) => setTimeout(go, 25)); come(); })");
    let first: Value = scheme(&mut page);
    let taken = pressed(&mut page, first.as_str().unwrap(), "Enter");
    assert!(taken.contains(&format!("scheme: {}", first.as_str().unwrap())), "{taken}");
    go_to(&mut page, "files");
    page.press("Home");
    page.press("ArrowDown");
    page.ask("new Promise((come) => setTimeout(come, 200))");
    let shown = "document.getElementById('files').selectedIndex";
    assert_eq!(page.ask(shown), 1);
    pressed(&mut page, "zip", "Enter");
    page.ask("new Promise(async (come) => { while (!window.taken.length) await new Promise((go) => setTimeout(go, 25)); come(); })");
    assert_eq!(page.ask("window.taken.join()"), "application/zip");
    assert_eq!(pressed(&mut page, "anew", "Enter"), "topology: { torus: [6, 8] }");
}

#[test]
fn a_screen_reader_has_a_name_for_everything() {
    let place = Place::new();
    let Some(mut page) = open(&place) else { return };
    page.ask("document.getElementById('yaml').select()");
    let tree = page.tree();
    let roles = |role: &str| tree.iter().filter(|element| element.role == role).count();
    for (role, least) in [
        ("button", 5),
        ("combobox", 3),
        ("spinbutton", 3),
        ("slider", 2),
        ("radio", 3),
        ("heading", 4),
        ("table", 1),
        ("region", 3),
    ] {
        assert!(roles(role) >= least, "{} of {role}: {tree:#?}", roles(role));
    }
    let named = [
        "button",
        "combobox",
        "spinbutton",
        "slider",
        "radio",
        "textbox",
        "listbox",
        "link",
        "heading",
        "region",
        "application",
        "Iframe",
    ];
    let nameless: Vec<_> =
        tree.iter().filter(|element| named.contains(&element.role.as_str()) && element.name.is_empty()).collect();
    assert!(nameless.is_empty(), "{nameless:?}");
    // a control that loses its name is seen
    page.ask("(() => { const [label] = document.getElementById('flits').labels; label.replaceWith(document.getElementById('flits')); })()");
    assert!(page.tree().iter().any(|element| element.role == "spinbutton" && element.name.is_empty()));
}
