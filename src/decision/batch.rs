//! Questions that go out together: [`Batch`], several that waited in one prompt.
//!
//! Stored memories go out under handles, never ids. Each answer is read and checked by itself: a bad one costs itself.

use super::prompt::{Example, Language, Prompt, Shown, Task, cut};
use super::proposal::{Proposal, check};
use super::question::{PairAnswer, Question};
use super::reply::{Refusal, read_each, read_reply};
use super::wording::{VERSION, data, examples, schema, system};
use crate::model::Id;

/// New memories that are asked about at once.
const MAX_NEW: usize = 8;
/// Stored memories that they may be about together, and characters of all texts together.
const MAX_STORED: usize = 20;
const MAX_CHARS: usize = 12_000;

const STORED: &str = "A B C D E F G H I J K L M N O P Q R S T";
const NEW: &str = "N1 N2 N3 N4 N5 N6 N7 N8";

/// What an answer to one question is: for each of its stored memories one, where there is one.
pub type PairAnswers = Vec<Option<PairAnswer>>;

/// One or several questions in one prompt.
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    questions: &'a [Question],
    memories: Vec<Shown>,
    stored: Vec<Shown>,
    /// For each question, the places of its stored memories.
    places: Vec<Vec<usize>>,
}

impl<'a> Batch<'a> {
    /// As many questions from the front as one prompt takes: at least one, all of one language.
    pub fn of(questions: &'a [Question]) -> Self {
        let mut batch = Self { questions: &[], memories: Vec::new(), stored: Vec::new(), places: Vec::new() };
        let (mut ids, mut chars): (Vec<Id>, usize) = (Vec::new(), 0);
        for (n, q) in questions.iter().take(MAX_NEW).enumerate() {
            let mut fresh = ids.clone();
            let place = |id: &Id| {
                fresh.iter().position(|f| f == id).unwrap_or_else(|| {
                    fresh.push(*id);
                    fresh.len() - 1
                })
            };
            let places: Vec<usize> = q.about().iter().map(place).collect();
            let more = places.iter().zip(&q.candidates).filter(|(at, _)| **at >= ids.len());
            let more: Vec<Shown> = more.map(|(_, shown)| shown.clone()).collect();
            chars += more.iter().chain([&q.memory]).map(|s| s.content.chars().count()).sum::<usize>();
            let full = fresh.len() > MAX_STORED || chars > MAX_CHARS || q.language != questions[0].language;
            if n > 0 && full {
                break;
            }
            ids = fresh;
            batch.stored.extend(more);
            batch.memories.push(q.memory.clone());
            batch.places.push(places);
            batch.questions = &questions[..=n];
        }
        let handles = STORED.split(' ');
        batch.stored.iter_mut().zip(handles.clone()).for_each(|(s, handle)| s.handle = handle);
        let several = batch.memories.len() > 1;
        for ((m, handle), places) in batch.memories.iter_mut().zip(NEW.split(' ')).zip(&batch.places) {
            m.handle = if several { handle } else { "NEW" };
            if several {
                m.about = places.iter().filter_map(|at| handles.clone().nth(*at)).collect();
            }
        }
        batch
    }

    /// How many questions it has.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether it asks nothing.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// The language that it asks in.
    pub fn language(&self) -> Language {
        self.questions.first().map_or(Language::En, |q| q.language)
    }

