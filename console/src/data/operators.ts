/** Which conditions a field takes, by its type (docs/contract/data.md §5.4). Pure. */
import type { Field } from './shapes.ts';

export const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'in',
  'nin',
  'ilike',
  'like',
  'null',
] as const;
export type Operator = (typeof OPERATORS)[number];

const TEXT: readonly Operator[] = ['ilike', 'eq', 'ne', 'in', 'nin', 'like', 'null'];
const ORDERED: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'null'];
const NAMED: readonly Operator[] = ['eq', 'ne', 'in', 'nin', 'null'];
const PRESENCE: readonly Operator[] = ['null'];

const BY_TYPE: Readonly<Record<string, readonly Operator[]>> = {
  string: TEXT,
  text: TEXT,
  integer: ORDERED,
  number: ORDERED,
  decimal: ORDERED,
  date: ORDERED,
  datetime: ORDERED,
  boolean: ['eq', 'null'],
  json: PRESENCE,
  file: PRESENCE,
  bytes: PRESENCE,
};

/** The first one is what a new condition begins with. */
export const operatorsOf = ({ type }: Pick<Field, 'type'>): readonly Operator[] => BY_TYPE[type] ?? NAMED;

/** Whether rows come in an order by it. */
export const isOrdered = ({ type }: Pick<Field, 'type'>): boolean => !['json', 'file', 'bytes'].includes(type);

export const isFigure = ({ type }: Pick<Field, 'type'>): boolean => ['integer', 'number', 'decimal'].includes(type);
