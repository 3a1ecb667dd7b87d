/** Submissions of a tenant's forms: taken once, run, refused, retried, listed, expired, erased; the clock is moved by hand. docs/contract/triggers.md §7 */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import type { FormTriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import { prepareProduct } from '#actors/host/served-product.ts';
import { Work } from '#actors/host/work.ts';
import { asks } from '#actors/data/asks.ts';
import { dataService } from '#actors/data/service.ts';
import { expireSubmissions } from '#actors/data/submission/expire.ts';
import { findSubmission, firstUntilMs, keptOf, removeSubmission } from '#actors/data/submission/store.ts';
import { dropEvent, listEvents, listTriggers, retryEvent } from '#actors/data/trigger/events.ts';
import { CALLED, type Jobs, type ScriptJob } from '#actors/kit/jobs.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { TenantSubmission } from '#actors/protocol/submission.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const ADMIN = { principal: { ...USER, subject: 'ann', roles: ['tenant_admin'] } };
const LIST = '/data/admin/data/submissions';
const ticket = entityOf(
  'ticket',
  { subject: { type: 'string' } },
  { access: { create: "principal.roles == ['clerk']", read: 'true' } },
);
const sourceAt = { file: 'a', line: 1, column: 1 };
const contact: FormTriggerDefinition = {
  name: 'contact',
  form: 'contact',
  fields: [],
  target: { kind: 'script', role: 'clerk', source: 'run();', sourceAt },
  where: 'triggers/contact.yaml:1:1',
};
const product = { ...productOf([ticket]), triggers: [contact] };

let tenant: DataTenant;
let answers: ('writes' | 'fails')[];
let ran: ScriptJob[];
let ids: IdSource;

/** Jobs that create a ticket of what was submitted, or end as the test says. */
const jobs: Jobs = {
  run: async (_kind, body, _budget, host) => {
    const job = body as ScriptJob;
    ran.push(job);
    if (answers.shift() === 'fails') return { kind: 'done', result: { kind: 'failed', message: 'it threw' } as never };
    const { data } = JSON.parse(job.request) as { data: { fields: { subject: string } } };
    await host!(CALLED + JSON.stringify({ name: 'db.create', args: ['ticket', { subject: data.fields.subject }] }));
    return { kind: 'done', result: { kind: 'value', text: 'null' } as never };
  },
};

beforeEach(async () => {
  answers = [];
  ran = [];
  tenant = await DataTenant.open(product, { service: dataService({ jobs }) });
  ids = new IdSource(tenant.clock);
});

const submission = (subject: string, more: Partial<TenantSubmission> = {}): TenantSubmission => ({
  id: ids.next(),
  form: 'contact',
  received_at: new Date(tenant.clock.now()).toISOString(),
  fields: { subject },
  person: '',
  until_ms: null,
  ...more,
});
function run<T>(piece: (work: Work) => T): T {
  const work = new Work(tenant.activation);
  try {
    const result = piece(work);
    work.commit();
    return result;
  } finally {
    work.abort();
  }
}
const take = (...submissions: readonly TenantSubmission[]) =>
  run((work) => asks['submissions.take'](work, { submissions }));
const soon = (ms: number = limits.triggers.restMs): void => tenant.clock.advance(ms);
const tickets = async (): Promise<string[]> =>
  (await tenant.send('GET', '/data/rest/ticket')).body.data.map(({ subject }: { subject: string }) => subject);
const stored = (id: string) => run((work) => findSubmission(work.turn(), id));
const outcomeOf = (id: string) => stored(id)?.outcome;
const until = (id: string, outcome: string) => expect.poll(() => outcomeOf(id), { timeout: 10_000 }).toBe(outcome);
/** Failing attempts up to the last one. */
async function failAll(id: string): Promise<void> {
  const { scriptAttemptsMax, scriptBackoffMsMax, restMs } = limits.triggers;
  const attempts = () => run((work) => listEvents(work, 'waiting', 1))[0]?.attempts;
  for (let attempt = 1; attempt < scriptAttemptsMax; attempt++) {
    soon(attempt === 1 ? restMs : scriptBackoffMsMax);
    await expect.poll(attempts, { timeout: 10_000 }).toBe(attempt);
  }
  soon(scriptBackoffMsMax);
  await until(id, 'failed');
}

describe('a submission', () => {
  test('that is handed over twice is there once, and runs its trigger once under its role', async () => {
    const one = submission('No sound');
    take(one);
    take(one, submission('No picture'));
    soon();
    await expect.poll(tickets).toEqual(['No sound', 'No picture']);
    await until(one.id, 'delivered');
    take(one);
    soon();
    expect([ran.length, await tickets(), run((work) => keptOf(work.turn()))]).toEqual([
      2,
      ['No sound', 'No picture'],
      2,
    ]);
    expect(JSON.parse(ran[0]!.request)).toEqual({
      id: one.id,
      event: 'form.submitted',
      trigger: 'contact',
      tenant: 'acme:atlas:dev:main',
      timestamp: expect.any(String),
      depth: 1,
      data: { form: 'contact', received_at: one.received_at, fields: { subject: 'No sound' } },
    });
  });

  test('of a form that no trigger is about is kept, and runs once there is one and it is retried', async () => {
    const one = submission('a', { form: 'other' });
    take(one);
    expect([outcomeOf(one.id), run((work) => listEvents(work, null, 9))]).toEqual(['kept', []]);
    expect(run((work) => retryEvent(work, one.id))).toBe('unknown');
    const more = { ...product, triggers: [contact, { ...contact, name: 'more', form: 'other' }] };
    prepareProduct(tenant.activation, more)();
    expect(run((work) => retryEvent(work, one.id))).toBe('retried');
    soon();
    await until(one.id, 'delivered');
    expect(await tickets()).toEqual(['a']);
    expect(run((work) => retryEvent(work, one.id))).toBe('unknown');
  });

  test('that is refused to the last is failed, listed beside other events, and retried under its id', async () => {
    answers = Array.from({ length: limits.triggers.scriptAttemptsMax }, () => 'fails');
    const one = submission('a');
    take(one);
    expect(run((work) => listEvents(work, 'waiting', 9))).toMatchObject([
      { id: one.id, trigger: 'contact', kind: 'script', event: 'submitted', entity: null, key: null, due: null },
    ]);
    await failAll(one.id);
    expect(stored(one.id)).toMatchObject({ error: 'it threw', attempts: 5, fields: { subject: 'a' } });
    expect(run((work) => listEvents(work, 'failed', 9))).toMatchObject([{ id: one.id, event: 'submitted' }]);
    expect(run((work) => retryEvent(work, one.id))).toBe('retried');
    expect(stored(one.id)).toMatchObject({ outcome: 'waiting', error: null, attempts: 0 });
    soon();
    await until(one.id, 'delivered');
    expect([await tickets(), run((work) => listEvents(work, null, 9))]).toEqual([['a'], []]);
  });

  test('whose event is remembered no more is retried from what is kept', async () => {
    answers = Array.from({ length: limits.triggers.scriptAttemptsMax }, () => 'fails');
    const one = submission('a');
    take(one);
    await failAll(one.id);
    expect(run((work) => dropEvent(work, one.id))).toBe(true);
    expect([run((work) => listEvents(work, null, 9)), outcomeOf(one.id)]).toEqual([[], 'failed']);
    expect(run((work) => retryEvent(work, one.id))).toBe('retried');
    soon();
    await until(one.id, 'delivered');
  });

  test('that is dropped by hand runs nothing', async () => {
    const one = submission('a');
    take(one);
    expect(run((work) => dropEvent(work, one.id))).toBe(true);
    soon();
    expect([outcomeOf(one.id), ran]).toEqual(['dropped', []]);
  });

  test('past the room of its trigger is kept as dropped, and can be retried when there is room', async () => {
    const { waitingMax } = limits.triggers;
    const all = Array.from({ length: waitingMax + 1 }, (_, at) => submission(`s${at}`));
    take(...all);
    const last = all.at(-1)!;
    expect(stored(last.id)).toMatchObject({ outcome: 'dropped', error: expect.stringContaining('retry this one') });
    expect(run((work) => listTriggers(work))).toMatchObject([
      { form: 'contact', entity: null, row: null, waiting: waitingMax, dropped: 1 },
    ]);
    expect(run((work) => retryEvent(work, last.id))).toBe('full');
    run((work) => dropEvent(work, all[0]!.id));
    expect(run((work) => retryEvent(work, last.id))).toBe('retried');
    expect(outcomeOf(last.id)).toBe('waiting');
  });
});

describe('a tenant that cannot take one now says so, and keeps nothing', () => {
  test.each([
    ['read-only', { standing: { isReadOnly: true } }, 'read-only'],
    ['without usable definitions', { withheld: 'it does not compile' }, 'definitions'],
  ])('%s', (_what, state, message) => {
    const one = submission('a');
    Object.assign(tenant.activation, state);
    expect(() => take(one)).toThrow(message);
    expect(stored(one.id)).toBeUndefined();
  });
});

describe('bounds', () => {
  test('a tenant that keeps as many as it may takes no further one until one is gone, and says how to mend it', () => {
    const kept = new Table<number>('submission_count', TABLES.submission_count);
    const [one, late] = [submission('a'), submission('b')];
    take(one);
    run((work) => kept.put(work.turn(), limits.submissions.keptMax, 'current'));
    expect(() => take(late)).toThrow('give its forms a retention');
    // One that is there already is answered for.
    expect(take(one)).toBeNull();
    run((work) => removeSubmission(work.turn(), one));
    expect(take(late)).toBeNull();
    expect(outcomeOf(late.id)).toBe('waiting');
  });

  test('a page ends after so many characters of fields, and the next one goes on', async () => {
    const text = 'x'.repeat(limits.submissions.pageCharsMax / 2);
    const all = ['a', 'b', 'c', 'd'].map((subject) => submission(subject, { form: 'none', fields: { subject, text } }));
    for (const one of all) take(one);
    const page = async (before: string) =>
      (await tenant.send('GET', `${LIST}?before=${before}`, undefined, ADMIN)).body as {
        submissions: TenantSubmission[];
        next: string | null;
      };
    const first = await page('');
    const second = await page(first.next!);
    expect(first.submissions.map(({ id }) => id)).toEqual([all[3]!.id, all[2]!.id]);
    expect(second.submissions.map(({ id }) => id)).toEqual([all[1]!.id, all[0]!.id]);
    expect(second.next).toBeNull();
  });
});

describe('past its time', () => {
  test('a submission is not shown, runs nothing, and is deleted', async () => {
    const untilMs = tenant.clock.now() + 1000;
    const [one, other] = [submission('a', { until_ms: untilMs }), submission('b', { until_ms: untilMs + 5000 })];
    take(one, other, submission('c', { form: 'none' }));
    expect(firstUntilMs(tenant.store)).toBe(untilMs);
    tenant.clock.advance(1000);
    const { body } = await tenant.send('GET', LIST, undefined, ADMIN);
    expect(body.submissions.map(({ fields }: TenantSubmission) => fields['subject'])).toEqual(['c', 'b']);
    const work = new Work(tenant.activation);
    expect(await expireSubmissions(work)).toBe(untilMs + 5000);
    expect([stored(one.id), run((w) => keptOf(w.turn())), firstUntilMs(tenant.store)]).toEqual([
      undefined,
      2,
      untilMs + 5000,
    ]);
    await until(other.id, 'delivered');
    expect(await tickets()).toEqual(['b']);
  });

  test('one that arrives too late is taken from intake and not kept', () => {
    const one = submission('a', { until_ms: tenant.clock.now() });
    take(one);
    expect(stored(one.id)).toBeUndefined();
  });
});

test('an erasure takes the person’s, in slices, and what waits of them runs nothing', async () => {
  const count = limits.submissions.eraseScanRows + 5;
  const all = Array.from({ length: count }, (_, at) =>
    submission(`s${at}`, {
      person: at % 2 === 0 ? 'eve@example.org' : 'ada@example.org',
      form: at === 0 ? 'contact' : 'none',
    }),
  );
  take(...all);
  const erase = async (address: string): Promise<number> => {
    const work = new Work(tenant.activation);
    return asks['submissions.erase'](work, { address });
  };
  expect(await erase('')).toBe(0);
  expect(await erase(' EVE@example.org')).toBe(Math.ceil(count / 2));
  expect(await erase('eve@example.org')).toBe(0);
  expect(all.filter(({ id }) => stored(id) !== undefined).every(({ person }) => person === 'ada@example.org')).toBe(
    true,
  );
  soon();
  await expect.poll(() => run((work) => listEvents(work, 'waiting', 9)), { timeout: 10_000 }).toEqual([]);
  expect([ran, await tickets()]).toEqual([[], []]);
});

test('what is wrong with a wish is said', async () => {
  const codeOf = async (query: string) => (await tenant.send('GET', `${LIST}${query}`, undefined, ADMIN)).body.code;
  expect(await codeOf('?outcome=refused')).toBe('v2.bad_outcome');
  expect(await codeOf('?from=yesterday')).toBe('v2.bad_time');
  expect(await codeOf('?to=2026-13-01T00:00:00Z')).toBe('v2.bad_time');
  expect(await codeOf('?before=x')).toBe('v2.bad_submission_cursor');
  expect(await codeOf('/export?after=x')).toBe('v2.bad_submission_cursor');
});

test('an export says where it goes on, and ends with null', async () => {
  take(submission('a'), submission('b'), submission('c'));
  const page = async (query: string) => {
    const { body } = await tenant.send('GET', `${LIST}/export${query}`, undefined, ADMIN);
    const lines = (body as string)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { end } = lines.pop() as { end: { count: number; next: string | null } };
    return { end, subjects: lines.map(({ fields }) => fields.subject) };
  };
  const first = await page('?limit=2');
  expect(first).toEqual({ end: { count: 2, next: expect.any(String) }, subjects: ['a', 'b'] });
  expect(await page(`?limit=2&after=${first.end.next}`)).toEqual({ end: { count: 1, next: null }, subjects: ['c'] });
});
