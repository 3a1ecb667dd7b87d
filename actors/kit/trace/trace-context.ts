/** The headers of W3C Trace Context, Level 1 (https://www.w3.org/TR/trace-context/): read strictly, written in version 00. */
import { limits } from '#config/limits.ts';

export interface Traceparent {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16: the caller's span. */
  readonly parentId: string;
  /** Whether the caller may have recorded its part of the trace. */
  readonly sampled: boolean;
}

/** §3.2.2: version, trace, parent, flags; only a later version may have more behind them, after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x20-\x7e]*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_PARENT = '0'.repeat(16);
const SAMPLED = 1;
/** A later version may be longer, but not without end. */
const CHARS_MAX = 512;

/** The header's value, or null when it is malformed: its trace is then not continued (§3.2.2, §4.3). Several headers joined by commas are malformed. */
export function parseTraceparent(text: string): Traceparent | null {
  if (text.length > CHARS_MAX) return null;
  const found = TRACEPARENT.exec(trimmed(text));
  if (found === null) return null;
  const [, version, traceId, parentId, flags, more] = found as unknown as [
    string,
    string,
    string,
    string,
    string,
    string?,
  ];
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (traceId === NO_TRACE || parentId === NO_PARENT) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The header of a sampled span: flags that this level does not know are 0 (§3.2.2.5). */
export function writeTraceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`;
}

/** §3.3.1.3, with at signs wherever Level 2 allows them. */
const KEY = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MEMBERS_MAX = 32;
/** §3.3.1.5: longer members go first when the whole is too long. */
const LONG_MEMBER = 128;

/** `tracestate` as it is sent on, of all its header lines joined by commas; '' for none or a malformed one, which is dropped whole (§4.3). */
export function parseTracestate(text: string): string {
  if (text === '' || text.length > limits.door.headerBytesMax) return '';
  const members = text
    .split(',')
    .map(trimmed)
    .filter((member) => member !== '');
  if (members.length > MEMBERS_MAX || !members.every(isMember)) return '';
  const whole = members.join(',');
  return whole.length <= limits.traces.tracestateCharsMax ? whole : shortened(members);
}

function isMember(member: string): boolean {
  const at = member.indexOf('=');
  return at > 0 && KEY.test(member.slice(0, at)) && VALUE.test(member.slice(at + 1));
}

function shortened(members: readonly string[]): string {
  const kept = members.filter(({ length }) => length <= LONG_MEMBER);
  while (kept.join(',').length > limits.traces.tracestateCharsMax) kept.pop();
  return kept.join(',');
}

/** Without the optional white space of HTTP around it (RFC 9110 §5.6.3). */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;
