/** Conditions of a body: `{field: value}` and `{field: {op: value}}`, AND-ed, with groups of them (docs/contract/data.md §5.4). */
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import { shown } from '#actors/kit/shown.ts';
import { conjunctionOfTree, type Tree } from './alternatives.ts';
import { failure, isFailure, type Failure } from './failure.ts';
import type { Column, EntityModel, Reference } from './model.ts';
import { fieldsSeen, type Asker } from './path/asker.ts';
import { manyRowsOf, QUANTIFIERS, rowsPredicate, type ManyRows } from './path/many.ts';
import { endOf, hopOf, lengthFault, membersOf, pathKeyOf, type PathKey } from './path/parse.ts';
import { farPredicate, givenJson, isComparable, predicateAt, type Given } from './path/predicate.ts';
import { operandOf, operatorOf, predicateOfJson, unknownOperator } from './predicate.ts';
import type { Conjunction, Operator, Predicate } from './query.ts';
import { unknownField } from './unknown-field.ts';

type Filter = Readonly<Record<string, unknown>>;

const GROUPS = ['or', 'and', 'not'] as const;
type Group = (typeof GROUPS)[number];
/** How groups are written. */
export interface FilterForm {
  /** The key of each group. None can be meant as a field: names of fields begin with a small letter. */
  readonly keys: Readonly<Record<Group, string>>;
  /** As in GraphQL: a member that is null counts as absent, not as a test for null, and paths are written as filters in filters, not in brackets. */
  readonly isNested: boolean;
}

/** Where a filter stands: at the rows of the query, or at those that references lead to. */
interface Place {
  readonly model: EntityModel;
  readonly hops: readonly Reference[];
  /** What a name there is written behind. */
  readonly before: string;
}

/** In bodies and query strings. */
const BRACKETED: FilterForm = { keys: { or: '[or]', and: '[and]', not: '[not]' }, isNested: false };
/** In GraphQL, whose names have no brackets. */
export const GRAPHQL_FORM: FilterForm = { keys: { or: 'OR', and: 'AND', not: 'NOT' }, isNested: true };

/** The conditions of a filter, or a 422 that names the field, operator or group. Without an asker no path follows references. */
export function parseFilter(
  model: EntityModel,
  filter: Filter,
  asker: Asker | null = null,
  form = BRACKETED,
): Conjunction | Failure {
  return new FilterParser(model, asker, form, { left: limits.data.filterPredicatesMax }).conditions(filter);
}

/** The conditions of a text that rows behind a relation are to meet, as `[comment_by_ticket][some]=<JSON>` has it. */
export function conditionsOfText(key: string, text: string, asker: Asker | null): Given['conditions'] {
  const name = shown(key);
  return (model, above) => {
    const parsed = parseExactJson(text);
    if (!parsed.ok) return misfit(name, `${name} must be JSON: ${parsed.fault}`);
    if (!isJsonObject(parsed.value)) return misfit(name, `${name} must be an object of conditions`);
    const room = { left: limits.data.filterPredicatesMax };
    return new FilterParser(model, asker, BRACKETED, room, above).conditions(parsed.value);
  };
}

/** Which group a key of a query string names; undefined for any other key. */
export function groupOf(key: string): Group | undefined {
  return key.startsWith('[') ? GROUPS.find((group) => BRACKETED.keys[group] === key.toLowerCase()) : undefined;
}

/** The conditions of `[or]=<JSON>` and its like in a query string. */
export function parseGroupText(
  model: EntityModel,
  group: Group,
  text: string | null,
  asker: Asker | null,
): Conjunction | Failure {
  const key = BRACKETED.keys[group];
  const parsed = parseExactJson(text ?? '');
  return parsed.ok
    ? parseFilter(model, { [key]: parsed.value }, asker)
    : misfit(key, `${key} must be JSON: ${parsed.fault}`);
}

class FilterParser {
  readonly #model: EntityModel;
  readonly #asker: Asker | null;
  readonly #form: FilterForm;
  /** How many more predicates and members of lists there may be. */
  readonly #room: { left: number };
  /** How many relations lead to the rows; their masked fields are then not there. */
  readonly #above: number;
  readonly #depth: number;

