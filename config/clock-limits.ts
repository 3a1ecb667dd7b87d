/** The floor of the node's clock (actors/kit/clock-floor.ts). */
export const clockLimits = {
  /** How often main reads the clock, and how often the floor is written beside the data. */
  lookMs: 1000,
  writeMs: 60_000,
  /** A clock that is behind by less is not reported: NTP made a step, or a restart took that long. */
  tellMs: 5000,
  /** A clock that is behind by more is believed instead of the floor, which may come from a wrong clock: no token lives that long. */
  behindMsMax: 24 * 60 * 60_000,
  /** A clock that is ahead by more has jumped: the floor follows after it has stayed there for so long. */
  jumpMs: 5 * 60_000,
  standsMs: 60 * 60_000,
} as const;
