/** Lists of 20 under row rules inside the host: a rule over the row itself, one over a reference, and conditions and orders by values of other rows. */
import { dataService } from '#actors/data/service.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import type { BenchCase } from './harness.ts';
import { number } from './kit/format.ts';
import { functionMs, timeCalls } from './kit/function-bench.ts';
import { Turns, withTurns, type Asked } from './kit/turns.ts';

const FIRMS = 50;
const ROWS = 10_000;
const CHUNK = 200;
/** Whose firm has one of `FIRMS` of the rows: the caller of turns (kit/turns.ts). */
const CALLER = 'u1';

const string = { type: 'string' } as const;
const FIELDS = { firm: { type: 'ref', ref: { entity: 'firm' } }, owner: string, no: { type: 'integer' } } as const;
const INDEX = { index: [['firm'], ['owner']] };
const RULES = { plain: 'row.owner == principal.subject', through: 'row.firm.owner == principal.subject' };
const productWith = (rules: Partial<typeof RULES>): ProductDefinition =>
  productOf([
    entityOf('firm', { id: string, name: string, owner: string }, { index: [['owner']] }),
    entityOf('plain', FIELDS, { ...INDEX, ...(rules.plain !== undefined && { rowRule: rules.plain }) }),
    entityOf('through', FIELDS, { ...INDEX, ...(rules.through !== undefined && { rowRule: rules.through }) }),
    entityOf('free', FIELDS, INDEX),
  ]);
const services = () => [dataService()];

const ownerOf = (firm: number): string => (firm === 7 ? CALLER : `u${firm + 100}`);

/** As a caller before there were rules: with them it writes no rows of others. */
async function fill({ activation }: Turns, drain: () => Promise<void>): Promise<void> {
  const turns = new Turns(activation.store, productWith({}), services);
  await turns.wake();
  const post = (operations: readonly object[]) =>
    turns.run({ route: 'operations', method: 'POST', params: '', body: { operations }, expect: 200 }, true)();
  await post(
    Array.from({ length: FIRMS }, (_, no) => ({
      data: { firm: { id: `f${no}`, name: `firm ${no}`, owner: ownerOf(no) } },
    })),
  );
  for (let from = 0; from < ROWS; from += CHUNK)
    for (const entity of ['plain', 'through', 'free'])
      await post(
        Array.from({ length: CHUNK }, (_, i) => {
          const firm = (from + i) % FIRMS;
          return { data: { [entity]: { firm: `f${firm}`, owner: ownerOf(firm), no: from + i } } };
        }),
      );
  await drain();
}

const list = (entity: string, query: string): Asked => ({
  route: 'list',
  method: 'GET',
  params: entity,
  query: `limit=20&${query}`,
  expect: 200,
});

const ASKED: Readonly<Record<string, Asked>> = {
  'rule over the row': list('plain', ''),
  'rule over a reference': list('through', ''),
  'no rule, one condition': list('free', 'firm=f7'),
  'no rule, one of two conditions': list('free', `[or]=${encodeURIComponent('[{"firm":"f7"},{"owner":"u108"}]')}`),
  'no rule, a condition over a reference': list('free', '[firm.name]=firm 7'),
  'no rule, ordered over a reference': list('free', 'firm=f7&orderby=[firm.name],no'),
};

export const rowRules: BenchCase = {
  name: 'row-rules',
  measures: `lists of 20 of ${number(ROWS)} rows, of which a rule shows one of ${FIRMS}, inside the host`,
  target:
    'a rule over one reference at most 1.3 × of a rule over the row; either of two conditions at most 2.5 × of one',
  http: false,
  seconds: (options) => (Object.keys(ASKED).length * functionMs(options) * 1.25) / 1000 + 20,
  run: ({ dataDir, options }) =>
    withTurns(dataDir, { product: productWith(RULES), services }, async (turns, drain) => {
      await fill(turns, drain);
      const figures = [];
      for (const [name, one] of Object.entries(ASKED)) {
        const run: () => Reply | Promise<Reply> = turns.run(one);
        const { text = '' } = await run();
        const { data } = JSON.parse(text) as { data: readonly unknown[] };
        if (data.length !== 20) throw new Error(`${name}: ${data.length} rows`);
        figures.push(await timeCalls(`row-rules ${name}`, async () => run(), functionMs(options)));
      }
      return figures;
    }),
};
