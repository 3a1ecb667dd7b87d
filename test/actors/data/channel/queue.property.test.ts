/** What waits for a member that reads slowly: bounded, in order, and nothing is missing that was not counted. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Allowance, eventOf, Queue } from '#actors/data/channel/queue.ts';
import { fc } from '#test/kit/property.ts';

const { queueBytes, queueEvents } = limits.channels;

/** Steps of several members that share an allowance: an event of so many characters, or that a member reads. */
const steps = fc.array(
  fc.record({
    member: fc.nat(2),
    chars: fc.option(fc.oneof(fc.nat(50), fc.constantFrom(queueBytes / 3, queueBytes / 2 - 40, queueBytes - 40)), {
      freq: 8,
    }),
    times: fc.oneof(fc.constant(1), fc.constant(queueEvents + 3)),
  }),
  { minLength: 1, maxLength: 15 },
);

test('a queue keeps its bounds and its order, and counts what it loses', () => {
  const seen = { lost: 0, tight: 0, whole: 0 };
  fc.assert(
    fc.property(steps, fc.constantFrom(queueBytes, 2 * queueBytes, 10 * queueBytes), (taken, bytes) => {
      const within = new Allowance(bytes);
      const allowance = new Allowance(bytes, within);
      const members = [0, 1, 2].map(() => ({ queue: new Queue(allowance), sent: 0, known: 0 }));
      const read = (member: (typeof members)[number]): void => {
        const { events, lost } = member.queue.take();
        if (lost === 0) seen.whole++;
        else seen.lost++;
        // What was lost is the oldest: the rest follows without a gap to the last event, unless nothing had room.
        const numbers = events.map(({ text }) => Number(/"n":(\d+)/.exec(text)![1]));
        expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
        expect(events.length + lost).toBe(member.sent - member.known);
        member.known = member.sent;
        expect(member.queue.bytes).toBe(0);
        expect(member.queue.isEmpty).toBe(true);
      };
      for (const { member: at, chars, times } of taken) {
        const member = members[at]!;
        if (chars === null) read(member);
        else {
          // Many events are short ones: they meet the bound of events, the long ones that of bytes.
          const count = chars <= 50 ? times : 1;
          for (let no = 0; no < count; no++) {
            const { left } = allowance;
            member.queue.push(eventOf('message', `{"n":${member.sent++},"x":"${'x'.repeat(chars)}"}`));
            if (left < chars) seen.tight++;
          }
        }
        expect(member.queue.bytes).toBeLessThanOrEqual(queueBytes);
        const waiting = members.reduce((sum, { queue }) => sum + queue.bytes, 0);
        expect([allowance.left, within.left]).toEqual([bytes - waiting, bytes - waiting]);
        expect(allowance.left).toBeGreaterThanOrEqual(0);
      }
      for (const member of members) read(member);
      expect([allowance.left, within.left]).toEqual([bytes, bytes]);
    }),
  );
  expect(Math.min(seen.lost, seen.tight, seen.whole)).toBeGreaterThan(0);
});
