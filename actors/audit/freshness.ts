/** How long ago each copy of a log, or each witness of it, was last found up to date. */
export class Freshness {
  readonly #now: () => number;
  readonly #last = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a copy or a witness; its age counts from now where nothing is known of it. */
  expect(logId: string, place: string): void {
    const key = keyOf(logId, place);
    if (!this.#last.has(key)) this.#last.set(key, this.#now());
  }

  /** It has everything that is signed. */
  done(logId: string, place: string): void {
    this.#last.set(keyOf(logId, place), this.#now());
  }

  /** Removes logs that are gone: they have no copies to wait for. */
  keepOnly(isThere: (logId: string) => boolean): void {
    for (const key of this.#last.keys()) if (!isThere(key.slice(0, key.indexOf(' ')))) this.#last.delete(key);
  }

  /** Of one log, to the second; null where nothing is expected of it yet. */
  behindSeconds(logId: string): number | null {
    const last = [...this.#last].filter(([key]) => key.startsWith(keyOf(logId, ''))).map(([, at]) => at);
    return last.length === 0 ? null : Math.max(0, Math.round((this.#now() - Math.min(...last)) / 1000));
  }

  /** Seconds since the copy or witness furthest behind was up to date; 0 where there is none. */
  get ageSeconds(): number {
    return this.#last.size === 0 ? 0 : Math.max(0, (this.#now() - Math.min(...this.#last.values())) / 1000);
  }
}

/** The separator is a space: log ids have none. */
const keyOf = (logId: string, place: string): string => `${logId} ${place}`;
