/**
 * Long work lets others run in one way: it is written as `Steps` or asks a `Budget`, and its driver waits. Code that waits for a turn of
 * the event loop by itself goes past the ring in which slices take turns, and leaves callers no time.
 */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { scan, type SourceFile } from './source.ts';

const ROOMS = /^actors\/(kit|host)\/pace\//;

const TURN_OF_THE_LOOP = /\bsetImmediate\b|\bscheduler\s*\.\s*(?:yield|wait)\b/;

/** What a work in steps would be called if it were not `Steps`. A generator that gives something is none. */
const OWN_STEPS = /\bGenerator\s*<\s*(?:void|undefined)\b/;

/** None of these waits between slices of long work. */
const NO_SLICES: Readonly<Record<string, string>> = {
  'actors/identity/identity.ts': 'the default of what waits for the end of the turn: what is noted beside the requests',
  'actors/intake/open-intake.ts': 'the default of what is done once for all requests of a turn',
  'actors/kit/password-gate.ts': 'the next password is hashed behind what came meanwhile',
  'runtime/door/desk.ts': 'one message for all requests of a turn',
  'runtime/link/far-requests.ts': 'one frame for all replies of a turn',
  'runtime/door/drain.ts': 'what callers had sent may still begin visits',
  'runtime/observe/gathered-lines.ts': 'one write for all lines of a turn',
  'runtime/observe/logger.ts': 'the same',
  'runtime/threads/audit-sealer.ts': 'given to its host: the replies of a turn leave together',
  'runtime/threads/intake-writer.ts': 'the same',
  'runtime/threads/run-tenant-host.ts': 'a drill: its fault is to end the thread',
  'runtime/threads/tenant-host.ts': 'given to its host; and what follows a start, after its answer',
  'runtime/threads/vault-keeper.ts': 'given to its host',
  'actors/kit/outbound/status-exchange.ts': 'undici takes a connection up again a turn behind its answer',
  'storage/journal/journal.ts': 'one fdatasync for what a turn has brought',
  'storage/engine-journals/appender.ts': 'one call of the engine for what a turn has brought',
  'storage/engine-journals/waiters.ts': 'an error of a callback surfaces behind the others',
};

/** Steps that the floor below declares: `Steps` takes them as they are. */
const STEPS_BELOW = /^storage\//;

type Rule = 'waits by itself' | 'own steps';

function check({ path, text }: SourceFile): { readonly path: string; readonly rule: Rule }[] {
  if (ROOMS.test(path)) return [];
  const { code } = scan(text);
  const found: { path: string; rule: Rule }[] = [];
  if (TURN_OF_THE_LOOP.test(code) && !Object.hasOwn(NO_SLICES, path)) found.push({ path, rule: 'waits by itself' });
  if (OWN_STEPS.test(code) && !STEPS_BELOW.test(path)) found.push({ path, rule: 'own steps' });
  return found;
}

const sources = projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/);

test('no code outside of the pace rooms waits for a turn of the loop, or has steps of an own kind', () => {
  expect(sources.flatMap(check)).toEqual([]);
});

test('each exemption is needed', () => {
  const waiting = sources.filter(({ text }) => TURN_OF_THE_LOOP.test(scan(text).code)).map(({ path }) => path);
  expect(Object.keys(NO_SLICES).filter((path) => !waiting.includes(path))).toEqual([]);
});

const rules = (text: string, path = 'actors/data/a.ts') => check({ path, text }).map(({ rule }) => rule);

test.each([
  'await new Promise((resolve) => setImmediate(resolve));',
  "import { setImmediate as turn } from 'node:timers/promises';",
  'await scheduler.yield();',
  'await scheduler.wait(0);',
])('caught: %s', (text) => {
  expect(rules(text)).toEqual(['waits by itself']);
});

test('caught: steps of an own kind', () => {
  expect(rules('type Steps<T> = Generator<void, T, void>;')).toEqual(['own steps']);
  expect(rules('function* a(): Generator<undefined, string> {}', 'runtime/a.ts')).toEqual(['own steps']);
});

test('passes: comments, steps below, generators that give something, the rooms themselves', () => {
  expect(rules('/** In a later turn (setImmediate). */\nconst later = given;')).toEqual([]);
  expect(rules('prepare(): Generator<void, void, void>;', 'storage/port.ts')).toEqual([]);
  expect(rules('function* all(): Generator<Fault, void> {}')).toEqual([]);
  expect(rules('setImmediate(go)', 'actors/host/pace/next-turn.ts')).toEqual([]);
});
