//! Journals that are torn, damaged, foreign or not trusted.

use super::*;
use crate::record::TestRecord;
use wynot_core::Outcome;
use wynot_supervisor::Ending;

fn test_record(contents: u8) -> Record {
    Record::Test(TestRecord {
        digest: Digest::of_bytes(&[contents]).to_string(),
        outcome: Outcome::Fail.to_string(),
        ending: Ending::Exit(1),
        micros: 5,
        bytes: 1,
        crash: None,
        reason: None,
        mentioned: Default::default(),
        summary: None,
        failure: None,
    })
}

fn key() -> Digest {
    Digest::of_bytes(b"key")
}

fn open(dir: &Path) -> Result<(Journal, JournalContents), JournalError> {
    Journal::open(dir, key(), false)
}

#[test]
fn records_are_read_back_and_a_torn_line_is_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, before) = open(dir.path()).unwrap();
    assert_eq!(before, JournalContents::default());
    journal.append(&test_record(1)).unwrap();
    journal.append(&test_record(2)).unwrap();
    let path = journal.path().to_owned();
    drop(journal);
    let complete = fs::read(&path).unwrap();
    for torn in 0..complete.len() - 1 {
        fs::write(&path, &complete[..torn]).unwrap();
        let complete_lines = complete[..torn].iter().filter(|&&byte| byte == b'\n').count();
        let (mut journal, past) = open(dir.path()).unwrap();
        assert_eq!((past.records.len(), past.damage), (complete_lines, None));
        journal.append(&test_record(3)).unwrap();
        drop(journal);
        let records = Journal::read(dir.path()).unwrap().records;
        assert_eq!(records.last(), Some(&test_record(3)));
    }
}

#[test]
fn no_flipped_bit_goes_unnoticed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = open(dir.path()).unwrap();
    (0..40).for_each(|number| journal.append(&test_record(number)).unwrap());
    let path = journal.path().to_owned();
    drop(journal);
    let intact = fs::read(&path).unwrap();
    let all = Journal::read(dir.path()).unwrap().records;
    let first_line = intact.iter().position(|&byte| byte == b'\n').unwrap();
    let stride = intact.len() * 8 / 1000;
    for bit in (0..intact.len() * 8).step_by(stride) {
        let mut flipped = intact.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).unwrap();
        let line = 1 + intact[..bit / 8].iter().filter(|&&byte| byte == b'\n').count();
        let past = match open(dir.path()) {
            Err(JournalError::Unreadable(_)) if bit / 8 <= first_line => continue,
            opened => opened.unwrap().1,
        };
        assert_eq!(past.records, all[..line - 1], "bit {bit}");
        let is_last = bit / 8 == intact.len() - 1;
        let damage = past.damage.map(|damage| (damage.line, damage.lost_outcomes));
        let lost = (all.len() + 1 - line) as u64;
        // The end of the last line is a line that was not written to its end; two lines can become one.
        match damage {
            None => assert!(is_last, "bit {bit}"),
            Some((at, outcomes)) => {
                assert_eq!(at, line, "bit {bit}");
                assert!(outcomes + 1 == lost || outcomes == lost, "bit {bit}: {outcomes}");
            }
        }
        let after = fs::metadata(&path).unwrap().len();
        assert_eq!(Journal::read(dir.path()).unwrap(), JournalContents { damage: None, ..past });
        assert!(after < intact.len() as u64, "the damage is cut off");
    }
}

#[test]
fn what_another_user_could_have_written_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let mine = dir.path().join("mine");
    drop(open(&mine).unwrap());
    let set_mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(&mine).unwrap().permissions().mode() & 0o777, 0o700);
    for (path, mode) in [(mine.clone(), 0o770), (mine.join(JOURNAL_FILE), 0o602)] {
        let before = fs::metadata(&path).unwrap().permissions().mode();
        set_mode(&path, mode);
        for error in [open(&mine).err(), Journal::read(&mine).err()] {
            let message = error.unwrap().to_string();
            let expected = format!("{} is not safe, because other users can", path.display());
            assert!(message.contains(&expected), "{message}");
        }
        assert_eq!((Journal::changed(&mine), Journal::runs(&mine).len()), (None, 0));
        set_mode(&path, before);
    }
    assert!(Journal::changed(&mine).is_some());
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    set_mode(&other, 0o700);
    symlink(mine.join(JOURNAL_FILE), other.join(JOURNAL_FILE)).unwrap();
    assert!(matches!(open(&other), Err(JournalError::Io { .. })), "links are not followed");
}

#[test]
fn a_journal_serves_one_process_at_a_time_and_only_the_run_it_belongs_to() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _) = Journal::open(dir.path(), key(), false).unwrap();
    let second = open(dir.path());
    assert!(matches!(second, Err(JournalError::InUse(_))));
    drop(journal);
    let other = Digest::of_bytes(b"other");
    let foreign = Journal::open(dir.path(), other, false);
    assert!(matches!(foreign, Err(JournalError::Foreign(_))));
    assert!(Journal::open(dir.path(), other, true).is_ok());
    let old = "{\"session\":{\"schema\":2,\"key\":\"00\"}}\n{\"looked\":{}}\n";
    fs::write(dir.path().join(JOURNAL_FILE), old).unwrap();
    for error in [Journal::open(dir.path(), key(), false).err(), Journal::read(dir.path()).err()] {
        let message = error.unwrap().to_string();
        assert!(message.contains("another version of wynot (format 2"), "{message}");
    }
    assert!(Journal::open(dir.path(), key(), true).is_ok(), "a fresh run replaces it");
    fs::write(dir.path().join(JOURNAL_FILE), "some notes\n").unwrap();
    let unreadable = Journal::open(dir.path(), key(), false);
    assert!(matches!(unreadable, Err(JournalError::Unreadable(_))));
}
