//! Every field of a config, read off its type: path, flag, help, values, default. Nobody else lists them.

use std::sync::LazyLock;

use serde_json::Value;

use super::Config;

/// Marks, in the declaration of a field, that it has a flag, and names the flag's value.
const FLAG: &str = "x-flag";
/// Marks, in the declaration of a value, its other names.
const ALIASES: &str = "x-aliases";

/// A value there is to choose.
#[derive(Clone, Debug)]
pub struct NamedValue {
    /// Name of the value.
    pub name: String,
    /// Text of its doc comment.
    pub about: String,
    /// Other accepted names.
    pub aliases: Vec<String>,
}

/// A field that holds a plain value.
#[derive(Clone, Debug)]
pub struct PlainField {
    /// Path such as `link.width`.
    pub path: String,
    /// Text of its doc comment.
    pub about: String,
    /// The name of its flag's value, `BITS`; none if only `--set` reaches it.
    pub value_name: Option<String>,
    /// The values there are to choose from, with what they mean; none if any number or text will do.
    pub values: Vec<NamedValue>,
    /// True if the value may be the name of a file in place of a choice.
    pub is_file: bool,
    /// True if the value is a text even where it looks like a number.
    pub is_text: bool,
    /// Patterns of the texts that it takes beside other values.
    pub patterns: Vec<String>,
    /// True for a switch, whose value is true or false.
    pub is_boolean: bool,
    /// Default value; `null` if there is none.
    pub default: Value,
}

/// Every field but the topology, in the order of their declarations.
pub static FIELDS: LazyLock<Vec<PlainField>> = LazyLock::new(|| {
    let schema = schemars::schema_for!(Config).to_value();
    let mut fields = Vec::new();
    collect(&schema, &schema, "", &mut fields);
    fields
});

/// The JSON Schema of the config.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    strip(&mut schema);
    schema
}

fn collect(schema: &Value, object: &Value, prefix: &str, fields: &mut Vec<PlainField>) {
    for (key, declared) in object["properties"].as_object().into_iter().flatten() {
        let path = format!("{prefix}{key}");
        let referred = |to: &Value| to["$ref"].as_str().and_then(|path| schema.pointer(&path[1..]));
        // a choice that may be left out is any of the choice and null
        let choice = referred(&declared["anyOf"][0]).filter(|kind| kind["oneOf"][0]["const"].is_string());
        let kind = referred(declared).or(choice).unwrap_or(declared);
        if kind["properties"].is_object() {
            collect(schema, kind, &format!("{path}."), fields);
        } else if path != "topology" {
            // so is any other kind of value that may be left out
            let patterns = patterns(referred(&declared["anyOf"][0]).unwrap_or(kind));
            fields.push(PlainField { patterns, ..PlainField::new(path, declared, kind) });
        }
    }
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove(FLAG);
            if let Some(choices) = members.get_mut("oneOf").and_then(Value::as_array_mut) {
                *choices = std::mem::take(choices).into_iter().flat_map(with_aliases).collect();
            }
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// A choice, and one more for each of its other names.
fn with_aliases(mut choice: Value) -> Vec<Value> {
    let aliases = choice.as_object_mut().and_then(|choice| choice.remove(ALIASES));
    let Some(Value::Array(aliases)) = aliases else { return vec![choice] };
    let alias = |name| {
        let mut alias = choice.clone();
        alias["const"] = name;
        alias
    };
    let others: Vec<Value> = aliases.into_iter().map(alias).collect();
    [vec![choice], others].concat()
}

fn patterns(kind: &Value) -> Vec<String> {
    let kinds = kind["anyOf"].as_array().into_iter().flatten();
    kinds.filter_map(|kind| kind["pattern"].as_str().map(str::to_owned)).collect()
}

impl PlainField {
    fn new(path: String, declared: &Value, kind: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(|text| text.replace('\n', " "));
        let choices = kind["oneOf"].as_array().into_iter().flatten();
        let values = choices.filter_map(|one| {
            Some(NamedValue {
                name: text(&one["const"])?,
                about: text(&one["description"]).unwrap_or_default(),
                aliases: one[ALIASES].as_array().into_iter().flatten().filter_map(text).collect(),
            })
        });
        let values: Vec<_> = values.collect();
        Self {
            path,
            about: text(&declared["description"]).unwrap_or_default(),
            value_name: text(&declared[FLAG]),
            is_file: kind["oneOf"].as_array().is_some_and(|some| some.iter().any(|one| one["pattern"].is_string())),
            is_text: !values.is_empty() || kind["type"] == "string" || kind["type"][0] == "string",
            patterns: Vec::new(),
            is_boolean: kind["type"] == "boolean",
            values,
            default: declared["default"].clone(),
        }
    }

    /// The flag, without its dashes: the last part of the path.
    pub fn flag(&self) -> Option<&str> {
        self.value_name.as_ref()?;
        self.path.rsplit('.').next()
    }

    /// Returns true if a value may begin with a minus: an offset, or the parent of a root.
    pub fn has_minus(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.contains("-?") || pattern.contains("|-|"))
    }

    /// Default value as it would be written.
    pub fn default_text(&self) -> String {
        written(&self.default)
    }
}

impl Config {
    /// Every field that is not left at its default, with its value as it is written after the field's flag.
    pub fn changes(&self) -> Vec<(&'static PlainField, String)> {
        let mut config = self.clone();
        // a width that is said is the default's all the same
        config.link.width = config.link.width.filter(|width| width.get() != self.default_width());
        let whole = serde_json::to_value(config).expect("a config is plain data");
        let value = |field: &PlainField| field.path.split('.').fold(&whole, |value, key| &value[key]);
        let changed = FIELDS.iter().filter(|field| *value(field) != field.default);
        changed.map(|field| (field, written(value(field)))).collect()
    }

