/** Paths over references: which nodes are one, what a rule makes of a row that is there or not, and what is wrong with a path. */
import { describe, expect, test } from 'vitest';
import { faultText } from '#actors/kit/part-fault.ts';
import { relationsOf } from '#actors/kit/rule-members.ts';
import { nameFaults, vocabularyOf } from '#actors/kit/rule-names.ts';
import { FOLLOW, type Follow } from '#actors/kit/rule-scope.ts';
import { compileRule, type RuleFault } from '#actors/kit/rule.ts';
import { entityOf } from '#test/kit/data-call.ts';

const ref = (entity: string) => ({ type: 'ref', ref: { entity } }) as const;
const text = { type: 'string' } as const;
const entities = {
  comment: entityOf('comment', { ticket_id: ref('ticket'), about: ref('ticket'), body: text, meta: { type: 'json' } }),
  ticket: entityOf(
    'ticket',
    { requester_id: ref('person'), status: text, open: { type: 'boolean' }, meta: { type: 'json' } },
    { traits: ['soft_delete'] },
  ),
  person: entityOf('person', { name: text, boss: ref('person') }),
};
const relations = relationsOf(entities, entities.comment);

const ROWS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ticket_id: { id: 't1', requester_id: 'u1', status: 'open', open: true, meta: { team: 'a' } },
  'ticket_id requester_id': { id: 'u1', name: 'Ann', boss: 'u2' },
  'ticket_id requester_id boss': { id: 'u2', name: null, boss: null },
};
const asked: string[] = [];
const follow: Follow = (fields) => {
  asked.push(fields.join(' '));
  return ROWS[fields.join(' ')] ?? null;
};
const scope = {
  principal: { subject: 'u1', roles: ['agent'], sid: null },
  row: { id: 'c1', ticket_id: 't1', about: 't9', body: 'b', meta: { x: { y: 1 } } },
  request: {},
  now: new Date(0),
  [FOLLOW]: follow,
};

function verdict(source: string): { allowed: boolean; why?: RuleFault } {
  let why: RuleFault | undefined;
  const allowed = compileRule(source, 'w', relations).allows(scope, (fault) => (why = fault));
  return { allowed, ...(why !== undefined && { why }) };
}

