//! Finds the type of a link where the wording makes it plain; the classifier handles the rest.

use super::phrases::{Sign, says};
use super::reading::Reading;

/// Whether the stored memory permits what the new one starts.
pub(super) fn is_prerequisite(a: &Reading, b: &Reading) -> bool {
    let (was, is) = (a.marked(), b.marked());
    says(was, Sign::Permission) && !says(is, Sign::Permission) && says(is, Sign::Beginning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Draft;

    #[test]
    fn permission_is_a_prerequisite_of_a_start() {
        for (a, b, expected) in [
            ("The board approved the hiring budget for Q3.", "Hiring for Q3 starts with two engineers.", true),
            ("물류센터 증축 건축 허가가 났다.", "물류센터 증축 공사를 다음 주에 착공한다.", true),
            ("The storm closed the northern road.", "Deliveries start late because the road is closed.", false),
        ] {
            let [x, y] = [a, b].map(|text| Reading::of(&(&Draft::new(text)).into()));
            assert_eq!(is_prerequisite(&x, &y), expected, "{a} / {b}");
        }
    }
}
