//! Addresses and the organisations behind them.
//!
//! It never says that somebody wrote something: an address alone proves nothing.

/// Hosts where anybody may have an address: those who share one have nothing in common.
const PUBLIC: &str = "\
gmail.com googlemail.com naver.com daum.net hanmail.net kakao.com nate.com empal.com korea.com dreamwiz.com \
outlook.com outlook.kr hotmail.com hotmail.co.kr hotmail.co.uk live.com live.co.kr live.co.uk msn.com \
yahoo.com yahoo.co.kr yahoo.co.jp yahoo.co.uk yahoo.de yahoo.fr ymail.com rocketmail.com \
icloud.com me.com mac.com aol.com proton.me protonmail.com pm.me tutanota.com tuta.io fastmail.com fastmail.fm \
gmx.com gmx.net gmx.de gmx.at web.de t-online.de mail.com mail.ru yandex.ru yandex.com zoho.com hey.com \
btinternet.com sky.com virginmedia.com orange.fr free.fr laposte.net libero.it qq.com 163.com 126.com";

/// Second parts of domains under a country's, which belong to nobody: `co.kr`, `ac.uk`.
const SHARED: &str = "co or ac go ne re pe hs ms es sc kg com net org gov edu nhs ltd plc me";

/// The domain that an organisation has registered, of a host's name in lower case: `mail.shop.co.kr` is `shop.co.kr`.
pub fn organisation(host: &str) -> String {
    let host = host.trim_matches('.');
    let parts: Vec<&str> = host.split('.').collect();
    let [.., second, top] = parts[..] else { return host.to_owned() };
    let shared = top.len() == 2 && SHARED.split(' ').any(|s| s == second);
    parts[parts.len().saturating_sub(if shared { 3 } else { 2 })..].join(".")
}

/// Whether two addresses are of one organisation that has a domain of its own.
pub fn same_organisation(a: &str, b: &str) -> bool {
    let of = |address: &str| Some(organisation(&address.rsplit_once('@')?.1.trim().to_ascii_lowercase()));
    match (of(a), of(b)) {
        (Some(a), Some(b)) => a == b && a.contains('.') && !PUBLIC.split_whitespace().any(|p| p == a),
        _ => false,
    }
}

/// Whether anybody may have an address at this host.
pub fn is_public(host: &str) -> bool {
    let own = organisation(&host.trim().to_ascii_lowercase());
    PUBLIC.split_whitespace().any(|p| p == own)
}

/// Whether two addresses are the same.
pub fn same_address(a: &str, b: &str) -> bool {
    a.contains('@') && a.trim().eq_ignore_ascii_case(b.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organisation_is_a_domain_of_its_own() {
        assert!(same_organisation("a@shop.example", "news@mail.SHOP.example"));
        assert!(same_organisation("a@x.co.kr", "b@mail.x.co.kr"));
        for (a, b) in [
            ("a@x.co.kr", "b@y.co.kr"),
            ("a@gmail.com", "b@gmail.com"),
            ("a@naver.com", "b@naver.com"),
            ("a", "a"),
            ("a@localhost", "b@localhost"),
            ("a@shop.example", "a@shop.example.evil.example"),
        ] {
            assert!(!same_organisation(a, b), "{a} {b}");
        }
    }
}
