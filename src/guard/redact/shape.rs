//! Tokens known by their beginning.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::found::Found;

/// What may follow the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Plain,
    /// Also `_` and `-`.
    Dashed,
    /// Also `.`, `/`, `%`, `+`, `=` and `:`.
    Dotted,
    Hex,
    /// Capitals and digits.
    Capitals,
}

/// Beginning, what follows and how much of it, and what it is.
type Shape = (&'static str, Body, usize, &'static str);

use Body::{Capitals, Dashed, Dotted, Hex, Plain};

const SHAPES: &[Shape] = &[
    ("AKIA", Capitals, 16, "AWS key"),
    ("ASIA", Capitals, 16, "AWS key"),
    ("ABIA", Capitals, 16, "AWS key"),
    ("ACCA", Capitals, 16, "AWS key"),
    ("ghp_", Plain, 20, "GitHub token"),
    ("gho_", Plain, 20, "GitHub token"),
    ("ghu_", Plain, 20, "GitHub token"),
    ("ghs_", Dotted, 20, "GitHub token"),
    ("ghr_", Plain, 20, "GitHub token"),
    ("github_pat_", Dashed, 20, "GitHub token"),
    ("glpat-", Dotted, 20, "GitLab token"),
    ("gldt-", Dotted, 20, "GitLab token"),
    ("glrt-", Dotted, 20, "GitLab token"),
    ("glcbt-", Dotted, 20, "GitLab token"),
    ("glptt-", Dotted, 20, "GitLab token"),
    ("glft-", Dotted, 20, "GitLab token"),
    ("gloas-", Dotted, 20, "GitLab token"),
    ("glsoat-", Dotted, 20, "GitLab token"),
    ("ATATT3", Dotted, 30, "Atlassian token"),
    ("ATCTT3", Dotted, 30, "Atlassian token"),
    ("ATBB", Plain, 28, "Bitbucket token"),
    ("xoxb-", Dotted, 10, "Slack token"),
    ("xoxp-", Dotted, 10, "Slack token"),
    ("xoxa-", Dotted, 10, "Slack token"),
    ("xoxr-", Dotted, 10, "Slack token"),
    ("xoxs-", Dotted, 10, "Slack token"),
    ("xoxe-", Dotted, 10, "Slack token"),
    ("xoxe.", Dotted, 10, "Slack token"),
    ("xoxc-", Dotted, 10, "Slack token"),
    ("xoxd-", Dotted, 10, "Slack token"),
    ("xapp-", Dotted, 10, "Slack token"),
    ("hooks.slack.com/services/", Dotted, 20, "Slack webhook"),
    ("discord.com/api/webhooks/", Dotted, 40, "Discord webhook"),
    ("sk_live_", Plain, 10, "Stripe key"),
    ("sk_test_", Plain, 10, "Stripe key"),
    ("rk_live_", Plain, 10, "Stripe key"),
    ("rk_test_", Plain, 10, "Stripe key"),
    ("whsec_", Dotted, 20, "Stripe key"),
    ("sk-ant-", Dashed, 20, "Anthropic key"),
    ("sk-or-", Dashed, 20, "OpenRouter key"),
    ("sk-proj-", Dashed, 20, "OpenAI key"),
    ("sk-svcacct-", Dashed, 20, "OpenAI key"),
    ("sk-admin-", Dashed, 20, "OpenAI key"),
    ("sk-", Dashed, 20, "API key"),
    ("AIza", Dashed, 30, "Google key"),
    ("ya29.", Dashed, 20, "Google token"),
    ("GOCSPX-", Dashed, 20, "Google secret"),
    ("1//0", Dashed, 30, "Google token"),
    ("hf_", Plain, 30, "Hugging Face token"),
    ("npm_", Plain, 36, "npm token"),
    ("pypi-Ag", Dashed, 40, "PyPI token"),
    ("cio", Plain, 32, "Cargo token"),
    ("rubygems_", Hex, 40, "RubyGems key"),
    ("dckr_pat_", Dashed, 20, "Docker token"),
    ("dckr_oat_", Dashed, 20, "Docker token"),
    ("dop_v1_", Hex, 40, "DigitalOcean token"),
    ("doo_v1_", Hex, 40, "DigitalOcean token"),
    ("dor_v1_", Hex, 40, "DigitalOcean token"),
    ("HRKU-", Dashed, 30, "Heroku key"),
    ("SG.", Dotted, 50, "SendGrid key"),
    ("key-", Hex, 32, "Mailgun key"),
    ("SK", Hex, 32, "Twilio key"),
    ("gsk_", Plain, 30, "Groq key"),
    ("xai-", Plain, 40, "xAI key"),
    ("r8_", Plain, 30, "Replicate token"),
    ("pplx-", Plain, 30, "Perplexity key"),
    ("csk-", Plain, 30, "Cerebras key"),
    ("nvapi-", Dashed, 30, "NVIDIA key"),
    ("lsv2_", Dashed, 30, "LangSmith key"),
    ("pcsk_", Dashed, 30, "Pinecone key"),
    ("dapi", Hex, 32, "Databricks token"),
    ("hvs.", Dashed, 20, "Vault token"),
    ("hvb.", Dashed, 20, "Vault token"),
    ("hvr.", Dashed, 20, "Vault token"),
    ("lin_api_", Plain, 30, "Linear key"),
    ("ntn_", Plain, 30, "Notion token"),
    ("figd_", Dashed, 30, "Figma token"),
    ("shpat_", Hex, 32, "Shopify token"),
    ("shpca_", Hex, 32, "Shopify token"),
    ("shppa_", Hex, 32, "Shopify token"),
    ("shpss_", Hex, 32, "Shopify token"),
    ("sq0atp-", Dashed, 20, "Square token"),
    ("sq0csp-", Dashed, 20, "Square token"),
    ("NRAK-", Plain, 20, "New Relic key"),
    ("glc_", Dotted, 30, "Grafana token"),
    ("glsa_", Dashed, 30, "Grafana token"),
    ("sntrys_", Dotted, 30, "Sentry token"),
    ("sntryu_", Hex, 40, "Sentry token"),
    ("dp.pt.", Plain, 30, "Doppler token"),
    ("dp.st.", Dotted, 30, "Doppler token"),
    ("pscale_tkn_", Dashed, 30, "PlanetScale token"),
    ("pscale_pw_", Dashed, 30, "PlanetScale token"),
    ("sbp_", Hex, 40, "Supabase token"),
    ("PMAK-", Dashed, 40, "Postman key"),
    ("tskey-", Dashed, 20, "Tailscale key"),
    ("nfp_", Plain, 30, "Netlify token"),
    ("ops_eyJ", Dashed, 40, "API token"),
    ("dt0c01.", Dotted, 40, "Dynatrace token"),
    ("AKCp", Plain, 40, "Artifactory key"),
    ("AGE-SECRET-KEY-1", Capitals, 40, "age key"),
];

