//! A generated mailbox of two years, Korean and English: series that repeat with other numbers, reminders, small talk,
//! advertisements, and facts that are said once; with questions and what an answer must hold.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, dead_code)]

use futures::executor::block_on;
use memfold::consolidation::{Action, ChangeSet, LogEntry};
use memfold::model::{Category, Draft, Ids, Memory, Time};
use memfold::store::Store;

pub const DAY: i64 = 86_400_000;
/// When the kit's clock starts: the mailbox ends a month before.
pub const NOW: Time = Time::from_millis(1_741_000_000_000);

/// A question, and what one of the best hits must hold.
#[derive(Debug, Clone)]
pub struct Asked {
    pub question: String,
    pub answer: Vec<String>,
}

#[derive(Debug)]
pub struct Mailbox {
    pub memories: Vec<Memory>,
    pub asked: Vec<Asked>,
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    fn pick<'a>(&mut self, list: &str, of: &'a str) -> &'a str {
        let all: Vec<&str> = of.split(' ').collect();
        all[(self.roll(all.len() as u64) as usize + list.len()) % all.len()]
    }
}

const HOSTS: &str = "Borealis Caspian Dorado Eridani Fornax Gemini";
const PROJECTS: &str = "Falcon Heron Ibis Kestrel Lapwing Merlin";
const FIRMS: &str = "Skarvik Brunner Whitfield Ortega Lindqvist";
const TEAMS: &str = "Design Platform Finance Support";
const SHOPS: &str = "Bookhaven Greenleaf Nordlys Teapot";
const THINGS: &str = "chairs lamps novels kettles blankets tents";
const PEOPLE: &str = "Dana Lena Marco Priya Tomas Yuki";
const PLACES: &str = "cellar attic garage locker archive workshop";
const OBJECTS: &str = "ladder projector passport contract generator microscope telescope violin tripod";
const ADJECTIVES: &str = "spare blue old heavy second borrowed small";
const PROJECTS_KO: &str = "가람 나래 다솜 마루 바다";
const NAMES_KO: &str = "김민수 박지영 최도현 정수아 이하늘";
const SHOPS_KO: &str = "책마을 초록마켓 가구나라 찻집";
const THINGS_KO: &str = "의자 조명 소설 주전자 이불";
const SERVERS_KO: &str = "한라 백두 설악 지리";
const TALK: &str = "Hi, how are you?|Thanks a lot!|Have a nice day|See you tomorrow|Good morning everyone|안녕하세요|감사합니다|수고하세요!|좋은 하루 되세요|네, 알겠습니다";

