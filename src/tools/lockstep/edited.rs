//! RTL that was edited before it is simulated: refused if it could run code of its own beside the simulation.
//!
//! Verilator copies `$c` into the simulator, calls what `import` names, and reads files for `include`. The emitter writes none of
//! these: what is left of Verilog is enough for every edit of its text.

use super::LockstepError;

/// Directive that RTL may have.
const DIRECTIVE: &str = "`default_nettype";
/// System tasks that RTL may have: they fill a memory from a file.
const MEMORY: [&str; 2] = ["readmemh", "readmemb"];
/// System functions that RTL may have: they are arithmetic alone.
const ARITHMETIC: [&str; 4] = ["signed", "unsigned", "bits", "clog2"];
/// Words that call functions outside of Verilog.
const FOREIGN: [&str; 2] = ["import", "export"];

/// Fails unless the files are those of the emitter, whatever is in them, and none reaches out of Verilog.
pub(super) fn checked(
    emitted: &[(String, String)],
    edited: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, LockstepError> {
    let refused = |path: &str, what: &str| LockstepError::Edited { path: path.to_owned(), what: what.to_owned() };
    if let Some((path, _)) = edited.iter().find(|(path, _)| !emitted.iter().any(|(known, _)| known == path)) {
        return Err(refused(path, "no file of this design"));
    }
    if let Some((path, _)) = emitted.iter().find(|(path, _)| !edited.iter().any(|(known, _)| known == path)) {
        return Err(refused(path, "no text"));
    }
    for (path, text) in &edited {
        if let Some(what) = foreign(text, &[&MEMORY[..], &ARITHMETIC]) {
            return Err(refused(path, what));
        }
    }
    Ok(edited)
}

/// Fails if Verilog of somebody else would run code beside the simulation, or read a file.
pub fn refuse_foreign(files: &[(String, String)]) -> Result<(), LockstepError> {
    let found = files.iter().find_map(|(path, text)| Some((path, foreign(text, &[&ARITHMETIC])?)));
    found.map_or(Ok(()), |(path, what)| Err(LockstepError::Edited { path: path.clone(), what: what.trim().to_owned() }))
}

/// The first thing in a text that is not Verilog alone, but for some system tasks and functions.
fn foreign<'t>(text: &'t str, supported: &[&[&str]]) -> Option<&'t str> {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            // the value of an attribute, or a file
            '"' => match rest[1..].find(['"', '\\', '`', '\n']) {
                Some(end) if rest[1 + end..].starts_with('"') => end + 2,
                _ => return Some(line(rest)),
            },
            '$' if supported.iter().any(|names| names.contains(&word(&rest[1..]))) => 1,
            '`' if word(&rest[1..]) == &DIRECTIVE[1..] => DIRECTIVE.len(),
            '$' | '`' | '\\' => return Some(line(rest)),
            _ if is_word(first) && FOREIGN.contains(&word(rest)) => return Some(line(rest)),
            _ if is_word(first) => word(rest).len(),
            _ => first.len_utf8(),
        };
        // a comment can tell Verilator something, too
        let skipped = &rest[..length];
        if skipped.starts_with('/') && skipped.contains("verilator") {
            return Some(line(rest));
        }
        rest = &rest[length..];
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_code_is_found_and_other_verilog_passes() {
        for right in [
            "// costs 2 $ `flit` \\ \"x\nabc",
            "/* $c */ `default_nettype none\n(* keep_hierarchy = \"yes\" *) imports; // export",
            "q = a / b; $readmemh(\"/tmp/a.hex\", a);",
        ] {
            assert_eq!(foreign(right, &[&MEMORY]), None, "{right}");
        }
        for (wrong, what) in [
            ("always $c(\"abort();\");\nabc", "$c(\"abort();\");"),
            ("a \"/*\" $c \"*/\"", "$c \"*/\""),
            ("a \"\\\" $c", "\"\\\" $c"),
            ("$readmem(a);", "$readmem(a);"),
            ("`include \"/etc/passwd\"", "`include \"/etc/passwd\""),
            ("`default_nettypes", "`default_nettypes"),
            ("/**/import \"DPI-C\"", "import \"DPI-C\""),
            ("a \\$c ;", "\\$c ;"),
            ("/*verilator public*/", "/*verilator public*/"),
            ("// verilator lint_off", "// verilator lint_off"),
        ] {
            assert_eq!(foreign(wrong, &[&MEMORY]), Some(what), "{wrong}");
        }
    }

    #[test]
    fn verilog_of_somebody_else_reads_no_file() {
        let of = |text: &str| [("a.v".to_owned(), text.to_owned())];
        assert!(refuse_foreign(&of("a = $signed(b) + $bits(c);")).is_ok());
        assert!(refuse_foreign(&of("$readmemh(\"/etc/passwd\", a);")).is_err());
    }

    #[test]
    fn files_are_those_of_the_design() {
        let of = |paths: &[&str]| paths.iter().map(|path| ((*path).to_owned(), String::new())).collect::<Vec<_>>();
        assert!(checked(&of(&["a.v", "b.v"]), of(&["b.v", "a.v"])).is_ok());
        for wrong in [&["a.v"][..], &["a.v", "b.v", "../c.v"]] {
            assert!(checked(&of(&["a.v", "b.v"]), of(wrong)).is_err());
        }
    }
}
