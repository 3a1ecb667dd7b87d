/** What the room needs of the configuration. Keys and defaults: spec operations.md "Intake: configuration keys and defaults". */
import { limits } from '#config/limits.ts';
import type { BodyLimits } from './read-body.ts';
import { defaultRouteSettings } from './routes.ts';
import type { StoreSettings } from './store.ts';

export interface IntakeSettings {
  /** `http.max_body_bytes`, `http.max_fields`. */
  readonly http: BodyLimits;
  /** `storage.*`, `embedded.path`, `jsonl.*`. */
  readonly storage: StoreSettings & {
    readonly batchMax: number;
    readonly batchWaitMs: number;
    readonly queueDepth: number;
  };
  /** `security.gateway_secret` ('' for none) and its header. */
  readonly security: { readonly gatewaySecret: string; readonly gatewaySecretHeader: string };
}

/** The defaults, with the paths that have none. */
export function defaultIntakeSettings(paths: { embeddedPath: string; jsonlDir: string }): IntakeSettings {
  const { bodyBytesMax, fieldsMax, batchMax, batchWaitMs, queueDepth } = limits.intake;
  const { gatewaySecretHeader } = defaultRouteSettings;
  return {
    http: { bodyBytesMax, fieldsMax },
    storage: { ...paths, backend: 'embedded', walJsonl: true, jsonlRotate: 'daily', batchMax, batchWaitMs, queueDepth },
    security: { gatewaySecret: '', gatewaySecretHeader },
  };
}
