/** What rules are asked about: apart from the rules, so that what reads them may know it too. */

/** What a rule sees. `row` and `request` are plain values as JSON has them. */
export interface RuleScope {
  readonly principal: object;
  readonly row: object | null;
  readonly request: object;
  readonly now: Date;
}
