/** A trigger that times fire: `on: { cron, timezone }` (docs/contract/triggers.md §6). */
import { whereOf } from '../check.ts';
import { cronFault } from './cron.ts';
import type { TriggerFile } from './trigger-file.ts';
import type { TriggerHead } from './trigger-place.ts';
import type { CronTriggerDefinition } from './trigger-shapes.ts';

/** Keys that are about rows: neither a time nor a submission has one. */
export const OF_ROWS = ['entity', 'events', 'changed', 'when', 'fields'] as const;

/** The trigger; null where it has a problem, which was said. */
export function cronTriggerOf(
  raw: TriggerFile,
  { name, target, tree, say }: TriggerHead,
): CronTriggerDefinition | null {
  const { cron: expression, timezone = 'UTC' } = raw.on!;
  if (expression === undefined) {
    say(['on'], '`on` names neither times nor a form', 'write `cron:` or `form:`');
    return null;
  }
  const cron = { expression: expression.trim().replaceAll(/\s+/g, ' '), timezone };
  const fault = cronFault(cron);
  if (fault !== null) say(['on', fault.key], fault.message, fault.mend);
  for (const key of OF_ROWS)
    if (raw[key] !== undefined) say([key], `a trigger with \`on\` has no ${key}: it is about no row`, 'remove it');
  for (const key of ['webhook', 'mail'] as const)
    if (raw[key] !== undefined) say([key], `a time sends no ${key}`, 'write a script or an action');
  if (raw.row !== undefined) say(['row'], 'a time becomes no row', 'write a script or an action');
  if (fault !== null || target === null || target.kind !== 'script') return null;
  return { name, cron, fields: [], target, where: whereOf(tree, ['on', 'cron']) };
}
