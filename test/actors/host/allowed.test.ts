/** Which answers ask whether the node may still answer, and what leaves when it may not. */
import { beforeEach, expect, test } from 'vitest';
import type { AnyHandler } from '#actors/host/service.ts';
import { reply } from '#actors/protocol/route.ts';
import { Bench, refuse, settled, writing } from './host-bench.ts';

let bench: Bench;
beforeEach(() => awake(new Bench()));

/** Its tenant is awake. */
async function awake(made: Bench): Promise<void> {
  bench = made;
  bench.handler = writing;
  bench.receive(1);
  await settled();
  for (const then of bench.durable.splice(0)) then();
  bench.sent.length = 0;
}

const reading: AnyHandler = (call) => {
  call.saw(7);
  return reply(200, {});
};

const statuses = (): number[] => bench.sent.map(({ status }) => status);

test('an answer that rests on no record asks as it leaves', () => {
  bench.handler = () => reply(200, {});
  bench.mayAnswer = false;
  bench.receive(1);
  expect(bench.sent).toMatchObject([{ status: 503, body: expect.stringContaining('overloaded') as string }]);
  bench.mayAnswer = true;
  bench.receive(1);
  expect(statuses()).toEqual([503, 200]);
});

test('a read of what others wrote asks behind its wait, and a refusal asks, too', () => {
  bench.handler = reading;
  bench.receive(1);
  bench.mayAnswer = false;
  bench.durable.pop()!();
  expect(statuses()).toEqual([503]);
  bench.handler = (call) => {
    call.saw(7);
    return refuse('nope');
  };
  bench.receive(1);
  bench.durable.pop()!();
  expect(statuses()).toEqual([503, 503]);
});

test('the answer of a write leaves on its own record, which is durable only where no other node has the shard', () => {
  bench.mayAnswer = false;
  bench.receive(1);
  expect(bench.sent).toEqual([]);
  bench.durable.pop()!();
  expect(statuses()).toEqual([200]);
});

test('a call that wrote before and ends with a read asks', async () => {
  bench.handler = async (call) => {
    call.turn().put('key id1', Buffer.from('v'));
    call.commit();
    await Promise.resolve();
    call.turn().get('another key');
    return reply(200, {});
  };
  bench.mayAnswer = false;
  bench.receive(1);
  await settled();
  bench.durable.pop()!();
  expect(statuses()).toEqual([503]);
});

test('an answer in pieces that may not leave is let go, and its tenant is free', async () => {
  let isLeft = false;
  bench.handler = () => ({
    ...reply(200, {}),
    stream: { pieces: noPieces(), length: 1, left: () => void (isLeft = true) },
  });
  bench.mayAnswer = false;
  bench.receive(1);
  expect([statuses(), isLeft]).toEqual([[503], true]);
  const { exclusive } = await bench.host.activation(1);
  expect(exclusive.quiet).toBe(true);
});

async function* noPieces(): AsyncIterable<Uint8Array> {
  await Promise.resolve();
  yield new Uint8Array(1);
}

test('where answers are confirmed one that rests on no record waits for a round behind it, and that of a write does not', async () => {
  const rounds: ((isConfirmed: boolean) => void)[] = [];
  await awake(new Bench(undefined, () => new Promise((resolve) => rounds.push(resolve))));
  bench.handler = reading;
  bench.receive(1);
  expect(rounds).toHaveLength(0);
  bench.durable.pop()!();
  bench.handler = () => reply(200, {});
  bench.receive(1);
  bench.handler = () => refuse('nope');
  bench.receive(1);
  expect([rounds.length, statuses()]).toEqual([3, []]);
  rounds[1]!(true);
  rounds[0]!(false);
  await settled();
  expect(statuses()).toEqual([200, 503]);
  rounds[2]!(true);
  await settled();
  expect(bench.sent.at(-1)!.status).not.toBe(503);
  bench.handler = writing;
  bench.receive(1);
  bench.durable.pop()!();
  expect([rounds.length, statuses().at(-1)]).toEqual([3, 200]);
});
