/** Names in rules: what names nothing is found, what may be anything is let be. */
import { describe, expect, test } from 'vitest';
import { faultText } from '#actors/kit/part-fault.ts';
import { nameFaults, vocabularyOf } from '#actors/kit/rule-names.ts';

const row = new Map([
  ['requester', 'plain'],
  ['created_at', 'plain'],
  ['meta', 'open'],
] as const);
const seen = vocabularyOf(['method', 'operation', 'data'], row, row);
const faults = (rule: string) => nameFaults(rule, 'access.read', 'entities/leave.yaml:7:9', seen).map(faultText);

describe('names', () => {
  test.each([
    ['row.requestor == principal.subject', 'there is no "requestor" in row; did you mean "requester"?'],
    ['row["requestor"] == "u"', 'there is no "requestor" in row; did you mean "requester"?'],
    ['has(row.requestor)', 'there is no "requestor" in row; did you mean "requester"?'],
    ['row.?requestor.orValue("") == "u"', 'there is no "requestor" in row; did you mean "requester"?'],
    [
      'principal.sub == "u"',
      'there is no "sub" in principal; known here: type, subject, tenant, roles, scope, superadmin, sid, actor',
    ],
    ['principal.subjct == "u"', 'there is no "subjct" in principal; did you mean "subject"?'],
    ['request.body.x == 1', 'there is no "body" in request; known here: method, operation, data'],
    ['request.data.requestr == "u"', 'there is no "requestr" in request.data; did you mean "requester"?'],
    ['row.requester.name == "u"', 'row.requester has no members, and so no "name"'],
    ['principal.roles.exists(r, r == row.requestor)', 'there is no "requestor" in row; did you mean "requester"?'],
  ])('%s', (rule, fault) => expect(faults(rule)).toEqual([`entities/leave.yaml:7:9: ${fault}`]));

  test.each([
    'row.requester == principal.subject && row.created_at != null',
    'row.meta.anything.below[0].x == 1',
    'row[request.data.requester] == 1',
    '[{"x": 1}].exists(row, row.x == 1)',
    'cel.bind(principal, row.meta, principal.whatever == 1)',
    'row.requester.size() > 0 && row.requester.startsWith("a")',
    '"admin" in principal.roles || principal.scope.size() > 0',
    'row.requester ==',
  ])('%s is let be', (rule) => expect(faults(rule)).toEqual([]));

  test('each name once, however often it stands in the rule', () => {
    expect(faults('row.a == row.a || row.b == row.a')).toHaveLength(2);
  });

  test('where nothing is known of rows and data they are let be', () => {
    const open = vocabularyOf(['method', 'data'], undefined, undefined);
    expect(nameFaults('row.x == request.data.y', 'p', 'w', open)).toEqual([]);
    expect(nameFaults('row.x == request.dat.y', 'p', 'w', open)).toHaveLength(1);
  });
});