describe('a path', () => {
  test.each([
    'row.ticket.requester_id == principal.subject',
    'row["ticket"]["status"] == "open"',
    'row.ticket.open',
    'row.ticket.requester.name == "Ann"',
    'row.ticket.requester.boss == "u2" && row.ticket.requester.boss.name == null',
    'row.ticket.meta.team == "a"',
    'row.ticket.id == row.ticket_id && row.about == "t9"',
    'row.meta.x.y == 1',
    'row.ticket.deleted_at == null || true',
    '["open", "new"].exists(status, row.ticket.status == status)',
    'principal.roles.exists(follow, follow == "agent" && row.ticket.open)',
    'cel.bind(of, row.ticket.requester_id, of == principal.subject)',
    '[{"ticket": {"open": true}}].exists(row, row.ticket.open)',
  ])('%s allows', (source) => expect(verdict(source).allowed).toBe(true));

  test.each([
    'row.about.open',
    'row.about.status != "open"',
    '!(row.about.open)',
    'row.about.requester_id == null',
    'row.about.requester_id == principal.sid',
    'row.about.requester.name == "Ann"',
    'row.about.open || principal.subject == "u9"',
    'row.about.open ? false : true',
    'row.ticket.requester.boss.boss.name == null',
    'row.ticket_id.status == "open"',
    'cel.bind(ticket, row.ticket_id, ticket.open)',
  ])('%s denies: the path leads to no row', (source) => expect(verdict(source).allowed).toBe(false));

  test('the other side of an alternative decides where a path leads to no row', () => {
    expect(verdict('row.about.open || "agent" in principal.roles').allowed).toBe(true);
    expect(verdict('"agent" in principal.roles || row.about.open').allowed).toBe(true);
  });

  test('what failed is told as the rule writes it, without values', () => {
    expect(verdict('row.about.status == "open"').why).toEqual({
      where: 'w',
      part: 'row.about.status',
      why: 'no_referenced_row',
      tooCostly: false,
    });
  });

  test('a row is asked for as far as the member that is read', () => {
    asked.length = 0;
    expect(verdict('row.ticket.requester.boss.name == null').allowed).toBe(true);
    expect(verdict('row.ticket.requester.boss == "u2"').allowed).toBe(true);
    expect(verdict('row.ticket_id == "t1"').allowed).toBe(true);
    expect(asked).toEqual(['ticket_id requester_id boss', 'ticket_id requester_id']);
  });

  test('a rule that follows none says so; without relations none is followed', () => {
    const follows = (source: string) => compileRule(source, 'w', relations).follows;
    expect(['row.ticket.open', 'row.ticket_id == "a"', 'row.about == "a"', 'row.meta.x.y == 1'].map(follows)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(compileRule('row.ticket.open', 'w').allows(scope)).toBe(false);
  });
});

test.each([
  ['has(row.ticket.open)', 'has()'],
  ['!has(row.ticket.meta.team)', 'has()'],
  ['row.?ticket.open.orValue(false)', '`?`'],
  ['row.ticket.?open.orValue(false)', '`?`'],
  ['row[?"ticket"].?open.orValue(false)', '`?`'],
])('%s does not compile', (source, what) =>
  expect(() => compileRule(source, 'e.yaml:1:1', relations)).toThrow(
    `e.yaml:1:1: a path over a reference takes no ${what}: write it plainly`,
  ),
);

describe('names', () => {
  const seen = { ...vocabularyOf(['data'], relations.members, relations.members), relations };
  const faults = (rule: string) => nameFaults(rule, 'row_rule', 'e.yaml:7:9', seen).map(faultText);

  test.each([
    ['row.ticket.requestr_id == "u"', 'there is no "requestr_id" in row.ticket; did you mean "requester_id"?'],
    ['row.ticket.requester.nam == "u"', 'there is no "nam" in row.ticket.requester; did you mean "name"?'],
    ['row.ticket.status.x == 1', 'row.ticket.status has no members, and so no "x"'],
    ['row.body.x == 1', 'row.body has no members, and so no "x"'],
    [
      'row.ticket_id.status == "open"',
      'row.ticket_id has no members, and so no "status"; write row.ticket.status to follow the reference',
    ],
    [
      'row.ticket.requester_id.name == "u"',
      'row.ticket.requester_id has no members, and so no "name"; write row.ticket.requester.name to follow the reference',
    ],
    ['row.ticket == "t1"', 'there is no "ticket" in row; did you mean "ticket_id"?'],
    [
      'row.ticket.requester == principal.subject',
      'there is no "requester" in row.ticket; did you mean "requester_id"?',
    ],
    [
      'row.ticket.requester.boss.boss.name == "x"',
      'row.ticket.requester.boss.boss.name follows 4 references, and a rule may follow 3: keep the value in a row that is nearer',
    ],
    ['request.data.ticket.open', 'there is no "ticket" in request.data; did you mean "ticket_id"?'],
  ])('%s', (rule, fault) => expect(faults(rule)).toEqual([`e.yaml:7:9: ${fault}`]));

  test.each([
    'row.ticket.requester_id == principal.subject && row.about.open',
    'row.ticket.requester.boss.name != row.ticket.deleted_at',
    'row.ticket.meta.any.thing[0] == 1 && row.about == "t1"',
    '[{"ticket": 1}].exists(row, row.ticket.any == 1)',
  ])('%s is let be', (rule) => expect(faults(rule)).toEqual([]));
});

test('what a path says of the rows that it leads to', () => {
  const narrowed = (source: string) => compileRule(source, 'w', relations).narrow?.(scope) ?? null;
  expect(narrowed('row.ticket.requester_id == principal.subject')).toEqual([
    { field: 'requester_id', through: ['ticket_id'], op: 'eq', value: 'u1' },
  ]);
  expect(narrowed('row.about.requester.name in ["a"] && row.body == "b" && row.about.open')).toEqual([
    { field: 'name', through: ['about', 'requester_id'], op: 'in', value: ['a'] },
    { field: 'body', op: 'eq', value: 'b' },
    { field: 'open', through: ['about'], op: 'eq', value: true },
  ]);
  expect(narrowed('row.ticket.status == row.body')).toBeNull();
  expect(narrowed('row.body == row.ticket.status')).toBeNull();
});
