//! Mail addresses and the organisations behind them. An address alone never proves who wrote a mail.

mod domain_set;
mod punycode;

use domain_set::contains;
use std::borrow::Cow;

/// Public suffixes, top-level domains and free-mail hosts; see `data/SOURCES.md`.
static PUBLIC_SUFFIXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/public_suffixes.bin"));
static TOP_LEVELS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/top_levels.bin"));
static FREE_MAIL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/domains/free_mail.bin"));

/// Exceptions to the wildcard rules of the public suffix list.
const WILDCARD_EXCEPTIONS: &str = "city.kawasaki.jp city.kitakyushu.jp city.kobe.jp city.nagoya.jp city.sapporo.jp city.sendai.jp city.yokohama.jp www.ck";

/// Hosts with subdomains for customers that the public suffix list lacks.
const CUSTOMER_HOSTS: &str = "\
onmicrosoft.com kr.com gb.com cafe24.com tistory.com wordpress.com substack.com amazonaws.com glitch.me neocities.org blog.me \
webnode.com jimdosite.com jimdofree.com weebly.com squarespace.com imweb.me sharepoint.com atlassian.net zendesk.com freshdesk.com \
zohodesk.com godaddysites.com mystrikingly.com carrd.co webflow.io framer.website framer.app notion.site super.site ghost.io \
mailchimpsites.com bigcartel.com myshoplaza.com sixshop.kr creatorlink.net modoo.at quv.kr iwinv.net gabia.io dothome.co.kr \
ivyro.net mireene.com woobi.co.kr hubspotpagebuilder.com salesforce-sites.com force.com my.salesforce.com service-now.com \
freshservice.com teamwork.com slack.com zohosites.com";

/// Free-mail hosts that the list lacks. Societies and alumni are included: their members share only a host.
const MORE_FREE_MAIL: &str = "\
empal.com empas.com naver.net hanafos.com kornet.net tuta.com tutanota.com tutamail.com disroot.org riseup.net autistici.org systemli.org \
cock.li mailo.com startmail.com soverin.net migadu.com purelymail.com skiff.com thexyz.com passmail.net passinbox.com passmail.com \
proton.me pm.me hey.com icloud.com me.com mac.com acm.org ieee.org computer.org alum.mit.edu alumni.stanford.edu post.harvard.edu \
aya.yale.edu alumni.princeton.edu caa.columbia.edu alumni.upenn.edu alumni.cmu.edu usa.net pobox.com bigfoot.com iname.com \
myyahoo.com zoho.eu zoho.in zohomail.eu zohomail.in vivaldi.net opera.com kolabnow.com countermail.com ctemplar.com msgsafe.io \
tempmail.com dreamx.net sayclub.com intizen.com simmani.com kebi.com weppy.com netvigator.com pchome.com.tw hinet.net starhub.net.sg \
pacific.net.sg streamyx.com tm.net.my indosat.net.id slingshot.co.nz tesco.net plusnet.com plus.com vodafone.de vodafone.it vodafone.net \
vodafone.es vodafone.nl alice-dsl.net chello.at chello.hu tele2.se telia.com bredband.net comhem.se tdcadsl.dk numericable.fr bbox.fr \
ono.com otenet.gr hol.gr dir.bg volny.cz bezeqint.net 012.net.il emirates.net.ae eim.ae batelco.com.bh qualitynet.net airtelmail.in \
bsnl.in fastwebnet.it one.lt online.ua nm.ru suddenlink.net sasktel.net mts.net eastlink.ca flash.net nvbell.net wans.net vtext.com";

/// Free-mail brands with domains in many countries: `outlook.de`, `yahoo.co.in`.
const FREE_MAIL_NAMES: &str =
    "aol excite fastmail freemail gmx hotmail live lycos msn outlook runbox tiscali yahoo ymail yandex";

