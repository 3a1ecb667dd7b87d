/** A rule as a definition writes it: `{language: cel, rule}`. What it may name: docs/reference/rules.md. */
import * as kit from '../schema-kit.ts';

const EXAMPLE = `{ language: cel, rule: "'tenant_user' in principal.roles" }`;

/** `about`: what the rule decides. */
export function rule(about: string) {
  return kit
    .entry({
      language: kit.oneOf(['cel']).meta({ about: 'the language of the rule' }),
      rule: kit.text('a CEL expression', "'true'").meta({ about: 'what must be true' }),
    })
    .meta({ about, whole: 'a rule', example: EXAMPLE });
}
