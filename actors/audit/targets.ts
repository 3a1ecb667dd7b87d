/** The directories that hold copies of a log, and the witnesses that cosign it. */
import { join } from 'node:path';
import { matchesLog } from './log-id.ts';
import type { AnchorSettings, AuditSettings } from './settings.ts';

/** The directory of a log's copy under a target. */
export function targetOf(target: string, logId: string): string {
  return join(target, ...logId.split('/'));
}

/** The witnesses that cosign this log. */
export function anchorsOf({ sync }: Pick<AuditSettings, 'sync'>, logId: string): AnchorSettings[] {
  return sync.flatMap(({ pattern, anchor }) => (anchor !== null && matchesLog(pattern, logId) ? [anchor] : []));
}

/** Every directory that gets a copy of this log. */
export function targetsOf({ sync }: Pick<AuditSettings, 'sync'>, logId: string): string[] {
  const covering = sync.filter(({ pattern }) => matchesLog(pattern, logId));
  return covering.flatMap(({ targets }) => targets.map((target) => targetOf(target, logId)));
}
