/** The query part of addresses, with the values as they are written: what a page puts there is what a request has (docs/contract/data.md §5.1), so no value becomes a number or JSON on the way. Pure. */
export type Search = Readonly<Record<string, unknown>>;

/** A key that repeats has a list. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(out, key) ? out[key] : undefined;
    const values = before === undefined ? value : [...[before].flat(), value];
    Object.defineProperty(out, key, { value: values, enumerable: true, configurable: true, writable: true });
  }
  return out;
}

/** With the `?`; empty without parameters. */
export function stringifySearch(search: Search): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(key, plain(one));
  const text = readable(query);
  return text && `?${text}`;
}

/** Signs that a query may have as they are, so that an address can be read. */
export const readable = (query: URLSearchParams): string =>
  query.toString().replaceAll(/%(5B|5D|2C|3A|2F)/g, (code) => decodeURIComponent(code));

/** A text, or a number or boolean that a page has set, as it stands in an address. */
export const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
