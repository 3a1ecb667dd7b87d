/** The part of the configuration that this room needs. Keys and defaults: docs/contract/intake.md §2. */
import { limits } from '#config/limits.ts';
import type { BodyLimits } from './input.ts';
import type { NotifySettings } from './notice-outbox.ts';
import type { StoreSettings } from './store-settings.ts';

export interface IntakeSettings {
  /** `http.max_body_bytes`, `http.max_fields`, `http.max_parts`. */
  readonly http: BodyLimits;
  /** `storage.*`, `embedded.path`, `jsonl.*`. */
  readonly storage: StoreSettings & {
    readonly batchMax: number;
    readonly batchWaitMs: number;
    readonly queueDepth: number;
  };
  /** `notify.*`, or null while notices are off. */
  readonly notify: NotifySettings | null;
}

/** The defaults, with the paths that have none. */
export function defaultIntakeSettings(paths: { embeddedPath: string; jsonlDir: string }): IntakeSettings {
  const { bodyBytesMax, fieldsMax, partsMax, batchMax, batchWaitMs, queueDepth } = limits.intake;
  return {
    http: { bodyBytesMax, fieldsMax, partsMax },
    storage: { ...paths, backend: 'embedded', walJsonl: true, jsonlRotate: 'daily', batchMax, batchWaitMs, queueDepth },
    notify: null,
  };
}
