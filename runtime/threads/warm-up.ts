/** Wakes tenants before their first request: those of `content.loadtenants`, and those that were written last where this node takes the place of another one. */
import type { Platform } from '#config/platform.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { isSuspended } from './standings.ts';

export class WarmUp {
  readonly #platform: Platform;
  readonly #wake: (tenantNo: number) => Promise<unknown>;
  /** Tenants that were expected and have not been seen yet, the first one first. */
  #expected: readonly number[] = [];
  #isWaking = false;
  readonly #due: number[] = [];

  /** Where waking fails, the first request tries again. */
  constructor(platform: Platform, wake: (tenantNo: number) => Promise<unknown>) {
    this.#platform = platform;
    this.#wake = wake;
  }

  /** Callers of these tenants are expected, the first one first: each is woken when it is seen. */
  expect(nos: readonly number[] = []): void {
    this.#expected = nos;
  }

  /** These tenants are served here. A suspended one sleeps. */
  saw(tenants: readonly TenantEntry[]): void {
    const able = tenants.filter((entry) => entry.state === 'active' && !isSuspended(entry));
    const wanted = new Set(this.#platform.content.loadtenants);
    for (const { no, position } of able) if (wanted.has(position.key)) this.#wakeWanted(no, position.key);
    const here = new Set(able.map(({ no }) => no));
    this.#due.push(...this.#expected.filter((no) => here.has(no)));
    this.#expected = this.#expected.filter((no) => !here.has(no));
    void this.#wakeDue();
  }

  #wakeWanted(no: number, key: string): void {
    this.#wake(no).catch((error: unknown) =>
      threadLogger(this.#platform, 'content').warn(
        { err: error, tenant: key },
        'a tenant of content.loadtenants could not be woken ahead: its first request tries again',
      ),
    );
  }

  /** One after the other: what is asked meanwhile is served between two of them. A first request that fails says why. */
  async #wakeDue(): Promise<void> {
    if (this.#isWaking) return;
    this.#isWaking = true;
    for (let no = this.#due.shift(); no !== undefined; no = this.#due.shift()) {
      await this.#wake(no).catch(() => undefined);
      await nextTurn();
    }
    this.#isWaking = false;
  }
}
