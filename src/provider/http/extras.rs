//! What the configuration adds to the requests of a provider.

use std::fs;
use std::path::Path;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::super::table::ClientIdentity;

/// Headers, fields and a certificate.
#[derive(Clone, Default)]
pub(in super::super) struct Extras {
    pub(in super::super) headers: Vec<(String, String)>,
    pub(in super::super) body: Map<String, Value>,
    pub(in super::super) identity: Option<ClientIdentity>,
}

impl Extras {
    /// Adds the fields to the body of a request. An object is filled up; anything else is replaced.
    pub(in super::super) fn add_to(&self, body: &mut Value) {
        if let Value::Object(fields) = body {
            merge(fields, &self.body);
        }
    }

    /// Adds the headers, or returns the name of the one that cannot be sent.
    pub(super) fn put_headers<'a>(&'a self, headers: &mut HeaderMap) -> Result<(), &'a str> {
        for (name, value) in &self.headers {
            let parsed = HeaderName::try_from(name).ok().zip(HeaderValue::from_str(value).ok());
            let Some((header, mut value)) = parsed else { return Err(name) };
            // Headers may carry tokens.
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Extras {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Extras").field("headers", &names).field("identity", &self.identity).finish_non_exhaustive()
    }
}

fn merge(fields: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (fields.get_mut(name), value) {
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            _ => drop(fields.insert(name.clone(), value.clone())),
        }
    }
}

/// Reads the files of a certificate and its key. The error is for the person.
pub(super) fn pem(files: &ClientIdentity) -> Result<Vec<u8>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let mut pem = read(&files.certificate)?;
    if files.key != files.certificate {
        pem.push(b'\n');
        pem.extend(read(&files.key)?);
    }
    Ok(pem)
}

/// The certificate and the key in what [`pem`] has read.
pub(super) fn identity(files: &ClientIdentity, pem: &[u8]) -> Result<reqwest::Identity, String> {
    let bad =
        |_| format!("{} and {} are not a certificate and its key", files.certificate.display(), files.key.display());
    reqwest::Identity::from_pem(pem).map_err(bad)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_fill_up_objects_and_replace_the_rest() {
        let Value::Object(more) = json!({ "options": { "top_k": 5 }, "temperature": 0.2, "stop": ["x"] }) else {
            panic!()
        };
        let extras = Extras { body: more, ..Extras::default() };
        let mut body = json!({ "model": "m", "options": { "num_ctx": 4096 }, "temperature": 1 });
        extras.add_to(&mut body);
        let expected = json!({
            "model": "m", "options": { "num_ctx": 4096, "top_k": 5 }, "temperature": 0.2, "stop": ["x"],
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn a_header_with_a_line_break_is_refused_and_values_are_not_printed() {
        let extras = |value: &str| Extras { headers: vec![("x-team".into(), value.into())], ..Extras::default() };
        assert_eq!(extras("a\nb: c").put_headers(&mut HeaderMap::new()), Err("x-team"));
        let mut headers = HeaderMap::new();
        extras("blue-secret").put_headers(&mut headers).unwrap();
        assert_eq!(headers["x-team"], "blue-secret");
        assert!(!format!("{headers:?} {:?}", extras("blue-secret")).contains("blue-secret"));
    }
}