static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let beginnings = SHAPES.iter().map(|(beginning, ..)| beginning);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(beginnings).ok()
});

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for hit in BEGINNINGS.iter().flat_map(|beginnings| beginnings.find_iter(text)) {
        let (_, body, least, kind) = SHAPES[hit.pattern().as_usize()];
        if hit.start() < done || hit.start() > 0 && continues_a_word(bytes[hit.start() - 1]) {
            continue;
        }
        let rest = &bytes[hit.end()..];
        let length = rest.iter().take_while(|byte| body.takes(**byte)).count();
        done = hit.end() + length;
        let rest = &rest[..length];
        // What goes on beyond what the shape allows is something else: a name, a path, the base64 of a picture.
        let ends = body == Dotted || bytes.get(done).is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_');
        if length >= least && ends && is_random(rest, body) {
            let trailing = rest.iter().rev().take_while(|byte| b".:/%=-".contains(byte)).count();
            found.push(Found::new(hit.start()..done - if body == Dotted { trailing } else { 0 }, kind));
        }
    }
    web_tokens(text, found);
    bot_tokens(text, found);
}

/// `eyJ….eyJ….…`, as a header, claims and a signature; or in five parts, encrypted.
fn web_tokens(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for start in memchr::memmem::find_iter(bytes, "eyJ") {
        if start < done || start > 0 && continues_a_word(bytes[start - 1]) {
            continue;
        }
        let length = bytes[start..].iter().take_while(|byte| Dashed.takes(**byte) || **byte == b'.').count();
        done = start + length;
        let token = text[start..done].trim_end_matches('.');
        let mut parts = token.split('.');
        let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 8);
        if long(parts.next()) && long(parts.next()) {
            found.push(Found::new(start..start + token.len(), "JWT"));
        }
    }
}

/// Telegram's: a number, a colon, and 35 characters that begin with `AA`.
fn bot_tokens(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for colon in memchr::memmem::find_iter(bytes, ":AA") {
        let digits = bytes[..colon].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        let length = bytes[colon + 1..].iter().take(64).take_while(|byte| Dashed.takes(**byte)).count();
        if (8..=10).contains(&digits) && (33..=40).contains(&length) {
            found.push(Found::new(colon - digits..colon + 1 + length, "Telegram token"));
        }
    }
}

fn continues_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl Body {
    fn takes(self, byte: u8) -> bool {
        match self {
            Plain => byte.is_ascii_alphanumeric(),
            Dashed => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
            Dotted => byte.is_ascii_alphanumeric() || b"_-./%+=:".contains(&byte),
            Hex => byte.is_ascii_hexdigit(),
            Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

/// Words joined by dashes are a name. What was drawn at random has digits, or capitals amid small letters, in one long run.
fn is_random(body: &[u8], kind: Body) -> bool {
    let runs = body.split(|byte| !byte.is_ascii_alphanumeric());
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    let has = |test: fn(&u8) -> bool| body.iter().any(test);
    let is_mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    match kind {
        Capitals => true,
        Hex => has(u8::is_ascii_digit),
        Plain | Dotted => is_mixed && longest.len() >= 8,
        Dashed => is_mixed && longest.len() >= 12,
    }
}
