//! Proposals, linked updates and provisional changes, and what happens once an authorised sender or
//! the owner confirms them.

use crate::post::{current, ingest, mail, mine};
use crate::repeats::*;
use futures::executor::block_on;
use memfold::consolidation::{OwnerVerdict, Status};
use memfold::decision::{Decision, Reason, Ruling, TrustRule};
use memfold::engine::{AddOptions, Cancel, IngestOptions, Role, Turn};
use memfold::model::{Id, Memory, Source};
use std::rc::Rc;

#[test]
fn statement_older_than_a_provisional_change_does_not_confirm_it() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    from(&m, "Eve <eve@elsewhere.example>", 2, 10, "Now kayak lessons are 350 euros");
    let late = sole(said(&m, 3, 8, "Now lessons in the kayak are 340 euros"));
    assert_eq!((late.decision, confirmed(&late).len()), (Decision::Update, 0), "{late:#?}");
    assert_eq!(late.reasons[0], Reason::OlderThanStored);
    assert!(holding(&m, "350").is_provisional());
    assert_eq!((current(&m).len(), waiting(&m).len()), (1, 0));
    sound(&m);
}

#[test]
fn authorised_sender_supersedes_provisional_changes_of_strangers() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let course = holding(&m, "kayak");
    let made = [(2, "Eve <eve@elsewhere.example>", 350), (3, "Dan <dan@yet.example>", 355)].map(|(id, who, euros)| {
        let entry = sole(from(&m, who, id, 10, &format!("Now kayak lessons are {euros} euros")));
        assert_eq!(entry.confirmation, Some(Ruling::Provisional), "{entry:#?}");
        entry
    });
    let entry = sole(said(&m, 4, 12, "Now kayak lessons are 360 euros"));
    assert_eq!((entry.decision, confirmed(&entry)), (Decision::Update, made.clone().map(|e| e.id).to_vec()));
    let head = holding(&m, "360");
    let line = block_on(m.history(head.id)).unwrap();
    let told: Vec<(Id, u32, bool)> = line.iter().map(|m| (m.id, m.version, m.is_provisional())).collect();
    let [first, second] = made.map(|e| e.memory_id.unwrap());
    assert_eq!(told, [(course.id, 1, false), (first, 2, true), (second, 3, true), (head.id, 4, false)]);
    sound(&m);
    block_on(m.undo(entry.id)).unwrap();
    assert!(holding(&m, "355").is_provisional());
    sound(&m);
}

const CHEAPER: &str = "Now kayak course costs 320 euros and takes five evenings.";

#[test]
fn accepted_change_of_a_note_uses_the_mails_wording() {
    let m = mine().with_model(Rc::new(model()));
    let note = [Turn { role: Role::User, content: KAYAK.into(), at: on(3) }];
    block_on(m.add(&note, &AddOptions::default(), Cancel::default())).unwrap();
    let entry = sole(from(&m, "Bo <bo@club.example>", 2, 10, CHEAPER));
    assert_eq!((entry.decision, entry.status), (Decision::Update, Status::Skipped));
    settle(&m, entry.id, OwnerVerdict::Accept).unwrap();
    let now = holding(&m, "320");
    assert_eq!((now.content.as_str(), now.version, now.source_type), (CHEAPER, 2, Source::UserInput));
    sound(&m);
}

#[test]
fn accepting_a_linked_update_merges_it_with_its_target_and_later_changes() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let hello = mail(8, "From: me@example.org\r\nTo: cy@club.example\r\nSubject: Hello\r\n", "Hello Cy, how are you?");
    ingest(&m, hello, IngestOptions { sent: true, ..IngestOptions::default() });
    let forged = "Authentication-Results: mx.host.example; dmarc=fail header.from=club.example\r\nFrom: Bo <bo@club.example>\r\n\
                  To: me@example.org\r\nSubject: Heron 2\r\nDate: 10 Feb 2025 09:00:00 +0000\r\n";
    let kept =
        sole(ingest(&m, mail(2, forged, "Now kayak course costs 320 euros."), IngestOptions::default()).pop().unwrap());
    assert_eq!((kept.decision, kept.confirmation), (Decision::CreateAndLink, Some(Ruling::Review)), "{kept:#?}");
    assert_eq!(kept.rule, Some(TrustRule::FailedAuthentication));
    let checked = "Authentication-Results: mx.host.example; dmarc=pass header.from=club.example\r\nFrom: Cy <cy@club.example>\r\n\
                   To: me@example.org\r\nSubject: Heron 3\r\nDate: 12 Feb 2025 09:00:00 +0000\r\n";
    let text = "Now 320 kayak course costs 340 euros, said Bo.";
    let later = sole(ingest(&m, mail(3, checked, text), IngestOptions::default()).pop().unwrap());
    assert_eq!((later.decision, later.confirmation), (Decision::Update, Some(Ruling::Confirmed)), "{later:#?}");
    let before: Vec<Memory> = current(&m);
    let agreed = settle(&m, kept.id, OwnerVerdict::Change(Decision::Update)).unwrap();
    let now = holding(&m, "kayak");
    let line = block_on(m.history(now.id)).unwrap();
    let versions: Vec<(u32, &str)> = line.iter().map(|m| (m.version, m.content.as_str())).collect();
    assert_eq!(versions[0], (1, KAYAK));
    assert_eq!((versions[1].0, versions[2].0, versions.len()), (2, 3, 3));
    assert!(versions[2].1.contains("340"), "{versions:?}");
    assert!(waiting(&m).iter().all(|item| item.entry.id != kept.id));
    sound(&m);
    block_on(m.undo(agreed.id)).unwrap();
    let contents = |all: &[Memory]| all.iter().map(|m| (m.content.clone(), m.version)).collect::<Vec<_>>();
    assert_eq!(contents(&current(&m)), contents(&before));
    sound(&m);
}
