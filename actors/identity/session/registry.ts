/**
 * A tenant's sessions in memory: the living ones, which every request looks up, and the ended ones that are still shown. Every change of a session
 * is made here in the turn that stages it in the store. Pure.
 */
import { limits } from '#config/limits.ts';
import type { SessionKind } from './store.ts';

export interface LiveSession {
  readonly id: string;
  readonly origin: string;
  readonly principal: string;
  readonly kind: SessionKind;
  expiresAtMs: number;
  lastSeenMs: number;
  /** Whether it was seen since its row was written. */
  touched: boolean;
}

export interface EndedSession {
  readonly id: string;
  readonly expiresAtMs: number;
}

interface Holder {
  /** Oldest first. */
  living: LiveSession[];
  /** In the order in which they ended. */
  ended: EndedSession[];
}

export class SessionRegistry {
  readonly #live = new Map<string, LiveSession>();
  /** Sessions whose id was rotated, by the id that they were opened with. */
  readonly #rotated = new Map<string, LiveSession>();
  readonly #holders = new Map<string, Holder>();
  #touched: LiveSession[] = [];
  #pass: IterableIterator<[string, Holder]> | null = null;
  /** Called when a session was seen and a write is due. */
  onDue: () => void = () => undefined;
  readonly #endings: (() => void)[] = [];
  #plannedAtMs = -Infinity;
  /** Journal number of the newest end of a session. */
  newest = 0;
  /** Settles when everything has been read; null from then on. */
  loading: Promise<void> | null = null;

  /** The number of living sessions, with expired ones that were not swept yet. */
  get size(): number {
    return this.#live.size;
  }

  find(id: string): LiveSession | undefined {
    return this.#live.get(id);
  }

  /** The session that was opened with this id, whatever its id is now. */
  findOrigin(origin: string): LiveSession | undefined {
    const session = this.#live.get(origin) ?? this.#rotated.get(origin);
    return session?.origin === origin ? session : undefined;
  }

  /** Whether the session lives and belongs to the subject; notes that it was seen. */
  lives(id: string, subject: string, nowMs: number): boolean {
    const session = this.#live.get(id);
    if (session === undefined || session.principal !== subject || !(nowMs < session.expiresAtMs)) return false;
    this.#touch(session, nowMs);
    return true;
  }

  /** Living sessions of a principal, oldest first. */
  livingOf(principal: string, nowMs: number): LiveSession[] {
    const living = this.#holders.get(principal)?.living ?? [];
    return living.filter((session) => nowMs < session.expiresAtMs);
  }

  /** Ended sessions of a principal whose rows exist, in the order in which they ended. */
  endedOf(principal: string): readonly EndedSession[] {
    return this.#holders.get(principal)?.ended ?? [];
  }

  /** The number of sessions that a list shows. */
  countShown(nowMs: number): number {
    let count = 0;
    for (const { living, ended } of this.#holders.values()) {
      for (const session of living) if (nowMs < session.expiresAtMs) count++;
      for (const session of ended) if (nowMs < session.expiresAtMs) count++;
    }
    return count;
  }

  /** Calls `then` whenever a session is removed, also where the turn that removes it may yet be dropped. */
  onEnded(then: () => void): void {
    this.#endings.push(then);
  }

  add(session: LiveSession): void {
    this.#live.set(session.id, session);
    if (session.id !== session.origin) this.#rotated.set(session.origin, session);
    const { living } = this.#holder(session.principal);
    // Ordered by the id at the opening: ids grow even when the clock is set back, and rotation does not change it.
    let at = living.length;
    while (at > 0 && living[at - 1]!.origin > session.origin) at--;
    living.splice(at, 0, session);
  }

  remove(session: LiveSession): void {
    this.#live.delete(session.id);
    if (this.#rotated.get(session.origin) === session) this.#rotated.delete(session.origin);
    const holder = this.#holder(session.principal);
    holder.living = holder.living.filter((other) => other !== session);
    this.#tidy(session.principal, holder);
    for (const then of this.#endings) then();
  }

  addEnded(principal: string, session: EndedSession): void {
    this.#holder(principal).ended.push(session);
  }

  dropEnded(principal: string, id: string): void {
    const holder = this.#holder(principal);
    holder.ended = holder.ended.filter((other) => other.id !== id);
    this.#tidy(principal, holder);
  }

  /** Up to `max` sessions that were seen since their rows were written. */
  takeTouched(max: number): LiveSession[] {
    const taken = this.#touched.splice(0, max);
    for (const session of taken) session.touched = false;
    return taken;
  }

  /** Forgets up to `max` expired sessions and gives their ids, whose rows may be deleted. A pass over all continues where it stopped. */
  takeExpired(nowMs: number, max: number): string[] {
    const out: string[] = [];
    const pass = (this.#pass ??= this.#holders.entries());
    for (let looked = 0; looked < max && out.length < max; looked++) {
      const next = pass.next();
      if (next.done === true) {
        this.#pass = null;
        break;
      }
      this.#expire(next.value[0], next.value[1], nowMs, out);
    }
    return out;
  }

  /** Whether a pass over the holders is not finished. */
  get sweeping(): boolean {
    return this.#pass !== null;
  }

  get touchedCount(): number {
    return this.#touched.length;
  }

  #expire(principal: string, holder: Holder, nowMs: number, out: string[]): void {
    for (const session of holder.living) {
      if (nowMs < session.expiresAtMs) continue;
      out.push(session.id);
      this.remove(session);
    }
    for (const { id, expiresAtMs } of holder.ended) {
      if (nowMs < expiresAtMs) continue;
      out.push(id);
      this.dropEnded(principal, id);
    }
  }

  /** The difference is absolute, so that a clock that was set back does not delay the next write. */
  #touch(session: LiveSession, nowMs: number): void {
    session.lastSeenMs = nowMs;
    if (!session.touched) {
      session.touched = true;
      this.#touched.push(session);
    }
    if (Math.abs(nowMs - this.#plannedAtMs) < limits.session.writeEveryMs) return;
    this.#plannedAtMs = nowMs;
    this.onDue();
  }

  #holder(principal: string): Holder {
    let holder = this.#holders.get(principal);
    if (holder === undefined) this.#holders.set(principal, (holder = { living: [], ended: [] }));
    return holder;
  }

  #tidy(principal: string, { living, ended }: Holder): void {
    if (living.length === 0 && ended.length === 0) this.#holders.delete(principal);
  }
}
