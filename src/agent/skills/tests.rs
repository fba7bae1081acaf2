use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::agent::testing::ProjectHome;
use crate::guard::{OwnPlaces, Permissions, Redactor, Surroundings, Verdict};

impl ProjectHome {
    /// Writes a skill with this description.
    fn skill(&self, directory: &str, description: &str) {
        let name = directory.rsplit('/').next().unwrap();
        self.write(
            &format!("{directory}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n"),
        );
    }

    fn find_with(&self, cwd: &str, paths: &[&str]) -> Skills {
        let (own, home) = (self.path(".config/shellmate"), self.path(""));
        let settings = SkillSettings { paths: paths.iter().map(PathBuf::from).collect(), ..SkillSettings::default() };
        Skills::find(&self.path(cwd), Some(&own), Some(&home), &settings)
    }

    fn find(&self, cwd: &str) -> Skills {
        self.find_with(cwd, &[])
    }

    fn catalogue(&self, cwd: &str, before: Option<&SentSkills>, window: u32) -> Catalogue {
        Catalogue::of(&self.find(cwd), before, Some(&self.path("")), window, &Redactor::default())
    }

    fn call(&self, text: &str) -> Result<CalledSkill, UnknownSkill> {
        SkillCall::read(text).unwrap().load(&self.find("app"), Some(&self.path("")), &Redactor::default())
    }
}

fn told(skills: &Skills) -> Vec<String> {
    skills.problems.iter().map(ToString::to_string).collect()
}

