//! The tables of transcripts.

/// `transcript` has one row for each event. `question` is the entry that asked. `transcript_list` has what a list shows, and
/// `transcript_totals` is one row; both are kept by triggers, so that neither a list nor a limit reads the events. Times are
/// microseconds since 1970.
pub(in crate::store) const TRANSCRIPTS: &str = "
    CREATE TABLE transcript (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        question INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX transcript_of_session ON transcript (session);
    CREATE INDEX transcript_of_question ON transcript (question);

    CREATE TABLE transcript_list (
        session TEXT PRIMARY KEY,
        began_at INTEGER NOT NULL,
        touched_at INTEGER NOT NULL,
        questions INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        events INTEGER NOT NULL,
        bytes INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX transcripts_by_time ON transcript_list (touched_at);
    CREATE INDEX transcripts_by_size ON transcript_list (bytes);

    CREATE TABLE transcript_totals (bytes INTEGER NOT NULL) STRICT;
    INSERT INTO transcript_totals VALUES (0);

    CREATE TRIGGER event_added AFTER INSERT ON transcript BEGIN
        INSERT OR IGNORE INTO transcript_list VALUES (new.session, new.at, new.at, 0, 0, 0, 0);
        UPDATE transcript_list SET
            touched_at = new.at,
            questions = questions + NOT EXISTS (SELECT 1 FROM transcript WHERE question = new.question AND id <> new.id),
            calls = calls + (json_extract(new.body, '$.type') = 'call_started'),
            events = events + 1,
            bytes = bytes + octet_length(new.body)
        WHERE session = new.session;
        UPDATE transcript_totals SET bytes = bytes + octet_length(new.body);
    END;

    CREATE TRIGGER event_removed AFTER DELETE ON transcript BEGIN
        UPDATE transcript_list SET
            questions = questions - NOT EXISTS (SELECT 1 FROM transcript WHERE question = old.question),
            calls = calls - (json_extract(old.body, '$.type') = 'call_started'),
            events = events - 1,
            bytes = bytes - octet_length(old.body)
        WHERE session = old.session;
        DELETE FROM transcript_list WHERE session = old.session AND events = 0;
        UPDATE transcript_totals SET bytes = bytes - octet_length(old.body);
    END;
";
