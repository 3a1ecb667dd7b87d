/** A submission before it is written: its body read, its fields checked, its line made. */
import { compileForm } from '#actors/intake/compile-form.ts';
import { parseUrlencoded } from '#actors/intake/parse-urlencoded.ts';
import { parseJson } from '#actors/kit/json.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const FORM = {
  id: 'contact',
  where: 'bench',
  fields: {
    name: { type: 'string', required: true, max_length: 100 },
    email: { type: 'email', required: true },
    message: { type: 'string', required: true, max_length: 4000 },
  },
} as const;
/** As many as an intake takes by default is no matter here. */
const FIELDS_MAX = 100;
const SUBMITTED = { name: 'Ada', email: 'ada@example.org', message: 'a message of some words, as people write them' };

export const formCheck: BenchCase = {
  name: 'form-check',
  measures: 'a submission of three fields read and checked, as JSON and as a form of a browser',
  target: '',
  http: false,
  seconds: (options) => (2.5 * functionMs(options)) / 1000,
  async run({ options }) {
    const form = compileForm(FORM);
    const json = JSON.stringify(SUBMITTED);
    const encoded = new URLSearchParams(SUBMITTED).toString();
    const asJson = () => {
      const parsed = parseJson(json);
      if (!parsed.ok) throw new Error('the body should be sound');
      const values = parsed.value as Record<string, unknown>;
      return form.check({ values, asText: false, repeated: new Set() }).ok;
    };
    const asForm = () => {
      const pairs = parseUrlencoded(encoded, FIELDS_MAX);
      if (typeof pairs === 'string') throw new Error(pairs);
      return form.check({ values: Object.fromEntries(pairs), asText: true, repeated: new Set() }).ok;
    };
    if (!asJson() || !asForm()) throw new Error('the submission should be sound');
    const ms = functionMs(options);
    return [await timeFunction('form-check json', asJson, ms), await timeFunction('form-check urlencoded', asForm, ms)];
  },
};
