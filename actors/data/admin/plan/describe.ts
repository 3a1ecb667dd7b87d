/** A plan's step without its place: what a change is called, its risk, and how it runs (docs/contract/data-admin.md §3.1). */
import type { Change } from '#actors/engine/schema/change.ts';
import { takesNull } from '#config/values/constraint.ts';
import { ddlOf, indexName, textName } from './ddl.ts';

export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

export function isRiskier(risk: Risk, than: Risk): boolean {
  return RISKS.indexOf(risk) > RISKS.indexOf(than);
}

export function highest(risks: readonly Risk[]): Risk {
  return RISKS.findLast((risk) => risks.includes(risk)) ?? 'low';
}

export interface Described {
  readonly Kind: 'schema' | 'data';
  readonly SchemaOp: string;
  readonly Entity: string;
  readonly Identifier: string;
  readonly SQL: string;
  readonly Expected: string;
  readonly Risk: Risk;
  readonly Notes: string;
  /** Whether the step is one commit. The others work in slices beside the tenant's requests and resume after a crash. */
  readonly Transactional: boolean;
}

type Parts = Omit<Described, 'Kind' | 'Entity' | 'SQL'> & Partial<Pick<Described, 'Kind'>>;

export function describe(change: Change): Described {
  return { Kind: 'schema', ...partsOf(change), Entity: change.entity, SQL: ddlOf(change) };
}

function partsOf(change: Change): Parts {
  const { entity } = change;
  switch (change.op) {
    case 'create_entity':
      return whole('create_table', entity, `table ${entity} exists`, 'low');
    case 'add_field': {
      const { name, rules } = change.field;
      const expected = `column ${entity}.${name} exists`;
      if (takesNull(rules)) return whole('add_column', name, expected, 'low');
      return whole('add_column', name, expected, 'medium', 'existing rows show the default');
    }
    case 'fill_field': {
      const expected = `no row of ${entity} holds null in ${change.field}`;
      return {
        Kind: 'data',
        ...sliced('fill_column', change.field, expected, 'medium', 'rows that hold null take the default'),
      };
    }
    case 'alter_field': {
      const { field, narrowing } = change;
      const expected = `column ${entity}.${field} keeps its constraints`;
      if (narrowing.length === 0) return whole('alter_column', field, expected, 'low');
      return sliced(
        'alter_column',
        field,
        expected,
        'medium',
        `narrower: ${narrowing.join('; ')}; every row is checked`,
      );
    }
    case 'retype_field': {
      const { field, from, to } = change;
      const note = `${from} to ${to}; rows are rewritten, indexes over the column are rebuilt`;
      return sliced('alter_column_type', field, `column ${entity}.${field} is ${to}`, 'high', note);
    }
    case 'add_index': {
      const name = indexName(entity, change.fields, change.unique);
      const op = change.unique ? 'create_unique_index' : 'create_index';
      if (change.fresh) return whole(op, name, `index ${name} exists`, 'low');
      return sliced(op, name, `index ${name} is complete`, 'medium', 'built while the tenant serves');
    }
    case 'drop_index': {
      const name = indexName(entity, change.fields, change.unique);
      return whole('drop_index', name, `index ${name} is gone`, 'high');
    }
    case 'add_text': {
      const name = textName(entity);
      if (change.fresh) return whole('create_text_index', name, `index ${name} exists`, 'low');
      const note = change.replaces
        ? 'built while the tenant serves; the present one answers until then'
        : 'built while the tenant serves';
      return sliced('create_text_index', name, `index ${name} is complete`, 'medium', note);
    }
    case 'drop_text':
      return whole('drop_text_index', textName(entity), `index ${textName(entity)} is gone`, 'high');
    case 'drop_field':
      return whole(
        'drop_column',
        change.field,
        `column ${entity}.${change.field} is gone`,
        'high',
        'its values are lost',
      );
    case 'drop_entity':
      return whole('drop_table', entity, `table ${entity} is gone`, 'high', 'its rows are lost');
  }
}

const whole = (SchemaOp: string, Identifier: string, Expected: string, risk: Risk, Notes = ''): Parts => ({
  SchemaOp,
  Identifier,
  Expected,
  Risk: risk,
  Notes,
  Transactional: true,
});

const sliced = (SchemaOp: string, Identifier: string, Expected: string, risk: Risk, Notes: string): Parts => ({
  ...whole(SchemaOp, Identifier, Expected, risk, Notes),
  Transactional: false,
});

/** The rank of a change in its plan: low risks come first, and a change comes after those that it needs. */
export function rankOf(change: Change, retyped: ReadonlySet<string>): number {
  switch (change.op) {
    case 'create_entity':
      return 0;
    case 'add_index':
      if (change.fresh) return 1;
      return change.fields.some((field) => retyped.has(`${change.entity}.${field}`)) ? 7 : 4;
    case 'add_field':
      return takesNull(change.field.rules) ? 2 : 3;
    case 'alter_field':
      return change.narrowing.length === 0 ? 2 : 3;
    case 'fill_field':
      return 3;
    case 'add_text':
      if (change.fresh) return 1;
      return change.text.fields.some((field) => retyped.has(`${change.entity}.${field}`)) ? 7 : 4;
    case 'drop_index':
    case 'drop_text':
      return 5;
    case 'retype_field':
      return 6;
    case 'drop_field':
      return 8;
    case 'drop_entity':
      return 9;
  }
}
