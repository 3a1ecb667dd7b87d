/** What making a plan takes over many entities, and what building an index costs readers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCase } from './harness.ts';
import { besideReads } from './kit/beside.ts';
import { fill, withDataNode } from './kit/data-node.ts';
import { number } from './kit/format.ts';
import { applyPlan, makePlan } from './kit/plan.ts';

const ENTITIES = 200;
const FIELDS = 10;
const PLAN_MS = 1000;
const ROWS_MAX = 5_000_000;
const SECONDS = 10;
/** Rows of one import; rows that are imported and indexed in a second, for the estimate. */
const CHUNK = 100_000;
const ROWS_PER_SECOND = 15_000;

function entityText(no: number): string {
  const fields = Array.from({ length: FIELDS }, (_, at) => `      f${at}: { type: string, max_length: 80 }\n`).join('');
  const next = (no + 1) % ENTITIES;
  return `entities:
  many${no}:
    fields:
${fields}      parent_id: { type: ref, ref: { entity: many${next} } }
    index: [[f0, f1]]
    access:
      read: { language: cel, rule: "principal.type == 'service' || row.f0 == principal.subject" }
`;
}

export const plan200: BenchCase = {
  name: 'plan-200',
  measures: `a plan over ${ENTITIES} new entities, made the first time and again`,
  target: `${PLAN_MS} ms`,
  http: false,
  seconds: () => 5,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      for (let no = 0; no < ENTITIES; no++)
        writeFileSync(join(node.product, 'entities', `many${no}.yaml`), entityText(no));
      const times: number[] = [];
      let steps = 0;
      for (let round = 0; round < 4; round++) {
        const began = performance.now();
        steps = (await makePlan(node)).steps.length;
        times.push(performance.now() - began);
      }
      const [first = 0, ...later] = times;
      const note = `${steps} steps; again: ${later.map((ms) => number(ms)).join(', ')} ms`;
      return [
        {
          name: 'plan-200',
          unit: 'ms',
          value: first,
          errors: 0,
          target: { of: 'value', bound: 'max', than: PLAN_MS },
          note,
        },
      ];
    }),
};

const spotLines = (from: number, rows: number): Buffer =>
  Buffer.from(
    Array.from({ length: rows }, (_, at) => {
      const no = from + at;
      return `{"name":"spot ${no}","kind":"k${no % 50}","rank":${(no * 7919) % 1_000_003}}`;
    }).join('\n'),
  );

export const indexBuild: BenchCase = {
  name: 'index-build',
  measures: `read by id without and beside the build of an index over --grown rows (at most ${number(ROWS_MAX)}), for as long as it takes`,
  target: 'p99 at most 5 ms above',
  http: false,
  seconds: ({ grown, seconds = SECONDS }) => Math.min(grown, ROWS_MAX) / ROWS_PER_SECOND + 2 * seconds,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { seconds = SECONDS } = bench.options;
      const rows = Math.min(bench.options.grown, ROWS_MAX);
      bench.log(`  importing ${number(rows)} rows`);
      await fill(node, 'spot', { present: 0, wanted: rows, chunk: CHUNK }, spotLines);
      const work = async (): Promise<string> => {
        const file = join(node.product, 'entities', 'spot.yaml');
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace('    access:', '    index: [[kind, rank]]\n    access:'),
        );
        const { plan_id: planId } = await makePlan(node);
        return `${number(rows)} rows in ${number((await applyPlan(node, planId)) / 1000)} s`;
      };
      const name = 'read-by-id p99, above without index build';
      return [await besideReads(node, { name, entity: 'spot', seconds, work }, (text) => bench.log(text))];
    }),
};
