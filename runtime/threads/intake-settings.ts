/** The platform's intake keys in the form that the intake service takes. */
import { durationMs } from '#config/values/duration.ts';
import type { IntakeConfig, Platform } from '#config/platform.ts';
import { nodeNameOf } from '#runtime/cluster/node-name.ts';
import { sessionOf } from '#runtime/cluster/log-of.ts';
import { sealOf } from '#runtime/cluster/seal-of.ts';
import type { NotifySettings } from '#actors/intake/notice-outbox.ts';
import type { DatabaseSettings } from '#actors/intake/postgres/settings/store.ts';
import type { IntakeSettings } from '#actors/intake/settings.ts';

export function intakeSettings(platform: Platform): IntakeSettings {
  const { http, storage, embedded, jsonl } = platform.intake;
  return {
    http: { bodyBytesMax: http.max_body_bytes, fieldsMax: http.max_fields, partsMax: http.max_parts },
    storage: {
      backend: storage.backend,
      ...(storage.backend === 'postgres' && { database: databaseSettings(platform) }),
      walJsonl: storage.wal_jsonl,
      embeddedPath: embedded.path,
      jsonlDir: jsonl.dir,
      jsonlRotate: jsonl.rotate,
      freeBytesMin: platform.storage.free_bytes_min,
      batchMax: storage.batch_max,
      batchWaitMs: durationMs(storage.batch_wait),
      queueDepth: storage.queue_depth,
    },
    notify: notifySettings(platform.intake),
  };
}

function databaseSettings(platform: Platform): DatabaseSettings {
  return { ...sessionOf(platform), node: nodeNameOf(platform), seal: () => sealOf(platform) };
}

function notifySettings({ notify, email, chat }: IntakeConfig): NotifySettings | null {
  if (!notify.enabled) return null;
  return { queueDepth: notify.queue_depth, email: hasProvider(email), webhook: chat.default_webhook };
}

/** Whether the mail provider can be used at all. Spec: docs/contract/intake.md §7.1: an empty host disables it. */
function hasProvider({ provider, from, smtp, webapi }: IntakeConfig['email']): boolean {
  if (from === '') return false;
  return provider === 'smtp' ? smtp.host !== '' : webapi.api_key !== '' && webapi.url !== undefined;
}
