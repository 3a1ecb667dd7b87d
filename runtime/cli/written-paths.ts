/** The directories outside of the data directory that a node of this platform file writes to. */
import { dirname, resolve, sep } from 'node:path';
import type { Platform } from '#config/platform.ts';

/** Absolute, each once, none inside of another or of the data directory. A file is named by its directory: what replaces it is written beside it. */
export function writtenPaths(platform: Platform): string[] {
  const { audit, backups, hives, intake, storage, vault } = platform;
  const named = [
    backups.to,
    backups.scratch,
    storage.mark && dirname(storage.mark),
    ...(intake.storage.backend === 'postgres' ? [] : [intake.embedded.path, intake.jsonl.dir]),
    intake.logging.output === 'file' ? dirname(intake.logging.file.path) : undefined,
    ...(audit.enabled ? auditPaths(audit) : []),
    ...(vault.enabled ? [vault.state_dir, isElsewhere(vault.backend.kind) ? undefined : vault.backend.dir] : []),
    ...hives.tenant.flatMap(({ contentstores }) =>
      contentstores.map(({ contentroot }) => (contentroot.type === 'os' ? contentroot.path : undefined)),
    ),
  ].flatMap((path) => (path === undefined ? [] : [resolve(path)]));
  const dataDir = resolve(storage.dir);
  const outside = [...new Set(named)].filter((path) => !isWithin(dataDir, path));
  return outside.filter((path) => !outside.some((other) => other !== path && isWithin(other, path))).sort();
}

function auditPaths({ audit, base_dir, key_dir, sync }: Platform['audit']): (string | undefined)[] {
  const copies = sync.flatMap(({ targets }) => targets.map(({ path }) => path));
  return [base_dir, audit.base_dir, key_dir, ...copies];
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

const isElsewhere = (kind: Platform['vault']['backend']['kind']): boolean => kind === 'etcd' || kind === 'postgres';
