/** What one tenant's attacks cost another tenant of the same host: its longest wait, and the memory that stays. */
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchCase } from './harness.ts';
import type { Attack } from './hostile/attack.ts';
import { attacks } from './hostile/attacks.ts';
import { prepare, send, type Place } from './hostile/send.ts';
import { Victim } from './hostile/victim.ts';
import { BUSY_TENANT, fill, QUIET_TENANT, withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';

/** What a neighbour may wait for one answer, and what may stay of the memory. */
const WAIT_MS = 250;
const KEPT_MB = 100;
/** How long after an attack memory is looked at, unless `--seconds` says otherwise. */
const CALM_SECONDS = 60;
/** How long what never ends is held. */
const HELD_MS = 5000;
const NOTES = 3503;
const MB = 2 ** 20;

const bound = (than: number) => ({ of: 'value', bound: 'max', than }) as const;

/** Rows that attackers list and join. */
function fillNotes(node: DataNode): Promise<void> {
  const line = (no: number): string =>
    JSON.stringify({ name: `n${no}`, kind: `k${no % 20}`, n: no, body: 'x'.repeat(no % 2000) });
  return fill(node, 'note', { present: 0, wanted: NOTES, chunk: NOTES }, (from, rows) =>
    Buffer.from(Array.from({ length: rows }, (_, i) => line(from + i)).join('\n')),
  );
}

async function underAttack(node: DataNode, attack: Attack, calmSeconds: number): Promise<Figure[]> {
  const place = async (tenant: string): Promise<Place> => ({
    gateway: node.gateway,
    headers: await node.headers(tenant),
  });
  const attacker = await place(BUSY_TENANT);
  const victim = await Victim.open(await place(QUIET_TENANT));
  const id = await prepare(attacker, attack);
  await victim.watch(wait(500)); // warms both sides up
  const before = await node.residentBytes();
  const sending = send(attacker, attack, id, HELD_MS);
  const seen = await victim.watch(sending);
  const statuses = await sending;
  await victim.close();
  await wait(calmSeconds * 1000);
  const kept = ((await node.residentBytes()) - before) / MB;
  const strange = statuses.filter((status) => !attack.statuses.includes(status)).length;
  const shown = [...new Set(statuses)].sort((a, b) => a - b).join(', ') || 'not read';
  return [
    {
      name: attack.name,
      unit: 'ms',
      value: seen.longestMs,
      errors: seen.refused + strange,
      target: bound(WAIT_MS),
      note: `attacker: ${shown}; ${seen.answers} reads`,
    },
    {
      name: `${attack.name} kept`,
      unit: 'MB',
      value: Math.max(0, kept),
      errors: 0,
      target: bound(KEPT_MB),
      note: `${number(calmSeconds)} s after`,
    },
  ];
}

export const hostileNeighbours: BenchCase = {
  name: 'hostile-neighbours',
  measures: `the longest wait of a tenant's reads beside each of ${attacks.length} attacks of another one of its host, and the memory that stays; --only names some`,
  target: `≤ ${WAIT_MS} ms, ≤ ${KEPT_MB} MB`,
  http: false,
  seconds: ({ seconds = CALM_SECONDS }) => attacks.length * (seconds + 12),
  run: async (bench) => {
    const { seconds = CALM_SECONDS, only } = bench.options;
    const chosen = attacks.filter(({ name, kind }) => only === undefined || only.includes(name) || only.includes(kind));
    const figures: Figure[] = [];
    for (const attack of chosen) {
      bench.log(`  ${attack.name} …`);
      const run = async (node: DataNode): Promise<Figure[]> => {
        await fillNotes(node);
        return underAttack(node, attack, seconds);
      };
      figures.push(
        ...(await withDataNode(bench, run, { hosts: 1, more: 'jobs: { threads: 2 }', checkout: 'hostile' })),
      );
    }
    return figures;
  },
};
