//! Two addresses belong to one organisation only if they share its registered domain.

use memfold::model::{is_public, is_relay, organisation, same_organisation};

/// Free mail hosts, where anyone can get an address.
const FREE_MAIL_HOSTS: &str = "\
gmail.com googlemail.com naver.com daum.net hanmail.net kakao.com nate.com empal.com korea.com dreamwiz.com outlook.com outlook.kr \
outlook.co.id hotmail.com hotmail.it live.com live.co.kr live.nl msn.com yahoo.com yahoo.co.kr yahoo.com.br ymail.com myyahoo.com \
rocketmail.com icloud.com me.com mac.com aol.com aol.de proton.me protonmail.com pm.me tuta.com tutanota.com tuta.io tutamail.com \
fastmail.com fastmail.fm gmx.com gmx.ch gmx.net web.de t-online.de freenet.de mail.com email.com mail.ru inbox.ru bk.ru list.ru \
yandex.ru yandex.kz ya.ru rambler.ru ukr.net zoho.com zohomail.com hey.com hushmail.com mailfence.com posteo.de mailbox.org runbox.com \
startmail.com riseup.net disroot.org inbox.lv seznam.cz centrum.cz wp.pl o2.pl onet.pl interia.pl abv.bg libero.it virgilio.it \
tiscali.it orange.fr free.fr laposte.net sfr.fr wanadoo.fr bluewin.ch telenet.be skynet.be ziggo.nl kpnmail.nl btinternet.com \
sky.com virginmedia.com talktalk.net ntlworld.com comcast.net att.net sbcglobal.net verizon.net cox.net charter.net earthlink.net \
juno.com rediffmail.com sina.com sina.cn qq.com foxmail.com 163.com 126.com yeah.net 139.com 189.cn sohu.com aliyun.com \
docomo.ne.jp ezweb.ne.jp softbank.ne.jp yahoo.co.jp excite.co.jp uol.com.br bol.com.br terra.com.br ig.com.br bigpond.com \
optusnet.com.au iinet.net.au xtra.co.nz shaw.ca rogers.com sympatico.ca telus.net lycos.com usa.net mail2world.com \
rambler.ru mynet.com walla.co.il netvigator.com pchome.com.tw hinet.net mailinator.com guerrillamail.com 10minutemail.com \
ieee.org acm.org alum.mit.edu pobox.com";

/// Domains under which anyone can get a subdomain.
const SHARED_HOSTS: &str = "\
github.io gitlab.io onmicrosoft.com myshopify.com kr.com uk.com us.com eu.com co.com gb.net eu.org cafe24.com tistory.com wordpress.com \
blogspot.com substack.com herokuapp.com web.app firebaseapp.com vercel.app netlify.app pages.dev workers.dev r2.dev fly.dev onrender.com \
up.railway.app replit.app deno.dev duckdns.org ddns.net dyndns.org no-ip.org hopto.org zapto.org altervista.org azurewebsites.net \
cloudfront.net appspot.com run.app glitch.me surge.sh neocities.org wixsite.com weebly.com squarespace.com godaddysites.com webflow.io \
imweb.me zendesk.com sharepoint.com de.com ru.com jp.net in.net co.uk co.kr or.kr seoul.kr ac.uk gov.uk com.au co.jp kawasaki.jp \
com.br co.in gen.in priv.no notion.site carrd.co";

/// Relays that send mail for anyone or hide its author.
const RELAYS: &str = "\
docs.google.com calendar.google.com googlegroups.com groups.io github.com gitlab.com linkedin.com facebookmail.com slack.com notion.so \
trello.com asana.com atlassian.net dropbox.com doodle.com calendly.com eventbrite.com meetup.com evite.com docusign.net adobesign.com \
surveymonkey.com typeform.com members.ebay.com guest.booking.com upwork.com zendesk.com intercom-mail.com amazonses.com sendgrid.net \
mailgun.org mandrillapp.com mcsv.net rsgsv.net sparkpostmail.com mailjet.com sendinblue.com brevo.com ccsend.com createsend.com \
hubspotemail.net klaviyomail.com mlsend.com stibee.com simplelogin.com aleeas.com anonaddy.me duck.com privaterelay.appleid.com \
relay.firefox.com mozmail.com 33mail.com forwardemail.net paypal.com";

fn hosts(list: &str) -> impl Iterator<Item = &str> {
    list.split_whitespace()
}

