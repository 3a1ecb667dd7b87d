/** What a host answers by itself, and what it passes on to a tenant's actor. */
import { expect, test } from 'vitest';
import type { ActorAsk } from '#actors/protocol/topics.ts';
import type { Job } from '#runtime/copies/job.ts';
import { answerHostAsk, hostHandlers, isHostAsk } from '#runtime/threads/answer-host-ask.ts';

const JOB: Job = { kind: 'admit', shard: 1, no: 7 };

function bench() {
  const done: unknown[] = [];
  const handlers = hostHandlers({
    host: {
      forget: (no) => done.push(['forget', no]) > 0,
      awakeTenants: [3, 4],
      retire: () => void done.push(['retire']),
    },
    copies: {
      begin: (job) => done.push(['begin', job]),
      look: (id) => Promise.resolve({ ended: false, done: id }),
    },
    uses: { take: () => [], allow: (lefts) => void done.push(['allow', lefts]) },
    webIndex: async () => ({ revision: null, files: [] }),
    revisions: () => ['a'],
    revisionsOf: (nos) => nos.map((no) => (no === 7 ? 'b' : null)),
  });
  const ask = async (service: string, verb: string, body: unknown = null): Promise<unknown> => {
    const asked: ActorAsk = { tenantNo: 7, service, verb, body };
    return isHostAsk(handlers, asked) ? answerHostAsk(handlers, asked) : 'the actor';
  };
  return { done, ask };
}

test('each verb has its handler', async () => {
  const { done, ask } = bench();
  expect(await ask('host', 'forget')).toBeNull();
  expect(await ask('host', 'retire')).toBeNull();
  expect(await ask('host', 'revisions')).toEqual(['a']);
  expect(await ask('host', 'revisions.of', [6, 7])).toEqual([null, 'b']);
  expect(await ask('host', 'awake')).toEqual([3, 4]);
  expect(await ask('host', 'usage.take')).toEqual([]);
  expect(await ask('host', 'usage.allow', [{ tenantNo: 7, left: 2 }])).toBeNull();
  expect(await ask('host', 'copies.begin', JOB)).toBe(4);
  expect(await ask('host', 'copies.look', 9)).toEqual({ ended: false, done: 9 });
  expect(done).toEqual([['forget', 7], ['retire'], ['allow', [{ tenantNo: 7, left: 2 }]], ['begin', JOB]]);
});

test("what is no verb of the host is the actors' to answer or to refuse", async () => {
  const { done, ask } = bench();
  for (const verb of ['nothing', 'constructor', '__proto__', 'toString'])
    expect(await ask('host', verb)).toBe('the actor');
  expect(await ask('data', 'forget')).toBe('the actor');
  expect(done).toEqual([]);
});
