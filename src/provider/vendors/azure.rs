//! OpenAI's models in Microsoft's cloud: the URL is the customer's own, and a model is a deployment that the customer has named.

use std::sync::Arc;

use super::super::api_key::ApiKey;
use super::super::choose::{Env, variable};
use super::super::sign::{KeyHeader, Signer};
use super::super::wire::Wire;
use super::{Quirks, Route, Vendor, openai};

pub(super) const VENDOR: Vendor = Vendor {
    name: "azure",
    base_url: "",
    url_variables: &["AZURE_OPENAI_ENDPOINT"],
    key_variables: &["AZURE_OPENAI_API_KEY"],
    default_model: None,
    models: &[],
    wire: &openai::CHAT,
    quirks: &Azure,
};

/// The oldest API version of deployments that has all features we use.
const OLDEST_VERSION: &str = "2024-10-21";

#[derive(Debug)]
struct Azure;

impl Quirks for Azure {
    /// There is a host for each customer.
    fn owns_host(&self, host: &str) -> bool {
        host.ends_with(".azure.com")
    }

    fn model(&self, env: Env<'_>) -> Option<String> {
        variable(env, "AZURE_OPENAI_DEPLOYMENT").or_else(|| variable(env, "AZURE_OPENAI_DEPLOYMENT_NAME"))
    }

    fn needs_model(&self) -> bool {
        true
    }

    /// Newer endpoints have a version in their path. Older ones have the deployment there and the version behind it, and their list
    /// has the models that could be deployed instead of those that are.
    fn route(&self, base_url: &str, model: Option<&str>, env: Env<'_>) -> Route {
        let version = variable(env, "AZURE_OPENAI_API_VERSION").or_else(|| variable(env, "OPENAI_API_VERSION"));
        if base_url.ends_with("/v1") {
            return Route { query: version.map(|version| ("api-version", version)), ..Route::default() };
        }
        let version = version.unwrap_or_else(|| OLDEST_VERSION.to_owned());
        Route {
            prefix: format!("/openai/deployments/{}", model.unwrap_or_default()),
            query: Some(("api-version", version)),
            lists_models: false,
        }
    }

    fn signer(&self, key: &ApiKey, _wire: &dyn Wire) -> Arc<dyn Signer> {
        KeyHeader::Named("api-key").signer(key)
    }
}
