/** A step as PostgreSQL's DDL, for people who review a plan. Nothing runs it here. */
import type { Trait } from '#config/definitions/product.ts';
import { takesNull } from '#config/values/constraint.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { literal } from '#actors/engine/rows/sql.ts';
import type { AlterField, Change, CreateEntity, NewField } from '#actors/engine/schema/change.ts';
import type { FieldRules } from '#actors/engine/schema/rules.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import type { StoredType } from '#actors/engine/schema/stored.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns that a trait adds. */
const TRAITS: Readonly<Record<Trait, readonly string[]>> = {
  timestamps: ['"created_at" timestamptz', '"updated_at" timestamptz'],
  soft_delete: ['"deleted_at" timestamptz', '"deleted_by" text'],
  versioned: ['"version" bigint NOT NULL DEFAULT 1'],
};

const ACTIONS = { cascade: 'CASCADE', setnull: 'SET NULL', restrict: 'RESTRICT', noaction: 'NO ACTION' } as const;

/** The statement, or the statements of a change that takes several. */
export function ddlOf(change: Change): string {
  const table = quoted(change.entity);
  switch (change.op) {
    case 'create_entity':
      return createTable(change);
    case 'add_field':
      return `ALTER TABLE ${table} ADD COLUMN ${columnOf(change.field)}`;
    case 'fill_field': {
      const field = quoted(change.field);
      return `UPDATE ${table} SET ${field} = ${literal(change.value)} WHERE ${field} IS NULL`;
    }
    case 'alter_field':
      return alterColumn(change);
    case 'retype_field': {
      const type = typeOf(change.to, change.rules);
      const field = quoted(change.field);
      return `ALTER TABLE ${table} ALTER COLUMN ${field} TYPE ${type} USING ${field}::${type}`;
    }
    case 'add_index': {
      const { entity, fields, unique } = change;
      const online = change.fresh ? '' : 'CONCURRENTLY ';
      return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${online}${quoted(indexName(entity, fields, unique))} ON ${table} (${fields.map(quoted).join(', ')})`;
    }
    case 'drop_index':
      return `DROP INDEX ${quoted(indexName(change.entity, change.fields, change.unique))}`;
    case 'add_text': {
      const { fields, language } = change.text;
      const online = change.fresh ? '' : 'CONCURRENTLY ';
      const texts = fields.map((name) => `coalesce(${quoted(name)}, '')`).join(` || ' ' || `);
      const words = `to_tsvector(${literal(language === 'none' ? 'simple' : language)}, ${texts})`;
      return `CREATE INDEX ${online}${quoted(textName(change.entity))} ON ${table} USING gin (${words})`;
    }
    case 'drop_text':
      return `DROP INDEX ${quoted(textName(change.entity))}`;
    case 'drop_field':
      return `ALTER TABLE ${table} DROP COLUMN ${quoted(change.field)}`;
    case 'drop_entity':
      return `DROP TABLE ${table}`;
  }
}

/** The name that an index has in statements and in the ledger. */
export function indexName(entity: string, fields: readonly string[], unique: boolean): string {
  return [entity, ...fields, unique ? 'key' : 'idx'].join('_');
}

export const textName = (entity: string): string => `${entity}_search`;

function createTable({ entity, fields, traits }: CreateEntity): string {
  const columns = [...fields.map(columnOf), ...traits.flatMap((trait) => TRAITS[trait])];
  return `CREATE TABLE ${quoted(entity)} (${columns.join(', ')})`;
}

function columnOf({ name, type, rules, absent }: NewField): string {
  const parts = [quoted(name), typeOf(type, rules)];
  if (name === KEY_FIELD) parts.push('PRIMARY KEY');
  else if (!takesNull(rules)) parts.push('NOT NULL');
  if (absent !== null) parts.push(`DEFAULT ${literal(absent)}`);
  parts.push(...checksOf(name, rules).map((check) => `CHECK (${check})`), ...referenceOf(rules));
  return parts.join(' ');
}

function typeOf(type: StoredType, { max_length }: FieldRules): string {
  const { ddl, ddlSized } = FIELD_TYPES[type];
  return ddlSized !== null && max_length !== undefined ? `${ddlSized}(${max_length})` : ddl;
}

function checksOf(name: string, rules: FieldRules): string[] {
  const field = quoted(name);
  const checks: string[] = [];
  if (rules.min !== undefined) checks.push(`${field} >= ${rules.min}`);
  if (rules.max !== undefined) checks.push(`${field} <= ${rules.max}`);
  if (rules.min_length !== undefined) checks.push(`char_length(${field}) >= ${rules.min_length}`);
  if (rules.max_length !== undefined && FIELD_TYPES[rules.type].ddlSized === null)
    checks.push(`char_length(${field}) <= ${rules.max_length}`);
  if (rules.pattern !== undefined) checks.push(`${field} ~ ${literal(rules.pattern)}`);
  if (rules.enum !== undefined) checks.push(`${field} IN (${rules.enum.map(literal).join(', ')})`);
  return checks;
}

function referenceOf({ ref }: FieldRules): string[] {
  if (ref === undefined) return [];
  const deletes = ref.on_delete === undefined ? '' : ` ON DELETE ${ACTIONS[ref.on_delete]}`;
  const updates = ref.on_update === undefined ? '' : ` ON UPDATE ${ACTIONS[ref.on_update]}`;
  return [`REFERENCES ${quoted(ref.entity)} (${quoted(KEY_FIELD)})${deletes}${updates}`];
}

/** One clause for each constraint that differs; a format is checked by the service and has no clause. */
function alterColumn({ entity, field, type, from, to }: AlterField): string {
  const column = quoted(field);
  const clauses: string[] = [];
  const alter = (clause: string): unknown => clauses.push(`ALTER COLUMN ${column} ${clause}`);
  if (typeOf(type, from) !== typeOf(type, to)) alter(`TYPE ${typeOf(type, to)}`);
  if (takesNull(from) !== takesNull(to)) alter(takesNull(to) ? 'DROP NOT NULL' : 'SET NOT NULL');
  if (JSON.stringify(from.default) !== JSON.stringify(to.default))
    alter(to.default === undefined ? 'DROP DEFAULT' : `SET DEFAULT ${literal(to.default)}`);
  const before = checksOf(field, from);
  const now = checksOf(field, to);
  if (before.join(' AND ') !== now.join(' AND ')) {
    const name = quoted(`${entity}_${field}_check`);
    if (before.length > 0) clauses.push(`DROP CONSTRAINT ${name}`);
    if (now.length > 0) clauses.push(`ADD CONSTRAINT ${name} CHECK (${now.join(' AND ')})`);
  }
  if (JSON.stringify(from.ref) !== JSON.stringify(to.ref)) {
    const name = quoted(`${entity}_${field}_fkey`);
    if (from.ref !== undefined) clauses.push(`DROP CONSTRAINT ${name}`);
    clauses.push(...referenceOf(to).map((ref) => `ADD CONSTRAINT ${name} FOREIGN KEY (${column}) ${ref}`));
  }
  const comment = `COMMENT ON COLUMN ${quoted(entity)}.${column} IS ${literal(JSON.stringify(to))}`;
  return clauses.length === 0 ? comment : `ALTER TABLE ${quoted(entity)} ${clauses.join(', ')}`;
}
