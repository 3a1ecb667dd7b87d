/** A trigger that calls an action: a script of one line, so that it runs, fails and is repeated as one (docs/contract/triggers.md §6.2). */
import { suggestion } from '#config/values/suggest.ts';
import type { Path } from '../problem.ts';
import { parameterFault, SECTIONS } from './action.ts';
import type { ActionDefinition, ActionSection } from './product.ts';
import { runAsFault } from './run-as.ts';
import type { TriggerFile } from './trigger-file.ts';
import type { ScriptTarget } from './trigger-shapes.ts';
import type { TargetPlace } from './trigger-place.ts';

type Raw = NonNullable<TriggerFile['action']>;

const VERBS: Readonly<Record<ActionSection, string>> = {
  read: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

/** The target; null where it has a problem, which was said. */
export function actionTargetOf(raw: Raw, place: TargetPlace): ScriptTarget | null {
  const { role, name } = raw;
  const fault = place.roles === null ? null : runAsFault(role, place.roles);
  if (fault !== null) place.say(['action', 'role'], fault.message, fault.mend);
  if (place.actions === null) return null;
  const action = place.actions.find((one) => one.name === name);
  if (action === undefined) {
    const names = place.actions.map((one) => one.name);
    const mend = names.length === 0 ? 'declare it below actions/' : suggestion(name, names);
    place.say(['action', 'name'], `there is no action "${name}"`, mend);
    return null;
  }
  const section = sectionOf(action, raw, place.say);
  if (section === null) return null;
  judgeParams(action, section, raw.params ?? {}, place.say);
  const params = { ...raw.params, _method: VERBS[section] };
  const source = `return action(${JSON.stringify(name)}, ${JSON.stringify(params)});`;
  return { kind: 'script', role, source, sourceAt: place.tree.placeOf(['action'], 'value'), action: name };
}

function sectionOf({ name, sections }: ActionDefinition, raw: Raw, say: TargetPlace['say']): ActionSection | null {
  const declared = SECTIONS.filter((section) => sections[section] !== undefined);
  const { section = declared.length === 1 ? declared[0]! : null } = raw;
  const mend = `write \`section:\` and one of ${declared.join(', ')}`;
  if (section === null) say(['action', 'name'], `the action "${name}" has several sections`, mend);
  else if (declared.includes(section)) return section;
  else say(['action', 'section'], `the action "${name}" has no section "${section}"`, mend);
  return null;
}

function judgeParams(
  action: ActionDefinition,
  section: ActionSection,
  given: Readonly<Record<string, unknown>>,
  say: (path: Path, message: string, mend: string) => void,
): void {
  const { params } = action.sections[section]!;
  for (const [key, value] of Object.entries(given)) {
    const declared = Object.hasOwn(params, key) ? params[key]! : null;
    const path = ['action', 'params', key];
    if (declared === null) {
      const mend = Object.keys(params).length === 0 ? 'remove it' : suggestion(key, Object.keys(params));
      say(path, `the action "${action.name}" has no parameter "${key}" there`, mend);
      continue;
    }
    const fault = parameterFault(declared, value);
    if (fault !== null) say(path, `the value of ${key} ${fault}`, 'change it');
  }
  const missing = Object.keys(params).filter((key) => isNeeded(params[key]!) && (given[key] ?? null) === null);
  if (missing.length === 0) return;
  say(['action'], `the action "${action.name}" needs ${missing.join(', ')}`, 'give it below `params:`');
}

const isNeeded = ({ required, default: fallback }: { required: boolean; default: unknown }): boolean =>
  required && (fallback ?? null) === null;
