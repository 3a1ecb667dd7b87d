/** JSON in one spelling only. Source: RFC 8785 (JCS): members sorted by UTF-16 code units, ECMAScript numbers and strings. */

/** The canonical text of a value that came from JSON. Throws for what JSON cannot say. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, item]) => item !== undefined);
    // Code units, not code points: the plain comparison of strings.
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is no JSON`);
  return JSON.stringify(value) ?? 'null';
}
