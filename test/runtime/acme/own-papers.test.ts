/** Certificates of a node that shares them with none. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { OwnPapers } from '#runtime/acme/own-papers.ts';
import { NOW, papersCases, scratch } from './papers.cases.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
describe('in files', () => papersCases((dir) => new OwnPapers(dir, new SimulatedClock(NOW), silent)));

test('a note that cannot be read keeps no certificate from being ordered, and the log says so', async () => {
  const dir = scratch();
  mkdirSync(join(dir, 'acme', 'attempts.json'), { recursive: true });
  const said: string[] = [];
  const log = { ...silent, warn: (_: object, text: string) => void said.push(text) };
  expect([...(await new OwnPapers(dir, new SimulatedClock(NOW), log).recall())]).toEqual([]);
  expect(said.join()).toContain('what is remembered of certificates cannot be read');
});
