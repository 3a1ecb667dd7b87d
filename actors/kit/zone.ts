/** Time zones by their IANA names: how far the clocks of a zone are from UTC, by the tables of `Intl`. */
import { limits } from '#config/limits.ts';

const DAY_MS = 86_400_000;
/** Offsets are remembered for stretches of this length. */
const CHUNK_DAYS = 32;
const CHUNK_MS = CHUNK_DAYS * DAY_MS;
/** Names only: `Intl` also takes offsets such as `+02:00`, which PostgreSQL reads with the opposite sign. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Clocks are at one offset until an instant, in milliseconds. */
interface Stretch {
  readonly until: number;
  readonly offset: number;
}

export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #chunks = new Map<number, readonly Stretch[]>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  /** Milliseconds that the zone's clocks are ahead of UTC at an instant, in milliseconds since 1970. */
  offset(ms: number): number {
    const no = Math.floor(ms / CHUNK_MS);
    let chunk = this.#chunks.get(no);
    if (chunk === undefined) {
      if (this.#chunks.size === limits.data.zoneChunksKept) this.#chunks.clear();
      this.#chunks.set(no, (chunk = this.#stretches(no * CHUNK_MS)));
    }
    for (const { until, offset } of chunk) if (ms < until) return offset;
    return chunk.at(-1)!.offset;
  }

  /** No zone changes its clocks twice within a day, so each change lies between two days that differ. */
  #stretches(from: number): Stretch[] {
    const stretches: Stretch[] = [];
    let offset = this.#ask(from);
    for (let day = from; day < from + CHUNK_MS; day += DAY_MS) {
      const next = this.#ask(day + DAY_MS);
      if (next === offset) continue;
      stretches.push({ until: this.#changeWithin(day, day + DAY_MS, offset), offset });
      offset = next;
    }
    stretches.push({ until: from + CHUNK_MS, offset });
    return stretches;
  }

  /** The first second at which the clocks are no longer at `offset`. */
  #changeWithin(low: number, high: number, offset: number): number {
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (this.#ask(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  #ask(ms: number): number {
    const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(this.#format.format(ms))!;
    if (sign === undefined) return 0;
    const far = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -far : far;
  }
}

const zones = new Map<string, Zone>();

/** The zone of an IANA name, in any case of letters; undefined where `Intl` knows none. A thread keeps those that it used last. */
export function zoneOf(name: string): Zone | undefined {
  let zone = zones.get(name);
  if (zone !== undefined) return zone;
  if (!NAME.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  if (zones.size === limits.data.zonesKept) zones.delete(zones.keys().next().value!);
  zones.set(name, (zone = new Zone(format)));
  return zone;
}
