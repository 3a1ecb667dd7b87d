/** Compiles materialized fields: fields whose value comes from the rows of another entity (docs/decisions/admin-life.md UP-7). */
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { compileValue } from '#actors/kit/rule.ts';
import type { EntityModel, Feed } from '../rows/model.ts';

type Models = ReadonlyMap<string, EntityModel>;

/**
 * Links every served materialized field to its source. A field whose expression does not compile keeps its stored values, and the
 * fault joins `faults`; without that list DefinitionError is thrown.
 */
export function linkFeeds(models: Models, faults: PartFault[] | null): void {
  const feeds = [...models.values()].flatMap((target) => feedsOf(target, models, faults));
  for (const model of models.values()) {
    model.feeds = feeds.filter(({ source }) => source === model);
    model.fed = feeds.filter(({ target }) => target === model);
  }
}

function feedsOf(target: EntityModel, models: Models, faults: PartFault[] | null): Feed[] {
  return Object.entries(target.definition.fields).flatMap(([name, { materialize }]) => {
    const column = target.column(name);
    const source = materialize === undefined ? undefined : models.get(materialize.entity);
    const by = source?.column(materialize!.ref);
    if (materialize === undefined || column === undefined || source === undefined || by === undefined) return [];
    const { value } = materialize;
    const of = value === 'count' || value === 'cel' ? null : (source.column(materialize.of!) ?? null);
    if (of === null && value !== 'count' && value !== 'cel') return [];
    const where = `${target.definition.where} (${target.name}.${name})`;
    const part = `materialized field ${name} of the entity ${target.name}`;
    const expression =
      value === 'cel' ? attempt(part, where, faults, () => compileValue(materialize.of!, where)) : null;
    if (value === 'cel' && expression === null) return [];
    // The types are part of the text: a source of another type gives other values, so the field is filled again.
    const types = value === 'cel' ? source.columns.map(({ name: one, type }) => [one, type]) : of?.type;
    const text = JSON.stringify([materialize, types]);
    return { target, column, source, by, value, of, expression, text };
  });
}
