//! What was kept beside or proposed for want of standing, and stands once somebody with it goes on from there or the owner agrees.

use crate::kit::Model;
use crate::post::{Owned, current, ingest, mail, mine};
use crate::repeats::*;
use futures::executor::block_on;
use memfold::consolidation::{LogEntry, OwnerVerdict, Status};
use memfold::decision::{Decision, Reason};
use memfold::engine::{AddOptions, Cancel, IngestOptions, Role, Turn};
use memfold::model::{Id, Memory, Source};
use std::rc::Rc;

#[test]
fn a_change_without_standing_stands_once_who_has_it_goes_on_from_there() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let course = holding(&m, "kayak");
    let stranger = "Eve <eve@elsewhere.example>";
    let kept = sole(from(&m, stranger, 2, 10, "Now kayak lessons are 350 euros"));
    assert_eq!(kept.decision, Decision::CreateAndLink);
    assert!(kept.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })), "{kept:#?}");
    // Whoever has none for the older memory gives the newer no more of it.
    let more = sole(from(&m, stranger, 3, 11, "Now lessons in the kayak are 355 euros"));
    assert_eq!(more.decision, Decision::Update);
    assert_eq!((more.confirmed().count(), current(&m).len()), (0, 2));

    let entry = sole(said(&m, 4, 12, "Now lessons in the kayak are 360 euros"));
    assert_eq!((entry.decision, entry.confirmed().collect::<Vec<_>>()), (Decision::Update, vec![kept.id]));
    let head = holding(&m, "kayak");
    let line = block_on(m.history(head.id)).unwrap();
    let told: Vec<(u32, bool)> = line.iter().map(|m| (m.version, m.is_current())).collect();
    assert_eq!(told, [(1, false), (2, false), (3, false), (4, true)]);
    assert_eq!((line[0].id, line[1].id), (course.id, kept.memory_id.unwrap()));
    assert_eq!(waiting(&m), []);
    sound(&m);

    block_on(m.undo(entry.id)).unwrap();
    let stands: Vec<String> = current(&m).into_iter().map(|m| m.content).collect();
    assert_eq!(stands.len(), 2, "{stands:?}");
    assert!(waiting(&m).iter().any(|item| item.entry.id == kept.id));
    assert_eq!(block_on(m.history(course.id)).unwrap().len(), 1);
    sound(&m);
}

#[test]
fn what_nobody_with_standing_has_said_is_not_confirmed_by_who_says_something_else() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let kept = sole(from(&m, "Eve <eve@elsewhere.example>", 2, 10, "Now kayak lessons are 350 euros"));
    let more = sole(said(&m, 3, 11, "Also kayak shoes are needed"));
    assert_eq!((more.confirmed().count(), more.needs_review, current(&m).len()), (0, true, 3), "{more:#?}");
    assert!(holding(&m, "300").is_current() && waiting(&m).iter().any(|item| item.entry.id == kept.id));
    // Who says another value has settled it.
    let entry = sole(said(&m, 4, 12, "Now kayak lessons are 360 euros"));
    assert_eq!((entry.confirmed().collect::<Vec<_>>(), current(&m).len()), (vec![more.id, kept.id], 1), "{entry:#?}");
    sound(&m);
}

#[test]
fn what_was_said_before_a_change_without_standing_settles_nothing() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    from(&m, "Eve <eve@elsewhere.example>", 2, 10, "Now kayak lessons are 350 euros");
    let late = sole(said(&m, 3, 8, "Now lessons in the kayak are 340 euros"));
    assert_eq!((late.decision, late.confirmed().count()), (Decision::Update, 0), "{late:#?}");
    assert_eq!(late.reasons[0], Reason::OlderThanStored);
    assert_eq!((current(&m).len(), waiting(&m).len()), (2, 1));
    sound(&m);
}