    /// The flags of every field that is not left at its default, each with a blank before it.
    pub fn flags(&self) -> String {
        let flag = |(field, value): (&PlainField, String)| match field.flag() {
            Some(flag) => format!(" --{flag} {value}"),
            None => format!(" --set {}={value}", field.path),
        };
        self.changes().into_iter().map(flag).collect()
    }
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regex_lite::Regex;

    use super::*;
    use crate::net::ShapeName;

    #[test]
    fn every_field_has_help_a_flag_of_its_own_and_its_default() {
        let flags: Vec<&str> = FIELDS.iter().filter_map(PlainField::flag).collect();
        assert_eq!(flags.iter().collect::<BTreeSet<_>>().len(), flags.len(), "{flags:?}");
        assert!(flags.contains(&"width") && FIELDS.iter().all(|field| !field.about.is_empty()));
        let plain = Config::of(ShapeName::Torus, vec![6, 8]);
        assert_eq!(plain.changes().len(), 0);
        assert_eq!(plain.flags(), "");
    }

    #[test]
    fn the_schema_has_nothing_in_it_that_only_the_command_line_reads() {
        assert!(!schema().to_string().contains(FLAG));
    }

    /// Validates the keywords that the project's own schema uses.
    fn allows(root: &Value, schema: &Value, value: &Value) -> bool {
        let all = |key: &str, holds: &dyn Fn(&Value) -> bool| schema.get(key).is_none_or(holds);
        let any = |key: &str| all(key, &|ways| ways.as_array().unwrap().iter().any(|way| allows(root, way, value)));
        let is = |name: &Value| match name.as_str().unwrap() {
            "integer" => value.is_u64() || value.is_i64(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            other => panic!("{other}"),
        };
        all("type", &|names| names.as_array().map_or_else(|| is(names), |names| names.iter().any(is)))
            && all("$ref", &|to| allows(root, root.pointer(&to.as_str().unwrap()[1..]).unwrap(), value))
            && any("anyOf")
            && any("oneOf")
            && all("const", &|one| one == value)
            && all("enum", &|some| some.as_array().unwrap().contains(value))
            && all("minimum", &|least| value.as_i64().is_none_or(|value| value >= least.as_i64().unwrap()))
            && all("maximum", &|most| value.as_i64().is_none_or(|value| value <= most.as_i64().unwrap()))
            && all("pattern", &|pattern| {
                value.as_str().is_none_or(|text| Regex::new(pattern.as_str().unwrap()).unwrap().is_match(text))
            })
            && all("items", &|item| value.as_array().into_iter().flatten().all(|value| allows(root, item, value)))
            && all("required", &|keys| {
                value.as_object().is_none_or(|value| {
                    keys.as_array().unwrap().iter().all(|key| value.contains_key(key.as_str().unwrap()))
                })
            })
            && value.as_object().into_iter().flatten().all(|(key, value)| match schema["properties"].get(key) {
                Some(field) => allows(root, field, value),
                None => schema["additionalProperties"] != false,
            })
    }

    /// Names are texts whatever they look like, to the parser; what of them is refused has tests of its own.
    #[test]
    fn the_parser_takes_what_the_schema_allows_and_nothing_else() {
        let schema = schema();
        let paths = FIELDS.iter().map(|field| field.path.as_str()).chain(["link", "local"]);
        for path in paths.filter(|path| *path != "name") {
            for value in [
                "",
                "null",
                "true",
                "\"true\"",
                "no",
                "0",
                "1",
                "-1",
                "2.5",
                "\"1\"",
                "\"-1\"",
                "\"2.5\"",
                "\"0,1:2\"",
                "\"1:2/-1:3\"",
                "\"1:\"",
                "\"x.csv\"",
                "70000",
                "4294967296",
                "x",
                "[]",
                "{}",
                "[1]",
                "[1, x]",
                "[1, \"2\"]",
                "[null]",
                "\"1, 2\"",
                "\"1,x\"",
                "path",
                "\"root, 0\"",
                "auto",
                "sum",
                "half",
                "{ parents: [null, 0] }",
                "{ parents: [null, x] }",
                "{ parents: }",
                "{ width: }",
                "{ order: }",
                "{ x: 1 }",
                "{ offsets: { \"1\": 2 } }",
                "{ offsets: 3 }",
                "{ file: x }",
            ] {
                let yaml = match path.split_once('.') {
                    Some((group, key)) => format!("topology: {{ path: 7 }}\n{group}: {{ {key}: {value} }}\n"),
                    None => format!("topology: {{ path: 7 }}\n{path}: {value}\n"),
                };
                let json: Value = serde_yaml::from_str(&yaml).unwrap();
                let parsed = Config::parse(&yaml);
                assert_eq!(parsed.is_ok(), allows(&schema, &schema, &json), "{yaml}{parsed:?}");
            }
        }
    }

    #[test]
    fn flags_are_of_what_is_changed() {
        let yaml = "topology: { path: 7 }\nscheme: optimal\npackets: 3\nlink: { width: 8, flits: 1 }";
        let config = Config::parse(yaml).unwrap();
        assert_eq!(config.flags(), " --scheme optimal --packets 3 --width 8");
        assert_eq!((config.topology.to_string(), config.name()), ("--path 7".into(), "path_7".into()));
    }
}
