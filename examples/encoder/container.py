"""The file format of the encoder and of a head; src/encoder/weights.rs reads it.

magic "memfold\\0" | kind u32 (1 encoder, 2 head) | version u32 | bytes after the hash u64 | SHA-256 of them |
the encoder's SHA-256 (32 zeros in an encoder) | pieces, bytes of pieces, layers, positions, bytes of the licence (u32 each) |
licence | tensors. All numbers are little endian.
"""
import hashlib, struct
import numpy as np

ENCODER, HEAD, VERSION = 1, 2, 1
POSITIONS = 144
PREFIX = 56


def floats(values):
    return np.ascontiguousarray(values, '<f4').tobytes()


def halves(values):
    return np.ascontiguousarray(values, '<f2').tobytes()


def container(kind, encoder, pieces, piece_bytes, layers, licence, tensors):
    licence = licence.encode()
    body = encoder + struct.pack('<5I', pieces, piece_bytes, layers, POSITIONS, len(licence)) + licence + b''.join(tensors)
    return b'memfold\0' + struct.pack('<IIQ', kind, VERSION, len(body)) + hashlib.sha256(body).digest() + body


def identity(file):
    """The hash by which a file is known."""
    return file[24:PREFIX]
