//! A command line and the config it reads, made by chance.

use serde_json::json;
use torusweave::design::config::FIELDS;
use torusweave::net::ShapeName;

/// Arguments of a run, and the text of `design.yaml`, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub args: Vec<String>,
    pub config: Option<String>,
}

/// Random numbers, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        // splitmix64: Steele, Lea and Flood, 2014
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn in_100(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// Texts that are no number, no name and no list, and numbers around overflow.
const ODD: [&str; 18] = [
    "",
    "0",
    "1",
    "-1",
    "6.0",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "x",
    "é",
    "\u{1b}[31m",
    "null",
    "[",
    "{\"a\":1}",
    "=",
];

/// More nodes than this, and a run takes long.
const MOST_NODES: usize = 130;

impl Case {
    /// The case of a seed.
    pub fn by_chance(seed: u64) -> Self {
        let mut chance = Chance(seed);
        let chance = &mut chance;
        let command = chance.pick(&[
            "check",
            "check",
            "check",
            "generate",
            "generate",
            "program",
            "simulate",
            "draw",
            "draw",
            "explain",
            "pace",
            "arrivals",
            "fpga",
            "prove",
            "diff",
            "compare",
            "export",
            "report",
            "schemes",
            "schema",
            "man",
            "completions",
        ]);
        let mut args = vec![command.to_owned()];
        let (shape, sides) = network(chance);
        let mut config = None;
        match command {
            "schema" | "man" => {}
            "completions" => args.push(chance.pick(&["bash", "zsh", "fish", "elvish", "powershell"]).into()),
            "schemes" | "compare" => args.extend([format!("--{shape}"), sides]),
            _ if chance.in_100(35) => {
                args.push("design.yaml".into());
                config = Some(yaml(chance, shape, &sides));
            }
            _ => {
                args.extend([format!("--{shape}"), sides]);
                args.extend(flags(chance));
            }
        }
        args.extend(own_flags(chance, command));
        let mut case = Self { args, config };
        if chance.in_100(12) {
            case.mutate(chance);
        }
        case
    }

    /// The subcommand, as far as there is one.
    pub fn command(&self) -> &str {
        const KNOWN: [&str; 18] = [
            "arrivals",
            "check",
            "compare",
            "completions",
            "diff",
            "draw",
            "explain",
            "export",
            "fpga",
            "generate",
            "man",
            "pace",
            "program",
            "prove",
            "report",
            "schema",
            "schemes",
            "simulate",
        ];
        self.args.first().and_then(|arg| KNOWN.into_iter().find(|known| known == arg)).unwrap_or("?")
    }

    /// Changes, drops, doubles or swaps something.
    fn mutate(&mut self, chance: &mut Chance) {
        if let Some(config) = self.config.as_mut().filter(|_| chance.in_100(60)) {
            let mut letters: Vec<char> = config.chars().collect();
            for _ in 0..=chance.below(3) {
                let at = chance.below(letters.len().max(1));
                match chance.below(3) {
                    0 if !letters.is_empty() => drop(letters.remove(at.min(letters.len() - 1))),
                    1 => letters.insert(
                        at.min(letters.len()),
                        chance.pick(&['{', '}', '[', ':', '-', '\t', '&', '*', '9', '\u{1b}']),
                    ),
                    _ => letters.extend(chance.pick(&ODD).chars()),
                }
            }
            *config = letters.into_iter().collect();
            return;
        }
        let at = 1 + chance.below(self.args.len());
        match chance.below(4) {
            0 if at < self.args.len() => drop(self.args.remove(at)),
            1 if at < self.args.len() => self.args[at] = chance.pick(&ODD).into(),
            2 if at < self.args.len() => self.args.insert(at, self.args[at].clone()),
            _ => self.args.push(chance.pick(&ODD).into()),
        }
    }

    /// The smallest case that is still wrong and comes of dropping and shortening.
    pub fn shrunk(&self, is_wrong: impl Fn(&Self) -> bool) -> Self {
        let mut best = self.clone();
        while let Some(smaller) = best.smaller().into_iter().find(&is_wrong) {
            best = smaller;
        }
        best
    }

    fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for at in 0..self.args.len() {
            for many in [2, 1] {
                let mut args = self.args.clone();
                args.drain(at..(at + many).min(self.args.len()));
                found.push(Self { args, ..self.clone() });
            }
        }
        if let Some(config) = &self.config {
            found.push(Self { config: None, ..self.clone() });
            let lines: Vec<&str> = config.lines().collect();
            found.extend((0..lines.len()).map(|dropped| {
                let kept =
                    lines.iter().enumerate().filter(|(line, _)| *line != dropped).map(|(_, line)| format!("{line}\n"));
                Self { config: Some(kept.collect()), ..self.clone() }
            }));
        }
        for at in 0..self.args.len() {
            if let Ok(number) = self.args[at].parse::<u64>()
                && number > 2
            {
                let mut args = self.args.clone();
                args[at] = (number / 2).to_string();
                found.push(Self { args, ..self.clone() });
            }
        }
        // every one is smaller, so that this ends
        found.retain(|case| case != self && !case.args.is_empty());
        found
    }

    /// Format of the files in tests/corpus/.
    pub fn to_json(&self) -> String {
        format!("{}\n", json!({ "args": self.args, "config": self.config }))
    }

    pub fn from_json(text: &str) -> Self {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let args = value["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect();
        Self { args, config: value["config"].as_str().map(str::to_owned) }
    }
}

/// A shape and its sides, as a flag writes them. Most are small and right.
fn network(chance: &mut Chance) -> (ShapeName, String) {
    let shape = chance.pick(&[
        ShapeName::Torus,
        ShapeName::Torus,
        ShapeName::Torus,
        ShapeName::Mesh,
        ShapeName::Cycle,
        ShapeName::Path,
    ]);
    let axes = if shape.is_line() { 1 } else { chance.pick(&[1, 2, 2, 2, 2, 3, 3, 4]) };
    let most = [MOST_NODES, 11, 5, 3][axes - 1];
    let mut sides: Vec<String> = (0..axes).map(|_| (2 + chance.below(most - 1)).to_string()).collect();
    if chance.in_100(4) {
        let at = chance.below(axes);
        sides[at] = chance.pick(&ODD).into();
    }
    (shape, sides.join("x"))
}

/// A value of a field, by its path: one that it can have, mostly.
fn value(chance: &mut Chance, path: &str) -> String {
    if chance.in_100(5) {
        return chance.pick(&ODD).into();
    }
    let field = FIELDS.iter().find(|field| field.path == path).expect("a field");
    match path {
        _ if !field.values.is_empty() => {
            let names: Vec<&str> = field.values.iter().map(|value| value.name.as_str()).collect();
            chance.pick(&names).into()
        }
        "name" => {
            chance.pick(&["a", "torus", "X9", "_x", "clk", "a__b", "module", "very_long_name_of_a_design"]).into()
        }
        "link.width" => chance.pick(&["1", "2", "8", "31", "32", "33", "64", "65", "4096"]).into(),
        "link.flits" => chance.pick(&["1", "1", "2", "3", "7"]).into(),
        _ => (1 + chance.below(5)).to_string(),
    }
}

/// Some fields: of many most do not go together, and all that is answered is a refusal.
fn chosen(chance: &mut Chance) -> Vec<&'static str> {
    let percent = chance.pick(&[1, 3, 10]);
    FIELDS.iter().filter(|_| chance.in_100(percent)).map(|field| field.path.as_str()).collect()
}

