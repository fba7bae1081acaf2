//! The tables of conversations.

/// `conversations` and `entries` are only ever added to, until they are removed as a whole.
///
/// An entry's `parent` is the entry that it continues. The entries that end an exchange, compact or rewind form the branches of a
/// conversation; the newest of them is its tip. The parent of a `rewind` is the entry that was gone back to. The parent of a message is
/// the message before it, and the parent of a question the tip at that time. `exchange` is the question that an entry belongs to.
/// `forked_from` is the entry of another conversation that this one continues. Times are microseconds, `at` since 1970.
///
/// `conversation_list` has what a list shows. It is derived from the entries by triggers, so that no list reads them. Its `terminal` is
/// the one where the last question was asked, and `is_open` tells whether the conversation was not closed since. `queries` has one
/// row of figures for each exchange that ended, under the id of its question, and for each other request, under a negative id. It has no
/// text and stays when the text is forgotten. `said` is the search index: one
/// row for each exchange, under the id of its question. `pictures` names the
/// picture files that an entry refers to.
pub(in crate::store) const TABLES: &str = "
    CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        host TEXT NOT NULL,
        terminal TEXT NOT NULL,
        cwd ANY NOT NULL,
        repository ANY NOT NULL,
        forked_from INTEGER,
        started_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent INTEGER,
        exchange INTEGER,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX entries_of_conversation ON entries (conversation, kind);
    CREATE INDEX entries_of_exchange ON entries (exchange) WHERE exchange IS NOT NULL;

    CREATE TABLE conversation_list (
        id INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
        touched_at INTEGER NOT NULL,
        repository ANY NOT NULL,
        terminal TEXT NOT NULL,
        name TEXT,
        opening TEXT,
        model TEXT,
        exchanges INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        is_open INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX conversations_by_time ON conversation_list (touched_at);
    CREATE INDEX conversations_by_repository ON conversation_list (repository, touched_at);
    CREATE INDEX open_conversations ON conversation_list (terminal) WHERE is_open;

    CREATE TABLE queries (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL,
        asked_at INTEGER NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        input INTEGER NOT NULL,
        output INTEGER NOT NULL,
        cached INTEGER NOT NULL,
        cache_written INTEGER NOT NULL,
        cost REAL,
        first_token INTEGER,
        duration INTEGER NOT NULL,
        ending TEXT NOT NULL
    ) STRICT;
    CREATE INDEX queries_by_time ON queries (asked_at);

    CREATE TABLE pictures (
        hash TEXT NOT NULL,
        entry INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
        PRIMARY KEY (hash, entry)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX pictures_of_entry ON pictures (entry);

    CREATE VIRTUAL TABLE said USING fts5 (
        question, answer, work,
        content='', contentless_delete=1,
        tokenize='unicode61 remove_diacritics 2'
    );

    CREATE TABLE conversation_totals (conversations INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
    INSERT INTO conversation_totals VALUES (0, 0);

    CREATE TRIGGER conversation_added AFTER INSERT ON conversations BEGIN
        INSERT INTO conversation_list
        SELECT new.id, new.started_at, new.repository, new.terminal, origin.name, origin.opening, origin.model, 0, 0, 0
        FROM (SELECT 1) LEFT JOIN conversation_list AS origin
            ON origin.id = (SELECT conversation FROM entries WHERE id = new.forked_from);
        UPDATE conversation_totals SET conversations = conversations + 1;
    END;

    CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
        UPDATE conversation_list SET
            touched_at = CASE new.kind WHEN 'closed' THEN touched_at ELSE new.at END,
            name = CASE new.kind WHEN 'name' THEN json_extract(new.body, '$.name') ELSE name END,
            opening = CASE new.kind
                WHEN 'question' THEN coalesce(opening, substr(json_extract(new.body, '$.question'), 1, 200))
                ELSE opening END,
            model = CASE new.kind WHEN 'end' THEN json_extract(new.body, '$.model') ELSE model END,
            exchanges = exchanges + (new.kind = 'question'),
            bytes = bytes + octet_length(new.body),
            is_open = CASE new.kind WHEN 'question' THEN 1 WHEN 'closed' THEN 0 ELSE is_open END
        WHERE id = new.conversation;
        UPDATE conversation_totals SET bytes = bytes + octet_length(new.body);
    END;

    CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
        DELETE FROM said WHERE rowid = old.id AND old.kind = 'question';
        UPDATE conversation_list SET bytes = bytes - octet_length(old.body) WHERE id = old.conversation;
        UPDATE conversation_totals SET bytes = bytes - octet_length(old.body);
    END;

    CREATE TRIGGER conversation_removed AFTER DELETE ON conversations BEGIN
        UPDATE conversation_totals SET conversations = conversations - 1;
    END;
";

/// The sizes of pictures count for the limit of all conversations, once for each file.
pub(in crate::store) const PICTURE_SIZES: &str = "
    ALTER TABLE pictures ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

    CREATE TRIGGER picture_added AFTER INSERT ON pictures
    WHEN (SELECT count(*) FROM pictures WHERE hash = new.hash) = 1 BEGIN
        UPDATE conversation_totals SET bytes = bytes + new.bytes;
    END;

    CREATE TRIGGER picture_removed AFTER DELETE ON pictures
    WHEN NOT EXISTS (SELECT 1 FROM pictures WHERE hash = old.hash) BEGIN
        UPDATE conversation_totals SET bytes = bytes - old.bytes;
    END;
";
