/** What a body and a row go through before they are written: strict JSON, field checks, the access rule. */
import type { FieldDefinition } from '#config/definitions/product.ts';
import { compileField, RowCheck, type FieldFault } from '#actors/kit/field-check.ts';
import { parseJson } from '#actors/kit/json.ts';
import { compileRule } from '#actors/kit/rule.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const ROW = { name: 'New Skep', country: 'CH', population: 4210, latitude: 46.95, longitude: 7.44 };
const FIELDS: Readonly<Record<keyof typeof ROW, FieldDefinition>> = {
  name: { type: 'string', required: true, min_length: 1, max_length: 100 },
  country: { type: 'string', required: true, pattern: '^[A-Z]{2}$' },
  population: { type: 'integer', required: true, min: 0 },
  latitude: { type: 'number', min: -90, max: 90 },
  longitude: { type: 'number', min: -180, max: 180 },
};
const RULE = "principal.type == 'service' || 'tenant_user' in principal.roles";
const ROW_RULE = 'row.population >= 1000 && row.country in principal.roles';
const WHERE = 'bench';

const seconds: BenchCase['seconds'] = (options) => (3 * functionMs(options)) / 1000;

export const jsonParse: BenchCase = {
  name: 'json-parse',
  measures: 'strict JSON parse of a row of 100 B and of a list of 100 rows',
  target: '',
  http: false,
  seconds,
  async run({ options }) {
    const one = JSON.stringify(ROW);
    const many = JSON.stringify(Array.from({ length: 100 }, () => ROW));
    const ms = functionMs(options);
    return [
      await timeFunction('json-parse row', () => parseJson(one), ms),
      await timeFunction('json-parse 100 rows', () => parseJson(many), ms),
    ];
  },
};

export const fieldCheck: BenchCase = {
  name: 'field-check',
  measures: 'a row of five fields checked (string, pattern, integer, two numbers)',
  target: '',
  http: false,
  seconds,
  async run({ options }) {
    const fields = Object.entries(FIELDS).map(([name, field]) =>
      compileField(name, field, field.type as Exclude<FieldDefinition['type'], 'ref'>, WHERE),
    );
    const check = new RowCheck(fields);
    const run = (row: Readonly<Record<string, unknown>>) => () => {
      const faults: FieldFault[] = [];
      check.complete(row, faults);
      return faults.length;
    };
    const bad = { ...ROW, country: 'Switzerland', population: -1 };
    if (run(ROW)() !== 0 || run(bad)() !== 2) throw new Error('the check does not judge as the bench means it to');
    const ms = functionMs(options);
    return [
      await timeFunction('field-check sound row', run(ROW), ms),
      await timeFunction('field-check two faults', run(bad), ms),
    ];
  },
};

export const celRule: BenchCase = {
  name: 'cel-rule',
  measures: 'access rule in CEL, over the principal alone and over a row',
  target: '',
  http: false,
  seconds,
  async run({ options }) {
    const principal = { type: 'user', subject: 'u1', roles: ['tenant_user', 'CH'], scope: [], superadmin: false };
    const scope = { principal, row: ROW, request: {}, now: new Date() };
    const access = compileRule(RULE, WHERE);
    const perRow = compileRule(ROW_RULE, WHERE);
    if (!access.allows(scope) || !perRow.allows(scope)) throw new Error('the rules should allow');
    const ms = functionMs(options);
    return [
      await timeFunction('cel-rule principal', () => access.allows(scope), ms),
      await timeFunction('cel-rule row', () => perRow.allows(scope), ms),
    ];
  },
};
