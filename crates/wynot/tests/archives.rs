//! Archives as versions: nothing outside of them is read, nothing is asked, nothing is started.

mod support;

use std::process::Command;
use support::changes::{change, found, sh};
use support::{Place, Ran, ran};
use wynot_test_support::{Tool, require};

/// A good version as a directory and a bad one that `pack` makes an archive of.
fn versions(pack: &str) -> Place {
    let place = Place::new();
    place.script("t", "! grep -q two lib/x || { echo error: two >&2; exit 1; }");
    sh(
        &place,
        &format!(
            "mkdir -p good/lib v/bad/lib; echo one > good/lib/x; echo two > v/bad/lib/x; cp t good/
             cp t v/bad/; cd v; {pack}"
        ),
    );
    place
}

fn changes(place: &Place, bad: &str) -> Ran {
    place.run(["changes", "--good", "good", &format!("--bad={bad}"), "--", "./t"])
}

#[test]
fn a_link_as_the_only_entry_leads_nowhere() {
    require!(Tool::Tar, Tool::Zip);
    let place = versions("mkdir ../keys; echo secret > ../keys/id; ln -s ../keys k");
    sh(&place, "cd v; ln -s \"$PWD/../keys\" a; tar -cf ../k.tar k; zip -qy ../a.zip a");
    for (archive, link) in [("k.tar", "k is a link to ../keys"), ("a.zip", "a is a link to /")] {
        let refused = changes(&place, archive);
        refused.ends(2, &format!("wynot: cannot unpack {archive}: {link}"));
        refused.ends(2, "outside of the archive\nhint: unpack it yourself");
        assert!(!refused.stdout.contains("secret"), "{refused:?}");
    }
}

#[test]
fn an_encrypted_archive_is_refused_without_a_question() {
    require!(Tool::Zip, Tool::Script);
    let place = versions("zip -qr -P secret ../bad.zip bad");
    // On a terminal, so that a question would wait for an answer.
    let wynot = format!("{} changes --good good --bad bad.zip -- ./t", env!("CARGO_BIN_EXE_wynot"));
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "60", "script", "-qec", &wynot, "/dev/null"]);
    place.prepare(&mut command);
    let refused = ran(&mut command);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let said = refused.stdout.lines().find(|line| line.contains("cannot unpack bad.zip: bad/"));
    assert!(said.is_some_and(|line| line.trim_end().ends_with(" is encrypted")), "{refused:?}");
}

#[test]
fn names_are_neither_hosts_nor_options_nor_formats() {
    require!(Tool::Tar, Tool::Zip);
    let place = versions(
        "tar -czf ../packed bad; cp ../packed ../example.org:bad.tar.gz; cp ../packed ../--help
         cp ../packed ../wrong.zip; zip -qr ../z.zip bad; mv ../z.zip ../wrong.tar.bz2",
    );
    for name in ["example.org:bad.tar.gz", "--help", "wrong.zip", "wrong.tar.bz2"] {
        let bad = format!("--bad={name}");
        let answer = found(&place, &["--fresh", "--good", "good", &bad, "--", "./t"]);
        assert!(change(&answer).starts_with("lib/x"), "{answer}");
    }
    place.write("note.tar.gz", "no archive");
    changes(&place, "note.tar.gz")
        .ends(2, "cannot unpack note.tar.gz: it is neither a tar archive");
}

#[test]
fn archives_are_read_without_archive_tools() {
    require!(Tool::Tar, Tool::Xz);
    let place = versions("tar -cJf ../bad.tar.xz bad");
    let bin = place.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["sh", "grep", "git"] {
        let shell = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        let path = String::from_utf8(shell.unwrap().stdout).unwrap();
        std::os::unix::fs::symlink(path.trim(), bin.join(program)).unwrap();
    }
    let mut command = place.command();
    command.env("PATH", &bin);
    command.args(["changes", "--good", "good", "--bad", "bad.tar.xz", "--", "./t"]);
    let answer = ran(&mut command);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("two"), "{answer:?}");
}
