/** JSON in one canonical form. Source: RFC 8785 (JCS): members sorted by UTF-16 code units, ECMAScript numbers and strings. */

/** The canonical text of a value that came from JSON. Throws for values that JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : objectText(value as Members);
}

type Members = Readonly<Record<string, unknown>>;

/** `toSorted` without a comparison orders by code units. */
function objectText(value: Members): string {
  let text = '';
  for (const name of Object.keys(value).toSorted()) {
    const item = value[name];
    if (item !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}