#[test]
fn addresses_of_a_free_mail_host_share_no_organisation() {
    let missed: Vec<&str> = hosts(FREE_MAIL_HOSTS).filter(|host| !is_public(host)).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let joined = |host: &&str| {
        let sub = format!("b@mail.{host}");
        same_organisation(&format!("a@{host}"), &format!("b@{host}")) || same_organisation(&format!("a@{host}"), &sub)
    };
    assert_eq!(hosts(FREE_MAIL_HOSTS).filter(joined).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn subdomains_of_shared_hosts_are_separate_organisations() {
    let joined = |host: &&str| same_organisation(&format!("a@one.{host}"), &format!("b@two.{host}"));
    assert_eq!(hosts(SHARED_HOSTS).filter(joined).collect::<Vec<_>>(), [""; 0]);
    // Addresses under one rented name share an organisation.
    let apart = |host: &&str| !same_organisation(&format!("a@one.{host}"), &format!("b@mail.one.{host}"));
    let deeper = ["kawasaki.jp", "sharepoint.com", "zendesk.com", "run.app"];
    assert_eq!(hosts(SHARED_HOSTS).filter(apart).filter(|h| !deeper.contains(h)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn relays_belong_to_no_organisation() {
    let missed: Vec<&str> = hosts(RELAYS).filter(|host| !is_relay(&format!("noreply@{host}"))).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let joined = |host: &&str| same_organisation(&format!("a@{host}"), &format!("b@{host}"));
    assert_eq!(hosts(RELAYS).filter(joined).collect::<Vec<_>>(), [""; 0]);
    for honest in ["ann@hub.example", "ann@notgithub.com", "ann@duck.com.example", "ann@acme.example"] {
        assert!(!is_relay(honest), "{honest}");
    }
}

#[test]
fn an_organisation_is_its_registered_domain() {
    for (host, domain) in [
        ("mail.shop.example", "shop.example"),
        ("mail.shop.co.kr", "shop.co.kr"),
        ("a.b.c.shop.com.br", "shop.com.br"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("mail.shop.tokyo.jp", "shop.tokyo.jp"),
        ("www.ck", "www.ck"),
        ("mail.one.ck", "mail.one.ck"),
        ("acme.onmicrosoft.com", "acme.onmicrosoft.com"),
        ("mail.shop.公司.cn", "shop.公司.cn"),
        ("mail.shop.xn--55qx5d.cn", "shop.公司.cn"),
        ("mail.xn--bcher-kva.example", "bücher.example"),
        ("co.kr", "co.kr"),
        ("localhost", "localhost"),
        ("", ""),
        ("..", ""),
    ] {
        assert_eq!(organisation(host), domain, "{host}");
    }
    for (a, b, same) in [
        ("a@shop.example", "news@mail.SHOP.example", true),
        ("a@x.co.kr", "b@mail.x.co.kr", true),
        ("a@xn--bcher-kva.example", "b@bücher.example", true),
        ("a@library.ac.uk", "b@library.ac.uk", true),
        ("a@samsung.com", "b@sec.samsung.com", true),
        ("a@x.co.kr", "b@y.co.kr", false),
        ("a", "a", false),
        ("a@localhost", "b@localhost", false),
        ("a@co.kr", "b@co.kr", false),
        ("a@shop.example", "a@shop.example.evil.example", false),
    ] {
        assert_eq!(same_organisation(a, b), same, "{a} {b}");
    }
}

#[test]
fn look_alike_domains_are_other_organisations() {
    let own = "ann@northwind.example";
    for bought in [
        "northwindtraders.xyz",
        "northwind.top",
        "northwind.com",
        "northwind.co.kr",
        "northwind-mail.com",
        "northwind.example.com",
        "ｎｏｒｔｈｗｉｎｄ.example",
        "northwind．example",
        "nоrthwind.example",
        "xn--nrthwind-4qi.example",
        "northwlnd.example",
        "n0rthwind.example",
        "northwindd.example",
        "north-wind.example",
        "getnorthwind.com",
        "노스윈드.com",
    ] {
        assert!(!same_organisation(own, &format!("ann@{bought}")), "{bought}");
    }
}

#[test]
fn malformed_hosts_are_handled() {
    for host in [
        "xn--",
        "xn--.xn--",
        "xn--zzzzzzzzzzzz.example",
        &"a.".repeat(5_000),
        &"x".repeat(100_000),
        "a..b",
        "-",
        "*.ck",
        "!www.ck",
    ] {
        let (own, public) = (organisation(host), is_public(host));
        assert!(own.len() <= host.len().max(4) * 4, "{public}");
    }
}
