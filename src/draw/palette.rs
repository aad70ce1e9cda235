//! Colours: Okabe and Ito's for cycles, tints for classes, a scale for fractions, a wheel for origins.

/// Cycle colours on white and on black paper: blue, vermilion, green, purple, orange, sky, olive.
const CYCLES: [(&str, &str); 7] = [
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

/// Styles shared by all pictures, with their dark variants.
pub(super) fn style_sheet() -> String {
    let sheet = |dark: bool| {
        let pick = |light: &'static str, night: &'static str| if dark { night } else { light };
        let mut rules = vec![
            format!(".paper,.halo{{fill:{}}}", pick("#ffffff", "#0d1117")),
            format!(".halo{{stroke:{}}}", pick("#ffffff", "#0d1117")),
            format!("text{{fill:{}}}", pick("#1f2328", "#e6edf3")),
            format!(".soft{{fill:{}}}", pick("#636c76", "#9198a1")),
            format!(".node{{fill:{};stroke:{}}}", pick("#f3f5f7", "#1a2029"), pick("#c3cad2", "#3d4650")),
            format!(".faint{{stroke:{}}}", pick("#d5dae0", "#30363d")),
            format!(".n{{stroke:{}}}", pick("#57606a", "#9198a1")),
            format!(".nf{{fill:{}}}", pick("#57606a", "#9198a1")),
        ];
        for (index, (light, night)) in CYCLES.iter().enumerate() {
            let colour = if dark { night } else { light };
            rules.push(format!(".c{index}{{stroke:{colour}}}.c{index}f{{fill:{colour}}}"));
        }
        rules
    };
    let lines = |rules: Vec<String>, indent: &str| {
        rules.into_iter().fold(String::new(), |text, rule| text + indent + &rule + "\n")
    };
    format!(
        "    text{{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}}\n    \
         .title{{font-weight:600;font-size:15px}}.small{{font-size:11px}}.ink{{fill:#1f2328}}.pale{{fill:#ffffff}}.line{{fill:none;stroke-linecap:round}}\n\
         {}    @media (prefers-color-scheme:dark){{\n{}    }}\n",
        lines(sheet(false), "    "),
        lines(sheet(true), "      ")
    )
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

/// How many colours the scale of fractions has.
pub(super) const LEVELS: usize = 32;

/// The level of a fraction; nothing has level 0 and everything the last, and only they.
pub(super) fn level(part: u32, whole: u32) -> usize {
    match part {
        0 => 0,
        part if part >= whole => LEVELS - 1,
        part => (1 + (u64::from(part) * (LEVELS as u64 - 2) / u64::from(whole)) as usize).min(LEVELS - 2),
    }
}

/// The colour of a level, dark violet to yellow (after viridis: even steps, also in grey).
pub(super) fn scale(level: usize) -> String {
    const STOPS: [[f64; 3]; 6] = [
        [68.0, 1.0, 84.0],
        [65.0, 68.0, 135.0],
        [42.0, 120.0, 142.0],
        [34.0, 168.0, 132.0],
        [122.0, 209.0, 81.0],
        [253.0, 231.0, 37.0],
    ];
    let at = level as f64 / (LEVELS - 1) as f64 * (STOPS.len() - 1) as f64;
    let stop = (at as usize).min(STOPS.len() - 2);
    let between = at - stop as f64;
    let mixed = [0, 1, 2].map(|i| STOPS[stop][i] + (STOPS[stop + 1][i] - STOPS[stop][i]) * between);
    hex(mixed)
}

/// How many colours the wheel of origins has.
pub(super) const WHEEL: usize = 48;

/// The colour of one part of the wheel.
pub(super) fn wheel(part: usize) -> String {
    hue(part as f64 * 360.0 / WHEEL as f64 + 205.0, 0.62, 0.66)
}

/// A colour by hue in degrees, saturation and lightness.
fn hue(degrees: f64, saturation: f64, lightness: f64) -> String {
    let chroma = (1.0 - (2.0 * lightness - 1.0).abs()) * saturation;
    let sector = (degrees % 360.0) / 60.0;
    let second = chroma * (1.0 - (sector % 2.0 - 1.0).abs());
    let [r, g, b] = match sector as u32 {
        0 => [chroma, second, 0.0],
        1 => [second, chroma, 0.0],
        2 => [0.0, chroma, second],
        3 => [0.0, second, chroma],
        4 => [second, 0.0, chroma],
        _ => [chroma, 0.0, second],
    };
    let low = lightness - chroma / 2.0;
    hex([r, g, b].map(|part| (part + low) * 255.0))
}

fn hex([r, g, b]: [f64; 3]) -> String {
    let byte = |part: f64| part.round().clamp(0.0, 255.0) as u8;
    format!("#{:02x}{:02x}{:02x}", byte(r), byte(g), byte(b))
}
