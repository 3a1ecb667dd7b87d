/** What is known of the node's backups, as metrics and for `skep backup status`. */
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';

interface Last {
  readonly atMs: number;
  readonly ms: number;
}

export class BackupMeter {
  readonly #everyMs: number;
  #success: (Last & { readonly bytes: number }) | null = null;
  #verified: Last | null = null;
  #failures = 0;
  #verifyFailures = 0;
  #trouble: { readonly why: string; readonly at: string } | null = null;

  /** 0: no backups are made. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The newest set was there when the node started. */
  found(atMs: number, bytes: number): void {
    this.#success = { atMs, ms: 0, bytes };
  }

  succeeded(atMs: number, bytes: number, ms: number): void {
    this.#success = { atMs, bytes, ms };
    this.#trouble = null;
  }

  failed(why: string, at: string): void {
    this.#failures++;
    this.#trouble = { why, at };
  }

  verified(atMs: number, ms: number): void {
    this.#verified = { atMs, ms };
  }

  verifyFailed(): void {
    this.#verifyFailures++;
  }

  /** The last failure, until a backup succeeds. */
  trouble(): Readonly<Record<string, string>> {
    return this.#trouble === null ? {} : { failed_at: this.#trouble.at, failed: this.#trouble.why };
  }

  families(): MetricFamily[] {
    const seconds = (ms: number | undefined): number => (ms ?? 0) / 1000;
    return [
      oneSample(
        'skep_backup_every_seconds',
        'gauge',
        'backups.every; 0 where no backups are made.',
        seconds(this.#everyMs),
      ),
      oneSample(
        'skep_backup_last_success_timestamp_seconds',
        'gauge',
        'When the newest set of the whole node was whole; 0 without one.',
        seconds(this.#success?.atMs),
      ),
      oneSample('skep_backup_last_size_bytes', 'gauge', 'Bytes that the newest set names.', this.#success?.bytes ?? 0),
      oneSample(
        'skep_backup_last_seconds',
        'gauge',
        'How long the last backup of this run took.',
        seconds(this.#success?.ms),
      ),
      oneSample('skep_backup_failures_total', 'counter', 'Backups of the node that failed.', this.#failures),
      oneSample(
        'skep_backup_verify_last_success_timestamp_seconds',
        'gauge',
        'When a set was last verified whole, in this run.',
        seconds(this.#verified?.atMs),
      ),
      oneSample('skep_backup_verify_last_seconds', 'gauge', 'How long that took.', seconds(this.#verified?.ms)),
      oneSample(
        'skep_backup_verify_failures_total',
        'counter',
        'Sets that could not be verified.',
        this.#verifyFailures,
      ),
    ];
  }
}
