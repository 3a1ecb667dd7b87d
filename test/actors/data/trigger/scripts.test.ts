/** Scripts of triggers: attempts, waits, the allowance, the depth; the clock is moved by hand and jobs answer as a test says. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { dataService } from '#actors/data/service.ts';
import { Allowance } from '#actors/data/trigger/allowance.ts';
import { listEvents, listTriggers } from '#actors/data/trigger/events.ts';
import { NO_TRIGGER_PORTS, Triggers } from '#actors/data/trigger/wake.ts';
import { ScriptsPass } from '#actors/data/trigger/run-scripts.ts';
import { CALLED, type Jobs, type ScriptJob } from '#actors/kit/jobs.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';

const order = entityOf('order', { number: { type: 'string' } });
const note = entityOf(
  'note',
  { of: { type: 'string' } },
  { access: { create: "principal.roles == ['clerk']", read: 'true' } },
);
const target = {
  kind: 'script',
  role: 'clerk',
  source: 'run();',
  sourceAt: { file: 'a', line: 1, column: 1 },
} as const;
const product = { ...productOf([order, note]), triggers: [triggerFor('noted', { target, fields: ['number'] })] };

type Answer = 'writes' | 'fails' | 'busy' | 'killed';
let tenant: DataTenant;
let answers: Answer[];
let ran: ScriptJob[];
let seen: string[];
let tookMs: number;

/** Jobs that call the host once, and end as the test says. */
const jobs: Jobs = {
  run: async (_kind, body, _budget, host) => {
    const job = body as ScriptJob;
    const answer = answers.shift() ?? 'writes';
    if (answer === 'busy') return { kind: 'busy' };
    ran.push(job);
    tenant.clock.advance(tookMs);
    if (answer === 'killed') return { kind: 'killed', why: 'time' };
    if (answer === 'fails') return { kind: 'done', result: { kind: 'failed', message: 'it threw' } as never };
    const row = { of: (JSON.parse(job.request) as { data: { row: { number: string } } }).data.row.number };
    seen.push(await host!(CALLED + JSON.stringify({ name: 'db.create', args: ['note', row] })));
    return { kind: 'done', result: { kind: 'value', text: 'null' } as never };
  },
};

beforeEach(async () => {
  answers = [];
  ran = [];
  seen = [];
  tookMs = 1;
  tenant = await DataTenant.open(product, { service: dataService({ jobs }) });
});

const { script } = new Triggers(NO_TRIGGER_PORTS, undefined).outboxes;
const create = (number: string) => tenant.send('POST', '/data/rest/order', { number }, { principal: USER });
const notes = async (): Promise<string[]> =>
  (await tenant.send('GET', '/data/rest/note', undefined, { principal: USER })).body.data.map(
    ({ of }: { of: string }) => of,
  );
const pass = async (allowance = new Allowance(tenant.clock.now())): Promise<number | null> => {
  const work = new Work(tenant.activation);
  try {
    return await new ScriptsPass(work, script, allowance).run();
  } finally {
    work.abort();
  }
};
function run<T>(piece: (work: Work) => T): T {
  const work = new Work(tenant.activation);
  const result = piece(work);
  work.abort();
  return result;
}
const listed = () => run((work) => listEvents(work, null, 100));

/** The runner's clock moves by hand; its timers are real, so that what follows is waited for. */
const after = (ms: number): void => tenant.clock.advance(ms);
const ranTimes = (times: number) => expect.poll(() => ran.length, { timeout: 10_000 }).toBe(times);

test('each event runs its script once, under its role alone, and its end is in the commit of what it wrote', async () => {
  await create('a');
  await create('b');
  after(limits.triggers.restMs);
  await expect.poll(notes).toEqual(['a', 'b']);
  expect(ran.map(({ request }) => JSON.parse(request) as object)).toMatchObject([
    { event: 'row.created', trigger: 'noted', depth: 1, data: { entity: 'order', row: { number: 'a' } } },
    { data: { row: { number: 'b' } } },
  ]);
  expect(seen.every((text) => text.startsWith('{"value":'))).toBe(true);
  expect(listed()).toEqual([]);
  expect(run((work) => listTriggers(work))).toMatchObject([{ name: 'noted', role: 'clerk', waiting: 0, delivered: 2 }]);
});

test('one that fails waits longer each time, up to its last attempt; nothing of it is kept', async () => {
  const { scriptAttemptsMax, scriptBackoffMs } = limits.triggers;
  tookMs = 0;
  answers = Array.from({ length: scriptAttemptsMax }, (_, i) => (i === 1 ? 'killed' : 'fails'));
  await create('a');
  after(limits.triggers.restMs);
  for (let attempt = 1; attempt < scriptAttemptsMax; attempt++) {
    await expect.poll(() => listed()[0]?.attempts, { timeout: 10_000 }).toBe(attempt);
    const waitMs = scriptBackoffMs * 2 ** (attempt - 1);
    expect(await pass()).toBe(waitMs);
    expect(ran).toHaveLength(attempt);
    expect(listed()[0]?.next_at).toBe(new Date(tenant.clock.now() + waitMs).toISOString());
    after(waitMs);
  }
  await expect.poll(() => listed()[0]?.outcome, { timeout: 10_000 }).toBe('failed');
  expect(listed()).toMatchObject([{ attempts: scriptAttemptsMax, error: 'it threw', next_at: null }]);
  expect([await notes(), await pass()]).toEqual([[], null]);
});

test('one that finds no free job is no attempt, and the event after one that fails does not wait for it', async () => {
  answers = ['busy', 'fails', 'writes'];
  await create('a');
  await create('b');
  after(limits.triggers.restMs);
  await expect.poll(() => answers.length).toBe(2);
  expect(listed()).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  after(limits.triggers.lookAgainMs);
  await expect.poll(notes, { timeout: 10_000 }).toEqual(['b']);
  expect(listed()).toMatchObject([{ outcome: 'waiting', attempts: 1, error: 'it threw' }]);
});

test('what scripts took of the tenant is paid before the next one runs', async () => {
  const { scriptMsAtOnce, scriptMsPerSecond } = limits.triggers;
  tookMs = scriptMsAtOnce + scriptMsPerSecond;
  await create('a');
  await create('b');
  after(limits.triggers.restMs);
  await ranTimes(1);
  await expect.poll(() => listed().length).toBe(1);
  after(2 * 1000);
  await ranTimes(2);
});

test('a read-only tenant runs none; afterwards they run', async () => {
  const standing = { isReadOnly: true };
  await create('a');
  Object.assign(tenant.activation, { standing });
  expect([await pass(), ran]).toEqual([limits.triggers.readOnlyMs, []]);
  standing.isReadOnly = false;
  after(limits.triggers.restMs);
  await expect.poll(notes).toEqual(['a']);
});
