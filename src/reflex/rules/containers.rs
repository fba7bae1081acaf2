//! Containers, clusters and virtual machines: corrections that rewrite the line.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::World;
use crate::text;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "compose: old and new",
        tools: &["docker", "docker-compose"],
        signs: &[
            "command not found",
            "not found: docker-compose",
            "Unknown command",
            "is not a docker command",
            "unknown command: docker compose",
            "docker-compose: not found",
        ],
        apply: compose,
    },
    Rule {
        name: "docker: an official image's name",
        tools: &["docker", "podman", "nerdctl"],
        signs: &["pull access denied for"],
        apply: image,
    },
    Rule {
        name: "docker: not logged in",
        tools: &["docker", "podman", "nerdctl", "docker-compose"],
        signs: &[
            " access denied for ",
            "requested access to the resource is denied",
            "no basic auth credentials",
            "unauthorized: authentication required",
        ],
        apply: login,
    },
    Rule {
        name: "vagrant: a machine that is not up",
        tools: &["vagrant"],
        signs: &["Run `vagrant up`", "VM must be created", "VM must be running"],
        apply: vagrant_up,
    },
    Rule {
        name: "kubectl: exec without --",
        tools: &["kubectl", "oc"],
        signs: &["Use exec [POD] -- [COMMAND] instead"],
        apply: exec,
    },
];

/// Compose was a program of its own; it is a command of docker now.
fn compose(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if case.tool() == "docker-compose" && !world.has("docker-compose") && case.status == Some(127) {
        return Some(
            Finding::fix(Confidence::Sure, case.with_raw(0, "docker compose"), "compose is a command of docker now")
                .because("docker-compose is not installed; newer Docker has compose built in."),
        );
    }
    let is_missing = case.tool() == "docker" && case.word(1) == Some("compose");
    let says =
        case.output.says("'compose' is not a docker command") || case.output.says("unknown command: docker compose");
    if !is_missing || !says || case.output.says("unknown command: docker compose ") {
        return None;
    }
    let span = case.words().first()?.span.start..case.words().get(1)?.span.end;
    let cause = "This Docker has no compose command: its plugin is not installed.";
    let old = case.line.with(span, "docker-compose");
    Some(Finding::fix(Confidence::Likely, old, "the program it was before").because(cause))
}

/// `kubectl exec web ls`: the command must come after `--`.
fn exec(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let exec = case.position("exec")?;
    let takes_value =
        |index: usize| matches!(case.word(index), Some("-n" | "--namespace" | "-c" | "--container" | "--context"));
    let is_argument =
        |index: &usize| case.word(*index).is_some_and(|word| !word.starts_with('-')) && !takes_value(index - 1);
    let command = (exec + 1..case.words().len()).filter(is_argument).nth(1)?;
    let cause = "The command for the pod comes after --.";
    Some(
        Finding::fix(Confidence::Sure, case.with_inserted(command, "--"), "marks where the command begins")
            .because(cause),
    )
}

/// Official images that are used often.
const OFFICIAL: &[&str] = &[
    "adminer",
    "alpine",
    "amazonlinux",
    "archlinux",
    "bash",
    "busybox",
    "caddy",
    "cassandra",
    "debian",
    "docker",
    "drupal",
    "eclipse-temurin",
    "elasticsearch",
    "fedora",
    "gcc",
    "ghost",
    "golang",
    "gradle",
    "grafana",
    "haproxy",
    "hello-world",
    "httpd",
    "influxdb",
    "jenkins",
    "joomla",
    "kibana",
    "mariadb",
    "maven",
    "memcached",
    "mongo",
    "mysql",
    "nats",
    "neo4j",
    "nextcloud",
    "nginx",
    "node",
    "openjdk",
    "perl",
    "php",
    "postgres",
    "python",
    "rabbitmq",
    "redis",
    "registry",
    "rockylinux",
    "ruby",
    "rust",
    "solr",
    "sonarqube",
    "swift",
    "telegraf",
    "tomcat",
    "traefik",
    "ubuntu",
    "vault",
    "wordpress",
    "zookeeper",
];

/// A name without an owner can only be an official image.
fn image(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"pull access denied for ([\w.-]+?),"))?.get(1)?.as_str();
    let (index, typed) = case.words().iter().enumerate().skip(2).find(|(_, word)| {
        word.text.strip_prefix(wrong).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']))
    })?;
    let near = text::nearest(wrong, OFFICIAL.iter().copied().filter(|name| *name != wrong))?;
    let meant = format!("{near}{}", &typed.text[wrong.len()..]);
    Some(Finding::fix(Confidence::Sure, case.with_word(index, &meant), "the nearest official image"))
}

fn vagrant_up(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let machine = case.words().get(2..)?.iter().find(|word| !word.text.starts_with('-'));
    let finding = Finding::cause(Confidence::Sure, "The virtual machine is not running.");
    let finding = match machine {
        Some(machine) => {
            let up = format!("vagrant up {} &&", line::quoted(&machine.text));
            finding.or(case.with_before(&up), "starts that one first")
        }
        None => finding,
    };
    Some(finding.or(case.with_before("vagrant up &&"), "starts it first"))
}

/// A registry gives the same answer for a private image and for one that does not exist.
fn login(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let client = if case.tool() == "docker-compose" { "docker" } else { case.tool() };
    let cause = "Not logged in to the registry, or there is no such image, or this account may not use it.";
    Some(
        Finding::fix(Confidence::Sure, case.with_before(&format!("{client} login &&")), "logs in first").because(cause),
    )
}
