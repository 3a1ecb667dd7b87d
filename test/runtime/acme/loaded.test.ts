/** What orders certificates is on no start path and in no worker: a node without `gateway.tls.acme` does not load it. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const STATIC = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([#.][^']+)';/gm;

/** Every file that loading these loads; imports in the middle of code (`import(…)`) are not followed. */
function loadedBy(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const [, specifier] of readFileSync(join(ROOT, path), 'utf8').matchAll(STATIC))
      waiting.push(specifier!.startsWith('#') ? specifier!.slice(1) : normalize(join(dirname(path), specifier!)));
  }
  return found;
}

const inAcme = (entries: readonly string[]): string[] =>
  [...loadedBy(entries)].filter((path) => path.startsWith('runtime/acme/')).toSorted();

test('a start and the command line load the places and the metrics alone', () => {
  expect(loadedBy(['runtime/node.ts']).size).toBeGreaterThan(200);
  const light = ['runtime/acme/meter.ts', 'runtime/acme/places.ts'];
  expect(inAcme(['runtime/node.ts', 'runtime/embed.ts', 'runtime/cli/skep.ts', 'runtime/cli/serve.ts'])).toEqual(light);
  expect(inAcme(['runtime/acme/keeper.ts']).length).toBeGreaterThan(8);
});

test('no worker loads any of it', () => {
  const workers = globSync(['runtime/**/*.worker.ts', 'runtime/**/*.job.ts', 'actors/**/*.ts'], { cwd: ROOT });
  expect(workers.length).toBeGreaterThan(100);
  expect(inAcme(workers)).toEqual([]);
});
