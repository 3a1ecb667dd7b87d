/**
 * Answers of receivers, gathered for a moment and settled in one commit for each tenant. No caller waits for the end of an entry, but a commit of its own
 * would have the next writer of the thread wait behind its synchronisation of the disk. What a crash loses meanwhile leaves again, under the same id.
 */
import { limits } from '#config/limits.ts';

export interface SettlementPorts<A> {
  /** Settles answers of one tenant in one commit; resolves when it is durable. */
  readonly settle: (tenantNo: number, answers: readonly A[]) => Promise<unknown>;
  readonly after: (ms: number, run: () => void) => void;
}

interface Waiting<A> {
  readonly answer: A;
  readonly settled: (value: null) => void;
  readonly failed: (error: unknown) => void;
}

export class Settlements<A extends { readonly tenantNo: number }> {
  readonly #ports: SettlementPorts<A>;
  readonly #groups = new Map<number, Waiting<A>[]>();
  readonly #underWay = new Set<Promise<void>>();
  #isClosing = false;

  constructor(ports: SettlementPorts<A>) {
    this.#ports = ports;
  }

  /** Resolves when the answer is settled durably; rejects where its tenant cannot be reached. */
  add(answer: A): Promise<null> {
    return new Promise((settled, failed) => {
      const { tenantNo } = answer;
      const known = this.#groups.get(tenantNo);
      const group = known ?? [];
      group.push({ answer, settled, failed });
      if (known === undefined) {
        this.#groups.set(tenantNo, group);
        this.#ports.after(limits.host.settleMs, () => this.#begin(tenantNo, group));
      }
      if (this.#isClosing || group.length >= limits.host.settledTogetherMax) this.#begin(tenantNo, group);
    });
  }

  /** The thread closes: settles what waits, and from now on each answer at once; resolves when none is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const [tenantNo, group] of this.#groups) this.#begin(tenantNo, group);
    await Promise.all(this.#underWay);
  }

  #begin(tenantNo: number, group: readonly Waiting<A>[]): void {
    if (this.#groups.get(tenantNo) !== group) return; // it was full before its time
    this.#groups.delete(tenantNo);
    const going = this.#settle(tenantNo, group).finally(() => this.#underWay.delete(going));
    this.#underWay.add(going);
  }

  /** One answer that cannot be settled does not keep the others of its group. */
  async #settle(tenantNo: number, group: readonly Waiting<A>[]): Promise<void> {
    const together = group.map(({ answer }) => answer);
    try {
      await this.#ports.settle(tenantNo, together);
    } catch (error) {
      if (group.length === 1) return group[0]!.failed(error);
      for (const one of group) await this.#settle(tenantNo, [one]);
      return;
    }
    for (const { settled } of group) settled(null);
  }
}