  constructor(model: EntityModel, asker: Asker | null, form: FilterForm, room: { left: number }, above = 0, depth = 0) {
    this.#model = model;
    this.#asker = asker;
    this.#form = form;
    this.#room = room;
    this.#above = above;
    this.#depth = depth;
  }

  conditions(filter: Filter): Conjunction | Failure {
    const tree = this.parse(filter, this.#depth, { model: this.#model, hops: [], before: '' });
    return isFailure(tree) ? tree : conjunctionOfTree(tree);
  }

  parse(filter: Filter, depth: number, place: Place): Tree | Failure {
    const of: Tree[] = [];
    for (const [key, value] of Object.entries(filter)) {
      if (value === null && this.#form.isNested) continue;
      const group = GROUPS.find((one) => this.#form.keys[one] === key);
      const parts =
        group === undefined ? this.#member(key, value, depth, place) : this.#group(group, value, depth, place);
      if (isFailure(parts)) return parts;
      of.push(...parts);
    }
    return { kind: 'all', of };
  }

  #group(group: Group, value: unknown, depth: number, place: Place): Tree[] | Failure {
    const key = this.#form.keys[group];
    const deepest = limits.data.filterDepthMax;
    if (depth >= deepest) return misfit(key, `groups may be nested ${deepest} deep`);
    if (group === 'not') {
      if (!isJsonObject(value)) return misfit(key, `${key} must be an object of conditions`);
      const tree = this.parse(value, depth + 1, place);
      return isFailure(tree) ? tree : [{ kind: 'not', of: tree }];
    }
    if (!Array.isArray(value) || value.length === 0)
      return misfit(key, `${key} must be a list of objects of conditions, at least one`);
    const of: Tree[] = [];
    for (const part of value as readonly unknown[]) {
      if (!isJsonObject(part)) return misfit(key, `${key} must hold objects of conditions`);
      const tooMany = this.#spend();
      const tree = tooMany ?? this.parse(part, depth + 1, place);
      if (isFailure(tree)) return tree;
      of.push(tree);
    }
    return [{ kind: group === 'or' ? 'any' : 'all', of }];
  }

  #member(key: string, value: unknown, depth: number, place: Place): Tree[] | Failure {
    if (!this.#form.isNested) return this.#predicates(key, value, depth);
    const column = this.#column(place.model, key);
    if (column === undefined) return this.#across(key, value, depth, place);
    if (FIELD_TYPES[column.type].hasMembers) return this.#parts(key, value, place);
    return place.hops.length === 0 ? this.#predicates(key, value, depth) : this.#end(key, [], value, place);
  }

  #column(model: EntityModel, name: string): Column | undefined {
    const column = model.column(name);
    const isHidden = this.#above > 0 && column !== undefined && !isComparable(this.#asker, model, column);
    return isHidden ? undefined : column;
  }

  /** A filter of the rows that a relation leads to. A relation with the name of a field has an underscore behind it. */
  #across(key: string, value: unknown, depth: number, { model, hops, before }: Place): Tree[] | Failure {
    const names = [key, key.replace(/_$/, '')];
    const reference = firstOf(names, (name) => hopOf(model, name, this.#asker));
    const many = reference === undefined ? firstOf(names, (name) => manyRowsOf(model, name, this.#asker)) : undefined;
    if ((reference ?? many) === undefined || !isJsonObject(value)) return unknownField(this.#model, before + key);
    const tooLong = lengthFault([...Array<string>(this.#above + 1), ...hops], []);
    if (tooLong !== null) return tooLong;
    if (reference === undefined) return this.#rows(before + key, hops, many!, value, depth);
    const place: Place = {
      model: fieldsSeen(this.#asker, reference.to),
      hops: [...hops, reference],
      before: `${before}${key}.`,
    };
    const tree = this.parse(value, depth, place);
    return isFailure(tree) ? tree : [tree];
  }

  /** `{some: filter, none: filter, every: filter}` of the rows on the other side. */
  #rows(path: string, hops: readonly Reference[], to: ManyRows, value: Filter, depth: number): Tree[] | Failure {
    const of: Tree[] = [];
    const from = fieldsSeen(this.#asker, to.from);
    for (const quantifier of QUANTIFIERS) {
      const filter = value[quantifier] ?? null;
      if (filter === null) continue;
      const conditions = this.#spend() ?? this.#behind(path, filter, depth)(from, this.#above + hops.length + 1);
      if (isFailure(conditions)) return conditions;
      of.push(rowsPredicate(path, hops, to, conditions, quantifier));
    }
    return of;
  }

  /** What is asked of rows behind a relation. */
  #behind(path: string, filter: unknown, depth: number): Given['conditions'] {
    return (model, above) => {
      if (!isJsonObject(filter))
        return misfit(path, `what rows of ${shown(path)} must meet must be an object of conditions`);
      const deepest = limits.data.filterDepthMax;
      if (depth >= deepest) return misfit(path, `groups may be nested ${deepest} deep`);
      return new FilterParser(model, this.#asker, this.#form, this.#room, above, depth + 1).conditions(filter);
    };
  }

  /** Conditions of parts of a json value: `{path, op: value}`, a list of them. */
  #parts(key: string, value: unknown, place: Place): Tree[] | Failure {
    const of: Tree[] = [];
    for (const part of value as readonly { readonly path: string }[]) {
      const { path, ...named } = part;
      const trees = this.#end(key, membersOf(path), named, place);
      if (isFailure(trees)) return trees;
      of.push(...trees);
    }
    return of;
  }

  #end(field: string, inside: readonly string[], value: unknown, { hops, before }: Place): Tree[] | Failure {
    const path = [before + field, ...inside].join('/');
    const at = lengthFault(hops, inside) ?? endOf(this.#model, hops, field, inside, this.#asker);
    if (at === undefined) return unknownField(this.#model, path);
    if (isFailure(at)) return at;
    return this.#named(path, Object.entries(value as Filter), (op, given) =>
      predicateAt(path, at, op, givenJson(given)),
    );
  }

  #predicates(key: string, value: unknown, depth: number): Tree[] | Failure {
    const path = pathKeyOf(key);
    if (path !== undefined) return this.#far(path, value, depth);
    const operand = operandOf(key);
    if (isFailure(operand)) return operand;
    const column = this.#column(this.#model, operand.field);
    if (column === undefined) return unknownField(this.#model, operand.field);
    const named = isJsonObject(value) && operand.field === key ? Object.entries(value) : [[operand.op, value] as const];
    return this.#named(column.name, named, (op, given) => predicateOfJson(column, op, given));
  }

  #far({ path, op: name }: PathKey, value: unknown, depth: number): Tree[] | Failure {
    const named = isJsonObject(value) && name === undefined ? Object.entries(value) : [[name ?? 'eq', value] as const];
    const of: Tree[] = [];
    for (const [op, given] of named) {
      const what = { ...givenJson(given), conditions: this.#behind(path, given, depth) };
      const predicate = this.#spend() ?? farPredicate(this.#model, { path, op }, what, this.#asker, this.#above);
      if (isFailure(predicate)) return predicate;
      of.push(predicate);
    }
    return of;
  }

  #named(
    field: string,
    named: readonly (readonly [string, unknown])[],
    make: (op: Operator, value: unknown) => Predicate | Failure,
  ): Tree[] | Failure {
    const of: Tree[] = [];
    for (const [name, value] of named) {
      const op = operatorOf(name);
      if (op === undefined) return unknownOperator(field, name);
      const predicate = this.#spend() ?? make(op, value);
      if (isFailure(predicate)) return predicate;
      of.push(predicate);
    }
    return of;
  }

  /** Each predicate and each member of a list counts. */
  #spend(): Failure | null {
    const most = limits.data.filterPredicatesMax;
    return --this.#room.left < 0
      ? failure(422, `at most ${most} predicates`, { predicates: most - this.#room.left })
      : null;
  }
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const misfit = (key: string, message: string): Failure => failure(422, message, { parameter: shown(key) });
