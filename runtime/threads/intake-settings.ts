/** The platform's intake keys as the intake room takes them. */
import { durationMs } from '#config/duration.ts';
import type { Platform } from '#config/platform.ts';
import type { IntakeSettings } from '#actors/intake/settings.ts';

export function intakeSettings(platform: Platform): IntakeSettings {
  const { http, storage, embedded, jsonl, security } = platform.intake;
  return {
    http: { bodyBytesMax: http.max_body_bytes, fieldsMax: http.max_fields },
    storage: {
      backend: storage.backend,
      walJsonl: storage.wal_jsonl,
      embeddedPath: embedded.path,
      jsonlDir: jsonl.dir,
      jsonlRotate: jsonl.rotate,
      batchMax: storage.batch_max,
      batchWaitMs: durationMs(storage.batch_wait),
      queueDepth: storage.queue_depth,
    },
    security: { gatewaySecret: security.gateway_secret, gatewaySecretHeader: security.gateway_secret_header },
  };
}
