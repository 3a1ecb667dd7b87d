/** What rules are evaluated over, in a file of its own: rule.ts and rule-narrowing.ts both need it. */

/** What a rule sees. `row` and `request` are plain values as JSON has them. */
export interface RuleScope {
  readonly principal: object;
  readonly row: object | null;
  readonly request: object;
  readonly now: Date;
}
