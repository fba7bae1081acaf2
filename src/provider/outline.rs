//! Which model would be asked, told without sending anything.

use super::api_key::KeyFault;
use super::choose::{self, Env, ModelPreference, ResolveError};
use super::http;
use super::vendors::{CUSTOM, Vendor};

/// The model that would be asked, as far as that is known without a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelOutline {
    /// The provider's name.
    pub vendor: String,
    /// Whether the provider is one of the built-in ones, not one of the configuration.
    pub is_built_in: bool,
    /// `None` where the server would be asked for its list.
    pub model: Option<String>,
    /// Host and port.
    pub host: String,
    /// The variable that holds the key, exported or stored.
    pub key_variable: Option<String>,
    /// Why that key cannot be right, as far as its letters say.
    pub key_fault: Option<KeyFault>,
    /// Whether the model is one of those that the vendor has published.
    pub is_published: bool,
}

impl ModelOutline {
    /// The model of the flags, the settings and the variables. `None` if only a server of this machine is left to look for.
    pub(crate) fn of(preference: &ModelPreference, env: Env<'_>) -> Result<Option<ModelOutline>, ResolveError> {
        let choice = choose::choose(preference, env)?;
        Ok(choice.map(|choice| ModelOutline {
            vendor: choice.name().to_owned(),
            is_built_in: Vendor::named(choice.name()).is_some() || choice.name() == CUSTOM.name,
            host: http::host(&choice.base_url).to_owned(),
            key_fault: choice.key.as_ref().and_then(|key| key.fault(http::host(&choice.base_url))),
            key_variable: choice.key.as_ref().map(|key| key.variable.clone()),
            is_published: choice
                .model
                .as_deref()
                .is_some_and(|model| choice.provider.vendor.known_models().any(|known| known == model)),
            model: choice.model,
        }))
    }

    /// `provider/model`, or the provider alone.
    pub(crate) fn name(&self) -> String {
        match &self.model {
            Some(model) => choose::full_name(&self.vendor, model),
            None => format!("a model of {}", self.vendor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outline_names_vendor_model_host_and_key() {
        let none = |_: &str| None;
        assert_eq!(ModelOutline::of(&ModelPreference::default(), &none).unwrap(), None);
        let env = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-secret".to_owned());
        let outline = ModelOutline::of(&ModelPreference::default(), &env).unwrap().unwrap();
        assert_eq!((outline.vendor.as_str(), outline.key_variable.as_deref()), ("openai", Some("OPENAI_API_KEY")));
        assert!(outline.is_published && !format!("{outline:?}").contains("sk-secret"));
        let named = ModelPreference { model: Some("anthropic/x".into()), ..ModelPreference::default() };
        assert!(matches!(ModelOutline::of(&named, &env), Err(ResolveError::NoKey { .. })));
    }
}
