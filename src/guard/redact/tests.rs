use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::growth::assert_linear;

fn masked(text: &str) -> String {
    Redactor::default().mask(text)
}

fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

const SECRET: &str = "kT7xWq2m9Zp4";

/// Random letters and digits, so that no real-looking token stands in the source.
pub(super) fn noise(length: usize) -> String {
    "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "4f1e9c0b7d2a8365".chars().cycle().take(length).collect()
}

#[test]
fn tokens_are_known_by_their_shape() {
    for (token, kind) in [
        (format!("AKIA{}", "IOSFODNN7EXAMPLE"), "AWS key"),
        (format!("ghp_{}", noise(36)), "GitHub token"),
        (format!("github_pat_{}_{}", noise(22), noise(59)), "GitHub token"),
        (format!("glpat-{}", noise(20)), "GitLab token"),
        (format!("xoxb-123456789012-1234567890123-{}", noise(24)), "Slack token"),
        (format!("sk_live_{}", noise(24)), "Stripe key"),
        (format!("sk-{}", noise(48)), "API key"),
        (format!("sk-proj-{}-{}_{}", noise(40), noise(20), noise(20)), "OpenAI key"),
        (format!("sk-ant-api03-{}-{}AA", noise(50), noise(40)), "Anthropic key"),
        (format!("AIza{}", noise(35)), "Google key"),
        (format!("hf_{}", noise(34)), "Hugging Face token"),
        (format!("npm_{}", noise(36)), "npm token"),
        (format!("pypi-AgEIcHlwaS5vcmc{}", noise(60)), "PyPI token"),
        (format!("SG.{}.{}", noise(22), noise(43)), "SendGrid key"),
        (format!("dop_v1_{}", hex(64)), "DigitalOcean token"),
        (format!("gsk_{}", noise(52)), "Groq key"),
        (format!("hvs.{}", noise(90)), "Vault token"),
        (format!("123456789:AA{}", noise(33)), "Telegram token"),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{}", noise(43)), "JWT"),
    ] {
        let expected = format!("[masked: {kind} #1]");
        for (before, after) in [("", ""), ("token ", "\n"), ("(\"", "\")"), ("https://a.b/?x=", "&y=1"), ("é", "é")] {
            let text = format!("{before}{token}{after}");
            assert_eq!(masked(&text), format!("{before}{expected}{after}"), "{text}");
        }
    }
}

#[test]
fn a_private_key_is_masked_whole_cut_or_escaped() {
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
    let block = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{line}\n{line}\nAAAA\n-----END OPENSSH PRIVATE KEY-----");
    assert_eq!(masked(&format!("a\n{block}\nb")), "a\n[masked: private key #1]\nb");
    let escaped = block.replace('\n', "\\n");
    assert_eq!(masked(&format!("{{\"k\": \"{escaped}\\n\"}}")), "{\"k\": \"[masked: private key #1]\\n\"}");
    let cut = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}\n[… 20 lines left out]\nmore");
    assert_eq!(masked(&cut), "[masked: private key #1]\n[… 20 lines left out]\nmore");
    let tail = format!("before\n  7\t{line}\n  8\t{line}\n  9\t-----END PRIVATE KEY-----\nafter");
    assert_eq!(masked(&tail), "before\n[masked: private key #1]\nafter");
    let putty = format!("Private-Lines: 2\n{line}\n{line}\nPrivate-MAC: 12");
    assert_eq!(masked(&putty), "[masked: private key #1]");
    let public = format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----");
    assert_eq!(masked(&public), public);
}

