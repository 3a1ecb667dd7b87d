/** Durations in Go's notation: `25ms`, `1.5h`, `168h0m0s`. Spec: docs/contract/common.md §2.2. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const WHOLE = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
/** The longest text worth reading; Go's own longest spelling is far shorter. */
const CHARS_MAX = 64;

/** Milliseconds (with a fraction below one), or null when the text is no duration or out of a double's safe range. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  if (text.length > CHARS_MAX || !WHOLE.test(text)) return null;
  let total = 0;
  for (const [, count, unit] of text.matchAll(PART)) total += Number(count) * UNIT_MS[unit!]!;
  if (total > Number.MAX_SAFE_INTEGER) return null;
  return text.startsWith('-') ? -total : total;
}

/** Milliseconds of a duration that the loader has checked; a fault for any other text. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new Error(`not a duration: ${text}`);
  return ms;
}

/** Go's own spelling of a duration of whole milliseconds: `25ms`, `1.5s`, `10m0s`, `168h0m0s`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