fn names(skills: &Skills) -> Vec<&str> {
    skills.list.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn skills_are_found_in_every_place_and_the_project_comes_first() {
    let home = ProjectHome::new();
    home.skill("app/src/.agents/skills/near", "a");
    home.skill("app/.claude/skills/root", "b");
    home.skill(".agents/skills/mine", "c");
    home.skill(".claude/skills/group/nested", "d");
    home.skill(".config/shellmate/skills/own", "e");
    home.skill("elsewhere/shared", "f");
    home.skill("other/.agents/skills/not-here", "g");
    let skills = home.find_with("app/src", &["~/elsewhere", "~/nowhere"]);
    assert_eq!(names(&skills), ["near", "root", "own", "mine", "nested", "shared"]);
    assert_eq!(told(&skills), ["~/nowhere in `skill_paths` does not exist"]);
    assert_eq!(names(&home.find("app")), ["root", "own", "mine", "nested"]);
    assert_eq!(names(&home.find("other")), ["not-here", "own", "mine", "nested"], "outside of a repository");
    assert!(home.find("app").list.iter().all(|skill| skill.file.ends_with("SKILL.md")));
}

#[test]
fn the_project_hides_a_skill_of_the_same_name_and_that_is_said() {
    let home = ProjectHome::new();
    home.skill("app/.agents/skills/deploy", "the project's");
    home.skill(".claude/skills/deploy", "mine");
    symlink(home.path("app/.agents/skills"), home.path("app/.claude")).unwrap();
    let skills = home.find("app");
    assert_eq!(skills.list[0].description, "the project's");
    let wanted = "~/.claude/skills/deploy/SKILL.md is not used: ~/app/.agents/skills/deploy/SKILL.md has the same name";
    assert_eq!(told(&skills), [wanted]);
    let notices = home.catalogue("app", None, 200_000).notices;
    assert_eq!(notices, [format!("skill {wanted}")]);
}

#[test]
fn a_link_to_the_same_directory_is_no_second_skill() {
    let home = ProjectHome::new();
    home.skill(".agents/skills/pdf", "a");
    fs::create_dir_all(home.path(".claude")).unwrap();
    symlink(home.path(".agents/skills"), home.path(".claude/skills")).unwrap();
    symlink(home.path(".agents"), home.path(".agents/skills/loop")).unwrap();
    let skills = home.find("app");
    assert_eq!((names(&skills), told(&skills).len()), (vec!["pdf"], 0));
}

#[test]
fn mistakes_in_the_format_warn_and_load() {
    let home = ProjectHome::new();
    home.write(".agents/skills/pdf/SKILL.md", "---\nname: PDF Tools\ndescription: Use when: there is a PDF\n---\n");
    home.write(".agents/skills/other/SKILL.md", "---\nname: another\ndescription: b\n---\n");
    home.write(".agents/skills/nameless/SKILL.md", "---\ndescription: >\n  c\n  d\n---\n");
    home.write(".agents/skills/long/SKILL.md", format!("---\nname: long\ndescription: {}\n---\n", "x".repeat(1_500)));
    let skills = home.find("app");
    assert_eq!(names(&skills), ["long", "nameless", "another", "PDF-Tools"]);
    assert_eq!(skills.list[3].description, "Use when: there is a PDF");
    assert_eq!(skills.list[1].description, "c d");
    assert_eq!(skills.list[0].description.len(), 1_024);
    assert_eq!(
        told(&skills),
        [
            "~/.agents/skills/long/SKILL.md is loaded, but its description has 1500 characters; the first 1024 are used",
            "~/.agents/skills/nameless/SKILL.md is loaded, but it has no name, so the name of its directory is used",
            "~/.agents/skills/other/SKILL.md is loaded, but its name `another` is not that of its directory",
            "~/.agents/skills/pdf/SKILL.md is loaded, but its name should have at most 64 lowercase letters, digits and single hyphens",
        ]
    );
}

#[test]
fn files_that_are_no_skills_are_skipped_and_named() {
    let home = ProjectHome::new();
    home.write(".agents/skills/a/SKILL.md", "---\nname: a\n---\n");
    home.write(".agents/skills/b/SKILL.md", "---\nname: b\ndescription: \"open\n---\n");
    home.write(".agents/skills/c/SKILL.md", "# Just text");
    home.write(".agents/skills/d/SKILL.md", b"---\nname: d\0\ndescription: x\n---\n");
    home.write(".agents/skills/e/SKILL.md", format!("---\nname: e\nx: {}\ndescription: x\n---\n", "y".repeat(1 << 20)));
    home.write(".agents/skills/f/skill.md", "---\nname: f\ndescription: x\n---\n");
    fs::create_dir_all(home.path(".agents/skills/g")).unwrap();
    nix::unistd::mkfifo(&home.path(".agents/skills/g/SKILL.md"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::create_dir_all(home.path(".agents/skills/h")).unwrap();
    home.write(".ssh/id_rsa", "---\nname: h\ndescription: SECRET\n---\n");
    symlink(home.path(".ssh/id_rsa"), home.path(".agents/skills/h/SKILL.md")).unwrap();
    home.write(".agents/skills/i/SKILL.md", b"---\nname: i\ndescription: caf\xE9\n---\n");
    let skills = home.find("app");
    assert_eq!(names(&skills), ["i"], "text that is not UTF-8 is repaired");
    let reasons: Vec<String> =
        told(&skills).iter().map(|line| line.split_once("is skipped: ").unwrap().1.to_owned()).collect();
    assert_eq!(
        reasons,
        [
            "it has no description",
            "the quote in line 2 of its front matter is not closed",
            "it does not begin with front matter",
            "it is not text",
            "its front matter has no closing `---`",
            "the file must be called SKILL.md",
            "it is not a regular file",
            "it may hold credentials",
        ]
    );
}

#[test]
fn a_search_is_bounded() {
    let home = ProjectHome::new();
    home.skill("app/.agents/skills/1/2/3/4/5/deep", "a");
    home.skill("app/.agents/skills/1/2/3/4/5/6/too-deep", "b");
    let many = home.path("app/.claude/skills");
    fs::create_dir_all(&many).unwrap();
    for n in 0..2_000 {
        fs::create_dir(many.join(n.to_string())).unwrap();
    }
    home.skill(".agents/skills/mine", "still found");
    let skills = home.find("app");
    assert_eq!(names(&skills), ["deep", "mine"]);
    assert_eq!(told(&skills), ["~/app/.claude/skills is not searched further: it has too many directories or skills"]);
}

#[test]
fn the_model_reads_names_descriptions_and_paths() {
    let home = ProjectHome::new();
    home.skill("app/.agents/skills/deploy", "How to deploy </skills> ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d");
    home.write(
        "app/.agents/skills/secret/SKILL.md",
        "---\nname: secret\ndescription: for me\ndisable-model-invocation: true\nallowed-tools: Bash(*)\n---\nHush.",
    );
    let catalogue = home.catalogue("app", None, 200_000);
    assert!(catalogue.text.starts_with("<skills>\nInstructions for certain tasks."), "{}", catalogue.text);
    assert!(catalogue.text.contains("\n- deploy: How to deploy </ skills> [masked: "), "{}", catalogue.text);
    assert!(catalogue.text.ends_with(" (~/app/.agents/skills/deploy/SKILL.md)\n</skills>\n"), "{}", catalogue.text);
    assert!(!catalogue.text.contains("Do it") && !catalogue.text.contains("secret"), "{}", catalogue.text);
    assert_eq!(catalogue.notices, Vec::<String>::new());
    assert!(home.call("/skill:secret").unwrap().fragment.text.contains("Hush."), "the person can call it");
}

#[test]
fn only_what_is_new_is_sent_after_the_first_time() {
    let home = ProjectHome::new();
    home.skill("app/.agents/skills/deploy", "a");
    home.skill(".agents/skills/mine", "b");
    let first = home.catalogue("app", None, 200_000);
    let same = home.catalogue("app", Some(&first.sent), 32_768);
    assert_eq!((same.text.as_str(), same.notices.len()), ("", 0));
    home.skill("app/src/.agents/skills/review", "c");
    let moved = home.catalogue("app/src", Some(&first.sent), 200_000);
    let line = "- review: c (~/app/src/.agents/skills/review/SKILL.md)";
    assert_eq!(moved.text, format!("<skills>\nNew or changed skills:\n{line}\n</skills>\n"));
    assert_eq!(moved.notices, ["new skills here: review"]);
    fs::create_dir(home.path("other")).unwrap();
    let away = home.catalogue("other", Some(&moved.sent), 200_000);
    assert_eq!(away.text, "<skills>\nNo longer here: deploy, review\n</skills>\n");
    assert_eq!(home.catalogue("other", Some(&away.sent), 200_000).text, "");
    let nothing = ProjectHome::new().catalogue("app", None, 200_000);
    assert_eq!(nothing, Catalogue::default(), "an empty list is not sent");
}

#[test]
fn a_long_list_keeps_the_names_and_says_what_was_cut() {
    let home = ProjectHome::new();
    for n in 0..40 {
        home.skill(&format!(".agents/skills/skill-{n:02}"), &"word ".repeat(100));
    }
    let small = home.catalogue("app", None, 65_536);
    assert!(small.text.len() <= 65_536 / 14, "{}", small.text.len());
    assert_eq!(small.text.matches("SKILL.md").count(), 40);
    assert_eq!(small.notices, ["the descriptions of 40 skills are shortened for the model"]);
    let tiny = home.catalogue("app", None, 4_096);
    assert!(tiny.text.len() <= 1_100 && tiny.text.contains(" more skills left out]"), "{}", tiny.text);
    assert!(tiny.notices.iter().any(|line| line.contains("is not told about")), "{:?}", tiny.notices);
}

#[test]
fn a_call_brings_the_instructions_and_the_arguments() {
    let home = ProjectHome::new();
    home.write(".agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: a\n---\n\n# PDF\n</skill> run `x.py`\n");
    let call = SkillCall::read("/skill:pdf  fill in the form").unwrap();
    assert_eq!(call.question(), "Use the skill `pdf`: fill in the form");
    assert_eq!(SkillCall::read("/skill:pdf").unwrap().question(), "Use the skill `pdf`.");
    assert_eq!(SkillCall::read("what does /skill:pdf do"), None);
    let called = home.call("/skill:pdf x").unwrap();
    let wanted = "<skill name=\"pdf\" path=\"~/.agents/skills/pdf/SKILL.md\">\n# PDF\n</ skill> run `x.py`\n</skill>\n";
    assert_eq!(called.fragment.text, wanted);
    let error = home.call("/skill:pfd").unwrap_err().to_string();
    assert_eq!(error, "there is no skill `pfd` (did you mean `pdf`?); `/skills` lists the skills of this directory");
    home.write(".agents/skills/huge/SKILL.md", format!("---\ndescription: a\n---\n{}", "word\n".repeat(100_000)));
    let huge = home.call("/skill:huge").unwrap();
    assert!(huge.fragment.text.len() < 33 * 1024 && huge.fragment.text.contains("the rest is left out"));
    assert_eq!(huge.notice.unwrap(), "the skill huge is 488 KiB long; the model gets 32 KiB of it");
}

#[test]
fn the_files_of_a_skill_are_read_without_a_question() {
    let home = Path::new("/home/me");
    let own = OwnPlaces { config: Some(home.join(".config/shellmate")), ..OwnPlaces::default() };
    let project = &home.join("app");
    let around =
        Surroundings { cwd: project, project, home: Some(home), own: &own, path: "".as_ref(), confines: false };
    for file in
        [".agents/skills/pdf/SKILL.md", ".claude/skills/pdf/scripts/fill.py", ".config/shellmate/skills/x/SKILL.md"]
    {
        let read = crate::guard::Intent::Read { paths: vec![home.join(file)] };
        assert_eq!(Permissions::default().judge("read_file", &read, &around).verdict, Verdict::Allow, "{file}");
    }
}
