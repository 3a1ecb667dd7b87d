/** Searches by words inside the host, over --grown rows, and what a text index adds to a create. */
import { dataService } from '#actors/data/service.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { BenchCase } from './harness.ts';
import { number } from './kit/format.ts';
import { functionMs, timeCalls } from './kit/function-bench.ts';
import { withTurns, type Asked, type Turns } from './kit/turns.ts';

const ROWS_MAX = 1_000_000;
const CHUNK = 200;
const WORDS = 30;
const VOCABULARY = 50_000;
/** Rows that a second of filling makes, for the estimate. */
const ROWS_PER_SECOND = 1500;

const FIELDS = { title: { type: 'string' }, body: { type: 'text' } } as const;
const PRODUCT = productOf([
  entityOf('page', FIELDS, { search: { fields: ['title', 'body'], language: 'english', stopWords: [] } }),
  entityOf('plain', FIELDS),
]);

/** Words as languages have them: the nth occurs a share of 1/n as often. Each row is another, and each run has the same. */
function rowOf(no: number): { title: string; body: string } {
  let state = (no * 2_654_435_761 + 1) >>> 0;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const words = Array.from({ length: WORDS }, () => `w${Math.floor(VOCABULARY ** next())}q`);
  // Two words in every other row, and two in one of a hundred, each without regard to the other.
  if (next() < 0.5) words.push('common');
  if (next() < 0.5) words.push('frequent');
  if (next() < 0.01) words.push('seldom');
  if (next() < 0.01) words.push('unusual');
  return { title: `page ${no}`, body: words.join(' ') };
}

async function fill(turns: Turns, rows: number, drain: () => Promise<void>): Promise<number> {
  const began = performance.now();
  for (let from = 0; from < rows; from += CHUNK) {
    const operations = Array.from({ length: Math.min(CHUNK, rows - from) }, (_, i) => ({
      data: { page: rowOf(from + i) },
    }));
    await turns.run({ route: 'operations', method: 'POST', params: '', body: { operations }, expect: 200 }, true)();
    if (from % (50 * CHUNK) === 0) await drain();
  }
  await drain();
  return rows / ((performance.now() - began) / 1000);
}

const searchFor = (query: string, highlight = false): Asked => ({
  route: 'search',
  method: 'POST',
  params: 'page',
  query: 'limit=20',
  body: { query, highlight },
  expect: 200,
});

export const search: BenchCase = {
  name: 'search',
  measures: `searches over --grown rows of ${WORDS} words (at most ${number(ROWS_MAX)}), and a create with and without a text index`,
  target: 'over 1,000,000 rows p50 at most 5 ms for two words in 1 % of the rows, 250 ms for the commonest two',
  http: false,
  seconds: (options) => Math.min(options.grown, ROWS_MAX) / ROWS_PER_SECOND + (7 * functionMs(options)) / 1000,
  run: (bench) =>
    withTurns(bench.dataDir, { product: PRODUCT, services: () => [dataService()] }, async (turns, drain) => {
      const { options } = bench;
      const rows = Math.min(options.grown, ROWS_MAX);
      const perSecond = await fill(turns, rows, drain);
      bench.log(`  ${number(rows)} rows of ${WORDS} words, ${number(perSecond)} a second`);
      const ms = functionMs(options);
      const asked: Readonly<Record<string, Asked>> = {
        'two words in 1 % of the rows': searchFor('seldom unusual'),
        'two words in 1 %, highlighted': searchFor('seldom unusual', true),
        'one word in 1 %': searchFor('seldom'),
        'the commonest two': searchFor('common frequent'),
        'the beginning of a word': searchFor('w499*'),
        'create with a text index': { route: 'create', method: 'POST', params: 'page', body: rowOf(0), expect: 201 },
        'create without': { route: 'create', method: 'POST', params: 'plain', body: rowOf(0), expect: 201 },
      };
      const figures = [];
      for (const [name, one] of Object.entries(asked)) {
        const run: () => Reply | Promise<Reply> = turns.run(one);
        // A search that is long for a turn goes on in slices: each is waited for.
        figures.push(await timeCalls(`search ${name}`, async () => run(), ms));
      }
      return figures;
    }),
};
