/** Metrics of the vault, under OpenTelemetry's names (docs/contract/vault.md §8.4). No label holds a name, a tenant or a value. */
import type { VaultEvent } from './event/events.ts';

export interface VaultMeter {
  /** Counts an operation that the audit log records. */
  count(action: VaultEvent['action'], outcome: VaultEvent['outcome']): void;
  /** Counts an answered request and its seconds. */
  answered(method: string, seconds: number): void;
  /** Seconds of a monotonic clock. */
  seconds(): number;
}
