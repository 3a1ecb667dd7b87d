/** The platform's audit keys as this room takes them. */
import type { Durability } from './store.ts';

export interface RouteSettings {
  readonly pattern: string;
  readonly durability: Durability;
  readonly sealMs: number;
  readonly recordsMax: number;
  readonly bytesMax: number;
  /** How long records are kept; null for ever. */
  readonly keepMs: number | null;
}

export interface SyncSettings {
  readonly pattern: string;
  /** Directories that get a copy. */
  readonly targets: readonly string[];
  readonly cadenceMs: number;
  /** A witness that cosigns its checkpoints. */
  readonly anchor: AnchorSettings | null;
}

export interface AnchorSettings {
  readonly url: string;
  /** Its verifier key. */
  readonly key: string;
}

export interface AuditSettings {
  /** First part of every origin. */
  readonly deployment: string;
  readonly baseDir: string;
  /** With `{tenant}` for the log id. */
  readonly vaultPathTemplate: string;
  /** Key name with `{tenant}`; null takes the origin. */
  readonly keyIdTemplate: string | null;
  /** The first route that covers a log applies; the last one covers every log. */
  readonly routing: readonly RouteSettings[];
  readonly sync: readonly SyncSettings[];
}
