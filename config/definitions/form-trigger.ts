/** A trigger that submissions of a form fire: `on: { form }` (docs/contract/triggers.md §7.1). */
import { whereOf } from '../check.ts';
import { OF_ROWS } from './cron-trigger.ts';
import type { TriggerFile } from './trigger-file.ts';
import type { TriggerHead } from './trigger-place.ts';
import type { FormTriggerDefinition } from './trigger-shapes.ts';

/** The trigger; null where it has a problem, which was said. The form is the operator's, so whether there is one is not judged here. */
export function formTriggerOf(
  raw: TriggerFile,
  { name, target, tree, say }: TriggerHead,
): FormTriggerDefinition | null {
  const { form, cron, timezone } = raw.on!;
  if (cron !== undefined || timezone !== undefined)
    say(['on'], '`on` names times and a form', 'write one of them; another trigger may have the other');
  for (const key of OF_ROWS)
    if (raw[key] !== undefined) say([key], `a trigger with \`on\` has no ${key}: it is about no row`, 'remove it');
  for (const key of ['webhook', 'mail', 'action'] as const)
    if (raw[key] !== undefined)
      say([key], `a submission has no ${key}`, 'write a row or a script: a row that it makes fires other triggers');
  if (form === undefined || target === null || target.kind !== 'script') return null;
  return { name, form, fields: [], target, where: whereOf(tree, ['on', 'form']) };
}
