//! Confirms or reverts provisional statements, and rebuilds a memory without them.

use super::entry::{Action, VersionStep};
use super::merge::ContentMerge;
use super::{Act, ChangeSet, LogEntry, statements};
use crate::analysis::words::{Kind, Word, words};
use crate::analysis::{Change, differences};
use crate::decision::{Decision, Reason, Ruling, TrustRule};
use crate::language::{Found, Match, Value, has_hangul, shown, values};
use crate::model::{Claim, Confirmation, Conflict, Draft, Id, Ids, Memory, Statement};

/// The number of unconfirmed words that makes a statement more than a paraphrase.
const MIN_NEW_WORDS: usize = 2;

/// The head of `chain` without its provisional statements; `None` if nothing was ever confirmed.
pub fn confirmed_version(chain: &[Memory]) -> Option<Memory> {
    let last = chain.iter().rposition(|m| !m.is_provisional() && !m.is_forgotten())?;
    let mut base = chain[last].clone();
    for version in &chain[last + 1..] {
        let is_new = |s: &&Statement| base.said().iter().all(|known| known.text != s.text || known.source != s.source);
        let confirmed = version.statements.iter().filter(|s| !s.is_provisional());
        let made: Vec<Statement> = confirmed.filter(is_new).cloned().collect();
        for statement in made.into_iter().rev() {
            let Statement { source, author, at, .. } = statement.clone();
            let draft = Draft { source_id: source, author, stated_at: at, ..Draft::new(&statement.text) };
            let mut changes = differences(&Claim::from(&base), &Claim::from(&draft));
            changes.retain(Change::is_replacement);
            if changes.is_empty() {
                // A statement that replaces no value is an addition.
                changes.push(Change::added(&draft.content));
            }
            let (said, content) = statements::revise(&base, &draft, &changes, Conflict::Update, ContentMerge::Replace);
            (base.statements, base.content) = (said, content);
        }
    }
    Some(base)
}

/// Updates provisional statements after a confirmed change. Those that `said` repeats become confirmed; those without
/// remaining text are dropped. `base` is the confirmed text, `content` the text of the new version.
pub(super) fn settle(
    all: Vec<Statement>,
    before: &[Statement],
    content: &str,
    said: &str,
    base: &str,
) -> Vec<Statement> {
    let confirmed = [said, base];
    let mut kept: Vec<Statement> = Vec::with_capacity(all.len());
    let provisional = before.iter().filter(|s| s.is_provisional());
    // A model's wording may contain text whose statement was struck.
    let carried: Vec<&Statement> = provisional.filter(|s| has_unconfirmed(&s.text, content, confirmed)).collect();
    for statement in all {
        let is_carried = || carried.iter().any(|c| c.text == statement.text);
        let holds = statement.holds();
        if !statement.is_provisional() || is_carried() || has_unconfirmed(&holds, &holds, confirmed) {
            kept.push(statement);
        } else if statement.struck.is_empty() {
            kept.push(confirm_repeated(statement));
        }
    }
    let lost = carried.into_iter().filter(|c| kept.iter().all(|k| k.text != c.text)).cloned().collect::<Vec<_>>();
    kept.extend(lost);
    kept
}

/// The statements of a memory, confirming those that `said` repeats; `None` if it repeats none.
pub(super) fn confirmed_by(memory: &Memory, said: &str, base: &str) -> Option<Vec<Statement>> {
    let is_repeated = |s: &Statement| s.is_provisional() && repeats(&s.holds(), said, base);
    let confirmed = |s: &Statement| if is_repeated(s) { confirm_repeated(s.clone()) } else { s.clone() };
    memory.statements.iter().any(is_repeated).then(|| memory.statements.iter().map(confirmed).collect())
}

/// The owner's verdict on the provisional statements of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// Keep them, as confirmed.
    Confirm,
    /// Restore the memory without them.
    Revert,
}

