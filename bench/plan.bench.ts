/** What making a plan takes over many entities, and what building an index costs who reads meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCase } from './harness.ts';
import { fillPlaces, withDataNode } from './kit/data-node.ts';
import { number } from './kit/format.ts';
import { applyPlan, makePlan } from './kit/plan.ts';
import { busyOf } from './kit/watch.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected } from './kit/wrk-output.ts';

const ENTITIES = 200;
const FIELDS = 10;
const PLAN_MS = 1000;
const ROWS_MAX = 5_000_000;
const CONNECTIONS = 16;
const SECONDS = 10;
const ABOVE_MS = 5;

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
    withDataNode(bench.dataDir, async (node) => {
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

export const indexBuild: BenchCase = {
  name: 'index-build',
  measures: `read by id with ${CONNECTIONS} connections, without and beside the build of an index over --grown rows (at most ${number(ROWS_MAX)})`,
  target: `p99 at most ${ABOVE_MS} ms above`,
  http: false,
  seconds: ({ grown, seconds = SECONDS }) => Math.min(grown, ROWS_MAX) / 10_000 + 2 * seconds,
  run: (bench) =>
    withDataNode(bench.dataDir, async (node) => {
      const { seconds = SECONDS } = bench.options;
      const rows = Math.min(bench.options.grown, ROWS_MAX);
      bench.log(`  importing ${number(rows)} rows`);
      await fillPlaces(node, 0, rows);
      const headers = await node.headers();
      const listed = await fetch(`${node.gateway}/data/rest/place?limit=1`, { headers });
      const { data } = (await listed.json()) as { data: { id: string }[] };
      const url = `${node.gateway}/data/rest/place/id/${data[0]!.id}`;
      const request = { method: 'GET', headers, body: null } as const;
      const read = () => runWrk({ url, request, connections: CONNECTIONS, threads: 1, seconds });
      const without = await read();
      const file = join(node.product, 'entities', 'place.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('[name]]', '[name], [feature_code, latitude]]'));
      const { plan_id: planId } = await makePlan(node);
      const building = applyPlan(node, planId);
      const beside = await read();
      const tookMs = await building;
      return [
        {
          name: 'read-by-id p99, above without index build',
          unit: 'ms',
          value: (beside.p99Ms ?? 0) - (without.p99Ms ?? 0),
          ...busyOf([beside]),
          errors: unexpected(without, 200) + unexpected(beside, 200),
          target: { of: 'value', bound: 'max', than: ABOVE_MS },
          note: `p99 ${beside.p99Ms} ms beside, ${without.p99Ms} ms without; ${number(rows)} rows in ${number(tookMs / 1000)} s`,
        },
      ];
    }),
};
