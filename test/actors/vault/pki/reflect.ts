/** The three functions of the metadata proposal that @peculiar/x509's container asks for; imported before it. */

const all = new WeakMap<object, Map<unknown, unknown>>();

const own = (key: unknown, target: object): unknown => all.get(target)?.get(key);

function inherited(key: unknown, target: object): unknown {
  for (let one: object | null = target; one !== null; one = Object.getPrototypeOf(one) as object | null) {
    const value = own(key, one);
    if (value !== undefined) return value;
  }
  return undefined;
}

function define(key: unknown, value: unknown, target: object): void {
  const kept = all.get(target) ?? new Map<unknown, unknown>();
  all.set(target, kept.set(key, value));
}

Object.assign(Reflect, { getMetadata: inherited, getOwnMetadata: own, defineMetadata: define });
