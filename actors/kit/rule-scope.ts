/** The inputs of rules, in a file of their own: rule.ts and rule-narrowing.ts both need them. */

/** The inputs of one evaluation. `row` and `request` are plain values as JSON has them. */
export interface RuleScope {
  readonly principal: object;
  readonly row: object | null;
  readonly request: object;
  readonly now: Date;
}
