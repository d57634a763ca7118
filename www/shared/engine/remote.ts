// A proxy for an object in another thread: a method call becomes a path and arguments.

/** The methods of an object and its parts, all returning promises. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : T[K] extends object ? Remote<T[K]> : never;
};

/** The paths of an object's methods: `list`, `log.list`. */
export type Path<T> = { [K in keyof T & string]: T[K] extends (...args: never) => unknown ? K : T[K] extends object ? `${K}.${Path<T[K]>}` : never }[keyof T &
  string];

/** Sends a call to the object. */
export type Call = (path: readonly string[], args: unknown[]) => Promise<unknown>;

/** Creates the proxy. */
export function remote<T>(call: Call): Remote<T> {
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => undefined, {
      // The proxy must not look like a promise.
      get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : at([...path, name])),
      apply: (_, __, args: unknown[]) => call(path, args),
    });
  return at([]) as Remote<T>;
}

/** Calls the method at a path; only own and class methods can be called. */
export function asked(target: object, path: readonly string[], args: unknown[]): unknown {
  const [name = '', ...rest] = path;
  const type = Object.getPrototypeOf(target) as object;
  const has = Object.hasOwn(target, name) || (type !== Object.prototype && name !== 'constructor' && Object.hasOwn(type, name));
  const found: unknown = has ? target[name as keyof typeof target] : undefined;
  if (rest.length > 0 && typeof found === 'object' && found !== null) return asked(found, rest, args);
  if (rest.length > 0 || typeof found !== 'function') throw Object.assign(new Error(`unknown method ${path.join('.')}`), { code: 'invalid_input' });
  return (found as (...given: unknown[]) => unknown).apply(target, args);
}
