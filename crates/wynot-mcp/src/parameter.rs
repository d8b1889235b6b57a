//! A parameter of a tool: its type, its part of the JSON schema, and how a value is checked.

use serde_json::{Value, json};

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, as agents use it.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// What the values become.
    pub role: Role,
    /// Whether a call needs it.
    pub is_required: bool,
    /// What it means, for agents.
    pub description: &'static str,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A string.
    Text,
    /// A list of strings.
    Words,
    /// A string or a list of strings.
    TextOrWords,
    /// A boolean; false is the same as nothing.
    Flag,
    /// A positive integer.
    Count,
    /// A time such as "90s", or a number of seconds.
    Time,
}

/// What the values of a parameter become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An option of the command line, once for each value.
    Option(&'static str),
    /// The inputs of the command line.
    Input,
    /// The test, after everything else.
    Test,
    /// Further options of the command line.
    MoreOptions,
    /// Nothing of the command line: the server uses it.
    Server,
}

impl Parameter {
    /// A parameter that becomes an option of the command line.
    pub const fn option(
        name: &'static str,
        kind: ParameterKind,
        option: &'static str,
        description: &'static str,
    ) -> Self {
        Self::new(name, kind, Role::Option(option), description)
    }

    /// A parameter that a call does not need.
    pub const fn new(
        name: &'static str,
        kind: ParameterKind,
        role: Role,
        description: &'static str,
    ) -> Self {
        Self { name, kind, role, is_required: false, description }
    }

    /// The same, but a call needs it.
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// The schema of the values.
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ParameterKind::Text => json!({"type": "string"}),
            ParameterKind::Words => json!({"type": "array", "items": {"type": "string"}}),
            ParameterKind::TextOrWords => json!({
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            }),
            ParameterKind::Flag => json!({"type": "boolean"}),
            ParameterKind::Count => json!({"type": "integer", "minimum": 1}),
            ParameterKind::Time => json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
        };
        schema["description"] = json!(self.description);
        schema
    }

    /// The words of a value; `None` if it is the same as nothing. A flag has no words.
    pub fn words(&self, value: &Value) -> Result<Option<Vec<String>>, String> {
        let found = match (self.kind, value) {
            (_, Value::Null) => return Ok(None),
            (ParameterKind::Flag, Value::Bool(is_set)) => return Ok(is_set.then(Vec::new)),
            (ParameterKind::Text | ParameterKind::TextOrWords, Value::String(text)) => {
                Some(vec![text.clone()])
            }
            (ParameterKind::Words | ParameterKind::TextOrWords, Value::Array(items)) => {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
            }
            (ParameterKind::Count, Value::Number(number)) => {
                number.as_u64().filter(|count| *count > 0).map(|count| vec![count.to_string()])
            }
            (ParameterKind::Time, Value::String(text)) => Some(vec![text.clone()]),
            (ParameterKind::Time, Value::Number(seconds)) => {
                seconds.as_f64().filter(|time| *time > 0.0).map(|_| vec![format!("{seconds}s")])
            }
            _ => None,
        };
        match found {
            None => Err(format!("\"{}\" must be {}", self.name, self.kind.in_words())),
            Some(words) if self.is_required && words.is_empty() => {
                Err(format!("\"{}\" is empty", self.name))
            }
            // Programs cannot get such words.
            Some(words) if words.iter().any(|word| word.contains('\0')) => {
                Err(format!("\"{}\" contains a null character", self.name))
            }
            Some(words) => Ok(Some(words)),
        }
    }
}

impl ParameterKind {
    fn in_words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Words => "a list of strings, such as [\"a\", \"b\"]",
            Self::TextOrWords => "a string or a list of strings",
            Self::Flag => "true or false",
            Self::Count => "a positive integer",
            Self::Time => "a time such as \"90s\" or \"10m\", or a number of seconds",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(kind: ParameterKind, value: Value) -> Result<Option<Vec<String>>, String> {
        Parameter::new("p", kind, Role::Server, "").required().words(&value)
    }

    #[test]
    fn values_of_the_right_type_become_words() {
        let one = |word: &str| Ok(Some(vec![word.to_owned()]));
        assert_eq!(words(ParameterKind::Text, json!("a b")), one("a b"));
        assert_eq!(words(ParameterKind::TextOrWords, json!(["a"])), one("a"));
        assert_eq!(words(ParameterKind::Count, json!(7)), one("7"));
        assert_eq!(words(ParameterKind::Time, json!(2.5)), one("2.5s"));
        assert_eq!(words(ParameterKind::Flag, json!(true)), Ok(Some(Vec::new())));
        assert_eq!(words(ParameterKind::Flag, json!(false)), Ok(None));
        assert_eq!(words(ParameterKind::Words, Value::Null), Ok(None));
    }

    #[test]
    fn other_values_are_refused_by_name() {
        let wrong = [
            (ParameterKind::Text, json!(1)),
            (ParameterKind::Text, json!("a\0b")),
            (ParameterKind::Words, json!("a")),
            (ParameterKind::Words, json!(["a", 1])),
            (ParameterKind::Words, json!([])),
            (ParameterKind::Count, json!(-1)),
            (ParameterKind::Count, json!(1.5)),
            (ParameterKind::Time, json!(0)),
            (ParameterKind::Flag, json!("yes")),
        ];
        for (kind, value) in wrong {
            let error = words(kind, value.clone()).unwrap_err();
            assert!(error.contains("\"p\""), "{value}: {error}");
        }
    }
}
