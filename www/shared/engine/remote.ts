// An object that is elsewhere, by its type alone: each call of a method, also of a part's, is a path and what is given.

/** What can be asked of an object: its methods and those of its parts, each giving a promise. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : T[K] extends object ? Remote<T[K]> : never;
};

/** The methods of an object by their paths: `list`, `data.log`. */
export type Path<T> = { [K in keyof T & string]: T[K] extends (...args: never) => unknown ? K : T[K] extends object ? `${K}.${Path<T[K]>}` : never }[keyof T & string];

/** Carries a call to where the object is. */
export type Call = (path: readonly string[], args: unknown[]) => Promise<unknown>;

/** The object, as it is asked from here. */
export function remote<T>(call: Call): Remote<T> {
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => undefined, {
      // A promise of it is not one more of its methods.
      get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : at([...path, name])),
      apply: (_, __, args: unknown[]) => call(path, args),
    });
  return at([]) as Remote<T>;
}

/** Calls the method of an object that a path names, and nothing else of it. */
export function asked(target: object, path: readonly string[], args: unknown[]): unknown {
  const [name = '', ...rest] = path;
  const type = Object.getPrototypeOf(target) as object;
  const has = Object.hasOwn(target, name) || (type !== Object.prototype && name !== 'constructor' && Object.hasOwn(type, name));
  const found: unknown = has ? target[name as keyof typeof target] : undefined;
  if (rest.length > 0 && typeof found === 'object' && found !== null) return asked(found, rest, args);
  if (rest.length > 0 || typeof found !== 'function') throw Object.assign(new Error(`there is no verb ${path.join('.')}`), { code: 'invalid_input' });
  return (found as (...given: unknown[]) => unknown).apply(target, args);
}