/// Each holds `§`, the secret, and everything else stays.
#[test]
fn what_a_name_announces_is_masked() {
    for text in [
        "export DB_PASSWORD=§",
        "DB_PASSWORD=§",
        "AWS_SECRET_ACCESS_KEY=§",
        "  12\tAPI_TOKEN=§",
        "+SECRET_KEY='§'",
        "docker run -e POSTGRES_PASSWORD=§ -p 80:80 postgres",
        "password = §",
        "password: §",
        "  - client_secret: \"§\"",
        "{\"user\":\"me\",\"password\":\"§\",\"x\":1}",
        "{\\\"apiKey\\\": \\\"§\\\"}",
        "db: {host: a, password: §}",
        "host=localhost user=me password=§ dbname=x",
        "Server=db;User Id=sa;Password=§;Encrypt=true",
        "<password>§</password>",
        "<user name=\"me\" password=\"§\"/>",
        "'password' => '§',",
        "define('DB_PASSWORD', '§');",
        "const apiKey: string = \"§\";",
        "os.environ[\"API_KEY\"] = \"§\"",
        "https://a.b/c?user=me&access_token=§&page=2",
        "https://me:§@example.org/x.git",
        "postgres://me:§@localhost:5432/db?sslmode=require",
        "redis://:§@cache:6379/0",
        "mysql --password § -h db",
        "tool --api-key=§ run",
        "tool --token § run",
        "curl -u me:§ https://example.org",
        "curl -sS --user 'me:§' https://example.org",
        "curl \\\n  -X POST \\\n  -u me:§ \\\n  https://example.org",
        "mysql -u root -p§ app",
        "sshpass -p § ssh host",
        "redis-cli -h cache -a § ping",
        "openssl rsa -in k -passin pass:§",
        "docker login -u me -p § registry",
        "machine example.org login me password §",
        "CREATE USER me IDENTIFIED BY '§'",
        "ALTER ROLE me PASSWORD '§'",
        "Authorization: Bearer §",
        "> authorization: Basic §",
        "{\"Authorization\": \"token §\"}",
        "curl -H 'X-Api-Key: §' https://example.org",
        "//registry.example.org/:_authToken=§",
        "\"auth\": \"§\"",
        "    client-key-data: §",
        "AccountName=a;AccountKey=§;EndpointSuffix=b",
        "  token: §",
        "Your token: §",
        "spring.datasource.password=§",
    ] {
        let text = text.replace('§', SECRET);
        let masked = masked(&text);
        assert!(!masked.contains(SECRET), "{text}\n{masked}");
        let (before, after) = text.split_once(SECRET).unwrap();
        assert!(masked.starts_with(before) && masked.ends_with(after), "{text}\n{masked}");
    }
}

#[test]
fn weak_passwords_are_masked_where_they_are_certain() {
    for (text, expected) in [
        ("password: letmein", "password: [masked: password #1]"),
        ("PGPASSWORD=letmein psql", "PGPASSWORD=[masked: password #1] psql"),
        ("--password hunter2", "--password [masked: password #1]"),
        ("\"password\": \"hunter2\"", "\"password\": \"[masked: password #1]\""),
        ("my password: hunter2", "my password: [masked: password #1]"),
        ("DB_PASS=1234", "DB_PASS=[masked: password #1]"),
        ("Cookie: sid=abc; theme=dark", "Cookie: [masked: cookie #1]"),
        ("< Set-Cookie: sid=abc123; Path=/; HttpOnly", "< Set-Cookie: [masked: cookie #1]; Path=/; HttpOnly"),
        ("-H 'Cookie: a=b; c=d' x", "-H 'Cookie: [masked: cookie #1]' x"),
        ("Proxy-Authorization: Basic bWU6cHc=", "Proxy-Authorization: Basic [masked: authorization #1]"),
    ] {
        assert_eq!(masked(text), expected);
    }
}

