//! The address of a service: `grpc[s]://HOST:PORT[/INSTANCE]`.

use std::fmt;
use std::str::FromStr;

/// The address of a service that speaks the Remote Execution API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceAddress {
    /// Whether the connection is encrypted.
    pub is_secure: bool,
    /// The host and the port, as `HOST:PORT`.
    pub authority: String,
    /// The name of the instance, which may be empty.
    pub instance: String,
}

impl ServiceAddress {
    /// The address as the HTTP client writes it.
    pub(crate) fn uri(&self) -> String {
        let scheme = if self.is_secure { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// The name of the host, without the port.
    pub(crate) fn host(&self) -> &str {
        let host = self.authority.rsplit_once(':').map_or(&*self.authority, |(host, _)| host);
        host.trim_matches(['[', ']'])
    }
}

impl fmt::Display for ServiceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "grpcs" } else { "grpc" };
        write!(f, "{scheme}://{}", self.authority)?;
        match self.instance.is_empty() {
            true => Ok(()),
            false => write!(f, "/{}", self.instance),
        }
    }
}

/// A text that is no address of a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no address of a service: use grpc://HOST:PORT or grpcs://HOST:PORT, with /INSTANCE if it has several"
)]
pub struct BadServiceAddress(String);

impl FromStr for ServiceAddress {
    type Err = BadServiceAddress;

    fn from_str(text: &str) -> Result<Self, BadServiceAddress> {
        let bad = || BadServiceAddress(text.to_owned());
        let (scheme, rest) = text.split_once("://").ok_or_else(bad)?;
        let is_secure = match scheme {
            "grpc" => false,
            "grpcs" => true,
            _ => return Err(bad()),
        };
        let (authority, instance) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = authority.rsplit_once(':').ok_or_else(bad)?;
        let is_host = !host.is_empty() && !host.contains(['@', ' ', '?', '#']);
        if !is_host || port.parse::<u16>().map_or(true, |port| port == 0) {
            return Err(bad());
        }
        let instance = instance.trim_end_matches('/').to_owned();
        Ok(Self { is_secure, authority: authority.to_owned(), instance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_scheme_a_host_a_port_and_perhaps_an_instance() {
        let address: ServiceAddress = "grpcs://cache.example:8980/main/fast".parse().unwrap();
        assert!(address.is_secure);
        assert_eq!(address.uri(), "https://cache.example:8980");
        assert_eq!((address.host(), &*address.instance), ("cache.example", "main/fast"));
        let address: ServiceAddress = "grpc://[::1]:5000".parse().unwrap();
        assert_eq!((address.host(), address.to_string()), ("::1", "grpc://[::1]:5000".into()));
        for bad in
            ["host:1", "http://host:1", "grpc://host", "grpc://:1", "grpc://h:0", "grpc://a@b:1"]
        {
            assert!(bad.parse::<ServiceAddress>().is_err(), "{bad}");
        }
    }
}
