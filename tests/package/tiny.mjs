// Two models in the files that Transformers.js reads, made here: one that turns texts into vectors by their letters, and one that
// says the same whatever it is asked. Their graphs are of ordinary ONNX operators and are run by the real runtime.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// As much of protocol buffers as an ONNX file needs.
function varint(n) {
  const bytes = [];
  for (let rest = BigInt(n); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, value) => {
  const body = typeof value === 'string' ? Buffer.from(value) : Array.isArray(value) ? Buffer.concat(value) : value;
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
};

const [FLOAT, INT64] = [1, 7];
const raw = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const tensor = (name, type, dims, values) =>
  bytes(5, [
    ...dims.map((d) => number(1, d)),
    number(2, type),
    bytes(8, name),
    bytes(9, raw(type === FLOAT ? values : BigInt64Array.from(values.map(BigInt)))),
  ]);
const value = (field, name, type, dims) =>
  bytes(field, [
    bytes(1, name),
    bytes(2, [
      bytes(1, [
        number(1, type),
        bytes(
          2,
          dims.map((d) => bytes(1, typeof d === 'number' ? number(1, d) : bytes(2, d))),
        ),
      ]),
    ]),
  ]);
const node = (type, inputs, output, attributes = {}) =>
  bytes(1, [
    ...inputs.map((name) => bytes(1, name)),
    bytes(2, output),
    bytes(4, type),
    ...Object.entries(attributes).map(([name, n]) => bytes(5, [bytes(1, name), number(3, n), number(20, 2)])),
  ]);
const model = (...graph) => Buffer.concat([number(1, 8), bytes(8, [bytes(1, ''), number(2, 17)]), bytes(7, [...graph, bytes(2, 'tiny')])]);

/** Numbers that are always the same. */
function* chance(seed) {
  for (let x = seed; ; ) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    yield x / 2 ** 31 - 1;
  }
}

/** Each byte is a token, as byte-level tokenizers name it; `more` are tokens beside those. */
function tokenizer(more) {
  const shown = (b) => (b > 32 && b < 127) || (b > 160 && b !== 173);
  let next = 256;
  const vocab = Object.fromEntries(Array.from({ length: 256 }, (_, b) => [String.fromCodePoint(shown(b) ? b : next++), b]));
  const added_tokens = more.map((content, n) => ({
    id: 256 + n,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: n > 0,
  }));
  const bytewise = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens,
    normalizer: null,
    pre_tokenizer: bytewise,
    post_processor: null,
    decoder: bytewise,
    model: { type: 'BPE', vocab, merges: [] },
  };
}

function write(dir, files) {
  mkdirSync(join(dir, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), Buffer.isBuffer(content) ? content : JSON.stringify(content));
}

/** Vectors of `WIDE` numbers: a random row for each three bytes that follow each other, and the mean of them. */
const [ROWS, WIDE] = [4_096, 64];
export function embedding(dir) {
  const random = chance(7);
  const rows = Float32Array.from({ length: ROWS * WIDE }, () => random.next().value);
  const ints = (name, ...values) => tensor(name, INT64, [values.length], values);
  write(dir, {
    'config.json': { model_type: 'bert', architectures: ['BertModel'], hidden_size: WIDE },
    'tokenizer_config.json': { tokenizer_class: 'PreTrainedTokenizerFast', pad_token: '<pad>', model_max_length: 2_048 },
    'tokenizer.json': tokenizer(['<pad>']),
    'onnx/model.onnx': model(
      // The token behind each, and the one behind that; behind the last one there is a 0.
      node('Slice', ['input_ids', 'one', 'end', 'axis'], 'second'),
      node('Slice', ['input_ids', 'nil', 'one', 'axis'], 'first'),
      node('Sub', ['first', 'first'], 'zero'),
      node('Concat', ['second', 'zero'], 'behind', { axis: 1 }),
      node('Slice', ['behind', 'one', 'end', 'axis'], 'third'),
      node('Concat', ['third', 'zero'], 'further', { axis: 1 }),
      node('Mul', ['input_ids', 'a'], 'x'),
      node('Mul', ['behind', 'b'], 'y'),
      node('Mul', ['further', 'c'], 'z'),
      node('Add', ['x', 'y'], 'xy'),
      node('Add', ['xy', 'z'], 'xyz'),
      node('Mod', ['xyz', 'rows'], 'at'),
      node('Gather', ['table', 'at'], 'last_hidden_state', { axis: 0 }),
      ints('one', 1),
      ints('nil', 0),
      ints('end', 2 ** 31),
      ints('axis', 1),
      ints('a', 961),
      ints('b', 31),
      ints('c', 1_009),
      ints('rows', ROWS),
      tensor('table', FLOAT, [ROWS, WIDE], rows),
      value(11, 'input_ids', INT64, ['n', 'length']),
      value(11, 'attention_mask', INT64, ['n', 'length']),
      value(12, 'last_hidden_state', FLOAT, ['n', 'length', WIDE]),
    ),
  });
}

/** It says `reply`, whatever it is asked: behind any byte comes that token, and behind that the end. */
export function speaking(dir, reply) {
  const [SAYS, END, COUNT] = [256, 257, 258];
  const next = new Float32Array(COUNT * COUNT);
  for (let token = 0; token < COUNT; token += 1) next[token * COUNT + (token === SAYS ? END : SAYS)] = 9;
  write(dir, {
    'config.json': {
      model_type: 'gpt2',
      architectures: ['GPT2LMHeadModel'],
      vocab_size: COUNT,
      n_layer: 1,
      n_head: 1,
      n_embd: 1,
      eos_token_id: END,
      bos_token_id: END,
    },
    'generation_config.json': { eos_token_id: END, pad_token_id: END },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      eos_token: '<end>',
      pad_token: '<end>',
      model_max_length: 100_000,
      chat_template: '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}',
    },
    'tokenizer.json': tokenizer([reply, '<end>']),
    'onnx/model.onnx': model(
      node('Gather', ['next', 'input_ids'], 'logits', { axis: 0 }),
      tensor('next', FLOAT, [COUNT, COUNT], next),
      value(11, 'input_ids', INT64, ['n', 'length']),
      value(11, 'attention_mask', INT64, ['n', 'length']),
      value(12, 'logits', FLOAT, ['n', 'length', COUNT]),
    ),
  });
}