#[test]
fn ordinary_output_stays_as_it_is() {
    let picture: String =
        (0..40_000u32).map(|n| char::from(BASE64[(n.wrapping_mul(2_654_435_761) >> 13) as usize % 64])).collect();
    for text in [
        "commit 5d9597e4c0ffee0b1d2e3f4a5b6c7d8e9f0a1b2c\nAuthor: Me <me@example.org>\n",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  file.tar.gz",
        "-rw-r--r-- 1 me users  4096 Jan  1 12:00 password.txt\ndrwxr-xr-x 2 me users 4096 Jan  1 12:00 tokens",
        "checksum = \"1b2c3d4e5f60718293a4b5c6d7e8f9001b2c3d4e5f60718293a4b5c6d7e8f900\"",
        "\"integrity\": \"sha512-MpRbfXKj3lTrqKXjaF3Wc0G7WKQZpJZbEo8Qz4w6m6A2R5w==\",",
        "\"js-tokens\": \"^4.0.0\",\n\"jsonwebtoken\": \"^9.0.2\",\n\"passport\": \"0.6.0\"",
        "name = \"secret-service\"\nversion = \"4.0.0\"",
        "fn login(password: &str, token: Token) -> Result<Secret, Error> {",
        "let token = lexer.next_token();\nlet password = read_password()?;\nself.token = token;",
        "pub api_key: Option<String>,\n    password: String,\n    token: string;",
        "token = tokens[0]\nsecret = settings.SECRET_KEY\napi_key = os.environ[\"API_KEY\"]",
        "connect(host=host, password=password, token=self.token)\ntracing::info!(token=?token, %password, secret=%secret)",
        "PWD=/home/me/Projects/Acme2024/SourceCodeXYZ\npassword_dir=/home/me/Projects/Acme2024/SourceCodeXYZ",
        "password=$PASSWORD\nexport TOKEN=\"${TOKEN}\"\nTOKEN=$(cat token)\n",
        "API_KEY=your-api-key\nSECRET=changeme\nTOKEN=<token>\nPASSWORD=********\nKEY_FILE=/etc/ssl/key.pem",
        "error: unexpected token: found `}` at line 3\nSyntaxError: Unexpected token < in JSON at position 0",
        "max_tokens: 4096, token_count=1234, tokens=99, prompt_tokens: 12",
        "  --password string   the password of the registry\n  --token TOKEN  an access token\n  --password-stdin",
        "Password: \nEnter passphrase for key '/home/me/.ssh/id_ed25519': ",
        "the password is stored in the keyring; use --password or --token instead",
        "Invalid password: please try again. Forgot password?",
        "\"password\": \"Password\", \"token\": \"Token\", \"forgotPassword\": \"Forgot your password?\"",
        "type: string\npassword:\n  type: string\n  secretName: db-credentials",
        "git@github.com:me/app.git  https://github.com/me/app  http://localhost:8080/@scope/pkg  ssh://git@host:22/x",
        "docker run -u 1000:1000 -p 8080:80 image; ssh -p 2222 host; login -p",
        "test result: ok. 12 passed; 0 failed; pass: 12, key: value, keys = 3",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx8Vd3hY0Zl0ZQ8yqk1u7s5w2Jq6d8mB4nC0vR1tXyZ me@host",
        "primary_key=True, sort_key=created_at, cache-key: linux-cargo-0a1b2c3d",
        "keyboard: us\nmonkey=banana1\nauthor: me123456\ncompass=north1234",
        "risk-assessment-of-the-2024-plan-and-more.md sk-circle-fade-dot-animation-container",
        "npm_config_registry=https://registry.example.org npm_package_json=/app/package.json",
        "<input type=\"password\" name=\"password\" placeholder=\"Password\">",
        "Authorization: Bearer $TOKEN\nAuthorization: Bearer <token>\nAuthorization header is missing",
        "set-cookie: handled in parse_cookie(x)\ncookies: 3",
        "[masked: GitHub token #1] and password=[masked: password #2]",
        "signature: good, sig=12, Good signature from \"me\"",
        picture.as_str(),
    ] {
        assert_eq!(masked(text), text);
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[test]
fn our_own_source_has_hardly_a_secret() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in [
        "Cargo.lock",
        "Cargo.toml",
        "docs/PROTOCOL.md",
        "src/guard/grants.rs",
        "src/config/parse.rs",
        "src/track/scan/mod.rs",
    ] {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        assert_eq!(masked(&text), text, "{path}");
    }
}

#[test]
fn the_same_secret_has_the_same_number() {
    let redactor = Redactor::default();
    let [one, other] = [noise(36), noise(37)].map(|noise| format!("ghp_{noise}"));
    assert_eq!(
        redactor.mask(&format!("{one} {other} {one}")),
        "[masked: GitHub token #1] [masked: GitHub token #2] [masked: GitHub token #1]"
    );
    assert_eq!(redactor.mask(&format!("GITHUB_TOKEN={other}")), "GITHUB_TOKEN=[masked: GitHub token #2]");
    assert_eq!(redactor.placeholder_in("x [masked: GitHub token #2] y").as_deref(), Some("[masked: GitHub token #2]"));
    assert_eq!(redactor.placeholder_in("x [masked: GitHub token #7] y"), None);
}

#[test]
fn values_of_secret_variables_are_masked_wherever_they_are() {
    let redactor = Redactor::default();
    redactor.learn(&environment(&[
        ("DB_PASSWORD", "correct-horse"),
        ("APP_TOKEN", "s3cret"),
        ("EDITOR", "vim-is-the-editor"),
        ("PASSWORD", "password"),
        ("SSH_KEY", "/home/me/.ssh/id_ed25519"),
        ("PWD", "/home/me/Projects/Acme2024/SourceCodeXYZ"),
    ]));
    assert_eq!(
        redactor.mask(
            "echo correct-horse; x_correct-horse_y s3cret as3cretb vim-is-the-editor password /home/me/.ssh/id_ed25519"
        ),
        "echo [masked: $DB_PASSWORD #1]; x_[masked: $DB_PASSWORD #1]_y [masked: $APP_TOKEN #1] as3cretb vim-is-the-editor \
         password /home/me/.ssh/id_ed25519"
    );
    redactor.learn(&[]);
    assert_eq!(redactor.mask("correct-horse"), "correct-horse");
}

#[test]
fn a_session_secret_is_masked_everywhere_and_never_exempt() {
    let masking = Masking { exempt: vec![Regex::new(".").unwrap()], ..Masking::default() };
    let redactor = Redactor::new(masking);
    redactor.learn_secret("session nonce", "abcdef");
    redactor.learn_secret("session nonce", "0123456789abcdef");
    redactor.learn(&[]);
    assert_eq!(
        redactor.clone().mask("x=abcdefg 0123456789abcdef password=hunter2"),
        "x=[masked: session nonce #1]g [masked: session nonce #2] password=hunter2"
    );
    for number in 0..200 {
        redactor.learn_secret("session nonce", &format!("nonce-{number}"));
    }
    assert!(redactor.mask("nonce-199").starts_with("[masked: session nonce #"));
}

#[test]
fn own_patterns_are_added_and_exempt_ones_are_not_masked() {
    let pattern = |pattern: &str| Regex::new(pattern).unwrap();
    let masking = Masking {
        patterns: vec![pattern("EMP-[0-9]{6}"), pattern("ticket ([A-Z]+)")],
        exempt: vec![pattern("^test-"), pattern("^CI_TOKEN$")],
    };
    let redactor = Redactor::new(masking);
    redactor.learn(&environment(&[("CI_TOKEN", "public-enough-1234")]));
    assert_eq!(
        redactor.mask("EMP-123456 ticket ABC password=test-1234 public-enough-1234"),
        "[masked: secret #1] ticket [masked: secret #2] password=test-1234 public-enough-1234"
    );
}

#[test]
fn the_cost_is_linear_whatever_the_text() {
    for unit in [
        "token",
        "password=",
        "://a:",
        "-----BEGIN ",
        "-----END PRIVATE KEY-----\n",
        "eyJ",
        "sk-",
        "curl -u ",
        "key: \"",
        "cookie: a",
        "authorization: ",
        "SG.",
        "a line of ordinary text with a key and a token in it\n",
        "[masked: ",
        "AAAAAAAAAAAAAAAA\n",
        "\"",
        "password: '",
        "key: \\",
        "bearer a",
        "curl -u a:b",
        "token: x = \"",
        "&sig=",
        "-----BEGIN PRIVATE KEY-----\n",
        "a=b; cookie: ",
        "密key: ",
        "<key>",
        "a  TOKEN\n",
        "a,password\n",
        "{\"kty\":\"d\":",
        "a:5432:b:c:",
        "sshpass -p #",
        "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0+C\n",
    ] {
        let text = |bytes: usize| unit.chars().cycle().take(bytes).collect::<String>();
        assert_linear(unit, 1 << 14, text, |text| drop(masked(text)));
    }
}

/// Pieces of which secrets are made, in any order.
pub(super) fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        Just("password".to_owned()),
        Just("TOKEN=".to_owned()),
        Just("\"secret\": \"".to_owned()),
        Just("https://a:".to_owned()),
        Just("@host ".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("Cookie: a=".to_owned()),
        Just("; ".to_owned()),
        Just("curl -u me:".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----\n".to_owned()),
        Just("\n-----END PRIVATE KEY-----".to_owned()),
        Just("[masked: token #1]".to_owned()),
        Just("[masked: ".to_owned()),
        Just("漢 é".to_owned()),
        Just(" ".to_owned()),
        Just("=".to_owned()),
        Just("\n".to_owned()),
        Just("'".to_owned()),
        Just(format!("ghp_{}", noise(36))),
        Just("correct-horse-1".to_owned()),
        "[a-z0-9]{4,40}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn masking_twice_is_masking_once(text in pieces()) {
        let redactor = Redactor::default();
        redactor.learn(&environment(&[("MY_SECRET", "correct-horse-1")]));
        let once = redactor.mask(&text);
        prop_assert!(!once.contains("correct-horse-1"));
        prop_assert_eq!(redactor.mask(&once), once);
    }
}
