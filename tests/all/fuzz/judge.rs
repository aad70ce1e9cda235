//! Requirements on every answer, whatever was asked.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::case::Case;
use crate::fixtures::command::{Place, TORUSWEAVE};

/// Exit code of a run, and the checks that its answer has passed.
pub struct Seen {
    pub code: i32,
    pub checks: Vec<&'static str>,
}

/// Output of a run.
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

/// A run that takes longer hangs; most take some hundredths. Nothing is run besides: no tool is found.
const SECONDS: &str = "120";

fn run(place: &Place, args: &[String]) -> Result<Said, String> {
    let mut command = Command::new("timeout");
    command
        .args(["-s", "KILL", SECONDS, "env", "PATH=/nowhere", TORUSWEAVE])
        .args(args)
        .current_dir(place.path())
        .stdin(Stdio::null());
    let output = command.env("COLUMNS", "100").env("RUST_BACKTRACE", "0").output().unwrap();
    let code = of_output(output.status.code(), &output.stdout, &output.stderr)?;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).map_err(|_| "it prints what is no UTF-8".to_owned());
    Ok(Said { code, stdout: text(output.stdout)?, stderr: text(output.stderr)? })
}

/// The exit code, if it is one of ours and goes with what was said.
pub fn of_output(code: Option<i32>, stdout: &[u8], stderr: &[u8]) -> Result<i32, String> {
    let said = String::from_utf8_lossy(stderr);
    let code = code.ok_or_else(|| format!("killed: {said}"))?;
    let is_error = said.starts_with("error: ");
    match code {
        _ if said.contains("panicked") => Err(said.into_owned()),
        0 | 1 if is_error => Err(format!("exit code {code}, and {said}")),
        0 | 1 => Ok(code),
        2 if !stdout.is_empty() => Err(format!("refused, and something on stdout; {said}")),
        2 if is_error && (said.contains("\nhelp: ") || said.contains("--help")) => Ok(code),
        _ => Err(format!("exit code {code}: {said}")),
    }
}

/// Runs a case, and looks at all it gives.
pub fn judge(case: &Case) -> Result<Seen, String> {
    let place = || {
        let place = Place::new();
        if let Some(config) = &case.config {
            place.write("design.yaml", config);
        }
        place
    };
    let here = place();
    let said = run(&here, &case.args)?;
    let mut seen = Seen { code: said.code, checks: Vec::new() };
    if said.code == 2 {
        let files = here.contents().len();
        return if files == usize::from(case.config.is_some()) {
            Ok(seen)
        } else {
            Err("refused, and something written".into())
        };
    }
    if said.code == 1 && case.command() == "simulate" {
        return Err(format!("a design of its own is wrong: {}", said.stdout));
    }
    let has = |flag: &str| case.args.iter().any(|arg| arg == flag);
    if has("json") {
        serde_json::from_str::<Value>(&said.stdout).map_err(|error| format!("JSON: {error}"))?;
        seen.checks.push("JSON that reads");
    }
    if case.command() == "draw" && said.code == 0 {
        if !is_xml(&said.stdout) {
            return Err("the picture is no XML".into());
        }
        seen.checks.push("pictures that are XML");
    }
    if case.args.len().is_multiple_of(3) {
        let there = place();
        let again = run(&there, &case.args)?;
        if (again.code, &again.stdout, &again.stderr) != (said.code, &said.stdout, &said.stderr)
            || there.contents() != here.contents()
        {
            return Err("another answer the second time".into());
        }
        seen.checks.push("the same the second time");
    }
    if case.command() == "generate" && said.code == 0 && !has("--check") {
        let compared: Vec<String> =
            case.args.iter().filter(|arg| *arg != "--force").cloned().chain(["--check".into()]).collect();
        let check = run(&here, &compared)?;
        if check.code != 0 {
            return Err(format!("generated, and then it differs: {}{}", check.stdout, check.stderr));
        }
        seen.checks.push("generated, and nothing differs");
    }
    if case.command() == "check" && said.code == 0 && has("json") && !has("--structural") {
        let followed: Vec<String> = case.args.iter().cloned().chain(["--structural".into()]).collect();
        let agrees = agree(&said.stdout, &run(&here, &followed)?)?;
        let agreement = "execution and certificate agree in every figure";
        seen.checks.push(if agrees { agreement } else { "executed, and not certifiable" });
    }
    Ok(seen)
}

/// Every figure of the execution is that of the certificate, which need not count all of them; false if the certificate says
/// that it does not apply. Of several configs there are several verdicts.
fn agree(executed: &str, certified: &Said) -> Result<bool, String> {
    let each = |text: &str| {
        let said = serde_json::from_str::<Value>(text)?;
        Ok::<_, serde_json::Error>(said["items"].as_array().cloned().unwrap_or_else(|| vec![said]))
    };
    let certified = each(&certified.stdout).map_err(|_| certified.stderr.clone())?;
    let executed = each(executed).unwrap();
    if executed.len() != certified.len() {
        return Err("as many verdicts by structure as by execution".to_owned());
    }
    let agreed = executed.iter().zip(&certified).map(|(executed, certified)| agrees(executed, certified));
    Ok(agreed.collect::<Result<Vec<_>, _>>()?.into_iter().all(|agreed| agreed))
}

fn agrees(executed: &Value, certified: &Value) -> Result<bool, String> {
    let violations = certified["violations"].as_array().ok_or("no list of violations")?;
    if violations.iter().any(|violation| violation["kind"] == "not-certifiable") {
        return Ok(false);
    }
    for (figure, value) in executed.as_object().unwrap() {
        let other = &certified[figure];
        let is_free = figure == "method" || (["duplicates", "traffic"].contains(&figure.as_str()) && other.is_null());
        if !is_free && value != other {
            return Err(format!("{figure}: {value} by execution, {other} by structure"));
        }
    }
    Ok(true)
}

/// Returns true if the elements of a text are closed in order, and there is one.
pub fn is_xml(text: &str) -> bool {
    let (mut open, mut roots, mut rest) = (Vec::new(), 0, text.trim());
    while let Some(start) = rest.find('<') {
        let Some(end) = end_of_tag(&rest[start..]) else { return false };
        let tag = &rest[start + 1..start + end];
        rest = &rest[start + end + 1..];
        let name =
            tag.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if tag.starts_with('/') {
            if open.pop() != Some(name.to_owned()) {
                return false;
            }
        } else {
            roots += u32::from(open.is_empty());
            if !tag.ends_with('/') {
                open.push(name.to_owned());
            }
        }
    }
    open.is_empty() && roots == 1
}

/// Index at which a tag ends: a `>` outside quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}
