/** Rules of a stateflow that involve several keys: whether its field, its states and its targets exist and fit. */
import { problemAt, type Path, type Problem } from '../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { defaultFault } from './default-value.ts';
import type { EntityDefinition, StateflowDefinition } from './product.ts';
import { typesWhere } from '#config/values/field-types.ts';

const STATE_TYPES = typesWhere(({ text }) => text !== null);

type Say = (path: Path, message: string, mend: string, part?: 'key' | 'value') => void;

/** Every fault of one stateflow. `names`: all declared entities; the fields of one with problems are not checked. */
export function stateflowProblems(
  stateflow: StateflowDefinition,
  tree: Tree,
  entities: readonly EntityDefinition[],
  names: readonly string[],
): Problem[] {
  const problems: Problem[] = [];
  const say: Say = (path, message, mend, part = 'value') =>
    void problems.push(problemAt(tree.placeOf(path, part), path, message, mend));
  if (!names.includes(stateflow.entity))
    say(['entity'], `there is no entity "${stateflow.entity}"`, suggestion(stateflow.entity, names));
  const entity = entities.find((candidate) => candidate.name === stateflow.entity);
  if (entity !== undefined) checkField(stateflow, entity, say);
  checkStates(stateflow, say);
  return problems;
}

function checkField({ field: key, initial, states }: StateflowDefinition, entity: EntityDefinition, say: Say): void {
  const names = Object.keys(entity.fields).filter((other) => other !== 'id');
  const field = names.includes(key) ? entity.fields[key]! : undefined;
  if (key === 'id') return say(['field'], 'the key cannot be governed', 'name another field');
  if (field === undefined) return say(['field'], `${entity.name} has no field "${key}"`, suggestion(key, names));
  if (!STATE_TYPES.includes(field.type))
    return say(['field'], `a field of type ${field.type} cannot hold states`, `use one of ${STATE_TYPES.join(', ')}`);
  if (field.mask !== undefined)
    say(['field'], 'a masked field cannot hold states: rejections would show them', 'remove its mask');
  if (field.roles?.read !== undefined)
    say(
      ['field'],
      'a field that only some roles read cannot hold states: rejections would show them',
      'remove `roles.read`',
    );
  if (field.default !== undefined && field.default !== initial)
    say(
      ['initial'],
      `the default of ${entity.name}.${key} is another`,
      'remove the default: the initial state takes its place',
    );
  for (const state of Object.keys(states)) {
    const fault = defaultFault({ ...field, default: state });
    if (fault === null) continue;
    const message = `${entity.name}.${key} cannot hold "${state}": it ${fault}`;
    say(['states', state], message, 'change the field or the state', 'key');
  }
}

function checkStates({ initial, states }: StateflowDefinition, say: Say): void {
  const names = Object.keys(states);
  if (!names.includes(initial)) say(['initial'], `there is no state "${initial}"`, suggestion(initial, names));
  for (const [name, { type, events }] of Object.entries(states)) {
    const at = ['states', name, 'events'];
    if (type === 'final' && Object.keys(events).length > 0)
      say(at, `"${name}" is final and cannot have events`, 'remove them, or `type: final`', 'key');
    for (const [event, { target }] of Object.entries(events)) {
      if (!names.includes(target))
        say([...at, event, 'target'], `there is no state "${target}"`, suggestion(target, names));
    }
  }
}
