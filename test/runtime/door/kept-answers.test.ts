/** Answers that the door gives again by itself, over a clock that is moved by hand. */
import { expect, test } from 'vitest';
import { anyone } from '#actors/protocol/callers.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Visit } from '#runtime/door/port.ts';
import { KeptAnswers } from '#runtime/door/kept-answers.ts';
import { limits } from '#config/limits.ts';

const row: RouteRow = {
  methods: ['GET'],
  path: '/list/{request*}',
  position: 'none',
  callers: anyone(),
  body: 'none',
  keptMs: 1000,
  ack: 'memory',
  replies: {},
  refusals: [],
  summary: '',
};
const LINES = 'Cache-Control: max-age=60, public\n';

const visit = (path: string, headers: Readonly<Record<string, string>> = {}, query = ''): Visit =>
  ({ path, query, header: (name: string) => headers[name] ?? '' }) as Visit;

interface Stage {
  readonly answers: KeptAnswers;
  readonly pass: (ms: number) => void;
  readonly listens: (does: boolean) => void;
}

function kept(): Stage {
  let now = 5000;
  let mayKeep = true;
  const answers = new KeptAnswers(
    () => mayKeep,
    () => now,
  );
  return { answers, pass: (ms) => void (now += ms), listens: (does) => void (mayKeep = does) };
}

test('an answer is given again until its time is over, to its path alone', () => {
  const { answers, pass } = kept();
  answers.saw(row, visit('/list/a'), 200, LINES, 'x');
  pass(999);
  expect(answers.of(row, visit('/list/a'))).toMatchObject({ lines: LINES, body: 'x' });
  expect(answers.of(row, visit('/list/b'))).toBeNull();
  pass(1);
  expect(answers.of(row, visit('/list/a'))).toBeNull();
});

test.each<[string, () => KeptAnswers]>([
  ['of another status', () => seen(row, visit('/list/a'), 404, LINES, 'x')],
  ['that no cache may store', () => seen(row, visit('/list/a'), 200, 'ETag: "1"\nCache-Control: no-store\n', 'x')],
  ['to a query', () => seen(row, visit('/list/a', {}, 'q=1'), 200, LINES, 'x')],
  ['of a row that does not say so', () => seen(bare(), visit('/list/a'), 200, LINES, 'x')],
  ['that is long', () => seen(row, visit('/list/a'), 200, LINES, 'x'.repeat(limits.door.keptBytesMax + 1))],
])('an answer %s is not kept', (_name, made) => {
  expect(made().of(row, visit('/list/a'))).toBeNull();
});

test('a caller that has a copy of its own is answered by the thread, and so is one with a query', () => {
  const { answers } = kept();
  answers.saw(row, visit('/list/a'), 200, LINES, 'x');
  expect(answers.of(row, visit('/list/a', { 'if-none-match': '"1"' }))).toBeNull();
  expect(answers.of(row, visit('/list/a', {}, 'q=1'))).toBeNull();
  expect(answers.of(row, visit('/list/a'))).not.toBeNull();
});

test('nothing is given again behind the word that it is over, and nothing is kept where that word does not come', () => {
  const { answers, listens } = kept();
  answers.saw(row, visit('/list/a'), 200, LINES, 'x');
  answers.forget();
  expect(answers.of(row, visit('/list/a'))).toBeNull();
  listens(false);
  answers.saw(row, visit('/list/a'), 200, LINES, 'x');
  expect(answers.of(row, visit('/list/a'))).toBeNull();
});

test('the oldest one goes where there are too many', () => {
  const { answers } = kept();
  for (let no = 0; no <= limits.door.keptAnswersMax; no++) answers.saw(row, visit(`/list/${no}`), 200, LINES, 'x');
  expect(answers.of(row, visit('/list/0'))).toBeNull();
  expect(answers.of(row, visit('/list/1'))).not.toBeNull();
});

function bare(): RouteRow {
  const { keptMs: _keptMs, ...rest } = row;
  return rest;
}

function seen(...[of, one, status, lines, body]: Parameters<KeptAnswers['saw']>): KeptAnswers {
  const { answers } = kept();
  answers.saw(of, one, status, lines, body);
  return answers;
}
