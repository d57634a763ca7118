//! Finds the type of a link where the wording makes it plain; the classifier handles the rest.

use super::align::Alignment;
use super::phrases::{Sign, says};
use super::reading::Reading;
use crate::language::CueKind;
use crate::model::Relation;

/// Maximum content words of a preference that a habit can elaborate ("likes green tea").
const FEW: usize = 6;

/// The relation of the new memory `b` to the stored `a`; `None` if the wording does not show it.
pub fn relation(a: &Reading, b: &Reading, al: &Alignment) -> Option<Relation> {
    let (was, is) = (a.marked(), b.marked());
    if says(was, Sign::Permission) && !says(is, Sign::Permission) && says(is, Sign::Beginning) {
        return Some(Relation::Prerequisite);
    }
    let habit = says(is, Sign::Habit) && !says(was, Sign::Habit) && elaborates(a, b, al);
    habit.then_some(Relation::Elaboration)
}

/// Whether the new memory covers most of a short stored one, and gives no reason.
fn elaborates(a: &Reading, b: &Reading, al: &Alignment) -> bool {
    let telling: Vec<usize> = (0..a.words.len()).filter(|i| !a.words[*i].function).collect();
    let met = telling.iter().filter(|i| al.met_a(**i)).count();
    let reasoned = b.content.cues().iter().any(|c| c.kind == CueKind::Cause);
    !reasoned && telling.len() <= FEW && 2 * met >= telling.len() && met > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Draft;

    fn relation_of(a: &str, b: &str) -> Option<Relation> {
        let (a, b) = (Draft::new(a), Draft::new(b));
        let (a, b) = (Reading::of(&(&a).into()), Reading::of(&(&b).into()));
        relation(&a, &b, &Alignment::of(&a.words, &b.words))
    }

    #[test]
    fn permission_is_a_prerequisite_of_a_start() {
        for (a, b) in [
            ("Q1 예산 6000만원 승인 완료", "Q1 마케팅 캠페인 실행 시작. 예산 집행."),
            ("The board approved the hiring budget for Q3.", "Hiring for Q3 starts with two engineers."),
            ("물류센터 증축 건축 허가가 났다.", "물류센터 증축 공사를 다음 주에 착공한다."),
        ] {
            assert_eq!(relation_of(a, b), Some(Relation::Prerequisite), "{a} / {b}");
        }
        let (a, b) = (
            "The storm closed the northern road.",
            "Deliveries start an hour later because the northern road is closed.",
        );
        assert_ne!(relation_of(a, b), Some(Relation::Prerequisite));
    }

    #[test]
    fn habit_elaborates_a_preference() {
        for (a, b) in [
            ("User likes coffee", "User drinks coffee every morning"),
            ("User enjoys cooking", "User cooks Thai food every Friday"),
        ] {
            assert_eq!(relation_of(a, b), Some(Relation::Elaboration), "{a} / {b}");
        }
    }
}
