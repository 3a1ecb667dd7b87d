/** Keeps the node's own identity valid: renews it at half-life, retries until it expires, and logs when it has expired. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Log } from '#actors/host/activation.ts';
import { renewAt } from './half-life.ts';
import type { AgentFiles, NodeIdentity } from './identity-file.ts';
import type { AgentMeter } from './meter.ts';
import { renewPapers } from './papers.ts';
import { VaultRefused, type VaultCalls } from './vault-calls.ts';

export interface RenewalPorts {
  readonly files: AgentFiles;
  readonly calls: VaultCalls;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: AgentMeter;
  readonly random: () => number;
  readonly later: (ms: number, run: () => void) => () => void;
}

export class NodeRenewal {
  readonly #ports: RenewalPorts;
  #identity: NodeIdentity;
  #cancel: () => void = () => {};
  #retryMs: number = limits.agent.retryMsMin;

  constructor(ports: RenewalPorts, identity: NodeIdentity) {
    this.#ports = ports;
    this.#identity = identity;
  }

  get identity(): NodeIdentity {
    return this.#identity;
  }

  /** Whether the node's identity is still valid. */
  get isAlive(): boolean {
    return this.#ports.clock.now() < Date.parse(this.#identity.not_after);
  }

  start(): void {
    const { not_before, not_after } = this.#identity;
    // It was received when it was made, some time after its beginning; a restart does not postpone its half-life.
    const receivedMs = Date.parse(not_before) + limits.pki.backdateMs;
    this.#at(renewAt(receivedMs, Date.parse(not_after), this.#ports.random));
  }

  stop(): void {
    this.#cancel();
  }

  /** Renews now; gives whether it succeeded. An unreachable vault is asked again later. A refusing one too: an operator may mend it. */
  async renew(): Promise<boolean> {
    const { files, calls, log, meter, clock } = this.#ports;
    this.#cancel();
    try {
      this.#identity = await renewPapers(files, calls, this.#identity);
      this.#retryMs = limits.agent.retryMsMin;
      meter.renewals.ok++;
      log.info({ node: this.#identity.node_id, until: this.#identity.not_after }, 'renewed');
      this.start();
      return true;
    } catch (error) {
      meter.renewals[error instanceof VaultRefused ? 'refused' : 'away']++;
      const why = (error as Error).message;
      if (this.isAlive)
        log.warn(
          { why, until: this.#identity.not_after },
          'the identity of this node was not renewed: the agent tries again until it expires',
        );
      else log.error({ why }, 'the identity of this node has expired\n    join again: skep agent init');
      this.#at(clock.now() + this.#retryMs);
      this.#retryMs = Math.min(2 * this.#retryMs, limits.agent.retryMsMax);
      return false;
    }
  }

  #at(ms: number): void {
    const { clock, later } = this.#ports;
    this.#cancel = later(Math.max(0, ms - clock.now()), () => void this.renew());
  }
}