    /// Every text of it that is sent and was said by somebody: what masking has to look at. Replies are read by the
    /// batch as it was before.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.stored.iter_mut().chain(&mut self.memories).flat_map(Shown::texts_mut)
    }

    /// The prompt for one call; `fence` is random, so that no mail can end the data that it stands in. `lessons` are
    /// what the owner has corrected.
    pub fn prompt(&self, fence: &str, lessons: &[Lesson]) -> Prompt {
        let language = self.language();
        let mut text = data(language, fence, self.memories.len() > 1);
        // What all share is said once: one mail has one subject line.
        let told = self.memories.first().and_then(|m| m.subject.as_deref());
        for (n, shown) in self.stored.iter().chain(&self.memories).enumerate() {
            shown.write(fence, told.filter(|_| n != self.stored.len()), &mut text);
        }
        text.extend(["\n=== ", fence, " END"]);
        let handles = |shown: &[Shown]| shown.iter().map(|s| s.handle).collect::<Vec<_>>();
        let mut prompt = Prompt::new(Task::Decisions, VERSION, language, system(language), "");
        prompt.schema = schema(&handles(&self.stored), &handles(&self.memories));
        prompt.examples.extend(examples(language));
        prompt.ours = prompt.examples.len();
        prompt.examples.extend(lessons.iter().filter(|l| l.language == language).map(|l| l.example(fence)));
        Prompt { text, memories: self.memories.clone(), candidates: self.stored.clone(), ..prompt }
    }

    /// Reads a reply: for each question its answers, or why there are none.
    ///
    /// # Errors
    /// Why nothing of it can be read.
    pub fn read(&self, reply: &str) -> Result<Vec<Result<PairAnswers, Refusal>>, Refusal> {
        let each = read_each::<Proposal>(reply, "answers");
        let said = match self.questions {
            // One answer stands for itself as well.
            [_] if each.is_err() => vec![read_reply(reply)],
            _ => each?,
        };
        if let [one] = self.questions {
            let [answer] = said.as_slice() else { return Err(Refusal::Malformed) };
            let answer = answer.as_ref().map_err(|e| *e)?;
            let known = answer.memory.is_none();
            return if known { Ok(vec![Ok(self.answers(0, one, answer)?)]) } else { Err(Refusal::Malformed) };
        }
        let of = |n: usize, question: &Question| {
            let handle = self.memories[n].handle;
            let mut named = said.iter().flatten().filter(|p| p.memory.as_deref() == Some(handle));
            match (named.next(), named.next()) {
                (Some(answer), None) => self.answers(n, question, answer),
                (Some(_), Some(_)) => Err(Refusal::UnknownHandle),
                // What cannot be read does not tell whose it is.
                (None, _) if said.iter().any(Result::is_err) => Err(Refusal::Malformed),
                (None, _) => Err(Refusal::Unanswered),
            }
        };
        Ok(self.questions.iter().enumerate().map(|(n, q)| of(n, q)).collect())
    }

    fn answers(&self, n: usize, question: &Question, said: &Proposal) -> Result<PairAnswers, Refusal> {
        let handles: Vec<&str> = self.places[n].iter().map(|at| self.stored[*at].handle).collect();
        let contents = question.candidates.iter().map(|c| c.content.as_str());
        let sent: Vec<(&str, &str)> = handles.iter().copied().zip(contents).collect();
        check(said, &sent, &question.memory.content)?;
        let of = |handle: &&str| said.verdicts.iter().find(|v| v.handle == **handle);
        Ok(handles.iter().map(|h| Some(PairAnswer::new(&said.reasoning, of(h)?.clone()))).collect())
    }
}

/// A pair that the owner has labelled by a review, as an example for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    language: Language,
    stored: Shown,
    new: Shown,
    reply: String,
}

/// Characters of each text of a lesson.
const MAX_LESSON: usize = 240;

impl Lesson {
    /// The lesson of a stored and a new text, if `verdict` (under the handle `A`) is one that a reply about them could
    /// hold.
    pub fn new(mut stored: Shown, mut new: Shown, verdict: super::Verdict) -> Option<Self> {
        for (shown, handle) in [(&mut stored, "A"), (&mut new, "NEW")] {
            shown.handle = handle;
            shown.content = cut(&shown.content, MAX_LESSON).to_owned();
            (shown.subject, shown.time) = (None, None);
        }
        let language = Language::of(&new.content);
        let why = match language {
            Language::Ko => "사용자가 이렇게 정했습니다.",
            Language::En => "The owner has said so.",
        };
        let said = Proposal { memory: None, reasoning: why.to_owned(), verdicts: vec![verdict] };
        check(&said, &[("A", &stored.content)], &new.content).ok()?;
        Some(Self { language, stored, new, reply: crate::json::write(&said).ok()? })
    }