fn flags(chance: &mut Chance) -> Vec<String> {
    let mut flags = Vec::new();
    for path in chosen(chance) {
        let flag = FIELDS.iter().find(|field| field.path == path).and_then(|field| field.flag());
        let value = value(chance, path);
        match flag {
            Some(flag) if chance.in_100(80) => flags.extend([format!("--{flag}"), value]),
            _ => flags.extend(["--set".into(), format!("{path}={value}")]),
        }
    }
    flags
}

fn yaml(chance: &mut Chance, shape: ShapeName, sides: &str) -> String {
    let mut text = format!("topology: {{ {shape}: [{}] }}\n", sides.replace('x', ", "));
    let (mut groups, mut paths) = (Vec::<(String, Vec<String>)>::new(), chosen(chance));
    paths.sort_unstable();
    for path in paths {
        let value = value(chance, path);
        match path.split_once('.') {
            None => text += &format!("{path}: {value}\n"),
            Some((group, key)) => match groups.iter_mut().find(|(name, _)| name == group) {
                Some((_, fields)) => fields.push(format!("{key}: {value}")),
                None => groups.push((group.into(), vec![format!("{key}: {value}")])),
            },
        }
    }
    for (group, fields) in groups {
        text += &format!("{group}: {{ {} }}\n", fields.join(", "));
    }
    text
}

/// Flags that only this command has.
fn own_flags(chance: &mut Chance, command: &str) -> Vec<String> {
    let line = match command {
        "check" => chance.pick(&["", "--structural", "--format json", "--format json", "--format json --structural"]),
        "program" => chance.pick(&["", "--format json", "--node 0,0", "--node 1", "--format json --node 0,1"]),
        "generate" => {
            chance.pick(&["--out out", "--out out", "--out out --format json", "--out out --force", "--check"])
        }
        "simulate" => chance.pick(&["", "--format json", "--vcd x.vcd", "--vcd x.vcd --gtkw x.gtkw", "--seed 7"]),
        "draw" => chance.pick(&[
            "",
            "--what classes",
            "--what supply",
            "--what spacetime",
            "--what progress",
            "--what modules",
            "--what waves",
            "--what streams",
            "--what tree",
            "--what progress --node 0,0",
            "--what waves --node 1,1",
            "--what spacetime --follow 1",
            "--what progress --tick 1",
            "--what spacetime --tick 3",
            "--what links --tick 2",
        ]),
        "explain" => {
            chance.pick(&["--node 0,0", "--node 0", "--node 1,1", "--node 0,1,0", "--node 0,0 --tick 1 --format json"])
        }
        "diff" => chance.pick(&[
            "--to 4x6",
            "--to-set link.width=9",
            "--to 3x3x3 --format json",
            "--to-set switching=memory --exit-code",
        ]),
        "compare" => chance.pick(&[
            "",
            "--format json",
            "--format csv",
            "--format markdown",
            "--packets 3",
            "--r 0",
            "--collective all-reduce --flits 1,3",
            "--collective reduce-scatter --format json",
        ]),
        "export" => {
            chance.pick(&["--to msccl", "--to msccl -o out.xml", "--to rccl", "--to mscclpp", "--to chakra -o out"])
        }
        "arrivals" => chance.pick(&["", "--format json", "--format csv", "--format hex"]),
        "fpga" => chance.pick(&[
            "--device hx8k --out out",
            "--device hx1k --top system --out out --format json",
            "--device up5k --top wires --seeds 3 --out out",
            "--device ecp5-25k --top bist --out out",
            "--device ecp5-85k --top bist",
        ]),
        "prove" => chance.pick(&["", "--part classes", "--mutants", "--format json"]),
        "schemes" | "pace" => chance.pick(&["", "--format json"]),
        _ => "",
    };
    line.split_whitespace().map(str::to_owned).collect()
}
