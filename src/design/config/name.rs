//! Names that Verilog accepts for modules.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::{Value, json};

use super::ConfigError;

/// Verilog identifier without escapes that has more than underscores.
pub(super) const IDENTIFIER: &str = "^_?[A-Za-z][A-Za-z0-9_]*$|^_[0-9][A-Za-z0-9_]*$";
/// Files and modules are named after the design and have up to 32 letters more; of longer names than 128 Verilator takes
/// only a hash.
pub(super) const MOST_LETTERS: usize = 96;

/// Patterns of identifiers that are refused all the same, with reasons.
const REFUSED: [(&str, &str); 3] = [
    ("__|_$", "has two underscores together or one at its end, where Verilator puts marks of its own"),
    (
        "^(WIDTH|COUNT|clk|rst|run|hold|played|last|over|go|ending|playing|turn|done|flit|flits|quiet|tapped|tap_root|tap_root_valid|config_(shift|in|out))$|^(word|control)_[a-z]+$|^(n|row)[0-9]|^row_(go|(word|clear|told|way[0-9]*)_[a-z]+)(_leaf)?$",
        "is the name of a signal that a generated module hides",
    ),
    ("^(TOP|std)$", "is a name that simulators keep for themselves"),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compiled = |(pattern, why)| (Regex::new(pattern).expect("a pattern of ours"), why);
    REFUSED.into_iter().map(compiled).collect()
});

/// JSON Schema for identifiers that are refused.
pub(super) fn refused() -> Value {
    let keywords: Vec<&str> = KEYWORDS.split_whitespace().collect();
    let patterns = REFUSED.iter().map(|(pattern, _)| json!({ "pattern": pattern }));
    let anything: Vec<Value> = [json!({ "enum": keywords })].into_iter().chain(patterns).collect();
    json!({ "type": "string", "anyOf": anything })
}

/// Accepts Verilog identifiers that are not keywords, and that every tool can tell from its own and from our signals.
pub(super) fn check(name: &str) -> Result<(), ConfigError> {
    if is_keyword(name) {
        return Err(ConfigError::Keyword { name: name.into() });
    }
    let letters = name.chars().count();
    if letters > MOST_LETTERS {
        let start = name.chars().take(12).collect();
        return Err(ConfigError::LongName { start, letters, most: MOST_LETTERS });
    }
    if !is_identifier(name) {
        return Err(ConfigError::NotAnIdentifier { name: name.into(), nearest: nearest(name) });
    }
    match why_refused(name) {
        Some(why) => Err(ConfigError::Unusable { name: name.into(), why, nearest: nearest(name) }),
        None => Ok(()),
    }
}

fn is_identifier(name: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(IDENTIFIER).expect("a pattern of ours"));
    PATTERN.is_match(name)
}

fn why_refused(name: &str) -> Option<&'static str> {
    PATTERNS.iter().find(|(pattern, _)| pattern.is_match(name)).map(|(_, why)| *why)
}

fn is_good(name: &str) -> bool {
    is_identifier(name) && !is_keyword(name) && why_refused(name).is_none()
}

/// Nearest acceptable name: characters that are not allowed are replaced.
fn nearest(name: &str) -> String {
    let letters =
        |part: &str| part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>();
    let name = letters(name);
    let parts: Vec<&str> = name.split('_').filter(|part| !part.is_empty()).collect();
    let name = parts.join("_");
    let names = [name.clone(), format!("{name}_net"), format!("torus_{name}"), "torus".to_owned()];
    let skipped = if name.is_empty() { names.len() - 1 } else { 0 };
    names.into_iter().skip(skipped).find(|name| is_good(name)).expect("the last one is good")
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == name)
}

/// The keywords of Verilog-2005 and, as the files are often compiled along with it, of SystemVerilog-2017; `bool`, `wone`
/// and `wreal` are Icarus Verilog's.
const KEYWORDS: &str = "
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind
    bins binsof bit bool break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config
    const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable
    dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask
    enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin
    function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import
    incdir include initial inout input inside instance int integer interconnect interface intersect join join_any
    join_none large let liblist library local localparam logic longint macromodule matches medium modport module
    nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
    reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
    s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify
    specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
    tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
    type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wone wor wreal xnor xor
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_pass_and_others_get_the_nearest_one() {
        assert!(check("torus_6x8").is_ok());
        for (name, expected) in [
            ("torus-6x8", "torus_6x8"),
            ("6x8", "torus_6x8"),
            ("", "torus"),
            ("a b", "a_b"),
            ("é", "torus"),
            ("1-", "torus_1"),
            ("a-", "a"),
            ("first match", "first_match_net"),
        ] {
            match check(name) {
                Err(ConfigError::NotAnIdentifier { nearest, .. }) => assert_eq!(nearest, expected),
                other => panic!("{name}: {other:?}"),
            }
        }
        for name in ["_x", "a1", "node_array", &"a".repeat(MOST_LETTERS)] {
            assert!(check(name).is_ok(), "{name}");
        }
        for (name, expected) in [
            ("a__b", "a_b"),
            ("a_", "a"),
            ("__", "torus"),
            ("clk", "clk_net"),
            ("n0_0", "torus_n0_0"),
            ("TOP", "TOP_net"),
            ("std", "std_net"),
        ] {
            match check(name) {
                Err(ConfigError::Unusable { nearest, .. } | ConfigError::NotAnIdentifier { nearest, .. }) => {
                    assert_eq!(nearest, expected);
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert!(matches!(check(&"a".repeat(MOST_LETTERS + 1)), Err(ConfigError::LongName { .. })));
        assert!(matches!(check("module"), Err(ConfigError::Keyword { .. })));
    }

    #[test]
    fn keywords_are_sorted_so_that_a_missing_one_is_seen() {
        assert!(KEYWORDS.split_whitespace().is_sorted());
    }

    /// The schema as a validator reads it.
    fn is_in_the_schema(name: &str) -> bool {
        let schema = crate::design::config::schema();
        let field = &schema["properties"]["name"];
        let is_match = |pattern: &Value| Regex::new(pattern.as_str().unwrap()).unwrap().is_match(name);
        let refusals = field["not"]["anyOf"].as_array().unwrap();
        let is_refused = refusals.iter().any(|one| match &one["enum"] {
            Value::Array(keywords) => keywords.contains(&name.into()),
            _ => is_match(&one["pattern"]),
        });
        is_match(&field["pattern"])
            && name.chars().count() as u64 <= field["maxLength"].as_u64().unwrap()
            && !is_refused
    }

    #[test]
    fn schema_and_parser_accept_the_same_names() {
        let mut names: Vec<String> = KEYWORDS.split_whitespace().map(str::to_owned).collect();
        let others = [
            "",
            "_",
            "__",
            "_x",
            "_1",
            "x_",
            "x__y",
            "6x8",
            "torus_6x8",
            "a-b",
            "é",
            "a b",
            "a\n",
            "clk",
            "clk_",
            "Clk",
            "WIDTH",
            "width",
            "TOP",
            "top",
            "std",
            "n0",
            "n0_0_own_0",
            "node",
            "word_a",
            "word_1",
            "slot_ab",
            "true",
            "null",
            "7",
        ];
        names.extend(others.map(str::to_owned));
        names.extend([MOST_LETTERS, MOST_LETTERS + 1].map(|letters| "a".repeat(letters)));
        for name in names {
            assert_eq!(check(&name).is_ok(), is_in_the_schema(&name), "{name:?}");
        }
    }
}
