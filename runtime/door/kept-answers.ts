/**
 * Answers that the door gives again by itself, for as long as their row says (`keptMs`): those of the authority that every caller gets alike and caches may store. Their thread says when
 * what they say is not true any more, ahead of the answer to the change, so that no caller is shown what another one has just revoked.
 */
import { limits } from '#config/limits.ts';
import type { Body } from '#actors/protocol/frame.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Visit } from './port.ts';

export interface KeptAnswer {
  readonly lines: string;
  readonly body: Body;
  /** On the clock of `now`. */
  readonly until: number;
}

/** Of each of them. */
export const KEPT_STATUS = 200;
const NO_STORE = /^cache-control:.*no-store/im;

export class KeptAnswers {
  readonly #now: () => number;
  readonly #mayKeep: () => boolean;
  readonly #answers = new Map<string, KeptAnswer>();

  /** `mayKeep`: whether words of the threads reach this door. `now`: monotonic, milliseconds. */
  constructor(mayKeep: () => boolean, now: () => number) {
    this.#mayKeep = mayKeep;
    this.#now = now;
  }

  /** Within the handler's synchronous part; null where the thread has to be asked. A caller that names a copy of its own may get 304, which the thread decides. */
  of({ keptMs }: RouteRow, visit: Visit): KeptAnswer | null {
    if (keptMs === undefined) return null;
    const kept = this.#answers.get(visit.path);
    if (kept === undefined || visit.query !== '' || visit.header('if-none-match') !== '') return null;
    if (this.#now() < kept.until) return kept;
    this.#answers.delete(visit.path);
    return null;
  }

  /** An answer of the thread on its way to its caller. */
  saw({ keptMs }: RouteRow, { path, query }: Visit, status: number, lines: string, body: Body): void {
    if (keptMs === undefined || status !== KEPT_STATUS || query !== '' || NO_STORE.test(lines) || !this.#mayKeep())
      return;
    const { keptAnswersMax, keptBytesMax } = limits.door;
    if (body.length > keptBytesMax || path.length > keptBytesMax) return;
    if (this.#answers.size >= keptAnswersMax) this.#answers.delete(this.#answers.keys().next().value!);
    this.#answers.set(path, { lines, body, until: this.#now() + keptMs });
  }

  /** What they say may not be true any more, or their thread is gone. */
  forget(): void {
    this.#answers.clear();
  }
}
