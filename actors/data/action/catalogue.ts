/** The declared actions as administrators see them (data.md "Catalogue and reference entries"). */
import type { Actions } from './registry.ts';
import { verbsOf } from './verbs.ts';

export interface ActionEntry {
  readonly name: string;
  readonly description: string;
  readonly entities: readonly string[];
  readonly source: 'product';
  readonly methods: readonly string[];
  readonly has_access: boolean;
  readonly sections: Readonly<
    Record<
      string,
      { readonly param_count: number; readonly returning: readonly string[]; readonly access_override: boolean }
    >
  >;
}

/** One entry for each action, sorted by name. Statements are never among them. */
export function listActions(actions: Actions): ActionEntry[] {
  return [...actions.values()].map((action) => {
    const { definition, entities, sections } = action;
    const shown = [...sections.values()].map(({ section, params, sql }) => [
      section,
      {
        param_count: Object.keys(params).length,
        returning: sql.returning ?? [],
        access_override: definition.sections[section]?.access !== undefined,
      },
    ]);
    return {
      name: definition.name,
      description: definition.description,
      entities,
      source: 'product',
      methods: verbsOf(action),
      has_access: definition.access !== undefined,
      sections: Object.fromEntries(shown) as ActionEntry['sections'],
    };
  });
}
