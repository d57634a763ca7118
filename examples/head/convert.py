"""Converts a trained head to the file that the encoder loads: python convert.py HEAD.npz ENCODER.bin OUTPUT.gz

The archive holds, for each layer l and matrix m of q k v ao fi fo: `l{l}.{m}w.q`, the changes of the shipped weights as whole
numbers from -3 to 3, and `l{l}.{m}w.s`, their scale for each row; `l{l}.{m}b` and the norms `al` and `ol` as values; `pos`,
`type`, `lnw`, `lnb`; and `head.w1` (768 x 384), `head.b1`, `head.w2` (384 x 4), `head.b2`.
"""
import os, sys, zlib
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../encoder'))
from container import HEAD, POSITIONS, container, floats, halves, identity
from source import GROUPS, LAYERS, MATRICES, WIDTH

LICENCE = 'MIT. Changes of the weights of the encoder by the memfold authors. See LICENSE.'
OUTCOMES = 4


def convert(head, encoder):
    """The file of a head; `head` maps the names above to arrays, `encoder` is the hash of the weights that it changes."""
    def values(name, *shape):
        found = np.asarray(head[name], np.float32)
        assert found.shape == shape and np.isfinite(found).all(), name
        return found

    def rows(name, count, length):
        """For each row a scale (f16) and two changes a byte."""
        changes = np.asarray(head[f'{name}.q'])
        assert changes.shape == (count, length) and np.abs(changes).max() <= 3, name
        codes = (changes + 3).astype(np.uint8)
        scales = values(f'{name}.s', count).astype('<f2').view(np.uint8).reshape(count, 2)
        return np.concatenate([scales, codes[:, ::2] * 8 + codes[:, 1::2]], 1).tobytes()

    kinds = len(head['pos'])
    positions = values('pos', kinds, WIDTH)[:POSITIONS] + values('type', 2, WIDTH)[0]
    tensors = [halves(positions), floats(values('lnw', WIDTH)), floats(values('lnb', WIDTH))]
    for layer in range(LAYERS):
        for names in GROUPS:
            tensors += [rows(f'l{layer}.{n}w', *MATRICES[n]) for n in names]
            tensors += [floats(values(f'l{layer}.{n}b', MATRICES[n][0])) for n in names]
        tensors += [floats(values(f'l{layer}.{norm}{part}', WIDTH)) for norm in ('al', 'ol') for part in 'wb']
    tensors += [
        halves(values('head.w1', 2 * WIDTH, WIDTH).T), floats(values('head.b1', WIDTH)),
        floats(values('head.w2', WIDTH, OUTCOMES).T), floats(values('head.b2', OUTCOMES)),
    ]
    return container(HEAD, encoder, 0, 0, LAYERS, LICENCE, tensors)


def packed(file):
    """As gzip: changes of a few values hardly repeat, and Huffman codes alone make the file smaller than matches do."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9, zlib.Z_HUFFMAN_ONLY)
    return packer.compress(file) + packer.flush()


if __name__ == '__main__':
    source, encoder, output = sys.argv[1:]
    with open(encoder, 'rb') as start:
        belongs_to = identity(start.read(64))
    file = convert(np.load(source), belongs_to)
    with open(output, 'wb') as out:
        out.write(packed(file))
    print(f'{output}: {os.path.getsize(output)} bytes, {len(file)} unpacked, SHA-256 {identity(file).hex()}')
