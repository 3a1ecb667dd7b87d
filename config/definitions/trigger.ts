/** Triggers: `triggers/<name>.yaml`, one each. Source: docs/contract/triggers.md §1. Conditions are not compiled here: the data service does that. */
import { basename } from 'node:path';
import { check, whereOf } from '../check.ts';
import type { Environment } from '../env.ts';
import { suggestion } from '#config/values/suggest.ts';
import { limits } from '../limits.ts';
import { problemAt, type Path, type Problem } from '../problem.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { cronTriggerOf } from './cron-trigger.ts';
import type { ActionDefinition, EntityDefinition } from './product.ts';
import type { RoleCatalogue } from './roles-section.ts';
import { formTriggerOf } from './form-trigger.ts';
import { definitionFiles, fileProblem } from './source.ts';
import { triggerFile, type TriggerFile } from './trigger-file.ts';
import type { SayTrigger, TriggerHead } from './trigger-place.ts';
import { targetOf } from './trigger-target.ts';
import type { RowTriggerDefinition, TriggerDefinition, TriggerEvent } from './trigger-shapes.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** What a trigger may refer to. */
export interface TriggerSurroundings {
  readonly entities: readonly EntityDefinition[];
  /** All declared entities, also those with problems. */
  readonly names: readonly string[];
  /** Undefined where product.yaml declares none, null where it has problems of its own. */
  readonly roles: RoleCatalogue | undefined | null;
  /** Null where some have problems of their own. */
  readonly actions: readonly ActionDefinition[] | null;
  readonly env: Environment;
}

export interface Triggers {
  readonly triggers: readonly TriggerDefinition[];
  readonly problems: readonly Problem[];
}

/** Places where `${NAME}` is resolved: what a webhook alone knows. Elsewhere a checkout could read other variables of the node. */
export const isOfWebhook = (path: Path): boolean =>
  path[0] === 'webhook' && (path[1] === 'secret' || path[1] === 'headers');

/** The triggers of a product, or every problem in them. */
export function readTriggers(dir: string, around: TriggerSurroundings): Triggers {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const triggers: TriggerDefinition[] = [];
  for (const file of listed.files) {
    const read = readTrigger(file, around);
    problems.push(...read.problems);
    problems.push(...sharedForms(file, triggers, read.triggers));
    triggers.push(...read.triggers);
  }
  if (listed.files.length > limits.triggers.declaredMax)
    problems.push(fileProblem(dir, `more than ${limits.triggers.declaredMax} triggers`, 'remove some'));
  return { triggers, problems };
}

/** A submission runs one trigger: its event has its id. */
function sharedForms(
  file: string,
  before: readonly TriggerDefinition[],
  read: readonly TriggerDefinition[],
): Problem[] {
  return read.flatMap(({ form }) => {
    const other = before.find((one) => form !== undefined && one.form === form);
    if (other === undefined) return [];
    const mend = 'let one of them do both, or let a row that it makes fire the other';
    return [fileProblem(file, `the trigger "${other.name}" is about the form "${form}" already`, mend)];
  });
}

function readTrigger(file: string, around: TriggerSurroundings): Triggers {
  const own = basename(file, '.yaml');
  if (!NAME.test(own)) {
    const mend = 'rename the file: lower-case letters, digits, _ and -, at most 63 characters';
    return { triggers: [], problems: [fileProblem(file, `"${own}" is no name of a trigger`, mend)] };
  }
  const { tree, problems: broken, broken: unread } = readYamlFile(file, { env: around.env, interpolated: isOfWebhook });
  if (unread) return { triggers: [], problems: broken };
  const checked = check(triggerFile, tree);
  if ('problems' in checked) return { triggers: [], problems: [...broken, ...checked.problems] };
  const problems = [...broken];
  const say: SayTrigger = (path, message, mend) =>
    void problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  const target = targetOf(checked.value, { ...around, file, tree, say, problems });
  const trigger = triggerOf(checked.value, { name: own, target, tree, say }, around);
  return problems.length > 0 || trigger === null ? { triggers: [], problems } : { triggers: [trigger], problems: [] };
}

/** By what fires it: rows, times or submissions of a form. */
function triggerOf(raw: TriggerFile, head: TriggerHead, around: TriggerSurroundings): TriggerDefinition | null {
  if (raw.on === undefined) return rowTriggerOf(raw, head, around);
  return raw.on.form === undefined ? cronTriggerOf(raw, head) : formTriggerOf(raw, head);
}

function rowTriggerOf(raw: TriggerFile, head: TriggerHead, around: TriggerSurroundings): RowTriggerDefinition | null {
  const { name, target, tree, say } = head;
  const { entity, events, changed = null, when, fields = [] } = raw;
  if (entity === undefined || events === undefined) {
    const mend = 'write `entity` and `events`, or `on: { cron: … }` or `on: { form: … }`';
    say([], 'the trigger does not say when it fires', mend);
    return null;
  }
  judgeEntity({ ...raw, entity, events }, around, say);
  if (raw.action !== undefined)
    say(
      ['action'],
      'changes of rows call no action by its name',
      'write a script that calls it: `action("name", {…})`',
    );
  if (raw.row !== undefined) say(['row'], 'only a submission becomes a row', 'write a script, or `on: { form: … }`');
  if (target === null) return null;
  const rule = when === undefined ? {} : { when: { language: 'cel', rule: when, where: ruleAt(tree) } as const };
  return { name, entity, events, changed, ...rule, fields, target, where: whereOf(tree, ['entity']) };
}

const ruleAt = (tree: Tree): string => whereOf(tree, ['when']);

type RowFile = TriggerFile & { readonly entity: string; readonly events: readonly TriggerEvent[] };

/** The entity and its fields. An entity with problems of its own causes no second one here. */
function judgeEntity(raw: RowFile, { entities, names }: TriggerSurroundings, say: SayTrigger): void {
  if (!names.includes(raw.entity)) say(['entity'], `there is no entity "${raw.entity}"`, suggestion(raw.entity, names));
  const entity = entities.find((one) => one.name === raw.entity);
  if (raw.changed !== undefined && !raw.events.includes('updated'))
    say(['changed'], 'only updates change fields', 'add `updated` to events, or remove `changed`');
  if (raw.events.includes('restored') && entity !== undefined && !entity.traits.includes('soft_delete'))
    say(['events'], `rows of ${raw.entity} are deleted for good`, 'remove `restored`, or add the trait soft_delete');
  if (entity === undefined) return;
  for (const key of ['changed', 'fields'] as const)
    for (const [at, field] of (raw[key] ?? []).entries()) judgeField(entity, field, [key, at], say);
  if (raw.mail !== undefined) judgeField(entity, raw.mail.to, ['mail', 'to'], say);
}

function judgeField({ name: entity, fields }: EntityDefinition, field: string, path: Path, say: SayTrigger): void {
  if (Object.hasOwn(fields, field)) return;
  say(path, `${entity} has no field "${field}"`, suggestion(field, Object.keys(fields)));
}
