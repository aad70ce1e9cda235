//! Values of fields as they stand in tables and in names of folders.

use serde_json::Value;

use crate::cli::yaml::flow;

/// A value in a table: `torus 4x4`, `optimal`; larger ones as in YAML.
pub fn shown(value: &Value) -> String {
    let only = value.as_object().filter(|members| members.len() == 1).and_then(|members| members.iter().next());
    if let Some((name, value)) = only {
        return format!("{name} {}", shown(value));
    }
    match value {
        Value::Array(items) if items.iter().all(Value::is_number) => letters(value),
        Value::String(text) => text.clone(),
        other => flow(other),
    }
}

/// Part of a cell's name for one field: `torus_4x4`, `optimal`, `width_8`.
pub fn part(field: &str, value: &Value) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    match value {
        Value::Bool(_) | Value::Number(_) | Value::Null => format!("{}_{}", plain(last), plain(&value.to_string())),
        _ => letters(value),
    }
}

/// Letters of a value that a file's name takes.
pub fn letters(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}_{}", plain(name), letters(value)));
            members.collect::<Vec<_>>().join("_")
        }
        Value::Array(items) => items.iter().map(letters).collect::<Vec<_>>().join("x"),
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

/// Letters that a file's name and a shell take as they are.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}
