/** Logs submissions that were turned away because the disk has no room: one line a minute, not one for each. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { OneForMany } from '#actors/kit/one-for-many.ts';
import { pathsOf } from './store.ts';
import type { StoreSettings } from './store-settings.ts';

const MEANING =
  'the disk has less room than storage.free_bytes_min keeps free: submissions are turned away with 503 and are not stored. ' +
  'Make room on it, or lower the key and restart';

export class FullDisk {
  readonly #turnedAway = new OneForMany(limits.intake.fullDiskLineMs);
  readonly #settings: StoreSettings;
  readonly #log: Log;
  readonly #clock: Clock;

  constructor(settings: StoreSettings, log: Log, clock: Clock) {
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
  }

  /** A submission was turned away; the line says how many were since the last one. */
  turnedAway(): void {
    const told = this.#turnedAway.seen(this.#clock.now());
    if (told === null) return;
    const { freeBytesMin = limits.storage.freeBytesMin } = this.#settings;
    const facts = { dirs: pathsOf(this.#settings), free_bytes_min: freeBytesMin, turned_away: told.since };
    this.#log.warn(facts, MEANING);
  }
}
