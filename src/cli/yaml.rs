//! Values written as YAML.

use serde_json::Value;

/// Writes a value in YAML's flow style: `{ torus: [6, 8] }`.
pub fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Writes a name of a field, in quotes if it is more than letters.
fn key(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_yaml_would_split_stand_in_quotes() {
        let written = flow(&json!({ "lengths": { "offsets": { "0,1": 8 } }, "name": "a b" }));
        assert_eq!(written, r#"{ lengths: { offsets: { "0,1": 8 } }, name: "a b" }"#);
    }
}