/// Relays: services that send mail on behalf of their users, and aliases that hide the author.
const RELAYS: &str = "\
docs.google.com calendar.google.com googlegroups.com google-groups.com groups.io groups.yahoo.com yahoogroups.com freelists.org \
simplelists.com gaggle.email discoursemail.com launchpad.net sourceforge.net github.com gitlab.com bitbucket.org linkedin.com \
facebookmail.com instagram.com twitter.com x.com pinterest.com redditmail.com quora.com discord.com discordapp.com nextdoor.com \
band.us slack.com slack-mail.com teams.microsoft.com sharepointonline.com yammer.com zoom.us webex.com notion.so makenotion.com trello.com \
asana.com basecamp.com monday.com clickup.com wrike.com smartsheet.com atlassian.com atlassian.net linear.app figma.com miro.com canva.com \
airtable.com airtableemail.com coda.io dropbox.com dropboxmail.com box.com wetransfer.com smash.gg jandi.com dooray.com swit.io flow.team \
doodle.com calendly.com cal.com acuityscheduling.com youcanbook.me when2meet.com meetup.com eventbrite.com eventbritemail.com evite.com \
lu.ma luma-mail.com partiful.com typeform.com surveymonkey.com surveymonkeyuser.com jotform.com tally.so formstack.com cognitoforms.com \
docusign.net docusign.com adobesign.com echosign.com hellosign.com dropboxsign.com pandadoc.com pandadoc.net signnow.com modusign.co.kr \
eformsign.com paypal.com paypal.de paypal.co.uk intuit.com freshbooks.com waveapps.com bill.com post.xero.com squareup.com \
members.ebay.com reply.ebay.com marketplace.amazon.com marketplace.amazon.co.uk etsy.com reply.craigslist.org hous.craigslist.org \
sale.craigslist.org airbnb.com reply.airbnb.com guest.booking.com property.booking.com messages.homeaway.com upwork.com fiverr.com \
freelancer.com indeedemail.com indeedmail.com zendesk.com freshdesk.com helpscout.net helpscout.com intercom-mail.com intercom.io \
gorgias.com frontapp.com kayako.com groovehq.com zohodesk.com uservoice.com \
amazonses.com sendgrid.net sendgrid.com sendgrid.me mailgun.org mailgun.net mandrillapp.com mcsv.net mcdlv.net rsgsv.net mailchimp.com \
mailchimpapp.net mailchimpapp.com list-manage.com sparkpostmail.com sparkpost.com mailjet.com sendinblue.com brevo.com brevosend.com \
postmarkapp.com mtasv.net ccsend.com constantcontact.com createsend.com cmail19.com cmail20.com campaignmonitor.com hubspotemail.net \
hubspotstarter.net hs-send.com exacttarget.com mktomail.com mktdns.com pardot.com klaviyomail.com activehosted.com emsend1.com \
aweber.com getresponse.com convertkit-mail.com convertkit-mail2.com mailerlite.com mlsend.com mailersend.net resend.dev \
customeriomail.com smtp2go.com elasticemail.com mailtrap.io emailjs.com stibee.com stibee.net \
simplelogin.com simplelogin.co simplelogin.io aleeas.com slmail.me 8alias.com 8shield.net silomails.com addy.io anonaddy.com anonaddy.me \
duck.com privaterelay.appleid.com relay.firefox.com mozmail.com 33mail.com erine.email forwardemail.net improvmx.com burnermail.io \
opayq.com maskmy.id trashmail.com spamgourmet.com cloaked.id ironvest.com";

/// Longer host names (in bytes or labels) are not decoded; DNS allows no more.
const MAX_HOST: usize = 253;
const MAX_LABELS: usize = 127;

/// The registered domain of a lower-case host name: `mail.shop.co.kr` gives `shop.co.kr`. A public suffix gives itself.
pub fn organisation(host: &str) -> String {
    let host = decode_host(host);
    let labels: Vec<&str> = host.split('.').collect();
    let suffix = suffix(&labels);
    labels[suffix.saturating_sub(1)..].join(".")
}

/// The index of the first label of the host's public suffix.
fn suffix(labels: &[&str]) -> usize {
    let last = labels.len().saturating_sub(1);
    let from = |n: usize| labels[n..].join(".");
    for n in 0..last {
        let name = from(n);
        if is_in(WILDCARD_EXCEPTIONS, &name) {
            return n + 1;
        }
        let wildcard = ["*.", &from(n + 1)].concat();
        if contains(PUBLIC_SUFFIXES, &name) || is_in(CUSTOMER_HOSTS, &name) || contains(PUBLIC_SUFFIXES, &wildcard) {
            return n;
        }
    }
    last
}

