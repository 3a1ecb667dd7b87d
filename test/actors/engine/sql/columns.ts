/** The two tables of the generated statements, and literals of their types. */
import type { Random } from '#test/kit/random.ts';

export type Type = 'int' | 'num' | 'flt' | 'txt' | 'bool' | 'day' | 'at';

export interface Column {
  readonly name: string;
  readonly type: Type;
}

export const CUSTOMER: readonly Column[] = [
  { name: 'id', type: 'txt' },
  { name: 'name', type: 'txt' },
  { name: 'city', type: 'txt' },
  { name: 'credit', type: 'num' },
  { name: 'level', type: 'int' },
  { name: 'active', type: 'bool' },
  { name: 'born', type: 'day' },
];
export const PURCHASE: readonly Column[] = [
  { name: 'id', type: 'int' },
  { name: 'customer_id', type: 'txt' },
  { name: 'qty', type: 'int' },
  { name: 'price', type: 'num' },
  { name: 'weight', type: 'flt' },
  { name: 'status', type: 'txt' },
  { name: 'placed', type: 'day' },
  { name: 'seen', type: 'at' },
];

const TEXTS = ["'a'", "'b'", "'Ab'", "''", "'it''s'", "'x_y'", "'50%'", "'Zürich'"];
export const PATTERNS = ["'a%'", "'%b'", "'_b'", "'%'", "'%x%'", "'50\\%'", "'%''%'"];
const DAYS = ["'2026-01-01'", "'1999-12-31'", "'2024-02-29'"];

export function literalOf(type: Type, r: Random): string {
  if (r.chance(0.08))
    return `null::${{ int: 'int8', num: 'numeric', flt: 'float8', txt: 'text', bool: 'bool', day: 'date', at: 'timestamptz' }[type]}`;
  switch (type) {
    case 'int':
      return String(r.below(9) - 2);
    case 'num':
      return r.pick(['1.5', '-0.25', '10.00', '3.0', '0.125']);
    case 'flt':
      return r.pick(["'0.5'::float8", "'-2.25'::float8", "'3'::float8"]);
    case 'txt':
      return r.pick(TEXTS);
    case 'bool':
      return r.pick(['true', 'false']);
    case 'day':
      return `${r.pick(DAYS)}::date`;
    case 'at':
      return "'2026-01-01T12:30:00Z'::timestamptz";
  }
}
