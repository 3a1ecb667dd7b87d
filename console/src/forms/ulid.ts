/** Ids as cursors. Pure. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const isUlid = (text: string): boolean => ULID.test(text);

/** The id right behind this one, before which this one is the newest; null where none is. */
export function idBehind(id: string): string | null {
  const kept = id.replace(/Z+$/, '');
  const next = DIGITS[DIGITS.indexOf(kept.at(-1) ?? 'Z') + 1];
  if (next === undefined) return null;
  const behind = `${kept.slice(0, -1)}${next}`.padEnd(id.length, '0');
  return isUlid(behind) ? behind : null;
}
