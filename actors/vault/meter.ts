/** What the vault counts, under OpenTelemetry's names (docs/contract/vault.md §8.4). No label holds a name, a tenant or a value. */
import type { VaultEvent } from './event/events.ts';

export interface VaultMeter {
  /** An operation that the audit log is told of. */
  count(action: VaultEvent['action'], outcome: VaultEvent['outcome']): void;
  /** A request was answered, after so many seconds. */
  answered(method: string, seconds: number): void;
  /** Seconds of a clock that never steps back. */
  seconds(): number;
}
