/** The inputs of rules, in a file of their own: rule.ts, rule-paths.ts and rule-narrowing.ts need them. */

/** No name of a rule can mean it. */
export const FOLLOW: unique symbol = Symbol('follow');

type Row = Readonly<Record<string, unknown>>;

/** The row that references lead to, one after the other, from a row on; null where one of them leads to none. */
export type Follow = (fields: readonly string[], row: Row) => Row | null;

/** The inputs of one evaluation. `row` and `request` are plain values as JSON has them. */
export interface RuleScope {
  readonly principal: object;
  readonly row: object | null;
  readonly request: object;
  readonly now: Date;
  /** Absent where no rows can be read: paths over references then lead nowhere. */
  readonly [FOLLOW]?: Follow;
}
