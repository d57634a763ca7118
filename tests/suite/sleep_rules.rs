//! The rules of the sleep cycle: keys of tags, facts that a summary must keep, merged texts and tags by rule.

use memfold::model::{Draft, Ids, Memory, Time, Zone};
use memfold::sleep::{
    MOST_TOKENS, SourceText, canonical_key, folded, invented, is_small_talk, is_telling, lost, named, tags, tokens_of,
};

#[test]
fn keys_ignore_spelling_and_particles() {
    for (a, b) in [
        ("주간 보고", "주간보고를"),
        ("예산은 얼마야?", "예산 얼마야"),
        ("Server Backups", "server backup"),
        ("Project  APOLLO", "project apollo"),
        ("3월 정산", "3월정산"),
        ("킥오프 회의는 언제야?", "킥오프회의 언제야"),
        ("고객 문의를", "고객문의"),
    ] {
        assert_eq!(canonical_key(a), canonical_key(b), "{a} / {b}");
    }
    for (a, b) in [("Q1 goals", "Q2 goals"), ("예산", "예약"), ("SK-1", "SK-11"), ("1 2", "12")] {
        assert_ne!(canonical_key(a), canonical_key(b), "{a} / {b}");
    }
    assert!(!canonical_key("the of").is_empty() && canonical_key("?!").is_empty());
}

#[test]
fn small_talk_is_recognised() {
    for text in
        ["안녕하세요!", "감사합니다 수고하세요", "Hi, thanks!", "Have a nice day", "좋은 하루 되세요", "ㅎㅎ 넵"]
    {
        assert!(is_small_talk(text), "{text}");
    }
    for text in ["안녕하세요, 회의는 3시입니다", "Thanks for the invoice", "감사 보고서", "예산 승인", "Hello Dana"]
    {
        assert!(!is_small_talk(text), "{text}");
    }
}

fn told(content: &str) -> SourceText<'_> {
    SourceText { content, people: &[], entities: &[] }
}

#[test]
fn missing_numbers_and_names_are_reported() {
    for (content, summary, missing) in [
        ("Backup took 38 minutes, 412 GB", "Backup: 412 GB", "38"),
        ("Invoice 12 is paid", "Invoice 412 is paid", "12"),
        ("Rate rose to 3.25%", "Rate rose to 3%", "3.25"),
        ("We met Dana Whitfield at noon", "We met Dana at noon", "whitfield"),
        ("Ticket SK-70413 was closed", "Ticket 70413 was closed", "sk"),
        ("The team planned it with Ann", "The team planned it", "ann"),
        ("twelve guests are coming", "guests are coming", "twelve guests"),
        ("김민수가 발표합니다", "발표합니다", "김민수"),
        ("박지영 과장님이 승인", "과장이 승인", "박지영"),
        ("참석자는 세 명입니다", "참석자가 있습니다", "세 명"),
        ("회의는 오후 3시 30분", "회의는 오후 3시", "30"),
    ] {
        assert_eq!(lost(summary, &[told(content)]).as_deref(), Some(missing), "{content}");
        assert_eq!(lost(content, &[told(content)]), None, "{content}");
    }
}

#[test]
fn punctuation_and_spacing_lose_no_fact() {
    for (content, summary) in [
        ("예산은 1,200,000원입니다", "예산 1200000 원"),
        ("2024-03-04 마감", "마감 2024.3.4".replace('.', "-").as_str()),
        ("Meeting with Lena Ortiz.", "lena ortiz: meeting"),
        ("남은 인원은 세명", "인원 세 명"),
    ] {
        assert_eq!(lost(summary, &[told(content)]), None, "{content}");
    }
}

#[test]
fn invented_numbers_and_names_are_reported() {
    let told = [told("412 GB in 38 minutes, checked by Dana")];
    let invented = |summary: &str| invented(summary, &told, &["2024-03-04".to_owned()]);
    assert_eq!(invented("412 GB in 40 minutes").as_deref(), Some("40"));
    assert_eq!(invented("Checked by Dana and Marco").as_deref(), Some("marco"));
    assert_eq!(invented("On 2024-03-04, 412 GB, by Dana"), None);
}

#[test]
fn people_and_entities_in_the_text_are_facts() {
    let (people, entities) = (vec!["mori".to_owned(), "x@y.example".to_owned()], vec!["blue harbour".to_owned()]);
    let told = SourceText { content: "mori checks blue harbour", people: &people, entities: &entities };
    assert_eq!(lost("mori checks the harbour", &[told]).as_deref(), Some("blue harbour"));
    assert_eq!(lost("blue harbour: mori", &[told]), None);
}

#[test]
fn one_syllable_counts_as_four_letters() {
    assert_eq!((tokens_of("abcd efg"), tokens_of("회의")), (2, 2));
}

