//! Colours: Okabe and Ito's for cycles, tints for classes, a scale for fractions, a wheel for origins.

/// Cycle colours on white and on black paper: blue, vermilion, green, purple, orange, sky, olive.
pub const CYCLES: [(&str, &str); 7] = [
    ("#0072b2", "#4aa8e0"),
    ("#d55e00", "#f08040"),
    ("#009e73", "#2fc297"),
    ("#a0509a", "#d98cc0"),
    ("#b87a00", "#e6a830"),
    ("#3a9bd6", "#8fd0f5"),
    ("#8a8000", "#d8cf4a"),
];

/// The style class of a cycle; more than seven cycles share colours.
pub(super) fn cycle(cycle: usize) -> String {
    format!("c{}", cycle % CYCLES.len())
}

/// Styles shared by all pictures, with their dark variants; all under `.weave`, so that a page can hold several pictures
/// and styles of its own.
pub(super) fn style_sheet() -> String {
    let colours = |dark: bool| {
        let pick = |light: &'static str, night: &'static str| if dark { night } else { light };
        let paper = pick("#ffffff", "#0d1117");
        let line = pick("#57606a", "#9198a1");
        let mut rules = vec![
            format!(".paper{{fill:{paper}}}"),
            format!(".halo{{fill:{paper};stroke:{paper};stroke-linecap:butt}}"),
            format!("text{{fill:{}}}", pick("#1f2328", "#e6edf3")),
            format!(".soft{{fill:{}}}", pick("#636c76", "#9198a1")),
            format!(".node{{fill:{};stroke:{}}}", pick("#f3f5f7", "#1a2029"), pick("#c3cad2", "#3d4650")),
            format!(".faint{{stroke:{}}}", pick("#d5dae0", "#30363d")),
            format!(".n{{stroke:{line}}}"),
            format!(".nf{{fill:{line}}}"),
        ];
        for (index, (light, night)) in CYCLES.into_iter().enumerate() {
            let colour = pick(light, night);
            rules.extend([format!(".c{index}{{stroke:{colour}}}"), format!(".c{index}f{{fill:{colour}}}")]);
        }
        rules
    };
    let fonts = "font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif";
    let shapes = [
        format!("text{{{fonts}}}"),
        ".title{font-weight:600;font-size:15px}".to_owned(),
        ".small{font-size:11px}".to_owned(),
        ".line{fill:none;stroke-linecap:round}".to_owned(),
    ];
    // on coloured cells, on either paper
    let on_cells = [".ink{fill:#1f2328}", ".pale{fill:#ffffff}"].map(str::to_owned);
    let lines = |rules: &[String], indent: &str| {
        rules.iter().fold(String::new(), |text, rule| text + indent + ".weave " + rule + "\n")
    };
    let (light, dark) = (lines(&colours(false), "    "), lines(&colours(true), "      "));
    let (shapes, on_cells) = (lines(&shapes, "    "), lines(&on_cells, "    "));
    format!("{shapes}{light}    @media (prefers-color-scheme:dark){{\n{dark}    }}\n{on_cells}")
}

/// The fill of a class: the first are far apart, the others go round the wheel by the golden angle.
pub(super) fn class(class: usize) -> String {
    const FIRST: [&str; 10] =
        ["#a6cee9", "#f6c39b", "#a3d9c3", "#e3bfdc", "#f5dd90", "#c9ccd1", "#7fb2d9", "#e39a7b", "#79bfa0", "#bfa5d6"];
    match FIRST.get(class) {
        Some(colour) => (*colour).to_owned(),
        None => hue((class * 137 + 40) as f64 % 360.0, 0.55, 0.74),
    }
}

/// Number of colours the scale of fractions has.
pub const LEVELS: usize = 32;

/// The level of a fraction; nothing has level 0 and everything the last, and only they.
pub(super) fn level(part: u64, whole: u64) -> usize {
    match part {
        0 => 0,
        part if part >= whole => LEVELS - 1,
        part => (1 + (part * (LEVELS as u64 - 2) / whole) as usize).min(LEVELS - 2),
    }
}

/// The style class of a word on a level: the first ones are dark.
pub(super) fn on_level(level: usize) -> &'static str {
    if level * 2 < LEVELS { "small pale" } else { "small ink" }
}

/// The colour of a level, dark violet to yellow (after viridis: even steps, also in grey).
pub fn scale(level: usize) -> String {
    const STOPS: [[usize; 3]; 6] =
        [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
    const LAST: usize = LEVELS - 1;
    let at = level * (STOPS.len() - 1);
    let stop = (at / LAST).min(STOPS.len() - 2);
    let after = at - stop * LAST;
    hex([0, 1, 2].map(|i| ((STOPS[stop][i] * (LAST - after) + STOPS[stop + 1][i] * after + LAST / 2) / LAST) as u8))
}

/// Number of colours the wheel of origins has.
pub(super) const WHEEL: usize = 48;

/// The colour of one part of the wheel.
pub(super) fn wheel(part: usize) -> String {
    hue(part as f64 * 360.0 / WHEEL as f64 + 205.0, 0.62, 0.66)
}

/// A colour by hue in degrees, saturation and lightness.
#[allow(clippy::cast_sign_loss)] // nothing here is negative
fn hue(degrees: f64, saturation: f64, lightness: f64) -> String {
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let sector = (degrees % 360.0) / 60.0;
    let second = chroma * (1.0 - (sector % 2.0 - 1.0).abs());
    let parts = match sector as u32 {
        0 => [chroma, second, 0.0],
        1 => [second, chroma, 0.0],
        2 => [0.0, chroma, second],
        3 => [0.0, second, chroma],
        4 => [second, 0.0, chroma],
        _ => [chroma, 0.0, second],
    };
    let low = lightness - chroma / 2.0;
    hex(parts.map(|part| ((part + low) * 255.0).round() as u8))
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