/// Whether both addresses belong to the same organisation. Free-mail hosts, public suffixes and relays never do.
pub fn same_organisation(a: &str, b: &str) -> bool {
    let of = |address: &str| {
        let host = host_of(address)?;
        let domain = organisation(&host);
        (domain.contains('.') && !is_public(&host) && !is_relay_host(&host)).then_some(domain)
    };
    of(a).is_some_and(|a| of(b).is_some_and(|b| a == b))
}

/// Whether anyone can get an address at this host.
pub fn is_public(host: &str) -> bool {
    let host = decode_host(&host.trim().to_ascii_lowercase()).into_owned();
    let labels: Vec<&str> = host.split('.').collect();
    let (suffix, last) = (suffix(&labels), labels.len().saturating_sub(1));
    let name = labels.get(suffix.wrapping_sub(1)).copied().unwrap_or_default();
    // The host is itself a public suffix.
    suffix == 0 && last > 0
        || is_in(FREE_MAIL_NAMES, name)
        || (0..suffix).any(|n| {
            let name = labels[n..].join(".");
            is_in(MORE_FREE_MAIL, &name) || contains(FREE_MAIL, &name)
        })
}

/// Whether a label is a top-level domain.
pub fn is_top_level(label: &str) -> bool {
    contains(TOP_LEVELS, label)
}

/// Whether the address belongs to a service that sends mail on behalf of its users.
pub fn is_relay(address: &str) -> bool {
    host_of(address).is_some_and(|host| is_relay_host(&host))
}

fn is_relay_host(host: &str) -> bool {
    is_in_or_under(RELAYS, host)
}

/// Whether both texts are the same mail address, ignoring case.
pub fn same_address(a: &str, b: &str) -> bool {
    a.contains('@') && a.trim().eq_ignore_ascii_case(b.trim())
}

fn host_of(address: &str) -> Option<String> {
    Some(address.rsplit_once('@')?.1.trim().to_ascii_lowercase())
}

/// Decodes an internationalised host name: `xn--bcher-kva.example` gives `bücher.example`.
fn decode_host(host: &str) -> Cow<'_, str> {
    let host = host.trim_matches('.');
    if host.len() > MAX_HOST || host.matches('.').count() >= MAX_LABELS || !host.contains("xn--") {
        return Cow::Borrowed(host);
    }
    let label = |label: &str| label.strip_prefix("xn--").and_then(punycode::decode).unwrap_or_else(|| label.to_owned());
    host.split('.').map(label).collect::<Vec<String>>().join(".").into()
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

fn is_in_or_under(list: &str, host: &str) -> bool {
    list.split_whitespace().any(|one| host == one || host.strip_suffix(one).is_some_and(|h| h.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_sets_contain_their_lists_with_few_false_positives() {
        for (set, list) in [
            (PUBLIC_SUFFIXES, include_str!("data/public_suffixes.txt")),
            (FREE_MAIL, include_str!("data/free_mail.txt")),
        ] {
            let names: Vec<&str> = list.lines().filter(|l| !l.is_empty() && !l.starts_with(['#', '!'])).collect();
            assert!(names.len() > 9_000 && names.iter().all(|name| contains(set, name)));
            let others = (0..40_000).filter(|n| contains(set, &format!("{n}.other.example"))).count();
            assert!(others < 25, "{others}");
            assert!(set.len() * 8 < names.len() * 15 + 9_000, "{}", set.len());
        }
        let exceptions = include_str!("data/public_suffixes.txt").lines().filter_map(|l| l.strip_prefix('!'));
        assert_eq!(exceptions.collect::<Vec<_>>().join(" "), WILDCARD_EXCEPTIONS);
        assert!(!contains(&[], "a.example") && !contains(&[1, 0, 0, 0, 9], "a.example"));
    }
}
