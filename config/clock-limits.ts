/** The floor of the node's clock (actors/kit/clock-floor.ts). */
export const clockLimits = {
  /** How often main looks at the clock, and how often the floor is written beside the data. */
  lookMs: 1000,
  writeMs: 60_000,
  /** A clock that is behind by less is not worth a word: a step of NTP, or what a restart took. */
  tellMs: 5000,
  /** A clock that is behind by more is believed against the floor, which may come from a clock that was wrong: no token lives longer. */
  behindMsMax: 24 * 60 * 60_000,
  /** A clock that is ahead by more has jumped: the floor follows once it has stood there so long. */
  jumpMs: 5 * 60_000,
  standsMs: 60 * 60_000,
} as const;
