// A generated mailbox of one owner and ten correspondents: five years are 60,000 mails. Mails are made one at a time from a
// seed. A ledger keeps what is true at the end; the questions come from it.
import { CHATTER, CLOSINGS, FILLERS, GREETINGS, HALLS, INNS, LIVES, MATTERS, NAMES, NOTICES, OFFERS, SERIES } from './words.mjs';

/** Five years of 33 mails a day. A shorter mailbox is the beginning of a longer one. */
export const FULL = 60_000;
const DAY = 86_400_000;
const GAP = (1_826 * DAY) / FULL;
const START = Date.UTC(2021, 0, 4, 6);
export const OWNER = 'robin@seo.example';
const MATTERS_AT_ONCE = 5;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = { en: 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' '), ko: [...'일월화수목금토'] };

/** Random choices from a seed. */
export class Dice {
  constructor(seed) {
    this.state = (Math.imul(seed, 2_654_435_761) + 97) >>> 0;
  }
  /** A whole number below `most`. */
  roll(most) {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % most;
  }
  between(least, most) {
    return least + this.roll(most - least + 1);
  }
  chance(share) {
    return this.roll(10_000) < share * 10_000;
  }
  pick(list) {
    return list[this.roll(list.length)];
  }
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const hasFinal = (word) => {
  const code = word.codePointAt(word.length - 1);
  return code >= 0xac00 && code <= 0xd7a3 ? (code - 0xac00) % 28 > 0 : /[013678]$/.test(word);
};
const PARTICLES = { 은: ['은', '는'], 이: ['이', '가'], 을: ['을', '를'] };

/** Fills a frame: `{m}` a value, `{M}` at the start of a sentence, `{m:은}` with the Korean particle that fits. */
function filled(frame, values) {
  return frame.replace(/\{(\w+)(?::(.))?\}/g, (_, name, particle) => {
    const value = values[name] ?? capital(values[name.toLowerCase()]);
    return particle ? value + PARTICLES[particle][hasFinal(value) ? 0 : 1] : value;
  });
}

/** Makes values of facts: `text` is how one is written, and `any` lists the words that a memory of it may contain. */
const VALUES = {
  date(dice, language, now) {
    const at = new Date(now + dice.between(9, 130) * DAY);
    const [day, month, weekday] = [at.getUTCDate(), at.getUTCMonth(), at.getUTCDay()];
    const bare = language === 'en' ? `${day} ${MONTHS[month]}` : `${month + 1}월 ${day}일`;
    const forms =
      language === 'en'
        ? [bare, `${DAYS.en[weekday]} ${bare}`, `${bare} ${at.getUTCFullYear()}`]
        : [bare, `${bare}(${DAYS.ko[weekday]})`, `${at.getUTCFullYear()}년 ${bare}`];
    return { text: dice.pick(forms), any: [bare] };
  },
  money(dice, language) {
    const n = dice.between(12, 980);
    if (language === 'en')
      return dice.chance(0.5) ? { text: `£${grouped(n * 25)}`, any: [String(n * 25)] } : { text: `${grouped(n * 10)} euros`, any: [String(n * 10)] };
    return { text: dice.chance(0.5) ? `${grouped(n)}만원` : `${grouped(n * 10_000)}원`, any: [`${n}만`, String(n * 10_000)] };
  },
  count(dice) {
    const n = String(dice.between(11, 980));
    return { text: n, any: [n] };
  },
  clock(dice, language) {
    const [hour, minute] = [dice.between(8, 19), dice.pick(['00', '15', '30', '45'])];
    const half = hour < 12 ? '오전' : '오후';
    const text = language === 'en' ? `${hour}:${minute}` : `${half} ${hour > 12 ? hour - 12 : hour}시${minute === '00' ? '' : ` ${minute}분`}`;
    return { text, any: [text] };
  },
  room(dice) {
    const text = String(dice.between(1, 9) * 100 + dice.between(1, 30));
    return { text, any: [text] };
  },
  person(dice, language) {
    const text = personName(dice, language);
    return { text, any: [text] };
  },
  firm(dice, language) {
    const text = firmName(dice, language);
    return { text, any: [text] };
  },
  inn(dice, language) {
    const text = INNS[language].map((part) => dice.pick(part)).join(' ');
    return { text, any: [text] };
  },
  hall(dice) {
    const text = HALLS.map((part) => dice.pick(part)).join(' ');
    return { text, any: [text] };
  },
};

function personName(dice, language) {
  const { first, last, given } = NAMES[language];
  return language === 'en' ? `${dice.pick(first)} ${dice.pick(last)}` : dice.pick(last) + dice.pick(given) + dice.pick(given);
}
const placeName = (dice, language) => dice.pick(NAMES[language].head) + dice.pick(NAMES[language].tail);
function firmName(dice, language, kind = dice.pick(NAMES[language].firm)) {
  return language === 'en' ? `${placeName(dice, 'en')} ${kind}` : `${dice.pick(NAMES.ko.head)}${kind}`;
}
const ofParts = (dice, parts, values = {}) => filled(parts.map((part) => dice.pick(part)).join(' '), values);
const filler = (dice, language) => {
  const text = ofParts(dice, dice.pick(FILLERS[language]));
  return `${text}.`;
};

/** One matter of a life, with a name that no other has. */
function newMatter(dice, life, taken) {
  const { language } = life;
  const kind = MATTERS[language][dice.pick(life.kinds)];
  for (;;) {
    const place = placeName(dice, language);
    const firm = firmName(dice, language);
    const frame = dice.pick(kind.names);
    const name = filled(frame, { place, firm, work: kind.work ? dice.pick(kind.work) : '' });
    if (taken.has(name)) continue;
    taken.add(name);
    const thread = taken.size;
    return { life, name, key: frame.includes('{firm}') ? firm : place, kind, facts: new Map(), left: dice.between(7, 16), thread, mails: 0, last: undefined };
  }
}

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const base64 = (bytes) => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
const encodedWord = (text) => (/^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`);
const part = (type, text) => `Content-Type: text/${type}; charset="utf-8"\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(text)}\r\n`;
const MIMES = ['plain', 'html', 'both'];

/** A mailbox of a seed: `mails()` makes them in order, and `facts` is the ledger of those made so far. */
export class Mailbox {
  constructor({ seed = 1, mails = FULL } = {}) {
    this.seed = seed;
    this.count = mails;
    /** By name: the question, the accepted answers, and the numbers of the mails that state the fact. */
    this.facts = new Map();
  }

  *mails() {
    const dice = new Dice(this.seed);
    this.facts.clear();
    const taken = new Set();
    const people = LIVES.map((life) => {
      const name = personName(dice, life.language);
      const box = life.language === 'en' ? name.split(' ')[0].toLowerCase() : life.role.split(' ')[0];
      return { ...life, name, address: `${box}@${dice.pick(NAMES.en.head).toLowerCase()}${dice.pick(NAMES.en.tail)}.example` };
    });
    const matters = people.map((life) => Array.from({ length: MATTERS_AT_ONCE }, () => newMatter(dice, life, taken)));
    const shops = { en: [], ko: [] };
    for (const language of ['en', 'ko'])
      for (let n = 0; n < 24; n += 1) {
        const notice = NOTICES[language][n % NOTICES[language].length];
        const name = firmName(dice, language, notice.firm);
        shops[language].push({ ...notice, name, address: `${notice.from}@${dice.pick(NAMES.en.head).toLowerCase()}${n}${language}.example` });
      }
    const series = { en: [], ko: [] };
    for (const language of ['en', 'ko'])
      for (let n = 0; n < 20; n += 1) {
        const [subject, frame] = SERIES[language][n % SERIES[language].length];
        const place = placeName(dice, language);
        series[language].push({ subject: filled(subject, { place }), frame: frame.replaceAll('{place}', place), address: `system${n}@${language}seo.example` });
      }

    let again;
    for (let n = 0; n < this.count; n += 1) {
      const now = START + Math.floor((n + dice.roll(100) / 100) * GAP);
      // The server delivers a few mails twice.
      if (again !== undefined && dice.chance(0.003)) {
        yield { n, text: again };
        continue;
      }
      const kind = dice.roll(100);
      const language = dice.chance(0.5) ? 'en' : 'ko';
      let mail;
      if (kind < 38) {
        const own = dice.pick(matters);
        const at = dice.roll(own.length);
        mail = this.#ofMatter(dice, own[at], n, now);
        if (own[at].left <= 0) own[at] = newMatter(dice, own[at].life, taken);
      } else if (kind < 51) mail = this.#notice(dice, dice.pick(shops[language]), language, n, now);
      else if (kind < 66) mail = ofSeries(dice, dice.pick(series[language]), language, now);
      else if (kind < 78) mail = offer(dice, dice.pick(shops[language]), language);
      else mail = letter(dice, dice.pick(people));
      again = rendered(dice, mail, n, now);
      yield { n, text: again };
    }
  }

  /** States a fact, and notes it in the ledger. Returns the sentence. */
  #said(dice, matter, name, n, now, { change = false } = {}) {
    const { language } = matter.life;
    const { type, says, changes, asks } = matter.kind.facts[name];
    const before = matter.facts.get(name);
    let value = before;
    if (before === undefined || change) {
      do value = VALUES[type](dice, language, now);
      while (value.any[0] === before?.any[0]);
      matter.facts.set(name, value);
    }
    const id = `${matter.name} ${name}`;
    const fact = this.facts.get(id) ?? { question: filled(dice.pick(asks), { m: matter.name }), key: matter.key, changes: 0, mails: [] };
    fact.any = value.any;
    if (change) fact.changes += 1;
    if (fact.mails.at(-1) !== n) fact.mails.push(n);
    this.facts.set(id, fact);
    return filled(dice.pick(change ? changes : says), { m: matter.name, v: value.text, o: before?.text });
  }

  #ofMatter(dice, matter, n, now) {
    const { life, kind } = matter;
    const { language } = life;
    matter.left -= 1;
    matter.mails += 1;
    const names = Object.keys(kind.facts);
    const open = names.filter((name) => !matter.facts.has(name));
    const stated = names.filter((name) => matter.facts.has(name));
    const quote = matter.last && dice.chance(0.45) ? matter.last : undefined;
    const subject = `${matter.mails > 1 ? 'Re: ' : ''}${capital(matter.name)}`;
    const common = { subject, thread: matter.thread, quote, language };
    // The owner answers without a fact.
    if (quote && dice.chance(0.2)) return { ...common, to: life, lines: [ofParts(dice, CHATTER[language])] };
    const lines = [];
    if (stated.length === 0) {
      for (const name of names.slice(0, dice.between(1, Math.min(3, names.length)))) lines.push(this.#said(dice, matter, name, n, now));
    } else if (open.length > 0 && dice.chance(0.35)) lines.push(this.#said(dice, matter, open[0], n, now));
    else if (dice.chance(0.6)) {
      lines.push(this.#said(dice, matter, dice.pick(stated), n, now, { change: true }));
      if (dice.chance(0.2)) lines.push(this.#said(dice, matter, dice.pick(stated), n, now));
    } else lines.push(this.#said(dice, matter, dice.pick(stated), n, now));
    return { ...common, from: life, html: dice.chance(life.html), lines: framed(dice, lines, language), matter };
  }

  #notice(dice, shop, language, n, now) {
    const number = `${dice.pick([...'ABCDEFGHKLMNPRST'])}${dice.pick([...'ABCDEFGHKLMNPRST'])}-${n}${dice.roll(90) + 10}`;
    const values = { n: number };
    for (const type of ['money', 'date', 'clock']) values[type] = VALUES[type](dice, language, now);
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.text ?? value]));
    const [frame, type] = shop.asks;
    this.facts.set(`notice ${number}`, { question: filled(frame, texts), key: number, any: values[type].any, changes: 0, mails: [n], notice: true });
    const rows = Object.entries(shop.rows).map(([name, value]) => [name, filled(value, texts)]);
    const hasTable = dice.chance(0.5);
    return {
      from: shop,
      language,
      subject: filled(shop.subject, texts),
      html: hasTable || dice.chance(0.5),
      rows: hasTable ? rows : undefined,
      lines: [filled(dice.pick(shop.says), texts)],
      automatic: true,
    };
  }

  /** Questions about what is true after the last mail: of facts that changed, that did not, and of notices. */
  questions(count = 500) {
    const dice = new Dice(this.seed + 7);
    const groups = [[], [], []];
    for (const fact of this.facts.values()) groups[fact.notice ? 2 : fact.changes > 0 ? 0 : 1].push(fact);
    const shares = [0.5, 0.3, 0.2];
    return groups.flatMap((facts, i) => {
      const wanted = Math.min(facts.length, Math.round(count * shares[i]));
      for (let at = 0; at < wanted; at += 1) {
        const other = at + dice.roll(facts.length - at);
        [facts[at], facts[other]] = [facts[other], facts[at]];
      }
      return facts.slice(0, wanted).map(({ question, key, any, changes, mails }) => ({ question, key, any, changes, mails }));
    });
  }
}

/** Sentences with a filler before or after them, as people write. */
function framed(dice, lines, language) {
  const all = [lines.join(' ')];
  if (dice.chance(0.45)) all.unshift(filler(dice, language));
  if (dice.chance(0.3)) all.push(filler(dice, language));
  return all;
}

const numbers = (dice, language, now) => ({
  count: String(dice.between(11, 990)),
  small: String(dice.between(2, 12)),
  large: grouped(dice.between(1_000, 99_000)),
  room: String(dice.between(101, 930)),
  money: VALUES.money(dice, language).text,
  clock: VALUES.clock(dice, language, now).text,
});

const ofSeries = (dice, { subject, frame, address }, language, now) => ({
  from: { name: subject, address },
  language,
  subject,
  lines: [filled(frame, numbers(dice, language, now))],
  automatic: true,
});

function offer(dice, shop, language) {
  const values = { small: String(dice.between(5, 70)), code: `${dice.pick(NAMES.en.head).toUpperCase()}${dice.roll(90) + 10}` };
  const [first, ...more] = Array.from({ length: dice.between(1, 4) }, () => ofParts(dice, OFFERS[language], values));
  return {
    from: { ...shop, address: `news.${shop.address}` },
    language,
    subject: `${language === 'ko' ? '(광고) ' : ''}${first}`,
    html: true,
    lines: [first, ...more],
    list: true,
  };
}

function letter(dice, life) {
  const { language } = life;
  const lines = Array.from({ length: dice.between(1, 4) }, () => (dice.chance(0.3) ? ofParts(dice, CHATTER[language]) : filler(dice, language)));
  const [subject] = lines[0].split(/[.,]/);
  return { [dice.chance(0.25) ? 'to' : 'from']: life, language, subject: subject.slice(0, 60), lines };
}

/** The bytes of a mail as an mbox of Gmail has them. */
function rendered(dice, { from, to, subject, language, lines, html = false, rows, quote, thread, automatic, list, matter }, n, now) {
  const date = new Date(now);
  const stamp = date.toUTCString().replace('GMT', '+0000');
  const sender = from ?? { name: 'Robin Seo', address: OWNER };
  const isLetter = !automatic && !list;
  const greeting = isLetter ? dice.pick(GREETINGS[language]) : undefined;
  const closing = isLetter ? dice.pick(CLOSINGS[language]) : undefined;
  const paragraphs = [greeting, ...lines, closing && `${closing}\n${sender.name.split(' ')[0]}`].filter(Boolean);
  if (matter) matter.last = { text: lines.join('\n'), by: sender, when: date };
  const quoted =
    quote &&
    [
      `On ${DAYS.en[quote.when.getUTCDay()].slice(0, 3)}, ${quote.when.getUTCDate()} ${MONTHS[quote.when.getUTCMonth()].slice(0, 3)} ${quote.when.getUTCFullYear()} at ${String(quote.when.getUTCHours()).padStart(2, '0')}:${String(quote.when.getUTCMinutes()).padStart(2, '0')}, ${quote.by.name} <${quote.by.address}> wrote:`,
      ...quote.text.split('\n').map((line) => `> ${line}`),
    ].join('\n');
  const footer = list ? (language === 'en' ? 'Unsubscribe here.' : '수신 거부') : '';
  const plain = [...paragraphs, footer, quoted].filter(Boolean).join('\n\n');
  const domain = sender.address.split('@')[1];
  const head = [
    `From ${1_800_000_000_000_000_000n + BigInt(n)}@xxx ${date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1 $3 $2 $5 +0000 $4')}`,
    `X-GM-THRID: ${thread ? 1_700_000_000_000_000_000n + BigInt(thread) : 1_800_000_000_000_000_000n + BigInt(n)}`,
    from && `Authentication-Results: mx.google.com; dkim=pass header.i=@${domain}; spf=pass smtp.mailfrom=${sender.address}; dmarc=pass header.from=${domain}`,
    `Message-ID: <${n}.${date.getTime().toString(36)}@${domain}>`,
    `Date: ${stamp}`,
    `From: ${encodedWord(sender.name)} <${sender.address}>`,
    `To: ${to ? `${encodedWord(to.name)} <${to.address}>` : `Robin Seo <${OWNER}>`}`,
    `Subject: ${encodedWord(subject)}`,
    list && `List-Unsubscribe: <https://${domain}/u>`,
    'MIME-Version: 1.0',
  ].filter(Boolean);
  const table = rows && `<table>${rows.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`).join('')}</table>`;
  const markup = `<html><body>${table ?? paragraphs.map((text) => `<p>${escaped(text).replace(/\n/g, '<br>')}</p>`).join('')}${footer && `<p><small>${footer}</small></p>`}${quoted ? `<div class="gmail_quote">${escaped(quoted).replace(/\n/g, '<br>')}</div>` : ''}</body></html>`;
  const mime = html ? dice.pick(rows ? ['html'] : MIMES.slice(1)) : 'plain';
  const file = !html && isLetter && dice.chance(0.02) ? base64(new Uint8Array(30_000 + dice.roll(60_000)).fill(n & 255)) : undefined;
  let body;
  const edge = `edge${n}`;
  if (mime === 'both')
    body = `Content-Type: multipart/alternative; boundary="${edge}"\r\n\r\n--${edge}\r\n${part('plain', plain)}--${edge}\r\n${part('html', markup)}--${edge}--\r\n`;
  else if (file)
    body = `Content-Type: multipart/mixed; boundary="${edge}"\r\n\r\n--${edge}\r\n${part('plain', plain)}--${edge}\r\nContent-Type: image/jpeg\r\nContent-Disposition: attachment; filename="p${n}.jpg"\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}\r\n--${edge}--\r\n`;
  else body = part(mime, mime === 'html' ? markup : plain);
  return `${head.join('\r\n')}\r\n${body}\r\n`;
}
