/** The platform's audit keys in the form that the audit service takes. */
import { limits } from '#config/limits.ts';
import { defaults } from '#config/defaults.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import type { AuditSettings, RouteSettings } from '#actors/audit/settings.ts';

/** The route of logs that no route of the platform file covers. */
const REST: RouteSettings = {
  pattern: '**',
  durability: defaults.audit.durability,
  sealMs: limits.audit.sealStrictMs,
  recordsMax: limits.audit.segmentRecords,
  bytesMax: limits.audit.segmentBytes,
  keepMs: null,
};

export function auditSettings({ audit }: Platform): AuditSettings {
  return {
    deployment: audit.name,
    baseDir: audit.base_dir,
    vaultPathTemplate: audit.signer.vault_path_template,
    keyIdTemplate: audit.signer.key_id_template ?? null,
    routing: [...audit.routing.map(routeOf), REST],
    sync: audit.sync.map(({ log_pattern, targets, cadence, anchor }) => ({
      pattern: log_pattern,
      targets: targets.map(({ path }) => path),
      cadenceMs: durationMs(cadence),
      anchor: anchor ?? null,
    })),
  };
}

function routeOf(route: Platform['audit']['routing'][number]): RouteSettings {
  const { log_id_pattern, durability, seal_interval, segment_max_records, segment_max_bytes, retention } = route;
  const byDurability = durability === 'strict' ? limits.audit.sealStrictMs : limits.audit.sealMs;
  return {
    pattern: log_id_pattern,
    durability,
    sealMs: seal_interval === undefined ? byDurability : durationMs(seal_interval),
    recordsMax: segment_max_records,
    bytesMax: segment_max_bytes,
    keepMs: retention === undefined ? null : durationMs(retention),
  };
}