/// A mailbox of this many memories; the same number gives the same mailbox.
pub fn mailbox(count: usize) -> Mailbox {
    let mut dice = Dice(count as u64 + 7);
    let mut ids = Ids::new(NOW.plus_millis(-760 * DAY), [9; 16]);
    let (mut memories, mut asked) = (Vec::new(), Vec::new());
    for n in 0..count {
        let then = NOW.plus_millis((-760 + (n as i64 * 730) / count as i64) * DAY + dice.roll(36_000_000) as i64);
        let kind = dice.roll(100);
        let big = |dice: &mut Dice| (1_000 + dice.roll(9_000)).to_string();
        let small = |dice: &mut Dice| (1 + dice.roll(58)).to_string();
        let mut d = Draft { stated_at: Some(then), ..Draft::default() };
        let mut ask: Option<(String, Vec<String>)> = None;
        match kind {
            0..22 => {
                let (host, gb, min, files) = (dice.pick("h", HOSTS), big(&mut dice), small(&mut dice), big(&mut dice));
                d.content =
                    format!("Nightly backup of {host} finished: {gb} GB in {min} minutes, {files} files copied.");
                (d.subject, d.thread_id) = (Some(format!("Backup {host}")), Some(format!("b-{host}")));
                (d.entities, d.category) = (vec![host.into()], Category::Project);
                ask = Some((
                    format!("How long did the backup of {host} with {gb} GB take?"),
                    vec![gb, format!("{min} minutes")],
                ));
            }
            22..37 => {
                let (project, done, open) = (dice.pick("p", PROJECTS), big(&mut dice), small(&mut dice));
                d.content =
                    format!("Weekly report of project {project}: {done} hours booked, {open} tasks still open.");
                (d.subject, d.thread_id) = (Some(format!("Weekly report {project}")), Some(format!("w-{project}")));
                (d.entities, d.category) = (vec![project.into()], Category::Project);
                ask = Some((format!("Which report of {project} has {done} hours?"), vec![project.into(), done]));
            }
            37..47 => {
                let (firm, no, amount) = (dice.pick("f", FIRMS), big(&mut dice), big(&mut dice));
                d.content = format!("Invoice INV-{no}{n} of {firm} over {amount} EUR has arrived.");
                (d.subject, d.people) =
                    (Some("Invoice".into()), vec![format!("billing@{}.example", firm.to_ascii_lowercase())]);
                (d.entities, d.category) = (vec![firm.into()], Category::Task);
                ask = Some((format!("How much is invoice INV-{no}{n}?"), vec![format!("{no}{n}"), amount]));
            }
            47..55 => {
                let (team, hour) = (dice.pick("t", TEAMS), 8 + dice.roll(3));
                d.content =
                    format!("Reminder: stand-up of the {team} team at {hour}:15 in room {}.", 201 + dice.roll(3));
                (d.subject, d.thread_id) = (Some(format!("Stand-up {team}")), Some(format!("s-{team}")));
                (d.entities, d.category) = (vec![team.into()], Category::Meeting);
            }
            55..61 => {
                let (shop, thing, share) = (dice.pick("s", SHOPS), dice.pick("x", THINGS), 5 + dice.roll(60));
                d.content = format!("{shop}: {share}% off all {thing} this week, code SAVE{share}.");
                (d.subject, d.category) = (Some(format!("Offers of {shop}")), Category::Ads);
                d.entities = vec![shop.into()];
            }
            61..74 => {
                let (project, done, open) = (dice.pick("k", PROJECTS_KO), big(&mut dice), small(&mut dice));
                let name = dice.pick("n", NAMES_KO);
                d.content = format!("{project} 프로젝트 주간 보고: 완료 {done}건, 진행 {open}건, 담당 {name}입니다.");
                (d.subject, d.thread_id) = (Some(format!("{project} 주간 보고")), Some(format!("k-{project}")));
                (d.entities, d.category) = (vec![project.into()], Category::Project);
                ask = Some((format!("{project} 주간 보고에서 완료 {done}건일 때 담당은?"), vec![done, name.into()]));
            }
            74..82 => {
                let (server, min, errors) = (dice.pick("v", SERVERS_KO), small(&mut dice), big(&mut dice));
                d.content = format!("{server} 서버 점검 완료: 소요 {min}분, 오류 {errors}건 처리했습니다.");
                (d.subject, d.thread_id) = (Some(format!("{server} 점검")), Some(format!("v-{server}")));
                (d.entities, d.category) = (vec![server.into()], Category::Project);
                ask = Some((
                    format!("{server} 서버 점검에서 오류 {errors}건일 때 소요 시간은?"),
                    vec![errors, format!("{min}분")],
                ));
            }
            82..87 => {
                let (shop, thing, share) = (dice.pick("q", SHOPS_KO), dice.pick("y", THINGS_KO), 5 + dice.roll(60));
                d.content = format!("(광고) {shop} {thing} {share}% 할인 행사");
                (d.subject, d.category) = (Some(format!("{shop} 행사")), Category::Ads);
                d.entities = vec![shop.into()];
            }
            87..94 => {
                let talk: Vec<&str> = TALK.split('|').collect();
                talk[dice.roll(talk.len() as u64) as usize].clone_into(&mut d.content);
            }
            _ => {
                let (person, object) = (dice.pick("a", PEOPLE), dice.pick("o", OBJECTS));
                let (adjective, place) = (dice.pick("j", ADJECTIVES), dice.pick("l", PLACES));
                let shelf = n;
                d.content = format!("The {adjective} {object} of {person} is in the {place}, shelf {shelf}.");
                d.people = vec![person.to_ascii_lowercase() + "@home.example"];
                ask =
                    Some((format!("What is in the {place} on shelf {shelf}?"), vec![shelf.to_string(), object.into()]));
            }
        }
        let m = Memory::from_draft(ids.mint(), d, then);
        if let Some((question, answer)) = ask.filter(|_| dice.roll(count as u64 / 400 + 1) == 0) {
            asked.push(Asked { question, answer });
        }
        memories.push(m);
    }
    Mailbox { memories, asked }
}

/// Puts memories into a store as an import would, a thousand a commit.
pub fn fill(store: &dyn Store, memories: &[Memory]) {
    let mut ids = Ids::new(NOW.plus_millis(-DAY), [8; 16]);
    let mut last = String::new();
    for (n, chunk) in memories.chunks(1_000).enumerate() {
        let mut entry = LogEntry::new(ids.mint(), NOW.plus_millis(-DAY), "local", "");
        entry.action = Action::Import;
        entry.touched = chunk.iter().map(|m| m.id).collect();
        entry.seq = n as u64 + 1;
        let entry = entry.seal(&last, "5a17".into());
        last.clone_from(&entry.hash);
        let set = ChangeSet { memories: chunk.to_vec(), ..ChangeSet::new(entry) };
        block_on(store.commit(set)).unwrap();
    }
}
