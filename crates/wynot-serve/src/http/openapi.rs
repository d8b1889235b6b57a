//! The description of the interface for programs.

/// The description, in OpenAPI 3.1.
pub const OPENAPI: &str = include_str!("openapi.json");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routes::API_ROUTES;
    use serde_json::Value;

    #[test]
    fn all_routes_are_described_and_no_others() {
        let description: Value = serde_json::from_str(OPENAPI).unwrap();
        let mut described: Vec<&str> =
            description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut routes: Vec<&str> = API_ROUTES.to_vec();
        described.sort_unstable();
        routes.sort_unstable();
        assert_eq!(described, routes);
    }
}
