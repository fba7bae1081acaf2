//! The topics that people ask about.

use super::topics::Topic;
use super::topics::TopicAnswer::{Setting, Words};

/// A topic that is a setting.
const fn setting(
    asks: &'static [&'static str],
    also: &'static str,
    (name, value, more): (&'static str, &'static str, &'static str),
) -> Topic {
    Topic { asks, also, answer: Setting(name, value, more) }
}

/// A topic that is something else.
const fn told(asks: &'static [&'static str], also: &'static str, words: &'static str, document: &'static str) -> Topic {
    Topic { asks, also, answer: Words(words, document) }
}

/// Of topics that fit equally well, the first counts.
pub(super) static TOPICS: &[Topic] = &[
    setting(
        &["hotkey", "key conversation|line|prompt opens|open|opening", "ctrl|control backslash"],
        "key keys key-binding binding press pressed disable off conversation line program vim running over bind ctrl control",
        ("hotkey", "\"ctrl-]\"", "\"none\" turns it off."),
    ),
    setting(
        &[
            "keys change|changed|changing|configure|remap|rebind|bind|set|choose|own|customise|customize|list|off",
            "key change|changed|changing|remap|rebind|unfold|unfolds|output|thinking|background|stop|stops|newline|editor",
            "keybindings|keymap|bindings|shortcuts",
            "rebind|remap",
        ],
        "key keys output thinking background answer line newline editor conversation list disable off another different \
         unfold unfolds stop stops agent works while bindings which press pressed bind",
        (
            "keys.unfold",
            "\"alt-o\"",
            "`> /keys` lists the actions with the keys in force. `[]` turns an action off. Ctrl-C always stops an answer.",
        ),
    ),
    setting(
        &["record|recording @off", "history|remember|remembering @off", "pause record|recording|history"],
        "command commands typed run shell session terminal keep keeping save saving store my whole pause from",
        (
            "history.enabled",
            "false",
            "For this terminal only: `shellmate history pause`, and `shellmate history resume`.\n\
             A single command is not recorded if it begins with a blank.",
        ),
    ),
    setting(
        &[
            "ignore|exclude|skip|omit command|commands|pattern|history|recording",
            "keep|leave|hide command|commands|password|passwords|secret out|history|recorded|recording",
        ],
        "some certain particular matching pattern patterns record recorded history from with secret secrets password passwords",
        ("history.ignore", "['^pass ']", "A single command is not recorded if it begins with a blank."),
    ),
    told(
        &[
            "@where history|commands|recording|records|recorded kept|stored|saved|keep|store|save|live|lives|located|written",
            "@where history|commands",
            "history database|file",
        ],
        "command kept stored saved keep store live located file database disk output outputs recorded typed run on",
        "The history is the database ~/.local/state/shellmate/history.db (below $XDG_STATE_HOME if that is set), readable by you alone.\n  \
         `shellmate history` lists it, `shellmate history search WORDS` searches it, `shellmate doctor` prints its path.",
        "shellmate://docs/README.md",
    ),
    told(
        &["forget|delete|remove|erase|purge|clear|wipe command|history|recording"],
        "last line from output single recorded entry entries record records everything whole old typed just earlier password secret i've",
        "`shellmate history forget ID` deletes a command with its output; `shellmate history` shows the IDs.\n  \
         `shellmate history forget --since 1h` and `--all` delete more. The history of your shell itself is not changed.",
        "docs/CLI.md",
    ),
    told(
        &[
            "search|find|grep history|earlier|old|previous|recorded",
            "see|list|show|view|browse history",
            "search|find command|commands earlier|ran|yesterday|old|previous|typed",
        ],
        "command commands output printed ran run past my history from words text last week",
        "`shellmate history search` opens a finder: type to filter, Enter puts the command on the prompt. With `--list` or in a pipe,\n  \
         `shellmate history search WORDS` finds commands by their text or their output; `shellmate history` lists the newest.\n  \
         `--failed`, `--since 2d` and `--cwd DIR` narrow it. `shellmate history show ID` prints one with its output.",
        "docs/CLI.md",
    ),
    setting(
        &[
            "long|many|big|large|much|size|limit|grow history",
            "long|many commands kept|keep|recorded|stored|remembered",
            "how many|limit|maximum commands history|kept|recorded",
        ],
        "kept keep stored long days entries command grow disk maximum become remembered how limit number",
        ("history.commands", "50000", "`history.size` limits the size on disk (default \"1 GiB\")."),
    ),
    setting(
        &[
            "much|many|long|limit|size|more|less output|outputs kept|keep|stored|store|recorded|saved|remembered|captured|capture",
        ],
        "command commands lines bytes of each every kept how big",
        ("capture.tail", "\"1 MiB\"", "`capture.head` keeps the beginning, and `capture.spill` the rest in a file."),
    ),
    setting(
        &[
            "model|models|llm change|switch|choose|select|use|another|different|set|pick|default|other|specify|configure",
            "provider change|switch|choose|select|another|different|pick",
            "which model|llm",
        ],
        "language ai default permanently asked ask answers answering",
        (
            "model.name",
            "\"anthropic/claude-sonnet-4-5\"",
            "`> /model NAME` changes it for this conversation, `shellmate models` lists the models,\n\
             and `SHELLMATE_MODEL` takes precedence.",
        ),
    ),
    told(
        &[
            "@where api|provider|providers|openai|anthropic key|keys|token|tokens",
            "forget|delete|remove api|provider|providers|openai|anthropic key|keys|token|login",
        ],
        "kept stored saved keep store my model",
        "Keys that `shellmate auth login` stores are in ~/.local/state/shellmate/keys.json, readable by you alone.\n  \
         `shellmate auth status` says which providers have a key, `shellmate auth logout PROVIDER` deletes one.",
        "docs/CLI.md",
    ),
    told(
        &[
            "connect|add|setup model|llm|provider|ollama|openai|anthropic",
            "log|login|sign provider|openai|anthropic|api",
            "add|give|enter|store|set|put api|provider|openai|anthropic key|keys|token",
            "use ollama|openai|anthropic|openrouter|gemini|groq|deepseek|lmstudio|llamacpp|vllm|offline",
            "local model|llm",
        ],
        "in key keys local machine server my language ai first account api studio lm up cpp run running",
        "`shellmate auth login PROVIDER` stores a key. Exported variables such as ANTHROPIC_API_KEY or OPENAI_API_KEY are used too,\n  \
         and OPENAI_BASE_URL names any compatible server. Ollama, LM Studio, llama.cpp and vLLM on this machine are found by themselves.",
        "docs/MODELS.md",
    ),
    told(
        &["login|default shell", "start|run|launch|open automatically|always|automatic|startup|login|every", "chsh"],
        "log in as default every each terminal tab time shell my system automatically login startup chsh",
        "Try `shellmate -l` first and keep a terminal open, then:\n    \
         echo \"$(command -v shellmate)\" | sudo tee -a /etc/shells\n    \
         chsh -s \"$(command -v shellmate)\"\n  \
         Or set the command of a terminal profile to shellmate. `chsh -s /bin/bash` undoes it; `shellmate doctor` checks it.",
        "shellmate://docs/LOGIN-SHELL.md",
    ),
    setting(
        &["shell another|different|other|inner|change|choose|wrap|underneath"],
        "bash zsh fish instead inside which starts started",
        ("shell", "\"/bin/zsh\"", "`shellmate --shell PATH` starts another one once."),
    ),
    setting(
        &["hint @off", "dim line @off", "dim line", "suggestion|correction @off"],
        "rid dim line lines below after failed command commands fails failing correction showing appear every",
        (
            "hint",
            "false",
            "It is off unless you have turned it on. The line above the prompt of a nested shell is `nested_hint` (default true).",
        ),
    ),
    setting(
        &["hint on|enable|turn|show|after", "suggestion|correction on|enable", "suggestion|correction failed|after"],
        "dim line lines below after failed command commands fails failing correction enable see every",
        ("hint", "true", ""),
    ),
    setting(
        &["welcome line|message|off|hide", "line|message first|three start|starts|prompt", "hide|off type|why line"],
        "off disable stop hide line first start starts above prompt says how ask welcome message dim type why",
        ("welcome", "false", "It is shown at the first three starts only."),
    ),
    setting(
        &["nested hint|line|notice|message|warning|shell", "ssh|sudo hint|notice|warning|message"],
        "off disable stop line shell above prompt says nested hint ssh sudo bash dim without",
        ("nested_hint", "false", ""),
    ),
    setting(
        &[
            "theme|themes",
            "colour|colours|color|colors|colors answer|answers|change|turn|off|your|you|shellmate|use",
            "dark|light mode|theme|colors|colours",
        ],
        "dark light mono own answers answer output background off custom mode off black white available disable without",
        ("theme", "\"dark\"", "`shellmate theme set` shows the themes with a sample and uses the one you pick."),
    ),
    setting(
        &["wrap|wrapping|wrapped line|word|off|answer|text|long|disable|stop"],
        "line lines long word words off disable answers answer text copy copying terminal stop",
        ("wrap", "\"terminal\"", ""),
    ),
    setting(
        &["rules|reflex @off", "rules built|builtin", "reflex", "never|without|not model ask|asking|asked|use|using"],
        "built builtin in off disable only model ask asking asked a",
        ("reflex", "\"off\"", "\"only\" never asks a model, \"off\" uses no rules."),
    ),
    setting(
        &[
            "mask|redact|redaction secret|password|token|key|more|pattern|you|your|text|model|what|word|name",
            "hide|protect secret|secrets|password|passwords|token|tokens|keys model|you|sent|ai|llm",
        ],
        "secret secrets more pattern patterns password passwords token tokens keys key text words model custom additional see seen sent sending send own off stop company names",
        ("redact.patterns", "['EMP-[0-9]+']", "`redact.exempt` names what is not masked."),
    ),
    told(
        &[
            "what|which sent|send|sends|shared|share|uploaded|see|sees model|you|context|llm|ai|provider|question|internet|network|cloud",
            "data sent|send|leave|leaves|upload|uploaded|shared",
        ],
        "data model llm ai context question questions each along machine leave leaves my exactly actually openai anthropic computer",
        "`> /context` shows exactly what the next question would send, with its size. Nothing leaves the machine until you ask,\n  \
         and keys and passwords are masked. `agent.context_size` limits how much of your commands goes along.",
        "docs/CONFIG.md",
    ),
    setting(
        &["much|many|less|more|limit|lines output|outputs|commands|context sent|send|goes|sends|model|question"],
        "command how recent my along lines size output model each with history of",
        (
            "agent.context_size",
            "\"8 KiB\"",
            "`agent.context_lines` limits the lines of output; 0 as `context_size` sends nothing.",
        ),
    ),
    setting(
        &[
            "convention @off",
            "convention read|send|sent|turn|enable",
            "agents|claude|agent md @off",
            "agents|claude|agent md read|ignore|send|turn",
        ],
        "agents claude md file files project read reading send sent off disable stop ignore ignoring sending my rules cursor not",
        ("agent.conventions", "false", ""),
    ),
    setting(
        &[
            "skill add|install|write|create|where|find|found|directory|off|disable|list|put|see|available|use|path|there|have|call",
        ],
        "add install write create where find found directory directories path paths folder put off disable list stop call kept stored file my see available",
        (
            "agent.skill_paths",
            "[\"~/team/skills\"]",
            "A skill is a directory with a SKILL.md, for example ~/.agents/skills/NAME/SKILL.md.\n`> /skills` lists them; `agent.skills = false` turns them off; more in docs/SKILLS.md.",
        ),
    ),
    setting(
        &["memory|notes|note off|disable|stop"],
        "long term keep keeping using sending my",
        (
            "agent.memory",
            "false",
            "It is off unless you have turned it on. `> /memory clear` deletes the notes; more in docs/MEMORY.md.",
        ),
    ),
    setting(
        &[
            "memory|notes|note @off",
            "memory|notes|note on|enable|turn|where|kept|stored|keep|edit|delete|clear|forget",
            "remember something|things|note|notes",
        ],
        "long term keep kept stored where on enable edit delete clear forget between conversations for my things file",
        (
            "agent.memory",
            "true",
            "`> /remember TEXT` keeps a note, `> /memory` shows, edits or deletes the notes; more in docs/MEMORY.md.",
        ),
    ),
    setting(
        &["vi|emacs mode|keys|bindings|keybindings|editing"],
        "line conversation keys key editing mode bindings keybindings in edit",
        (
            "line.mode",
            "\"vi\"",
            "This is the conversation line, which a bare `>` opens. Your shell keeps its own keys.",
        ),
    ),
    setting(
        &["timeout agent|tool|agent's|your|shellmate", "long|longer command|tool agent|you|your"],
        "agent's longer run running long may increase how default limit time command commands",
        ("agent.command_timeout", "300", "`agent.longest_timeout` is the longest time that the model may ask for."),
    ),
    setting(
        &["timeout model|answer|llm", "wait|waits long|longer model|answer"],
        "slow how long request requests increase silent idle time local before fails longer wait for",
        ("agent.idle_timeout", "600", ""),
    ),
    setting(
        &["step|steps limit|many|more|number|maximum|allow|asked|continue|increase"],
        "how limit number may take question one before continue asked ask agent increase allow answer maximum",
        ("agent.steps", "100", ""),
    ),
    setting(
        &[
            "compact|compaction|summarise|summarize|summary conversation|automatically|automatic|when|threshold|older|history",
            "compaction|compact @off",
            "compact|compaction threshold|change|turn",
        ],
        "conversation conversations automatically automatic when older long threshold earlier later sooner off history how it's by hand",
        ("agent.compact_at", "100000", "`> /compact` does it by hand; words after it say what matters."),
    ),
    setting(
        &["context window", "window model|token|llm", "num_ctx"],
        "size context tokens large how big model model's length limit increase local ollama",
        ("model.window", "16384", "`> /context` shows how full it is."),
    ),
    setting(
        &["base url", "custom|own|compatible endpoint", "openai url|server|endpoint"],
        "openai api model models point address compatible endpoint url server at custom base",
        ("model.base_url", "\"http://localhost:8000/v1\"", "`OPENAI_BASE_URL` works without the setting."),
    ),
    setting(
        &["prompt cache|caching", "cache|caching provider|provider's|model"],
        "provider prompts long short off disable longer how",
        ("model.cache", "\"long\"", ""),
    ),
    told(
        &[
            "thinking|reasoning|effort level|change|more|less|off|disable|high|low|turn|set|show|hide|stop",
            "think harder|hard|more|less",
        ],
        "level change hard model how less more off disable stop high low",
        "`> /thinking LEVEL` says how hard the model thinks: off, minimal, low, medium, high or xhigh.\n  \
         In `model.name`, `SHELLMATE_MODEL` and `> /model` the level follows the name: `openai/gpt-5:high`.\n  \
         Ctrl-T shows the thinking, unless `[keys]` names another key for `thinking`.",
        "docs/MODELS.md",
    ),
    told(
        &["conversation|chat|context new|start|clear|reset|begin|forget|fresh"],
        "new start clear reset begin fresh previous old earlier conversation chat from scratch",
        "`> /new` begins a new conversation. A bare `>` opens a line that stays open for follow-ups; an empty line closes it.",
        "shellmate://docs/README.md",
    ),
    told(
        &[
            "stop|cancel|interrupt|abort|kill answer|answers|answering|request|question|you|agent|model|generation|response",
        ],
        "running current while it's half middle the-agent answering talking",
        "Ctrl-C stops the answer and the commands it runs. ` &` at the end of the question continues it in the background, and so does\n  \
         the key for `background` (default Ctrl-Z; `> /keys` shows yours).",
        "shellmate://docs/README.md",
    ),
    told(
        &["background answer|question|request|ask|agent"],
        "send move keep let it's while running bring back foreground in",
        "` &` at the end of the question continues it in the background, and so does the key for `background` while it answers (default\n  \
         Ctrl-Z; `> /keys` shows yours). `> /show N` brings it back.",
        "shellmate://docs/README.md",
    ),
    told(
        &[
            "slash command|commands",
            "what|which|list command|commands|keys available|have|there|understand|support|know",
        ],
        "list available have slash all there understand support commands keys",
        "`> /help` lists the commands of a question, `> /keys` the keys, `shellmate --help` those of the shell.",
        "docs/CLI.md",
    ),
    told(
        &[
            "config|configuration|settings|preferences|configure @where",
            "config|configuration|settings|preferences|configure|customise|customize edit|change|open|see|find|list|shellmate|you|your",
        ],
        "kept stored saved file where are available default defaults edit list open",
        "The settings are in ~/.config/shellmate/config.toml (below $XDG_CONFIG_HOME if that is set; `shellmate config path` says where).\n  \
         `shellmate config edit` opens the file, `shellmate config get` prints what is in effect, `shellmate config set KEY VALUE` changes a key.",
        "docs/CONFIG.md",
    ),
    told(
        &["log|logs|logging shellmate|your|you @where|see|read|find|enable|level|turn", "debug shellmate"],
        "file kept written level debug log logs where",
        "SHELLMATE_LOG=debug, set before shellmate starts, writes a log to ~/.local/state/shellmate/log/. Without it there is none.",
        "docs/CONTRIBUTING.md",
    ),
    told(
        &[
            "attach file|picture|image|screenshot|output|command",
            "send file|picture|image|screenshot|output you|model|question|along|agent",
        ],
        "question model you last command output previous along earlier to",
        "`@path` in a question sends a file, a picture or the names in a directory along; `@last` and `@ID` an earlier command with its output.",
        "shellmate://docs/README.md",
    ),
    told(
        &["cost|costs|spent|spend|usage much|many|see|did|does|far|tokens|you|so", "tokens used|spent|many|use"],
        "money tokens token question questions far session today how have cost costs much",
        "`> /usage` shows the tokens and the cost so far; the line below each answer shows those of the answer.",
        "docs/MODELS.md",
    ),
    told(
        &["empty|truncate file", "redirection literally|literal|mean|begin|line"],
        "still real log",
        "A line that begins with a blank goes to the shell as it is: ` > file` empties the file. So do `>file`, `>>file` and `: > file`.",
        "shellmate://docs/README.md",
    ),
    told(
        &[
            "uninstall shellmate|you",
            "remove|delete|leave|quit|exit|rid shellmate|you",
            "quit|exit|leave|close conversation|line",
        ],
        "for good completely remove temporarily this session program get rid",
        "`exit` leaves shellmate, an empty line closes the conversation line. To uninstall: `chsh -s /bin/bash` if it is your login shell,\n  \
         then delete the binary, ~/.config/shellmate and ~/.local/state/shellmate.",
        "shellmate://docs/README.md",
    ),
    told(
        &["problem|problems|wrong|broken|check|diagnose|troubleshoot shellmate|installation|you", "doctor"],
        "with installation my find setup if work working run",
        "`shellmate doctor` checks the installation and says how to fix what it finds.",
        "docs/CLI.md",
    ),
];
