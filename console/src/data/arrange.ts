/** The order of columns as a list of names. Pure. */

/** The list with one name at the place of another: behind it where it came from before it, else before it. */
export function placed(list: readonly string[], name: string, at: string): readonly string[] {
  const [from, to] = [list.indexOf(name), list.indexOf(at)];
  if (from < 0 || to < 0 || from === to) return list;
  const others = list.filter((one) => one !== name);
  return [...others.slice(0, to), name, ...others.slice(to)];
}

/** All names in the order that was chosen; those that it does not name come behind, as they were. */
export function ordered(all: readonly string[], chosen: readonly string[]): readonly string[] {
  const known = new Set(all);
  const first = chosen.filter((name) => known.has(name));
  const named = new Set(first);
  return [...first, ...all.filter((name) => !named.has(name))];
}
