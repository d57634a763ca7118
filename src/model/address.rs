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
btinternet.com sky.com virginmedia.com orange.fr free.fr laposte.net libero.it qq.com 163.com 126.com \
tuta.com tutanota.de tutamail.com posteo.de posteo.net mailbox.org duck.com hushmail.com inbox.com email.com usa.com \
comcast.net att.net verizon.net cox.net charter.net rediffmail.com sina.com foxmail.com naver.net hanmir.com \
empas.com lycos.co.kr paran.com chol.com freechal.com simplelogin.com addy.io appleid.com firefox.com runbox.com \
mailfence.com disroot.org riseup.net googlegroups.com groups.io yahoogroups.com freelists.org freenet.de seznam.cz wp.pl o2.pl \
onet.pl interia.pl bk.ru list.ru inbox.ru rambler.ru ya.ru ukr.net docomo.ne.jp softbank.ne.jp ezweb.ne.jp au.com sfr.fr wanadoo.fr \
neuf.fr bigpond.com optusnet.com.au shaw.ca rogers.com sympatico.ca sbcglobal.net bellsouth.net earthlink.net tiscali.it virgilio.it \
alice.it uol.com.br bol.com.br terra.com.br hanafos.com kornet.net unitel.co.kr netian.com mozmail.com passmail.net passinbox.com \
telenet.be skynet.be ziggo.nl kpnmail.nl bluewin.ch telefonica.net centrum.cz abv.bg mynet.com yeah.net 139.com 189.cn";

/// Names of such hosts that have a domain in many countries: `outlook.de`, `yahoo.co.in`.
const PUBLIC_NAMES: &str = "outlook hotmail live yahoo ymail gmx yandex msn";

/// Second parts of domains under a country's, which belong to nobody: `co.kr`, `ac.uk`.
const SHARED: &str = "co or ac go ne re pe hs ms es sc kg com net org gov edu nhs ltd plc me sch asso io ai it mil gr ed ad lg id web \
idv my in firm gen nom biz info name pro \
seoul busan daegu incheon gwangju daejeon ulsan gyeonggi gangwon chungbuk chungnam jeonbuk jeonnam gyeongbuk gyeongnam jeju";

/// Domains under which anybody may have one of their own.
const RENTED: &str = "\
onmicrosoft.com github.io gitlab.io myshopify.com kr.com uk.com us.com eu.com co.com gb.net eu.org cafe24.com tistory.com \
wordpress.com blogspot.com substack.com herokuapp.com web.app firebaseapp.com vercel.app netlify.app pages.dev workers.dev \
duckdns.org ddns.net dyndns.org no-ip.org altervista.org de.com ru.com jp.net jpn.com cn.com sa.com za.com br.com gb.com se.net in.net \
azurewebsites.net cloudfront.net amazonaws.com appspot.com glitch.me surge.sh neocities.org blog.me webnode.com jimdosite.com \
wixsite.com weebly.com squarespace.com imweb.me zendesk.com freshdesk.com atlassian.net sharepoint.com mailchimpapp.net";

/// Organisations whose machines carry what anybody has written: their address says nothing of who.
const RELAYS: &str = "\
docs.google.com calendar.google.com github.com gitlab.com linkedin.com facebookmail.com slack.com notion.so makenotion.com \
trello.com asana.com dropbox.com doodle.com calendly.com discord.com basecamp.com monday.com airtable.com";

/// The domain that an organisation has registered, of a host's name in lower case: `mail.shop.co.kr` is `shop.co.kr`.
pub fn organisation(host: &str) -> String {
    let host = host.trim_matches('.');
    let parts: Vec<&str> = host.split('.').collect();
    let [.., second, top] = parts[..] else { return host.to_owned() };
    let is_in = |list: &str, name: &str| list.split_whitespace().any(|s| s == name);
    let shared = top.len() == 2 && is_in(SHARED, second) || is_in(RENTED, &format!("{second}.{top}"));
    parts[parts.len().saturating_sub(if shared { 3 } else { 2 })..].join(".")
}

/// Whether two addresses are of one organisation that has a domain of its own.
pub fn same_organisation(a: &str, b: &str) -> bool {
    let of = |address: &str| Some(organisation(&address.rsplit_once('@')?.1.trim().to_ascii_lowercase()));
    match (of(a), of(b)) {
        (Some(a), Some(b)) => a == b && a.contains('.') && !is_of_everybody(&a),
        _ => false,
    }
}

/// Whether anybody may have an address at this host.
pub fn is_public(host: &str) -> bool {
    is_of_everybody(&organisation(&host.trim().to_ascii_lowercase()))
}

fn is_of_everybody(domain: &str) -> bool {
    let name = domain.split('.').next().unwrap_or_default();
    PUBLIC.split_whitespace().any(|p| p == domain) || PUBLIC_NAMES.split_whitespace().any(|p| p == name)
}

/// Whether an address is that of a machine which carries what anybody has written.
pub fn is_relay(address: &str) -> bool {
    let host = address.rsplit_once('@').map_or("", |(_, host)| host).trim().to_ascii_lowercase();
    RELAYS.split_whitespace().any(|relay| host == relay || host.strip_suffix(relay).is_some_and(|h| h.ends_with('.')))
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
            ("a@outlook.de", "b@outlook.de"),
            ("a@yahoo.co.in", "b@yahoo.co.in"),
            ("a@freenet.de", "b@freenet.de"),
            ("a@x.io.kr", "b@y.io.kr"),
            ("a@x.duckdns.org", "b@y.duckdns.org"),
            ("a@naver.com", "b@naver.com"),
            ("a", "a"),
            ("a@localhost", "b@localhost"),
            ("a@posteo.de", "b@posteo.de"),
            ("a@acme.onmicrosoft.com", "b@other.onmicrosoft.com"),
            ("a@one.seoul.kr", "b@two.seoul.kr"),
            ("a@shop.example", "a@shop.example.evil.example"),
        ] {
            assert!(!same_organisation(a, b), "{a} {b}");
        }
    }
}
