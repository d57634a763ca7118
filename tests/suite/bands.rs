//! Scores of the built-in embedder lie in the bands that the source documents give.

use memfold::decision::Policy;
use memfold::engine::compare;
use memfold::model::Draft;

#[test]
fn seed_boundary_cases_score_in_their_ranges() {
    let cases = [
        ("Q1 마케팅 예산 5000만원", "Q1 마케팅 예산 6000만원으로 증액", 0.82, 0.90),
        ("계약서 검토 중. 법무팀 확인 대기.", "계약서 검토 완료. 최종 승인됨.", 0.78, 0.88),
        ("Q1 OKR: 사용자 20% 증가 목표", "Q2 OKR: 사용자 15% 추가 증가, Q1 성과 기반", 0.72, 0.85),
        ("GDPR 규정 준수 요구사항 발표", "개인정보처리방침 업데이트. GDPR 대응.", 0.68, 0.80),
        ("Q1 예산 6000만원 승인 완료", "Q1 마케팅 캠페인 실행 시작. 예산 집행.", 0.75, 0.88),
    ];
    for (existing, new, low, high) in cases {
        let c = compare(&Draft::new(existing), &Draft::new(new), &Policy::FAST).unwrap();
        assert!((low..=high).contains(&c.score), "{} is outside {low}–{high}: {existing} | {new}", c.score);
    }
}

#[test]
fn same_text_scores_as_a_duplicate_and_unrelated_texts_score_low() {
    let score = |a: &str, b: &str| compare(&Draft::new(a), &Draft::new(b), &Policy::FAST).unwrap().score;
    assert!(score("Q1 마케팅 예산 5000만원", "Q1 마케팅  예산 5000만원!") >= 0.95);
    assert!(score("The choir sings on 22 November.", "유치원 학부모 상담 신청 안내") < 0.50);
    assert!(score("엘리베이터 점검으로 운행이 멈춥니다.", "Invoice SK-70413 is due") < 0.50);
}
