/** `skep top` beside a real node. Spec: docs/contract/platform.md §3.3. */
import { expect, onTestFinished, test } from 'vitest';
import { skep } from '#test/runtime/cli/recorder.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const on = useDataNode();

interface Load {
  readonly name: string;
  readonly per_second: number;
  readonly failures: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

interface Shown {
  readonly seconds: number;
  readonly all: Load;
  readonly services: readonly Load[];
  readonly tenants: readonly Load[];
  readonly memory_bytes: number;
  readonly connections_max: number;
  readonly degraded: readonly unknown[];
}

const url = (): string => on.it.node.listeners['operations']!;

/** Asks the node until the test ends; gives how many answers have come. */
function underLoad(): () => number {
  let answers = 0;
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const ask = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await on.it.call('GET', '/data/rest/item', on.bearer);
      answers++;
    }
  };
  void ask();
  return () => answers;
}

test('as JSON: what was asked between two looks, by service and tenant', async () => {
  const answers = underLoad();
  const began = answers();
  const { code, out } = await skep(`top --url ${url()} --every 1s -o json`);
  const most = answers() - began + 1;
  expect(code).toBe(0);
  const shown = JSON.parse(out) as Shown;
  const data = shown.services.find(({ name }) => name === 'data')!;
  expect(data.per_second).toBeGreaterThan(0);
  expect(Math.round(data.per_second * shown.seconds)).toBeLessThanOrEqual(most);
  expect(data).toMatchObject({ failures: 0, p50_ms: expect.any(Number) });
  expect(data.p99_ms).toBeGreaterThanOrEqual(data.p50_ms);
  expect(shown.tenants).toMatchObject([{ name: TENANT, per_second: data.per_second }]);
  expect(shown.memory_bytes).toBeGreaterThan(50_000_000);
  expect(shown.connections_max).toBeGreaterThan(0);
  expect(shown.degraded).toEqual([]);
});

test('as a screen: services, tenants, what is degraded', async () => {
  underLoad();
  const { code, out } = await skep(`top --url ${url()} --every 500ms`);
  expect(code).toBe(0);
  expect(out).toMatch(/^SERVICE +PER SECOND +FAILURES +P50 +P99$/m);
  expect(out).toMatch(/^data +\d+/m);
  expect(out).toMatch(/^all +\d+/m);
  expect(out).toMatch(new RegExp(`^${TENANT} +\\d+`, 'm'));
  expect(out).toContain('nothing is degraded');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

test.each([
  ['--url http://127.0.0.1:1', 1, /gives no metrics: .*\n.*is the node running\?/],
  ['--every soon', 2, /--every takes a duration/],
  ['--every 10ms', 2, /--every takes a duration/],
  ['--tenants some', 2, /--tenants takes a whole number/],
])('%s is answered in words', async (flags, code, why) => {
  const said = await skep(`top ${flags}`);
  expect(said.code).toBe(code);
  expect(said.err).toMatch(why);
});
