"""Writes what the tests compare a head with: python reference.py HEAD.npz FOLDER_OF_THE_WHEEL OUTPUT.jsonl

Labelled pairs with their tokens and the logarithms of the four probabilities, in f32.
"""
import glob, json, os, sys
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../encoder'))
from forward import forward, weights
from source import BEGIN, END, LAYERS, MATRICES, Source
from vocabulary import choose

COUNT, SIDE = 32, 70


def tuned(w, head):
    """The weights with the changes of a head."""
    made = {**w, 'positions': np.float32(head['pos']) + np.float32(head['type'])[0], 'emb.ln.w': head['lnw'], 'emb.ln.b': head['lnb']}
    for l in range(LAYERS):
        for n in MATRICES:
            made[f'l{l}.{n}.w'] = w[f'l{l}.{n}.w'] + head[f'l{l}.{n}w.q'].astype(np.float32) * head[f'l{l}.{n}w.s'][:, None]
            made[f'l{l}.{n}.b'] = head[f'l{l}.{n}b']
        made |= {f'l{l}.{long}.{p}': head[f'l{l}.{short}{p}'] for long, short in (('aln', 'al'), ('oln', 'ol')) for p in 'wb'}
    return made


def judge(w, head, tokens):
    states = forward(w, tokens)
    value = lambda name: np.asarray(head[f'head.{name}'], np.float32)
    out = np.tanh(np.concatenate([states[0], states.mean(0)]) @ value('w1') + value('b1')) @ value('w2') + value('b2')
    return out - out.max() - np.log(np.exp(out - out.max()).sum())


def side(memory):
    """A memory as the head sees it."""
    return f"{memory['subject']}: {memory['content']}" if memory.get('subject') else memory['content']


def rows(root):
    found = [json.loads(line) for name in sorted(glob.glob(f'{root}/tests/eval/pairs/*.jsonl')) for line in open(name, encoding='utf8')]
    for i in np.random.default_rng(2).permutation(len(found))[:COUNT]:
        stored, new = found[i]['existing'], found[i]['new']
        yield side(stored), side(new), bool(stored.get('threadId')) and stored.get('threadId') == new.get('threadId')


if __name__ == '__main__':
    archive, folder, output = sys.argv[1:]
    source = Source(folder)
    order = choose(source)
    tokenizer = source.tokenizer(order)
    head = np.load(archive)
    w = weights(source)
    w = tuned({**w, 'emb.word': w['emb.word'][order]}, head)
    with open(output, 'w', encoding='utf8') as out:
        for stored, new, is_same in rows(os.path.join(os.path.dirname(__file__), '../..')):
            one, other = tokenizer.encode(stored).ids[:SIDE], tokenizer.encode(f"{'same' if is_same else ''} {new}").ids[:SIDE]
            tokens = [BEGIN, *one, END, END, *other, END]
            log = [round(float(x), 5) for x in judge(w, head, tokens)]
            out.write(json.dumps({'stored': stored, 'new': new, 'sameThread': is_same, 'tokens': tokens, 'log': log}, ensure_ascii=False) + '\n')
