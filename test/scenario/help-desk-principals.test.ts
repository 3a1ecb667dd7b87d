/**
 * The help desk attacked by every principal on every route: callers without any right, requesters of the same organisation and of another one, agents
 * and the administrator. Each text in it is told in no answer to a caller who may not see it, and what others own stays as it was.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { as, ask, it as desk, me, rowsOf, useHelpDesk, type Row } from '#test/kit/help-desk.ts';
import type { Answer } from '#test/kit/test-node.ts';
import { attacksOn, routesAttacked, type Attack } from '#test/scenario/help-desk-principals/attacks.ts';
import { fillDesk, OTHERS, OUTSIDERS, SECRETS, SEEN } from '#test/scenario/help-desk-principals/world.ts';
import type { Caller, Targets } from '#test/scenario/help-desk-principals/world.ts';

useHelpDesk();
let targets: Targets;
beforeAll(async () => {
  targets = await fillDesk();
}, 60_000);

const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300;
const asText = ({ headers, text }: Answer): string => `${[...headers].join(' ')} ${text}`;
const send = (name: Caller, { method, path, body }: Attack): Promise<Answer> => desk.call(method, path, as(name), body);

interface Sweep {
  readonly answers: readonly { readonly attack: Attack; readonly answer: Answer }[];
  /** Texts that were told, and in which answers those that were not to be. */
  readonly told: readonly string[];
  readonly betrayed: readonly string[];
}

async function sweep(name: Caller, attacks: readonly Attack[]): Promise<Sweep> {
  const answers: { attack: Attack; answer: Answer }[] = [];
  for (const attack of attacks) answers.push({ attack, answer: await send(name, attack) });
  const told = new Set<string>();
  const betrayed: string[] = [];
  for (const { attack, answer } of answers)
    for (const secret of SECRETS)
      if (asText(answer).includes(secret) && !attack.path.includes(secret)) {
        told.add(secret);
        if (!SEEN[name].includes(secret)) betrayed.push(`${secret} by ${attack.method} ${attack.path}`);
      }
  return { answers, told: SECRETS.filter((secret) => told.has(secret)), betrayed };
}

/** Everything that lies in the tenant and is not the caller's own, as the administrator sees it. */
async function stateBeside(name: Caller): Promise<string> {
  const mine = name === 'stranger' ? 'no such user' : me(name);
  const lists = await Promise.all(
    ['ticket', 'comment', 'attachment', 'organisation'].map((entity) =>
      ask('ann', 'GET', `rest/${entity}?orderby=id&limit=500`),
    ),
  );
  const others = lists.map((list) =>
    rowsOf(list).filter(({ author, requester }: Row) => author !== mine && requester !== mine),
  );
  const { text } = await ask('ann', 'GET', 'admin/data/submissions');
  return JSON.stringify([others, text]);
}

const told = ({ attack, answer }: Sweep['answers'][number]): string =>
  `${attack.route} ${attack.method} ${attack.path}: ${answer.status} ${answer.text.slice(0, 120)}`;

/** Routes that are open to all: probes, and what is published. */
const OPEN: ReadonlySet<string> = new Set([
  'data.health',
  'data.ready',
  'bff.health',
  'bff.ready',
  'content.document_list',
]);
const HERE = 'tenant/acme/shop/dev/main';
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.values(value).every(isEmpty));
/** Routes that answer a caller without rights, too, and how such an answer is about nothing: no row is read, and none is written. */
const ANSWERED: Readonly<Record<string, (answer: Answer) => boolean>> = {
  'data.schema': () => true,
  'data.schema_entities': () => true,
  'data.schema_entity': () => true,
  'data.schema_graphql': () => true,
  'data.schema_openapi': () => true,
  'data.stateflows': () => true,
  'data.stateflow': () => true,
  'data.graphql': ({ json }) => isEmpty((json as { data?: unknown }).data),
  'data.graphql_get': ({ json }) => isEmpty((json as { data?: unknown }).data),
  'data.import': ({ json }) => (json as { imported: number }).imported === 0,
  'data.cache_clear': () => true,
  'data.content_stores': ({ text }) => text === '{}',
  'bff.list': ({ json }) => (json as { count: number }).count === 0,
  'audit.logs': ({ text }) => !text.includes(HERE),
};
const isNothing = (attack: Attack, answer: Answer): boolean =>
  !isDone(answer) || OPEN.has(attack.route) || ANSWERED[attack.route]?.(answer) === true;

test('the sweep asks every route of the tenant', () => {
  const asked = new Set(attacksOn(targets).map(({ route }) => route));
  expect(routesAttacked.map(({ route }) => route).filter((route) => !asked.has(route))).toEqual([]);
  expect(asked.size).toBeGreaterThan(120);
  expect([...OPEN, ...Object.keys(ANSWERED)].filter((route) => !asked.has(route))).toEqual([]);
});

describe.each(OUTSIDERS)('%s', (name) => {
  test('does nothing, sees nothing and changes nothing', { timeout: 120_000 }, async () => {
    const before = await stateBeside(name);
    const { answers, betrayed } = await sweep(name, attacksOn(targets));
    expect(betrayed).toEqual([]);
    const done = answers.filter(({ attack, answer }) => !isNothing(attack, answer));
    expect(done.map(told)).toEqual([]);
    expect(await stateBeside(name)).toBe(before);
  });
});

describe.each(OTHERS)('the requester %s', (name) => {
  test('sees own rows alone, and changes nothing of others', { timeout: 120_000 }, async () => {
    const before = await stateBeside(name);
    const { answers, betrayed, told: seen } = await sweep(name, attacksOn(targets));
    expect(betrayed).toEqual([]);
    expect(seen).toEqual(SEEN[name]);
    const reached = answers.filter(
      ({ attack, answer }) => isDone(answer) && Object.values(targets).some((id) => attack.path.includes(String(id))),
    );
    expect(reached.map(told)).toEqual([]);
    const administered = answers.filter(
      ({ attack, answer }) => isDone(answer) && /\/(?:super)?admin\//.test(attack.path),
    );
    expect(administered.map(told)).toEqual([]);
    expect(await stateBeside(name)).toBe(before);
  });
});

test('eve sees what is hers, and no note, no hidden comment and no organisation', { timeout: 120_000 }, async () => {
  const { betrayed, told: seen } = await sweep(
    'eve',
    attacksOn(targets).filter(({ reads }) => reads),
  );
  expect(betrayed).toEqual([]);
  expect(seen).toEqual(SEEN.eve);
});

test('gus sees every row, administers nothing, and reads no submission', { timeout: 120_000 }, async () => {
  const attacks = attacksOn(targets);
  const isOfAdministrators = ({ path }: Attack): boolean => /\/(?:super)?admin\//.test(path);
  const { answers } = await sweep('gus', attacks.filter(isOfAdministrators));
  expect(answers.filter(({ answer }) => isDone(answer)).map(told)).toEqual([]);
  expect(answers.length).toBeGreaterThan(50);
  const { betrayed, told: seen } = await sweep(
    'gus',
    attacks.filter(({ reads }) => reads),
  );
  expect(betrayed).toEqual([]);
  expect(seen).toEqual(SEEN.gus);
});

test('ann sees everything, submissions too: the sweep would have found each text', { timeout: 120_000 }, async () => {
  const { told: seen } = await sweep(
    'ann',
    attacksOn(targets).filter(({ reads }) => reads),
  );
  expect(seen).toEqual(SEEN.ann);
});
