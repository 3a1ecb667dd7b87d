/** `Range` of a request (RFC 9110 §14). One range of bytes is served; several ranges, or a malformed header, count as none. */

export interface ByteRange {
  readonly from: number;
  /** The place after the last byte. */
  readonly to: number;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** The part that is wanted of `size` bytes; null for all of it, undefined when it lies outside. */
export function rangeOf(header: string | undefined, size: number): ByteRange | null | undefined {
  const match = RANGE.exec(header?.replaceAll(' ', '') ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : suffix(Number(last), size);
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return null;
  return from < size ? { from, to } : undefined;
}

function suffix(bytes: number, size: number): ByteRange | undefined {
  return bytes === 0 || size === 0 ? undefined : { from: Math.max(0, size - bytes), to: size };
}
