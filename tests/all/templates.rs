//! Every line of Verilog stands in a template: none is put together from strings.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Fragments that only Verilog has between quotes.
const FRAGMENTS: [&str; 15] = [
    "always @",
    "assign ",
    ") begin",
    "else begin",
    "initial begin",
    "case (",
    "endcase",
    "endmodule",
    "posedge",
    "reg [",
    "wire [",
    "WIDTH",
    "'b0",
    "'d{",
    "~run",
];

/// The string literals of a file, its tests among them: in expressions and between the brackets of macros, but neither in
/// comments nor in attributes.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    let mut skip_attribute = false;
    for token in tokens {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => skip_attribute = true,
            TokenTree::Group(group) => {
                if !skip_attribute {
                    literals(group.stream(), found);
                }
                skip_attribute = false;
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.starts_with(['"', 'r']) {
                    found.push(text);
                }
            }
            _ => {}
        }
    }
}

fn is_verilog(literal: &str) -> bool {
    let assigns = literal.contains(" <= ") && literal.ends_with(";\"");
    assigns || FRAGMENTS.iter().any(|fragment| literal.contains(fragment))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && path.file_stem().unwrap() != "tests" {
            found.push(path);
        }
    }
}

/// Files whose strings only look like Verilog, and why.
const OTHERS: [(&str, &str); 4] = [
    ("src/design/config/name.rs", "the words that no name may be"),
    ("src/tools/fpga/report.rs", "how nextpnr says where a path begins and ends"),
    ("src/tools/verilog.rs", "it reads Verilog"),
    ("src/tools/verilog/lexer.rs", "it reads Verilog"),
];

#[test]
fn no_line_of_verilog_is_made_of_strings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut seen = 0;
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let mut found = Vec::new();
        literals(text.parse().unwrap(), &mut found);
        seen += found.len();
        for literal in found {
            let path = path.strip_prefix(root).unwrap().to_str().unwrap();
            let known = OTHERS.iter().any(|(other, _)| *other == path);
            assert!(known || !is_verilog(&literal), "{path}: {literal} looks like Verilog: put it in a template");
        }
    }
    assert!(seen > 500, "{seen} literals: has the way they are found changed?");
}

#[test]
fn former_string_fragments_are_recognised() {
    for literal in [
        r#""{output}_out_data  <= {data};""#,
        r#""if ({}) begin""#,
        r#""end else begin""#,
        r#""{}'d{value}""#,
        r#""[WIDTH-1:0]""#,
        r#""1'b0""#,
        r#""module dump; initial begin $dumpfile(\"{path}\"); end endmodule\n""#,
    ] {
        assert!(is_verilog(literal), "{literal}");
    }
}

/// Control words may be constant, stored with entry points, or loaded: the router that they steer is of one template. State
/// machines of schemes that find out lengths have registers at links, too, and no control word.
#[test]
fn routers_have_one_template() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let mut folders = vec![root.clone()];
    let (mut routers, mut machines) = (BTreeSet::new(), BTreeSet::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let path = entry.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = fs::read_to_string(&entry).unwrap();
            let drives_links = text.lines().any(|line| line.contains("output reg") && line.contains("_out"));
            let is_told = text.lines().any(|line| line.contains("input ") && line.contains("word"));
            if path.contains("router") || drives_links && is_told {
                routers.insert(path);
            } else if drives_links {
                machines.insert(path);
            }
        }
    }
    assert_eq!(routers, BTreeSet::from(["rtl/router.v".to_owned()]));
    assert_eq!(machines, BTreeSet::from(["rtl/certifier.v", "rtl/tap.v"].map(str::to_owned)));
}
