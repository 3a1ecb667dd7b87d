/** What a tenant host's thread is started with. */
import type { Platform } from '#config/platform.ts';
import type { PasswordCells } from '#actors/kit/password.ts';
import type { BeatingData } from './keep-beat.ts';
import type { KeyCall } from './key-call.ts';
import type { ReadingCell } from '#runtime/scrub/reading-turn.ts';

export interface TenantHostData extends BeatingData {
  readonly platform: Platform;
  readonly metrics: SharedArrayBuffer;
  readonly passwords: PasswordCells;
  /** The cell by which scrubbers take turns. */
  readonly reading: ReadingCell;
  /** The memory in which each host shows how far its archive is. */
  readonly archives: SharedArrayBuffer;
  readonly keyCall: KeyCall;
  /** The end of the node's lease; null where files acknowledge, and no other node can take its place. */
  readonly lease: SharedArrayBuffer | null;
}
