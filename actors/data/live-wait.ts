/** A call that stays open and waits for what comes next: as a subscriber of changes (changes/subscription.ts), or as a member of a channel (channel/member.ts). */

/**
 * Why it ends. `session`: its credential does not count any more; `access`: its caller may not read the entity, or be in the channel, any more;
 * `definitions`: what it follows is declared otherwise, or not any more; `leaving`: the tenant moves or rests, or the node stops;
 * `cost`: its rules or conditions take more work than a turn may; `fault`: it could not be served; `gone`: its caller has left.
 */
export type EndReason = 'session' | 'access' | 'definitions' | 'leaving' | 'cost' | 'fault' | 'gone';

export abstract class LiveWait<Round> {
  #wait: { readonly dueAt: number; readonly deliver: (round: Round) => void } | null = null;
  #ended: EndReason | null = null;

  get isWaiting(): boolean {
    return this.#wait !== null;
  }

  get ended(): EndReason | null {
    return this.#ended;
  }

  /** `fineMs`: of the fine clock, as `dueAt` is. */
  isDue(fineMs: number): boolean {
    return this.#wait !== null && fineMs >= this.#wait.dueAt;
  }

  wait(dueAt: number): Promise<Round> {
    return new Promise((deliver) => (this.#wait = { dueAt, deliver }));
  }

  deliver(round: Round): void {
    const wait = this.#wait;
    this.#wait = null;
    wait?.deliver(round);
  }

  /** Ends it now where it waits, else when it next asks. */
  end(reason: EndReason): void {
    this.#ended ??= reason;
    this.deliver(this.over());
  }

  /** What says that it has ended. */
  abstract over(): Round;
}
