/**
 * Very many hostile requests to a node of its own process, made from the OpenAPI document: no status that the document does not declare, no
 * 500, no fault in the log, and memory that does not grow.
 * SKEP_FLOOD_REQUESTS says how many: 2,000 by itself, 8,000 in `npm run test:ci`; 1000000 is the whole campaign. SKEP_TEST_SEED repeats one.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { bytesOf, hostileRequests, operationsOf, type HostileRequest, type Operation } from '#test/kit/hostile.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { tally } from '#test/kit/tally.ts';
import { exchange, positionHeaders } from '#test/kit/test-node.ts';
import { testSeed } from '#test/kit/seed.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const REQUESTS = rounds({ suite: 2000, ci: 8000 }, 'SKEP_FLOOD_REQUESTS');
const SEED = testSeed();
const AT_ONCE = 16;
const BATCH = 500;
/** From so many requests on what remains of warming up is below the bound. */
const MEMORY_JUDGED_FROM = 500_000;
const GROWTH_MB_MAX = 50;
const LOOKS = 50;
/** Longer than all that a request may wait for: a job's thread may take 15 s to come up (`jobs.startMsMax`) on a busy machine. */
const PATIENCE_MS = 30_000;
const DOOR_STATUSES = [204, 400, 404, 405, 413, 431, 501, 505];

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as never;
const operations = operationsOf(document);

const union = (some: readonly Operation[]): ReadonlySet<number> =>
  new Set([...DOOR_STATUSES, ...some.flatMap(({ statuses }) => statuses)]);
const anywhere = union(operations);
const byPath = new Map(operations.map(({ path }) => [path, union(operations.filter((other) => other.path === path))]));

/** With another verb the request may be one of a path that takes the rest of every path. */
function isDeclared({ method, operation }: HostileRequest, status: number): boolean {
  return (method === operation.method ? byPath.get(operation.path)! : anywhere).has(status);
}

function residentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kb) / 1024;
}

/** What is collected sooner or later comes and goes by tens of megabytes: a median of some looks says what stays. */
function medianOf(looks: readonly number[]): number {
  return [...looks].sort((a, b) => a - b)[Math.floor(looks.length / 2)]!;
}

/** A provisioned directory, with two keys of its tenant. */
async function prepared(file: string): Promise<{ readonly service: string; readonly user: string }> {
  const node = await startNode(platformOf(file));
  await node.provision(TENANT);
  const issue = async (capabilities: object): Promise<string> =>
    ((await node.ask(TENANT, 'identity', 'key.issue', { service: 'flood', capabilities })) as { key: string }).key;
  const keys = {
    service: await issue({ scope: ['acme:dev:shop:main'] }),
    user: await issue({ roles: ['tenant_user'] }),
  };
  await node.stop();
  return keys;
}

test(`${REQUESTS} hostile requests, seed ${SEED}`, { timeout: 60_000 + REQUESTS * 5 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-flood-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = writePlatformFile(dir);
  const keys = await prepared(file);
  const served = await startProcess(file);
  onTestFinished(async () => void (await served.end('SIGKILL')));
  const gateway = served.listeners['gateway']!;
  const port = Number(new URL(gateway).port);
  const position = Object.entries(positionHeaders(TENANT)).map(([name, value]) => `${name}: ${value}`);
  let bearer = '';

  const send = async (request: HostileRequest): Promise<number> => {
    const credential = {
      bearer: [`Authorization: Bearer ${bearer}`],
      key: [`Authorization: ApiKey ${keys.user}`],
      anonymous: [],
    };
    const wire = await Wire.open(port);
    wire.send(bytesOf(request, credential[request.who], position));
    const patience = setTimeout(() => wire.end(), PATIENCE_MS);
    let answer = await wire.answer(request.method);
    while (answer !== null && answer.status < 200) answer = await wire.answer(request.method);
    clearTimeout(patience);
    wire.end();
    return answer?.status ?? 0;
  };

  const undeclared: string[] = [];
  const statuses = new Map<number, number>();
  /** After each batch. */
  const resident: number[] = [];
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    // A token lives for 15 minutes, and the campaign for longer.
    if (sent % 50_000 === 0) bearer = await exchange(gateway, keys.service);
    const batch = fc.sample(hostileRequests(operations), {
      numRuns: Math.min(BATCH, REQUESTS - sent),
      seed: SEED + sent,
    });
    const sender = async (): Promise<void> => {
      for (let next = batch.pop(); next !== undefined; next = batch.pop()) {
        const status = await send(next);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (isDeclared(next, status) && status !== 500) continue;
        undeclared.push(`${status} for ${next.method} ${next.path} (${next.operation.path}), seed ${SEED + sent}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    resident.push(residentMb(served.pid));
  }
  const grownMb = medianOf(resident.slice(-LOOKS)) - medianOf(resident.slice(resident.length * 0.2).slice(0, LOOKS));
  const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}×${times}`);
  console.log(
    `SKEP_TEST_SEED=${SEED} ${counted.join(' ')}; resident memory grew ${grownMb.toFixed(1)} MB over the last 80 %`,
  );
  // Before what was answered: these lines say why.
  expect(
    served
      .logged()
      .split('\n')
      .filter((line) => line.includes('"level":50') || line.includes('handler failed')),
  ).toEqual([]);
  expect(undeclared).toEqual([]);
  // Requests of all kinds were answered: some were admitted, some refused.
  for (const status of [200, 400, 401, 404]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
  tally({ requests: REQUESTS });
  if (REQUESTS >= MEMORY_JUDGED_FROM) expect(grownMb).toBeLessThanOrEqual(GROWTH_MB_MAX);
  expect(await served.end('SIGTERM')).toBe(0);
});
