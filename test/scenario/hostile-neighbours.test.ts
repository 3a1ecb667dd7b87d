/** Some of the attacks of the bench `hostile-neighbours` against a real node with one host: what the attacker gets, and that the neighbour is served. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attacks } from '#bench/hostile/attacks.ts';
import { prepare, send, type Place } from '#bench/hostile/send.ts';
import { Victim } from '#bench/hostile/victim.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

/** Position and a service token of the neighbour's own. */
async function ofOther(): Promise<Headers> {
  const capabilities = { scope: ['acme:dev:shop:other'] };
  const asked = { service: 'test', capabilities };
  const { key } = (await it.node.ask(OTHER_TENANT, 'identity', 'key.issue', asked)) as { key: string };
  const position = it.position(OTHER_TENANT);
  const answer = await it.call('POST', '/auth/token', { ...position, Authorization: `ApiKey ${key}` });
  return { ...position, Authorization: `Bearer ${(answer.json as { token: string }).token}` };
}

let it: TestNode;
let attacker: Place;
let victim: Victim;
beforeAll(async () => {
  const localdir = fileURLToPath(new URL('../../bench/hostile/product', import.meta.url));
  it = await startTestNode({ localdir, hosts: 1, extra: 'jobs: { threads: 2 }' });
  attacker = { gateway: it.gateway, headers: await it.service() };
  victim = await Victim.open({ gateway: it.gateway, headers: await ofOther() });
});
afterAll(async () => {
  await victim.close();
  await it.stop();
});

describe('the attacker gets what is declared, and the neighbour each of its answers', () => {
  test.each([
    ['cel-pairs', [403]],
    ['cel-triple', [200]],
    ['cel-contains', [403]],
    ['cel-matches', [403]],
    ['cel-matches-large', [403]],
    ['jq-sh-doubles', null],
    ['graphql-aliases', [200]],
    ['graphql-fragments', [200]],
    ['sql-correlated', null],
    ['filter-like', [200]],
    ['json-shapes', [400]],
    ['json-deep', [400]],
    ['pattern-loose', [422]],
    ['template-nested', null],
    ['multipart-parts', [400]],
    ['script-loop', null],
    ['sql-cast', [500]],
    ['sql-told-apart', null],
    ['json-zeros', [422]],
    ['graphql-long-pattern', [422]],
    ['multipart-pattern', [422]],
    ['filter-long-like', [422]],
    ['filter-digits', [422]],
    ['jq-repeat-text', null],
    ['jq-split-join', null],
    ['jq-pattern', null],
    ['cel-join', null],
    ['sql-correlated-many', null],
    ['sql-crossed', null],
    ['sql-nested', null],
    ['sql-repeated', null],
    ['sql-replaced', null],
    ['sql-liked', null],
    ['sql-span', null],
    ['sql-ordered', null],
    ['sql-digits', null],
    ['graphql-deep', null],
    ['graphql-cycle', null],
    ['graphql-pages', null],
    ['graphql-fields', null],
    ['graphql-directives', null],
    ['graphql-introspection', null],
    ['graphql-strings', null],
    ['graphql-arguments', null],
    ['graphql-strangers', null],
    ['graphql-patterns', null],
    ['pattern-hyphens', null],
    ['pattern-wide', null],
    ['pattern-many', null],
    ['template-large', null],
    ['template-many-places', null],
    ['filter-in', null],
    ['filter-ilike', null],
    ['filter-stepped', null],
    ['filter-long-in', null],
    ['script-text', null],
    ['script-stack', null],
    ['json-keys', null],
    ['json-indexes', null],
    ['json-same-key', null],
    ['json-lists', null],
    ['json-number', null],
    ['multipart-headers', null],
    ['multipart-header-line', null],
    ['multipart-near-boundaries', null],
    ['multipart-text', null],
    ['multipart-no-end', null],
    ['multipart-digits', null],
    ['multipart-long-boundary', null],
  ] as const)('%s', async (name, expected) => {
    const attack = attacks.find((one) => one.name === name)!;
    const id = await prepare(attacker, attack);
    const sending = send(attacker, attack, id, 0);
    const seen = await victim.watch(sending);
    const statuses = [...new Set(await sending)];
    if (expected === null) expect(statuses.filter((status) => !attack.statuses.includes(status))).toEqual([]);
    else expect(statuses).toEqual(expected);
    expect(seen.answers).toBeGreaterThan(0);
    expect(seen.refused).toBe(0);
  });
});
