//! The names of types, in the syntax of C.

/// The number of bytes after which a composed name is cut off.
const MAX_NAME_BYTES: usize = 10_000;

/// The name of a type in two parts: the sign of a pointer to the type comes in between, as in `int (*)[3]`.
#[derive(Clone, Debug)]
pub(super) struct TypeName {
    before: String,
    after: String,
}

impl TypeName {
    /// A name in one part.
    pub(super) fn simple(name: impl Into<String>) -> Self {
        Self { before: name.into(), after: String::new() }
    }

    /// The name of a type that is too complicated to be named.
    pub(super) fn elided() -> Self {
        Self::simple("...")
    }

    /// The same name, unless it is too long: names grow with types of types of types.
    pub(super) fn elided_if_long(self) -> Self {
        if self.before.len() + self.after.len() > MAX_NAME_BYTES { Self::elided() } else { self }
    }

    /// The whole name.
    pub(super) fn whole(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    /// The name of a pointer or reference, with this sign.
    pub(super) fn pointer_to_it(self, sign: &str) -> Self {
        let Self { before, after } = self;
        let blank = if before.ends_with(['*', '&']) { "" } else { " " };
        if after.is_empty() {
            return Self::simple(format!("{before}{blank}{sign}"));
        }
        let before = format!("{before}{blank}({sign}");
        Self { before, after: format!("){}", after.trim_start()) }
    }

    /// The name of an array, in the syntax of Rust (`[T; 3]`) if it is an array of Rust.
    pub(super) fn array_of_it(self, count: Option<u64>, is_rust: bool) -> Self {
        if let Some(count) = count.filter(|_| is_rust) {
            return Self::simple(format!("[{}; {count}]", self.whole()));
        }
        let Self { before, after } = self;
        let count = count.map_or_else(String::new, |count| count.to_string());
        Self { before, after: format!(" [{count}]{}", after.trim_start()) }
    }

    /// The name of a function with these parameters, and with any others if it is variadic.
    pub(super) fn function_returning_it(self, mut parameters: Vec<String>, variadic: bool) -> Self {
        match (parameters.is_empty(), variadic) {
            (true, true) => {}
            (true, false) => parameters.push("void".to_owned()),
            (false, true) => parameters.push("...".to_owned()),
            (false, false) => {}
        }
        let Self { before, after } = self;
        Self { before, after: format!(" ({}){after}", parameters.join(", ")) }
    }
}
