"""Writes what the tests compare the encoder with: python reference.py FOLDER_OF_THE_WHEEL OUTPUT_FOLDER

texts.jsonl: a text, its kind and its tokens in the pruned vocabulary. vectors.f16: their vectors in f32, stored as f16.
tokens.jsonl: texts that are hard to split, with their tokens.
"""
import json, os, sys
import numpy as np
from forward import forward, unit, weights
from source import BEGIN, END, Source
from vocabulary import HANGUL, choose, repository_texts

COUNT, LONGEST = 200, 128
PREFIX = {'query': 'query: ', 'document': 'passage: '}
HARD = [
    '', '   ', 'a  b', ' leading and trailing ', 'tab\there\nand\r\nnew\u00a0lines', '①②㎏ ﬁ ｆｕｌｌ　ｗｉｄｔｈ', 'emoji 😀👍🏽 👩‍👩‍👧 test', '漢字 と かな', 'Ünïcödé ñ Ø Łódź',
    'zero\u200bwidth \ufeffmark', 'bell\x07 and null-like \x1f', 'ㅋㅋㅋㅋ ㅠㅠ 가나다', '한글', '▁▁already▁marked▁', '3,000,000원 → ₩3.0M (12%)', 'https://example.com/a?b=c&d=%20',
    '𝔘𝔫𝔦𝔠𝔬𝔡𝔢', 'x' * 300, '가' * 300, 'no-break\u2011hyphen…', '\u202eright to left\u202c',
]


def texts(root):
    every = [t for t in repository_texts(root) if len(t) < 400]
    sides = [[t for t in every if bool(HANGUL.search(t)) == korean] for korean in (True, False)]
    draw = np.random.default_rng(1)
    return [side[i] for side in sides for i in draw.permutation(len(side))[:COUNT // 2]]


def lines(path, rows):
    with open(path, 'w', encoding='utf8') as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + '\n')


if __name__ == '__main__':
    folder, output = sys.argv[1:]
    source = Source(folder)
    order = choose(source)
    full, pruned = source.tokenizer(), source.tokenizer(order)
    w = weights(source)
    w_pruned = {**w, 'emb.word': w['emb.word'][order]}
    framed = lambda tokenizer, text: [BEGIN, *tokenizer.encode(text).ids[:LONGEST - 2], END]
    rows, vectors, likeness = [], [], []
    for n, text in enumerate(texts(os.path.join(os.path.dirname(__file__), '../..'))):
        kind = ('query', 'document')[n % 2]
        tokens = framed(pruned, PREFIX[kind] + text)
        vector = unit(forward(w_pruned, tokens).mean(0))
        likeness.append(vector @ unit(forward(w, framed(full, PREFIX[kind] + text)).mean(0)))
        rows.append({'text': text, 'kind': kind, 'tokens': tokens})
        vectors.append(vector)
    print(f'cosine of pruned and full vocabulary: mean {np.mean(likeness):.5f}, least {min(likeness):.5f}, {np.mean(np.array(likeness) >= .99):.1%} at .99 or more')
    os.makedirs(output, exist_ok=True)
    lines(f'{output}/texts.jsonl', rows)
    np.array(vectors, '<f2').tofile(f'{output}/vectors.f16')
    lines(f'{output}/tokens.jsonl', [{'text': t, 'tokens': pruned.encode(t).ids} for t in HARD])
