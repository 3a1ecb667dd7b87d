/** Keeps the node's own identity alive: renewed at half-life, tried again until it ends, and told of when it has ended. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Log } from '#actors/host/activation.ts';
import { renewAt } from './half-life.ts';
import type { AgentFiles, NodeIdentity } from './identity-file.ts';
import type { AgentMeter } from './meter.ts';
import { renewPapers } from './papers.ts';
import { VaultRefused } from './vault-calls.ts';
import type { VaultCalls } from './vault-calls.ts';

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

  /** Whether the node still is who it says. */
  get isAlive(): boolean {
    return this.#ports.clock.now() < Date.parse(this.#identity.not_after);
  }

  start(): void {
    const { not_before, not_after } = this.#identity;
    // It was received when it was made, which is that long after its beginning; a restart does not put its half-life off.
    const receivedMs = Date.parse(not_before) + limits.pki.backdateMs;
    this.#at(renewAt(receivedMs, Date.parse(not_after), this.#ports.random));
  }

  stop(): void {
    this.#cancel();
  }

  /** Renews now; whether it did. A vault that is away is asked again later, one that refuses too: an operator may mend it. */
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
      if (this.isAlive) log.warn({ why, until: this.#identity.not_after }, 'not renewed; tried again');
      else log.error({ why }, 'the identity of this node has ended\n    join again: skep agent init');
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
