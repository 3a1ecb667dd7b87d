/** How rows of one entity make a field of another: a materialized field, compiled (docs/decisions/admin-life.md). */
import type { MaterializeDefinition } from '#config/definitions/product.ts';
import { compileValue } from '#actors/kit/rule.ts';
import type { RowValue } from '#actors/kit/rule.ts';
import type { Column, EntityModel } from '../entity/model.ts';
import type { Models } from '../entity/models.ts';

export interface Feed {
  readonly target: EntityModel;
  /** The field that is computed. */
  readonly column: Column;
  readonly source: EntityModel;
  /** The field of the source that refers to the target. */
  readonly by: Column;
  readonly value: MaterializeDefinition['value'];
  /** What is summed or compared; null for `count` and `cel`. */
  readonly of: Column | null;
  readonly expression: RowValue | null;
  /** The definition, to tell one by which a field was filled from another. */
  readonly text: string;
}

/** Links every materialized field that is served to its source. Throws DefinitionError for an expression that does not compile. */
export function linkFeeds(models: Models): void {
  const feeds = [...models.values()].flatMap((target) => feedsOf(target, models));
  for (const model of models.values()) {
    model.feeds = feeds.filter(({ source }) => source === model);
    model.fed = feeds.filter(({ target }) => target === model);
  }
}

function feedsOf(target: EntityModel, models: Models): Feed[] {
  return Object.entries(target.definition.fields).flatMap(([name, { materialize }]) => {
    const column = target.column(name);
    const source = materialize === undefined ? undefined : models.get(materialize.entity);
    const by = source?.column(materialize!.ref);
    if (materialize === undefined || column === undefined || source === undefined || by === undefined) return [];
    const { value } = materialize;
    const of = value === 'count' || value === 'cel' ? null : (source.column(materialize.of!) ?? null);
    if (of === null && value !== 'count' && value !== 'cel') return [];
    const expression =
      value === 'cel' ? compileValue(materialize.of!, `${target.definition.where} (${target.name}.${name})`) : null;
    return { target, column, source, by, value, of, expression, text: JSON.stringify(materialize) };
  });
}
