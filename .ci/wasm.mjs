// What a wasm file holds, as far as weighing and ordering it needs: its functions with their names, and its data.

/** The imports (where from, kind), the functions (name, body), the data segments and the sections (id, start, end) of a module's bytes. */
export function read(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const taken = () => {
    const length = number();
    return bytes.subarray(at, (at += length));
  };
  const limits = () => {
    const flags = number();
    number();
    if (flags & 1) number();
  };
  /** What stands before an import's limits or type, by its kind: function, table, memory, global. */
  const imported = [() => number(), () => { at += 1; limits(); }, limits, () => { at += 2; }];
  /** Passes a constant expression of one instruction: where a segment lies. */
  const constant = () => {
    at += 1;
    number();
    at += 1;
  };

  const module = { imports: [], functions: [], data: [], sections: [] };
  const names = new Map();
  while (at < bytes.length) {
    const start = at;
    const id = number();
    const end = number() + at;
    module.sections.push({ id, start, end });
    if (id === 2) {
      for (let n = number(); n > 0; n--) {
        const from = [taken(), taken()].join('.');
        const kind = number();
        imported[kind]();
        module.imports.push({ from, kind });
      }
    } else if (id === 10) {
      for (let n = number(); n > 0; n--) module.functions.push({ name: '', body: taken() });
    } else if (id === 11) {
      for (let n = number(); n > 0; n--) {
        const kind = number();
        if (kind === 2) number();
        if (kind !== 1) constant();
        module.data.push(taken());
      }
    } else if (id === 0 && taken().toString() === 'name') {
      while (at < end) {
        const [part, stop] = [number(), number() + at];
        if (part === 1) for (let n = number(); n > 0; n--) names.set(number(), taken());
        at = stop;
      }
    }
    at = end;
  }
  const first = foreign(module);
  module.functions.forEach((f, n) => { f.name = names.get(first + n)?.toString() ?? ''; });
  return module;
}

/** How many functions are imported, which are numbered before a module's own. */
const foreign = ({ imports }) => imports.filter(({ kind }) => kind === 0).length;

/** The module's bytes without its own names and with these instead: one for each function that is not imported. */
export function named(bytes, names) {
  const module = read(bytes);
  const first = foreign(module);
  const number = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...number(Math.floor(n / 128))]);
  const sized = (...parts) => {
    const content = Buffer.concat(parts.map((p) => Buffer.from(p)));
    return Buffer.concat([Buffer.from(number(content.length)), content]);
  };
  const list = names.flatMap((name, n) => [number(first + n), sized(name)]);
  const section = sized(sized('name'), [1], sized(number(names.length), ...list));
  const rest = module.sections.filter((s) => s.id !== 0).map((s) => bytes.subarray(s.start, s.end));
  return Buffer.concat([bytes.subarray(0, 8), ...rest, Buffer.from([0]), section]);
}
