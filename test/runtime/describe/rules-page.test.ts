/** The tables of names in rules, held against what rules are given. */
import { expect, test } from 'vitest';
import { isAllowed } from '#actors/content/judge.ts';
import { scopeOf, type Session } from '#actors/engine/rows/session.ts';
import type { Call } from '#actors/host/call.ts';
import { CONTENT_REQUEST, PRINCIPAL, ROW_REQUEST } from '#actors/kit/rule-names.ts';
import type { Rule } from '#actors/kit/rule.ts';
import type { RuleScope } from '#actors/kit/rule-scope.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { rulesPage } from '#runtime/describe/rules-page.ts';

const clock = { now: () => 0 };
const asked = { method: 'GET', operation: 'read', entity: 'city', id: null, data: null };

test('rules of rows see the principal and the request that the page names, and no more', () => {
  const scope = scopeOf({ principal: ANONYMOUS, clock } as Session, asked);
  expect(Object.keys(scope.principal)).toEqual(Object.keys(PRINCIPAL));
  expect(Object.keys(scope.request)).toEqual(Object.keys(ROW_REQUEST));
  expect(Object.keys(scope).sort()).toEqual(['now', 'principal', 'request', 'row']);
});

test('rules of content see theirs', () => {
  let seen: RuleScope | null = null;
  const rule = { allows: (scope: RuleScope) => (seen = scope) !== null } as unknown as Rule;
  const call = { principal: null, method: 'HEAD', activation: { context: { clock } } } as unknown as Call;
  expect(
    isAllowed(
      call,
      { rules: new Map([['read', rule]]), open: false, faulty: false },
      { operation: 'read', of: 'blog' },
    ),
  ).toBe(true);
  const { principal, request } = seen as unknown as RuleScope;
  expect(Object.keys(principal)).toEqual(Object.keys(PRINCIPAL));
  expect(Object.keys(request)).toEqual(Object.keys(CONTENT_REQUEST));
});

test('the page has a row for each name', () => {
  const page = rulesPage();
  for (const name of Object.keys(PRINCIPAL)) expect(page).toContain(`| \`principal.${name}\` | `);
  for (const name of new Set([...Object.keys(ROW_REQUEST), ...Object.keys(CONTENT_REQUEST)]))
    expect(page).toContain(`| \`request.${name}\` | `);
  expect(page).toContain('| `deleted_at`, `deleted_by` | with the trait `soft_delete` |');
});
