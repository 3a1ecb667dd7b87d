/** Languages that callers bring: jq in both tiers over an envelope of twenty rows, and a script in its sandbox. */
import { JqReference } from '#actors/kit/jq/reference.ts';
import { Program } from '#actors/kit/jq/program.ts';
import { Sandboxes } from '#actors/kit/script/sandbox.ts';
import type { ScriptJob } from '#actors/kit/jobs.ts';
import { limits } from '#config/limits.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeCalls, timeFunction } from './kit/function-bench.ts';

const PROGRAM = '[.data[]|select(.price>10)|{id,name}]';
const DATA = Array.from({ length: 20 }, (_, id) => ({ id: `row${id}`, name: `name ${id}`, price: id }));
const ENVELOPE = { data: DATA, count: DATA.length };

const seconds: BenchCase['seconds'] = (options) => (4 * functionMs(options)) / 1000;

export const jqTiers: BenchCase = {
  name: 'jq',
  measures: 'a program over 20 rows: fast tier compile and run, and jq-wasm in the same run',
  target: 'fast run 50,000/s, 30 × jq-wasm',
  http: false,
  seconds,
  async run({ options }) {
    const ms = functionMs(options);
    const text = JSON.stringify(ENVELOPE);
    const program = Program.compile(PROGRAM);
    const run = (): string => {
      const answer = program.answer(ENVELOPE, limits.expressions.hostFuelMax);
      if (answer.kind === 'failed') throw new Error('the program should not fail');
      return answer.text;
    };
    const reference = new JqReference();
    const judged = await reference.run(PROGRAM, text);
    if (judged.kind !== 'body' || judged.text !== run()) throw new Error('the tiers differ');
    return [
      await timeFunction('jq fast compile', () => Program.compile(PROGRAM), ms),
      await timeFunction('jq fast run', run, ms),
      await timeFunction(
        'jq fast parse and run',
        () => program.answer(JSON.parse(text), limits.expressions.hostFuelMax),
        ms,
      ),
      await timeCalls('jq-wasm', () => reference.run(PROGRAM, text), ms),
    ];
  },
};

export const scriptCall: BenchCase = {
  name: 'script',
  measures: 'a script in fresh memory that asks its host once; the host is a function here',
  target: '8,000/s on one job thread',
  http: false,
  seconds: (options) => functionMs(options) / 1000,
  async run({ options }) {
    const sandboxes = await Sandboxes.load();
    const job: ScriptJob = {
      source: 'return db.get("item", "1");',
      name: 'bench.js',
      request: '{}',
      functions: ['db.get'],
      memoryBytesMax: limits.scripts.memoryBytesMax,
      timeMsMax: limits.scripts.timeMsMax,
      nestedMax: 0,
    };
    const call = () => sandboxes.run(job, () => '{"value":{"id":"1"}}');
    if ((await call()).kind !== 'value') throw new Error('the script should answer');
    return [await timeCalls('script call', call, functionMs(options))];
  },
};