#[test]
fn changes_of_several_without_standing_stand_once_who_has_it_goes_on_from_the_last() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let course = holding(&m, "kayak");
    let kept = [(2, "Eve <eve@elsewhere.example>", 350), (3, "Dan <dan@yet.example>", 355)].map(|(id, who, euros)| {
        let kept = sole(from(&m, who, id, 10, &format!("Now {} kayak lessons are {euros} euros", "kayak")));
        assert_eq!(kept.decision, Decision::CreateAndLink, "{kept:#?}");
        kept
    });
    assert_eq!(current(&m).len(), 3);
    let entry = sole(said(&m, 4, 12, "Now kayak lessons are 360 euros"));
    let confirmed: Vec<Id> = entry.confirmed().collect();
    assert_eq!((entry.decision, confirmed), (Decision::Update, vec![kept[1].id, kept[0].id]), "{entry:#?}");
    let head = holding(&m, "360");
    let line = block_on(m.history(head.id)).unwrap();
    let told: Vec<(Id, u32, bool)> = line.iter().map(|m| (m.id, m.version, m.is_current())).collect();
    let [first, second] = kept.clone().map(|k| k.memory_id.unwrap());
    assert_eq!(told, [(course.id, 1, false), (first, 2, false), (second, 3, false), (head.id, 4, true)]);
    assert_eq!((current(&m).len(), waiting(&m)), (1, vec![]));
    sound(&m);
    block_on(m.undo(entry.id)).unwrap();
    assert_eq!((current(&m).len(), waiting(&m).len()), (3, 2));
    sound(&m);
}

const CHEAPER: &str = "Now kayak course costs 320 euros and takes five evenings.";

/// A note of the owner's, and a mail that would change it.
fn noted() -> (Model, Owned, LogEntry) {
    let model = model();
    let m = mine().with_model(Rc::new(model.clone()));
    let note = [Turn { role: Role::User, content: KAYAK.into(), at: on(3) }];
    block_on(m.add(&note, &AddOptions::default(), Cancel::default())).unwrap();
    let entry = sole(from(&m, "Bo <bo@club.example>", 2, 10, CHEAPER));
    assert_eq!((entry.decision, entry.status), (Decision::Update, Status::Skipped));
    (model, m, entry)
}

#[test]
fn a_change_of_a_note_stands_as_the_mail_told_it_once_its_owner_agrees() {
    let (model, m, entry) = noted();
    // Whoever reads the next mail is shown what was said since.
    from(&m, "Bo <bo@club.example>", 3, 13, "The kayak course again.");
    let shown = model.prompts().pop().unwrap().text;
    assert!(shown.contains(", formerly\n") && shown.contains("five evenings"), "{shown}");
    settle(&m, entry.id, OwnerVerdict::Accept).unwrap();
    let now = holding(&m, "320");
    assert_eq!((now.content.as_str(), now.version, now.source_type), (CHEAPER, 2, Source::UserInput));
    from(&m, "Bo <bo@club.example>", 4, 14, "The kayak course once more.");
    let shown = model.prompts().pop().unwrap().text;
    assert!(!shown.contains("formerly\n"), "{shown}");
    sound(&m);
}

#[test]
fn a_note_that_a_thread_would_have_changed_is_shown_to_whoever_reads_on_in_it() {
    let (model, m, _) = noted();
    for (id, other) in
        ["The fence is mended.", "The boiler is old.", "The roof leaks.", "The gate is green."].iter().enumerate()
    {
        from(&m, "Cy <cy@yard.example>", 10 + id as u32, 20, other);
    }
    let shown = |thread: &str| {
        let head = format!(
            "From: Dee <dee@pool.example>\r\nTo: me@example.org\r\nSubject: Re: Tuesdays\r\nDate: 21 Feb 2025 09:00:00 +0000\r\n{thread}"
        );
        ingest(&m, mail(20 + thread.len() as u32, &head, "Tuesdays suit everybody."), IngestOptions::default());
        model.prompts().pop().unwrap().text.contains("five evenings")
    };
    assert!(!shown(""));
    assert!(shown("In-Reply-To: <2@x.example>\r\n"));
}

#[test]
fn what_was_kept_beside_joins_what_it_would_have_replaced_with_all_that_came_after() {
    let m = reading(mine());
    said(&m, 1, 3, KAYAK);
    let kept = sole(from(&m, "Bo <bo@club.example>", 2, 10, "Now kayak course costs 320 euros."));
    assert_eq!(kept.decision, Decision::CreateAndLink);
    assert!(kept.reasons.iter().any(|r| matches!(r, Reason::NoStanding { .. })));
    let later = sole(from(&m, "Bo <bo@club.example>", 3, 12, "Now 320 kayak course costs 340 euros, said Bo."));
    assert_eq!(later.decision, Decision::Update);
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
