"""Chooses the pieces of the vocabulary that Korean and English need, and checks the choice on texts that it never saw."""
import glob, json, os
import regex
from wordfreq import get_frequency_dict

HANGUL = regex.compile(r'[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]')
# Latin letters, digits, punctuation, symbols, full-width forms.
COMMON = regex.compile(r'[▁\x20-\x7e\xa0-\xff\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2460-\u24ff\u20a0-\u20bf\u2100-\u214f\u25a0-\u26ff\u3000-\u303f\uff00-\uffef]+')
SINGLE = regex.compile(r'[\p{P}\p{S}\p{N}\p{Latin}\p{Greek}]')
# Currencies, units, abbreviations: NOK, kWh, PhD.
CODE = regex.compile(r'[A-Z]{2,4}|[a-z]{1,2}[A-Z][A-Za-z]{0,4}|[A-Z][a-z]{1,2}[A-Z]')
LETTER = regex.compile(r'[A-Za-z\xc0-\xff]')
MONTHS = 'January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec'
DAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun'
MARKS = 'USD KRW EUR GBP JPY $ € £ ₩ ¥ www. http:// https:// .com .kr .co.kr .org .net .io gmail.com naver.com query: passage: Re: Fwd: FW: RE: INV- PO- #'
UNITS = ('am', 'pm', ' AM', ' PM', 'h', 'm', 'kg', 'km', 'cm', 'st', 'nd', 'rd', 'th', 'GB', 'MB', 'k', 'K', 'M', 'x', 'kW', 'kWh', 'mm', 'ml', 'L', 'g', 'W', 'V', 'Hz', '°C', 'sqm', 'm²')


def numbers():
    yield from (str(n) for n in range(10_000))
    yield from (f'{n:02d}' for n in range(100))
    yield from (f'{h:{pad}}:{m:02d}' for pad in ('02d', 'd') for h in range(24) for m in range(60))
    yield from (f'{a}-{b}' for a in range(100) for b in range(100))
    yield from (f'{n},{k:03d}' for n in range(1, 1_000) for k in range(0, 1_000, 50))
    yield from (f'#{n}' for n in range(1_000))
    yield from (f'{y}-{m:02d}-{d:02d}' for y in range(2015, 2032) for m in range(1, 13) for d in range(1, 32))
    yield from (f'{n}.{k}' for n in range(100) for k in range(100))
    yield from (f'{n}%' for n in range(101))
    yield from (f'{n}{u}' for n in range(1, 60) for u in UNITS)
    yield from (f'{c}{n}' for c in '$€£₩¥' for n in [*range(0, 1_000, 5), '1,000', '10,000', '1.5k'])


def words():
    english = {w: f for w, f in get_frequency_dict('en').items() if f >= 5e-8}
    plain = list(english)
    yield from plain
    yield from (w.capitalize() for w in plain)
    yield from (w.upper() for w, f in english.items() if f >= 1e-6)
    often = plain[:30_000]
    for end in ("'s", '.', ',', '?', '!', ':'):
        yield from (w + end for w in often)
    for start in ('(', '-'):
        yield from (start + w for w in often)
    yield from ('("' + w.capitalize() for w in often)
    yield from ('/' + w.capitalize() for w in often[:10_000])


def choose(source):
    """Indices of the pieces that are kept: the four special ones, then the others sorted by their bytes."""
    pieces, tokenizer = source.pieces, source.tokenizer()
    used = lambda texts: {i for e in tokenizer.encode_batch(texts) for i in e.ids}
    kept = used(list(get_frequency_dict('ko')))
    kept |= {i for i in used([*words(), *numbers(), *MONTHS.split(), *DAYS.split(), *MARKS.split()]) if COMMON.fullmatch(pieces[i])}
    for i, piece in enumerate(pieces):
        bare = piece[1:] if piece.startswith('▁') else piece
        is_figure = bare.isascii() and not LETTER.search(bare)
        if HANGUL.search(piece) or is_figure or SINGLE.fullmatch(bare) or CODE.fullmatch(bare):
            kept.add(i)
    special = range(4)
    return [*special, *sorted((i for i in kept if i not in special), key=lambda i: pieces[i].encode())]


FIELDS = {'content', 'quote', 'value', 'subject', 'text', 'body', 'fact_text', 'existing', 'new', 'query'}


def repository_texts(root):
    """What the labelled pairs and the mailboxes' ledgers say."""
    found = set()

    def walk(value):
        if isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for name, item in value.items():
                if isinstance(item, str) and name in FIELDS:
                    found.add(item)
                else:
                    walk(item)

    files = glob.glob(os.path.join(root, 'tests/inbox/**/*.ledger.jsonl'), recursive=True) + glob.glob(os.path.join(root, 'tests/eval/pairs/*.jsonl'))
    for name in sorted(files):
        with open(name, encoding='utf8') as lines:
            for line in lines:
                if line.strip():
                    walk(json.loads(line))
    return sorted(t for t in found if len(t) > 3)


def check(source, order, texts, least=.998):
    """Prints which share of the tokens of `texts` the pruned vocabulary has; fails below `least`."""
    kept = set(order)
    full = source.tokenizer().encode_batch(texts)
    pruned = source.tokenizer(order).encode_batch(texts)
    for name, chosen in (('all', None), ('Korean', True), ('English', False)):
        tokens = survive = equal = count = 0
        for text, a, b in zip(texts, full, pruned):
            if chosen is None or bool(HANGUL.search(text)) == chosen:
                tokens += len(a.ids)
                survive += sum(i in kept for i in a.ids)
                equal += a.ids == [order[i] for i in b.ids]
                count += 1
        print(f'{name}: {count} texts, {tokens} tokens, {survive / tokens:.4%} kept, {equal / count:.2%} of the texts have the same tokens')
        if survive < least * tokens:
            raise SystemExit(f'less than {least:.1%} of the tokens are kept')
