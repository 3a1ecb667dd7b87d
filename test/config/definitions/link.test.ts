/** What an entity says of its links, and what is wrong with it, with line and column. Source: docs/contract/data-definitions.md §1.14. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { withPairs } from '#config/definitions/link.ts';
import { limits } from '#config/limits.ts';
import { entityOf } from '#test/kit/data-call.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-link-'));
  mkdirSync(join(dir, 'entities'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function loaded(links: string): ReturnType<typeof loadProduct> {
  writeFileSync(join(dir, 'product.yaml'), 'name: atlas\n');
  const text = `entities:
  ticket:
    fields: { title: { type: string }, owner_id: { type: ref, ref: { entity: person } } }
    links: ${links}
  tag: { fields: { name: { type: string }, ticket_by_named: { type: string } } }
  person: { fields: { ticket_id: { type: ref, ref: { entity: ticket } } } }
`;
  writeFileSync(join(dir, 'entities', 'ticket.yaml'), text);
  return loadProduct(dir);
}

function entitiesOf(links: string) {
  const found = loaded(links);
  if ('problems' in found) throw new Error(JSON.stringify(found.problems));
  return found.product.entities;
}

function problems(links: string): string[] {
  const found = loaded(links);
  if (!('problems' in found)) return [];
  return found.problems.map(({ line, column, message, mend }) => {
    expect(mend).toMatch(/\S/);
    return `${line}:${column} ${message}`;
  });
}

test('a link makes an entity of pairs: two references, unique together, which end with either row', () => {
  const entities = entitiesOf('{ tags: { entity: tag, roles: { write: [agent] } } }');
  expect(entities['ticket']!.links).toEqual({
    tags: { entity: 'tag', roles: { write: ['agent'] }, where: expect.stringContaining('ticket.yaml:4:') },
  });
  const end = (entity: string) => ({ type: 'ref', required: true, ref: { entity, on_delete: 'cascade' } });
  expect(entities['ticket.tags']).toEqual({
    name: 'ticket.tags',
    fields: { id: { type: 'ulid' }, source: end('ticket'), target: end('tag') },
    traits: [],
    unique: [['source', 'target']],
    index: [],
    access: {},
    pairsOf: { entity: 'ticket', link: 'tags' },
    where: expect.stringContaining('ticket.yaml:4:'),
  });
  expect(Object.keys(entities)).toEqual(['ticket', 'tag', 'person', 'ticket.tags']);
});

test('a link may lead to the entity itself', () => {
  expect(Object.keys(entitiesOf('{ related: { entity: ticket } }'))).toContain('ticket.related');
});

test('unknown entities and names that rows have already are named', () => {
  expect(problems('{ tags: { entity: tga } }')).toEqual(['4:30 there is no entity "tga"']);
  expect(problems('{ title: { entity: tag } }')).toEqual(['4:14 "title" is a field of ticket already']);
  expect(problems('{ owner: { entity: tag } }')).toEqual(['4:14 "owner" is a relation of ticket already']);
  expect(problems('{ person_by_ticket: { entity: tag } }')).toEqual([
    '4:14 "person_by_ticket" is a relation of ticket already',
  ]);
  expect(problems('{ version: { entity: tag } }')).toEqual(['4:14 "version" is a reserved name of ticket already']);
  expect(problems('{ named: { entity: tag } }')).toEqual([
    '4:14 its way back, "ticket_by_named", is a field of tag already',
  ]);
  expect(problems('{ owner: { entity: person } }')).toContain(
    '4:14 its way back, "ticket_by_owner", is a relation of person already',
  );
  expect(problems('{ x: { entity: ticket }, ticket_by_x: { entity: tag } }')).toEqual([
    '4:14 its way back, "ticket_by_x", is a link of ticket already',
    '4:37 "ticket_by_x" is the way back of a link of ticket already',
  ]);
});

test('a key without an entity, a bad name and a key that is none are refused', () => {
  expect(problems('{ tags: {} }')).toHaveLength(1);
  expect(problems('{ Tags: { entity: tag } }')).toHaveLength(1);
  expect(problems('{ tags: { entity: tag, on_delete: cascade } }')).toHaveLength(1);
});

test('roles that no user can have, and too many links', () => {
  expect(problems('{ tags: { entity: tag, roles: { read: [superadmin] } } }')).toEqual([
    expect.stringContaining('"superadmin" is a role of operators'),
  ]);
  const many = Array.from({ length: limits.data.linksMax + 1 }, (_, no) => `l${no}: { entity: tag }`).join(', ');
  expect(problems(`{ ${many} }`)).toEqual([`4:5 ticket has ${limits.data.linksMax + 1} links`]);
});

test('without links the entities are those that were given', () => {
  const entities = [entityOf('a', {}), entityOf('b', {})];
  expect(withPairs(entities)).toBe(entities);
});
