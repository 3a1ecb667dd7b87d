/** Programs of `?expression=` that never end, each in its own way: each takes its two seconds, and others are served. Spec: docs/contract/data.md §2.2. */
import { expect, test } from 'vitest';
import { useDataNode } from '#test/kit/data-node.ts';

const node = useDataNode({ extra: 'jobs: { threads: 2 }' });

test.each([
  ['a limit as good as none', 'last(limit(1e12; repeat(1)))'],
  ['endless depth', '[.] | until(false; [.])'],
  ['recursion through an argument', 'def f(x): x | f(x); f(.)'],
  ['endless recursion', 'def f: f; f'],
  ['an array that doubles', 'reduce range(40) as $i ([1]; . + .)'],
  ['quotes that a format doubles', `reduce range(30) as $i ("'"; @sh) | length`],
  ['base64 of base64', 'reduce range(62) as $i ("a"; @base64) | length'],
  ['cells that double', 'reduce range(40) as $i ("\\""; [.] | @csv) | length'],
  ['an endless repeat in the reference tier', 'last(repeat(now))'],
])('%s: %s', async (_name, program) => {
  const answer = await node.ask('GET', `rest/item?expression=${encodeURIComponent(program)}`);
  expect([answer.status, (answer.json as { code: string }).code]).toEqual([500, 'v2.expression_runtime']);
  expect((await node.ask('GET', 'rest/item?limit=1')).status).toBe(200);
});
