/** What main knows of the journals' copy: metrics, what is degraded, and lines of the log. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { NodeHealth } from '#actors/protocol/node-view.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import type { JournalCopyNews } from '#actors/protocol/topics.ts';
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';

/** Names of the entries of what is degraded. */
const BEHIND = 'journal copy';
const GAP = 'journal gap';
const LINE_EVERY_MS = 60_000;

export interface CopyWatchPorts {
  readonly log: Log;
  readonly degraded: Degraded;
  /** How often the journals are copied, in milliseconds; 0 where they are not. */
  readonly everyMs: number;
}

export class CopyWatch {
  readonly #ports: CopyWatchPorts;
  /** The newest moment at which everything was copied; null before. */
  #at: number | null = null;
  #bytes = 0;
  #failures = 0;
  #gaps = 0;
  #failingSince: number | null = null;
  /** When records were lost to it last. */
  #lostAt = Number.NEGATIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;
  #failed: string | null = null;

  constructor(ports: CopyWatchPorts) {
    this.#ports = ports;
  }

  heard({ at, bytes, lost, failed }: JournalCopyNews): void {
    this.#bytes += bytes;
    if (lost.length > 0) this.#lost(at, lost);
    this.#failed = failed;
    if (failed !== null) return this.#fails(at, failed);
    this.#at = at;
    this.#failingSince = null;
    this.#ports.degraded.clear('backup', BEHIND);
  }

  /** A set is there that shows everything from an instant (milliseconds) on. */
  setMade(since: number): void {
    if (since > this.#lostAt) this.#ports.degraded.clear('backup', GAP);
  }

  #lost(at: number, lost: readonly string[]): void {
    this.#lostAt = at;
    this.#gaps += lost.length;
    const reason = `the copy of the journals lost ${lost.join(', ')}: no tenant can be brought to a moment after that with the sets of before. Make a set now (skep backup now); if the place was away for long, raise backups.journal.kept_bytes_max`;
    this.#ports.log.error({ lost }, reason);
    this.#ports.degraded.report({ scope: 'backup', name: GAP, reason, lasts: 'cleared' });
  }

  #fails(at: number, failed: string): void {
    this.#failures++;
    this.#failingSince ??= this.#at ?? at;
    const since = timestamp(this.#failingSince);
    if (at - this.#toldMs >= LINE_EVERY_MS) {
      this.#toldMs = at;
      this.#ports.log.warn(
        { since, failed },
        'the journals are not copied at the moment: segments wait on the disk, and it is tried again. Look after the place of the backups',
      );
    }
    if (at - this.#failingSince < limits.backup.copyBehindMs) return;
    const reason = `the journals are not copied since ${since}: ${failed}. Segments wait on the disk; beyond backups.journal.kept_bytes_max the oldest are given up. Look after the place of the backups`;
    this.#ports.degraded.report({ scope: 'backup', name: BEHIND, reason, lasts: 'cleared' });
  }

  /** For `skep backup status`. */
  status(): Readonly<Record<string, string>> {
    return {
      journal_copied: this.#at === null ? 'not yet' : timestamp(this.#at),
      ...(this.#failed !== null && { journal_failed: this.#failed }),
    };
  }

  /** For `GET /superadmin/node/health`; null where the journals are not copied. */
  get health(): NodeHealth['journal_copy'] {
    const { everyMs } = this.#ports;
    if (everyMs === 0) return null;
    return {
      every_seconds: everyMs / 1000,
      copied_at: this.#at === null ? null : timestamp(this.#at),
      failed: this.#failed,
      gaps: this.#gaps,
    };
  }

  families(): MetricFamily[] {
    return [
      oneSample(
        'skep_journal_copy_every_seconds',
        'gauge',
        'backups.journal.every; 0 where the journals are not copied.',
        this.#ports.everyMs / 1000,
      ),
      oneSample(
        'skep_journal_copy_timestamp_seconds',
        'gauge',
        'Up to when the journals are copied; 0 where they are not.',
        (this.#at ?? 0) / 1000,
      ),
      oneSample('skep_journal_copy_bytes_total', 'counter', 'Bytes of records that were copied.', this.#bytes),
      oneSample('skep_journal_copy_failures_total', 'counter', 'Steps of the copy that failed.', this.#failures),
      oneSample('skep_journal_copy_gaps_total', 'counter', 'Times that records were lost to the copy.', this.#gaps),
    ];
  }
}