/// Plans the next version after the owner's verdict on the changes `waiting`; `None` if there is nothing to settle.
pub fn settle_changes(
    chain: &[Memory],
    waiting: &[Id],
    verdict: ChangeVerdict,
    act: Act<'_>,
    ids: &mut Ids,
) -> Option<ChangeSet> {
    let head = chain.last().filter(|m| m.is_provisional() && m.is_current())?;
    let like = match verdict {
        ChangeVerdict::Confirm => {
            let statements = head.statements.iter().cloned().map(confirmed).collect();
            Memory { statements, ..head.clone() }
        }
        ChangeVerdict::Revert => confirmed_version(chain)?,
    };
    let mut new = Memory {
        id: ids.mint(),
        revision: 1,
        superseded_by: None,
        contradicted_by: None,
        created_at: act.now,
        updated_at: act.now,
        // The head's date stays, so that no statement known by now overrides the verdict.
        stated_at: Some(head.own_time()).filter(|_| like.stated_at.is_some()),
        storage_tier: head.storage_tier,
        metadata: head.metadata.clone(),
        ..like
    };
    new.follow(head);
    new.note_confirmation(None);
    let confirms = verdict == ChangeVerdict::Confirm;
    let words = if confirms { shown::CHANGE_CONFIRMED } else { shown::CHANGE_REVERTED };
    let mut reasons = vec![if confirms { Reason::Accepted } else { Reason::Rejected }];
    reasons.extend(waiting.iter().filter(|_| confirms).map(|entry| Reason::Confirmed { entry: *entry }));
    let entry = LogEntry {
        about: waiting.last().copied(),
        target_id: Some(head.id),
        memory_id: Some(new.id),
        category: new.category,
        source_id: head.source_id.clone(),
        reasons,
        reason: words.text(has_hangul(&new.content)).to_owned(),
        confirmation: Some(Ruling::Confirmed),
        rule: Some(TrustRule::Owner),
        versions: Some(VersionStep { before: head.version, after: new.version }),
        ..act.entry(Action::Review, Decision::Update, &new.content, ids)
    };
    let mut set = ChangeSet { base: Some(act.base), ..ChangeSet::new(entry) };
    let mut old = head.clone();
    old.superseded_by = Some(new.id);
    set.replace_read(head, old, act.now);
    set.entry.touched.push(new.id);
    set.memories.push(new);
    Some(set)
}

fn confirmed(statement: Statement) -> Statement {
    Statement { confirmation: Confirmation::Confirmed, reported_by: None, ..statement }
}

/// Confirms a statement that an authorised sender repeated. Its first author becomes the reporter.
fn confirm_repeated(statement: Statement) -> Statement {
    let reported_by = statement.reported_by.or(statement.author);
    Statement { confirmation: Confirmation::Confirmed, author: None, reported_by, ..statement }
}

/// Whether one earlier text has all values of `said` that the memory lacks.
pub(super) fn repeats_earlier(said: &str, memory: &str, earlier: &[&str]) -> bool {
    let other: Vec<Found> = values(said, None).into_iter().filter(|f| !has(memory, &f.value)).collect();
    !other.is_empty() && earlier.iter().any(|text| other.iter().all(|f| has(text, &f.value)))
}

fn has(text: &str, value: &Value) -> bool {
    values(text, None).iter().any(|f| f.value == *value || f.value.compare(value) == Match::Same)
}

/// Whether `said` covers a text completely, including something that was not confirmed before.
fn repeats(text: &str, said: &str, base: &str) -> bool {
    let is_said = values(text, None).iter().filter(|f| !has(base, &f.value)).all(|f| has(said, &f.value));
    is_said && has_unconfirmed(text, text, ["", base]) && !has_unconfirmed(text, text, [said, base])
}

/// Whether `content` has a value, a name or several words of a provisional text that the confirmed texts lack.
fn has_unconfirmed(provisional: &str, content: &str, confirmed: [&str; 2]) -> bool {
    let occurs = |texts: &[&str], w: &Word| texts.iter().any(|text| words(text).iter().any(|c| c.stem == w.stem));
    let all = words(provisional);
    let other = |w: &&Word| w.has_content() && occurs(&[content], w) && !occurs(&confirmed, w);
    let is_new = |f: &Found| has(provisional, &f.value) && !confirmed.iter().any(|text| has(text, &f.value));
    values(content, None).iter().any(is_new)
        || all.iter().filter(other).any(|w| is_name(provisional, w))
        || all.iter().filter(other).count() >= MIN_NEW_WORDS
}

fn is_name(text: &str, word: &Word) -> bool {
    // Within a sentence, a capitalised word counts as a name.
    let inside = word.start > 0 && !text[..word.start].trim_end().ends_with(['.', '!', '?', ':', '·']);
    let capital = inside && text[word.start..].starts_with(char::is_uppercase);
    word.kind == Kind::Latin && capital || word.kind == Kind::Hangul && word.sense.is_none()
}
