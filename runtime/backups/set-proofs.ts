/** Sets are verified: their parts are read on a host, and a process of its own restores them for proof. On a schedule, or for an operator. */
import { limits } from '#config/limits.ts';
import { durationMs } from '#config/values/duration.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { Told } from '#runtime/provision.ts';
import type { BackupMeter } from './backup-meter.ts';
import type { NodeBackupsPorts } from './ports.ts';
import { canProve, prove } from './prove.ts';
import { runJob } from './run-job.ts';
import { Schedule } from './schedule.ts';
import type { SetSummary, VerifiedSet } from './set-job.ts';

export interface VerifyWish {
  /** An id, or `latest` for the newest. */
  readonly set: string;
  /** It is restored for proof, too. */
  readonly restore?: boolean;
}

/** What a verification says; `not_restored`: why a set that was to be restored was not. */
export type VerifyReport = VerifiedSet & { readonly restored: boolean; readonly not_restored?: string };

export interface SetProofsPorts extends Omit<NodeBackupsPorts, 'channel' | 'directory'> {
  readonly meter: BackupMeter;
  list(): Promise<readonly SetSummary[]>;
}

const TROUBLE = 'backups verify';
const NO_IDENTITY =
  'the set is encrypted, and backups.encrypt.identity names no identity: lengths were compared, not what the parts hold';

export class SetProofs {
  readonly #ports: SetProofsPorts;
  readonly #ending = new AbortController();
  #schedule: Schedule | null = null;
  #running = false;

  constructor(ports: SetProofsPorts) {
    this.#ports = ports;
  }

  /** Begins the schedule, where the platform file wishes one. */
  start(firstMs: number): void {
    const { verify } = this.#ports.platform().backups;
    if (verify === 'off') return;
    const first = firstMs + limits.backup.firstProofAfterMs;
    this.#schedule = new Schedule(durationMs(verify), limits.backup.retryMs, null, first);
  }

  stop(): void {
    this.#ending.abort();
  }

  /** One that fails is reported, and the next one comes in its time. */
  tick(): void {
    const { clock } = this.#ports;
    if (this.#running || this.#schedule?.step(clock.now()) !== 'begin') return;
    void this.verify({ set: 'latest', restore: true }, () => undefined)
      .catch(() => undefined) // it was logged
      .finally(() => this.#schedule!.ended(true, clock.now()));
  }

  async verify(wish: VerifyWish, told: Told): Promise<VerifyReport> {
    if (this.#running) throw new Error('a set is being verified at the moment: wait for its end');
    this.#running = true;
    try {
      const { clock, degraded, meter } = this.#ports;
      const began = clock.now();
      const set = await this.#find(wish.set);
      const report = await this.#verify(set, wish, told).catch((error: unknown) => this.#failed(error as Error));
      meter.verified(clock.now(), clock.now() - began);
      degraded.clear('backup', TROUBLE);
      this.#ports.told('platform.backup.verify', set.id, { ...report });
      return report;
    } finally {
      this.#running = false;
    }
  }

  async #verify(set: SetSummary, { restore = false }: VerifyWish, told: Told): Promise<VerifyReport> {
    const { hosts } = this.#ports;
    const platform = this.#ports.platform();
    const identity = platform.backups.encrypt.identity ?? null;
    const read = await runJob(hosts, CONTROL_ENTRY, { kind: 'set.verify', id: set.id, identity }, told);
    if (!restore) return { ...read, restored: false };
    if (!canProve(platform)) return { ...read, restored: false, not_restored: NO_IDENTITY };
    told('restoring for proof');
    await prove(platform, set, this.#ending.signal);
    return { ...read, restored: true };
  }

  async #find(wanted: string): Promise<SetSummary> {
    const sets = await this.#ports.list();
    const found = sets.find(({ fault, id }) => (wanted === 'latest' ? fault === undefined : id === wanted));
    if (found !== undefined) return found;
    if (sets.length === 0) throw new Error('there is no set yet\n    skep backup now makes one');
    throw new Error(`there is no set ${wanted}\n    skep backup list names those that are`);
  }

  #failed(error: Error): never {
    const { degraded, log, meter } = this.#ports;
    if (this.#ending.signal.aborted) throw error;
    meter.verifyFailed();
    const reason = `a set of backups could not be verified: ${error.message}. Make a new one (skep backup now) and look after the disk of the place`;
    log.error({ err: error }, reason);
    degraded.report({ scope: 'backup', name: TROUBLE, reason, lasts: 'cleared' });
    throw error;
  }
}