fn weekly(texts: &[&str]) -> Vec<Memory> {
    let start = Time::from_millis(1_704_067_200_000);
    let mut ids = Ids::new(start, [5; 16]);
    let memory = |(n, text): (usize, &&str)| {
        let then = start.plus_millis(n as i64 * 7 * 86_400_000);
        Memory::from_draft(ids.mint(), Draft { stated_at: Some(then), ..Draft::new(*text) }, then)
    };
    texts.iter().enumerate().map(memory).collect()
}

#[test]
fn newest_text_is_full_and_others_show_differences() {
    let sources = weekly(&[
        "Server backup finished: 412 GB in 38 minutes on host Borealis.",
        "Server backup finished: 415 GB in 38 minutes on host Borealis.",
        "Server backup finished: 431 GB in 44 minutes on host Caspian.",
        "Server backup finished: 431 GB in 44 minutes on host Caspian.",
    ]);
    let folding = folded(&sources, Zone::default()).unwrap();
    assert_eq!(folding.taken.len(), 4);
    assert_eq!(
        folding.text,
        "2024-01-22: Server backup finished: 431 GB in 44 minutes on host Caspian.\n\
         01-08: finished: 415 GB in 38 minutes, host Borealis\n\
         01-01: finished: 412 GB in 38 minutes, host Borealis\n\
         The same: 2024-01-15"
    );
}

#[test]
fn korean_texts_are_merged() {
    let sources = weekly(&[
        "주간 보고: 신규 가입 120명, 해지 8명, 담당 김민수",
        "주간 보고: 신규 가입 131명, 해지 8명, 담당 김민수",
        "주간 보고: 신규 가입 131명, 해지 8명, 담당 김민수",
    ]);
    let folding = folded(&sources, Zone::from_minutes(540)).unwrap();
    assert_eq!(
        folding.text,
        "2024-01-15: 주간 보고: 신규 가입 131명, 해지 8명, 담당 김민수\n01-01: 가입 120명, 해지\n같은 내용: 2024-01-08"
    );
}

#[test]
fn unlike_texts_are_not_merged_and_the_token_limit_holds() {
    let sources = weekly(&["Rent is due on the 1st", "The cat is called Mori and eats twice a day"]);
    assert_eq!(folded(&sources, Zone::default()), None);
    let texts: Vec<String> =
        (0..200).map(|n| format!("Report {n} from the office in Busan: {} visitors came", n * 7)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sources = weekly(&texts);
    let folding = folded(&sources, Zone::default()).unwrap();
    assert!(folding.tokens <= MOST_TOKENS && folding.taken.len() < 200 && folding.taken.len() > 20, "{folding:?}");
    assert!(folding.taken.contains(&199));
}

fn memories(texts: &[&str]) -> Vec<Memory> {
    let mut ids = Ids::new(Time::default(), [2; 16]);
    texts.iter().map(|t| Memory::from_draft(ids.mint(), Draft::new(*t), Time::default())).collect()
}

fn names(texts: &[&str], known: &[&str]) -> Vec<(String, Vec<usize>)> {
    let all = memories(texts);
    let all: Vec<&Memory> = all.iter().collect();
    let known: Vec<String> = known.iter().map(|k| canonical_key(k)).collect();
    let found = tags(&all, &|key| known.iter().any(|k| k == key), 1.5, 8);
    found.into_iter().map(|t| (t.name, t.texts)).collect()
}

#[test]
fn recurring_words_are_tags_despite_particles_and_plurals() {
    let found = names(&["예산을 승인했습니다", "예산은 5천만원", "안녕하세요"], &[]);
    assert_eq!(found, [("예산".to_owned(), vec![0, 1])]);
    let found = names(&["Invoices arrived", "the invoice from Skarvik", "thanks!"], &[]);
    assert_eq!(found, [("Invoices".to_owned(), vec![0, 1])]);
}

#[test]
fn existing_tag_is_reused_after_one_mention() {
    assert_eq!(names(&["When does the backup run?"], &[]), []);
    assert_eq!(names(&["When does the backup run?"], &["Backups"]), [("backup".to_owned(), vec![0])]);
}

#[test]
fn spellings_of_a_given_name_are_one_tag() {
    let names = [["Invoices", "2024-03-04"], ["invoice", "Skarvik"]].map(|of| of.map(str::to_owned).to_vec());
    let found: Vec<(String, Vec<usize>)> = named(&names, 16).into_iter().map(|t| (t.name, t.texts)).collect();
    assert_eq!(found, [("Invoices".to_owned(), vec![0, 1]), ("Skarvik".to_owned(), vec![1])]);
}

#[test]
fn values_and_addresses_are_no_tags() {
    for name in ["2024-03-04", "5000만원", "a@b.example", "https://x.example/y", "it"] {
        assert!(!is_telling(name, &canonical_key(name)), "{name}");
    }
}
