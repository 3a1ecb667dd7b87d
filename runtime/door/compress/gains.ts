/** Which answers gain by compression, by their heads. Pure. */

/** Media types that are text. Streams of events are not among them: each event has to leave as soon as it is there. */
const TEXT =
  /^(?:text\/(?!event-stream)[\w.+-]+|application\/(?:json|xml|yaml|javascript|x-ndjson|wasm|[\w.+-]+\+(?:json|xml|yaml))|image\/svg\+xml)$/i;

/**
 * What keeps an answer as it is: a coding or a range it has already; a strong entity tag, which is of the plain bytes or of a row's version, and which
 * the contract promises as it stands (RFC 9110 §8.8.3.3 wants another tag for each coding); a cookie or `no-store`, which mark secrets.
 */
const KEPT =
  /^(?:content-encoding: |content-range: |set-cookie: |etag: "|cache-control: .*\bno-(?:store|transform)\b)/im;

const TYPE = /^content-type: ([^;\n]*)/im;

/** Whether a media type, without parameters, is text. */
export function isText(type: string): boolean {
  return TEXT.test(type.trim());
}

/** Whether an answer with these lines (`Name: value\n`) may leave compressed, as far as its head says. */
export function gains(status: number, lines: string): boolean {
  if (status < 200 || status > 299 || status === 204 || status === 206) return false;
  const type = TYPE.exec(lines)?.[1];
  return type !== undefined && isText(type) && !KEPT.test(lines);
}