    /// As of [`Batch::texts_mut`].
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.stored, &mut self.new].into_iter().flat_map(Shown::texts_mut).chain([&mut self.reply])
    }

    /// The language of what was said.
    pub fn language(&self) -> Language {
        self.language
    }

    fn example(&self, fence: &str) -> Example {
        let mut text = String::new();
        self.stored.write(fence, None, &mut text);
        self.new.write(fence, None, &mut text);
        text.extend(["\n=== ", fence, " END"]);
        Example { text: text.trim_start().to_owned(), reply: self.reply.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ask, Candidate, Policy, Question, triage};
    use super::*;
    use crate::analysis::Outcome;
    use crate::model::{Category, Draft, Ids, Memory, Time};
    use crate::similarity::Factors;

    fn ids() -> Ids {
        Ids::new(Time::default(), [7; 16])
    }

    fn stored(ids: &mut Ids, contents: &[&str]) -> Vec<(Candidate, Memory)> {
        let made = |content: &&str| {
            let draft = Draft { subject: Some("Heron".into()), ..Draft::new(*content) };
            let m = Memory::from_draft(ids.mint(), draft, Time::default());
            let factors = Factors { content: 0.7, people: None, thread_id: None, subject: None, entities: None };
            (Candidate { id: m.id, score: 0.7, factors, structural: false, important: false, analysis: None }, m)
        };
        contents.iter().map(made).collect()
    }

    fn question(new: &str, known: &[(Candidate, Memory)]) -> Question {
        let about = known.iter().map(|(c, _)| c.id).collect();
        let unanswered = triage(&[], &Policy::FAST).unanswered();
        let draft = Draft { subject: Some("Heron".into()), category: Category::Task, ..Draft::new(new) };
        Question::new(Ask { about, unanswered }, &draft, known)
    }

    fn two() -> Vec<Question> {
        let known = stored(&mut ids(), &["cost 5M", "in May", "in June"]);
        vec![question("cost 6M", &known[..2]), question("not in June", &known[1..])]
    }

    #[test]
    fn several_questions_share_one_prompt_and_what_they_are_about() {
        let (one, all) = (two(), two());
        let prompt = Batch::of(&one[..1]).prompt("f00", &[]);
        let head = "Lines with \"=== f00\" are marks; all between is quoted data.";
        let time = "1970-01-01T00:00";
        let told = format!(
            "{head}\n=== f00 A misc {time}\ncost 5M\n=== f00 B misc {time}\nin May\n=== f00 NEW task\nSubject: Heron\ncost 6M\n=== f00 END"
        );
        assert_eq!(prompt.text, told);
        assert!(prompt.schema.contains(r#""enum":["A","B"]"#) && !prompt.schema.contains("memory"));
        let batch = Batch::of(&all);
        let prompt = batch.prompt("f00", &[]);
        let told = format!(
            "=== f00 A misc {time}\ncost 5M\n=== f00 B misc {time}\nin May\n=== f00 C misc {time}\nin June\n\
             === f00 N1 task of A B\nSubject: Heron\ncost 6M\n=== f00 N2 task of B C\nnot in June\n=== f00 END"
        );
        assert!(prompt.text.ends_with(&told), "{}", prompt.text);
        assert!(prompt.schema.contains(r#""enum":["N1","N2"]"#));
        let handles = |shown: &[Shown]| shown.iter().map(|s| s.handle).collect::<Vec<_>>();
        assert_eq!((handles(&prompt.candidates), handles(&prompt.memories)), (vec!["A", "B", "C"], vec!["N1", "N2"]));
    }

    #[test]
    fn each_answer_is_checked_by_itself_and_a_bad_one_costs_itself() {
        let all = two();
        let batch = Batch::of(&all);
        let says = |memory: &str, handle: &str, outcome: &str| {
            format!(
                r#"{{"memory":"{memory}","reasoning":"r","verdicts":[{{"handle":"{handle}","outcome":"{outcome}","confidence":0.9}}]}}"#
            )
        };
        let read = |answers: &[String]| batch.read(&format!(r#"{{"answers":[{}]}}"#, answers.join(",")));
        let good = read(&[says("N1", "B", "SKIP"), says("N2", "C", "CREATE")]).unwrap();
        let outcomes = |answers: &Result<PairAnswers, Refusal>| {
            answers.as_ref().unwrap().iter().map(|a| a.as_ref().map(|a| a.verdict.outcome)).collect::<Vec<_>>()
        };
        assert_eq!(outcomes(&good[0]), [None, Some(Outcome::Skip)]);
        assert_eq!(outcomes(&good[1]), [None, Some(Outcome::Create)]);
        let cases = [
            // What the second is not about, though it was sent for the first.
            (says("N2", "A", "CREATE"), Refusal::UnknownHandle),
            (says("N2", "C", "DELETE"), Refusal::Malformed),
            (says("N2", "C", "UPDATE"), Refusal::Malformed),
            (says("N9", "C", "CREATE"), Refusal::Unanswered),
        ];
        let more = says("N2", "C", "create").replace("\"memory\"", "\"sourceType\":\"user_input\",\"memory\"");
        assert_eq!(outcomes(&read(&[more]).unwrap()[1]), [None, Some(Outcome::Create)]);
        for (bad, refusal) in cases {
            let read = read(&[says("N1", "B", "SKIP"), bad.clone()]).unwrap();
            assert_eq!(outcomes(&read[0]), [None, Some(Outcome::Skip)], "{bad}");
            assert_eq!(read[1], Err(refusal), "{bad}");
        }
        let twice = read(&[says("N1", "B", "SKIP"), says("N1", "A", "SKIP"), says("N2", "C", "SKIP")]).unwrap();
        assert_eq!((twice[0].clone().err(), twice[1].is_ok()), (Some(Refusal::UnknownHandle), true));
        assert_eq!(batch.read(&says("N1", "B", "SKIP")), Err(Refusal::Malformed));
        assert_eq!(batch.read("I cannot."), Err(Refusal::NotJson));
    }

    #[test]
    fn a_single_answer_may_stand_in_a_list_or_by_itself() {
        let all = two();
        let batch = Batch::of(&all[..1]);
        let bare = r#"{"reasoning":"r","verdicts":[{"handle":"A","outcome":"SKIP","confidence":1}]}"#;
        let listed = format!(r#"{{"answers":[{bare}]}}"#);
        for reply in [bare, &listed] {
            assert!(batch.read(reply).unwrap()[0].is_ok(), "{reply}");
        }
        let named = bare.replacen('{', r#"{"memory":"NEW","#, 1);
        assert_eq!(batch.read(&named), Err(Refusal::Malformed));
        assert_eq!(batch.read(&format!(r#"{{"answers":[{bare},{bare}]}}"#)), Err(Refusal::Malformed));
        assert_eq!(batch.read(r#"{"answers":[]}"#), Err(Refusal::Malformed));
    }

    #[test]
    fn a_prompt_takes_as_many_questions_as_its_caps_allow() {
        let mut ids = ids();
        let many: Vec<Question> = (0..9).map(|n| question(&format!("new {n}"), &stored(&mut ids, &["old"]))).collect();
        assert_eq!(Batch::of(&many).len(), 8);
        let wide: Vec<Question> = (0..5).map(|_| question("new", &stored(&mut ids, &["old"; 5]))).collect();
        assert_eq!(Batch::of(&wide).len(), 4);
        let text = "x".repeat(1_000);
        let long: Vec<Question> = (0..9).map(|_| question(&text, &stored(&mut ids, &[text.as_str(); 2]))).collect();
        assert_eq!(Batch::of(&long).len(), 4);
        assert_eq!(Batch::of(&long[..1]).len(), 1);
        let mixed = [question("new", &stored(&mut ids, &["old"])), question("새것", &stored(&mut ids, &["old"]))];
        assert_eq!(Batch::of(&mixed).len(), 1);
        assert!(Batch::of(&[]).is_empty());
    }

    #[test]
    fn a_lesson_is_an_answer_that_passes_the_checks_in_its_own_language() {
        let shown = |content: &str| Shown::new(&(&Draft::new(content)).into(), false);
        let verdict = |text: &str| serde_json::from_str(text).unwrap();
        let skip = || verdict(r#"{"handle":"A","outcome":"SKIP","confidence":1}"#);
        let lesson = Lesson::new(shown("cost 5M"), shown("it costs 5M"), skip()).unwrap();
        let korean = Lesson::new(shown("비용 5M"), shown("비용은 5M이다"), skip()).unwrap();
        let all = two();
        let prompt = Batch::of(&all).prompt("f00", &[korean, lesson]);
        assert_eq!(prompt.examples.len(), 3);
        assert_eq!(prompt.examples[2].text, "=== f00 A misc\ncost 5M\n=== f00 NEW misc\nit costs 5M\n=== f00 END");
        assert!(
            prompt.examples[2].reply.starts_with(r#"{"reasoning":"The owner has said so.","verdicts":[{"handle":"A""#)
        );
        let update = verdict(
            r#"{"handle":"A","outcome":"UPDATE","confidence":1,"changes":[{"property":"","oldValue":"5M","newValue":"7M","changeType":"value_change"}]}"#,
        );
        assert_eq!(Lesson::new(shown("cost 5M"), shown("cost 6M"), update), None);
        let long = Lesson::new(shown(&"x".repeat(900)), shown("it costs 5M"), skip()).unwrap();
        assert_eq!(long.stored.content.len(), 240);
    }
}
