/** The outbox of notices: places, answers, counters; and what it leaves in a store. */
import { describe, expect, test } from 'vitest';
import type { FormDefinition } from '#config/definitions/form.ts';
import { noticeKey, type Notice } from '#actors/protocol/notice.ts';
import { limits } from '#config/limits.ts';
import { renderNotice } from '#actors/intake/render-notice.ts';
import { contact, good, rig, type RigOptions } from './kit.ts';

const form: FormDefinition = {
  ...contact,
  notify: { email: { to: ['team@example.org'], reply_to_field: 'email' }, chat: { webhook: 'https://chat.example/x' } },
};
const notify = { queueDepth: 4, email: true, webhook: '' };

async function notifying(options: RigOptions = {}) {
  const offered: Notice[] = [];
  // The relay at once, for a courier that holds everything that it was offered.
  const noticesPending = (): void => void offered.push(...made.intake.takeNotices(wish()).parcels);
  const wish = () => ({ except: offered.map(noticeKey), limit: 64 });
  const made = await rig({ forms: [form], notify, ...options, more: { noticesPending } });
  return { ...made, offered };
}

describe('a submission of a form that notifies', () => {
  test('is offered once durable, by mail and by chat', async () => {
    const { submit, offered, disk } = await notifying();
    disk.before = async () => expect(offered).toEqual([]);
    const { body } = await submit({ body: good });
    expect(offered.map(({ kind, id }) => [kind, id])).toEqual([
      ['email', body['id']],
      ['chat', body['id']],
    ]);
    expect(offered[0]).toMatchObject({
      to: ['team@example.org'],
      replyTo: good.email,
      subject: 'New submission: Contact',
    });
  });

  test.each(['embedded', 'jsonl'] as const)(
    'backend %s: what has no answer is there after a start, the rest is not',
    async (backend) => {
      const first = await notifying({ storage: { backend } });
      const one = (await first.submit({ body: good })).body['id'] as string;
      const two = (await first.submit({ body: { ...good, name: 'Eve' } })).body['id'] as string;
      first.intake.noticeSettled({ id: one, kind: 'email', outcome: 'sent' });
      first.intake.noticeSettled({ id: one, kind: 'chat', outcome: 'refused' });
      first.intake.noticeSettled({ id: two, kind: 'chat', outcome: 'sent' });
      expect(first.intake.counters().notify).toEqual({
        enqueued: 4,
        dropped: 0,
        email_sent: 1,
        email_failed: 0,
        chat_sent: 2 - 1,
        chat_failed: 1,
      });
      await first.intake.close();
      const { disk, database, clock } = first;
      const again = await notifying({ storage: { backend }, disk, database, clock });
      again.intake.resumeNotices();
      expect(again.offered.map(({ kind, id }) => [kind, id])).toEqual([['email', two]]);
    },
  );

  test('a full outbox drops and counts, and a place is free again after the answer', async () => {
    const { submit, intake, offered } = await notifying();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await submit({ body: good })).body['id'] as string);
    expect(intake.counters().notify).toMatchObject({ enqueued: 4, dropped: 2 });
    intake.noticeSettled({ id: ids[0]!, kind: 'email', outcome: 'sent' });
    await submit({ body: good });
    expect(intake.counters().notify).toMatchObject({ enqueued: 5, dropped: 3 });
    expect(offered).toHaveLength(5);
  });

  test('one that is not stored gives none: refused, shed, a bot, a full disk', async () => {
    const { submit, disk, intake, offered } = await notifying();
    await submit({ body: {} });
    await submit({ body: { ...good, website: 'x' } });
    disk.capacity = 0;
    expect((await submit({ body: good })).status).toBe(503);
    disk.capacity = Infinity;
    expect(offered).toEqual([]);
    for (let i = 0; i < 2; i++) await submit({ body: good });
    expect(intake.counters().notify).toMatchObject({ enqueued: 4, dropped: 0 });
  });

  test('an answer that comes twice counts once', async () => {
    const { submit, intake } = await notifying();
    const id = (await submit({ body: good })).body['id'] as string;
    for (let i = 0; i < 2; i++) intake.noticeSettled({ id, kind: 'email', outcome: 'given_up' });
    expect(intake.counters().notify).toMatchObject({ email_failed: 1 });
  });
});

test('no value that a caller sent reaches a head, and no line of a text passes for a field', () => {
  const submission = { id: '1', form: 'contact', received_at: '2026-01-01T00:00:00.000Z', idempotency_key: '' };
  const fields = { name: 'a\r\nBcc: eve@example.org\u202e\u0000', email: 'ada@example.org' };
  const mail = renderNotice('email', { ...form, title: 'T\r\nX: y' }, { ...submission, fields }, '')!;
  expect(mail).toMatchObject({ subject: 'New submission: T X: y', replyTo: 'ada@example.org' });
  expect(mail.text).toContain('name: a\n    Bcc: eve@example.org  \n');
  const chat = renderNotice('chat', form, { ...submission, fields: { name: '<!here>'.repeat(2000) } }, '')!;
  expect(chat.text).not.toContain('<');
  expect(chat.text.length).toBeLessThanOrEqual(limits.intake.noticeCharsMax);
});

describe('idempotency keys', () => {
  const DAY = 24 * 3_600_000;

  test('those that no longer bind are deleted, a piece with every commit, and those that do stay', async () => {
    const { submit, database, clock, intake } = await rig();
    const before = [...database.range('\x00', '\xff')].length;
    for (let i = 0; i < 5; i++) await submit({ body: good, headers: { 'idempotency-key': `k${i}` } });
    clock.advance(DAY / 2);
    const kept = await submit({ body: good, headers: { 'idempotency-key': 'later' } });
    clock.advance(DAY / 2 + 1);
    await submit({ body: good });
    await intake.drain();
    // Seven submissions, and one key with its age; the place in the log has been there since the start.
    expect([...database.range('\x00', '\xff')].length - before).toBe(7 + 2);
    expect((await submit({ body: good, headers: { 'idempotency-key': 'later' } })).body).toEqual(kept.body);
  });

  test('a sweep deletes them when nothing is submitted; a key that was used again stays', async () => {
    const { submit, database, clock, intake } = await rig();
    for (let i = 0; i < 300; i++) await submit({ body: good, headers: { 'idempotency-key': `k${i}` } });
    clock.advance(DAY + 1);
    const again = await submit({ body: good, headers: { 'idempotency-key': 'k299' } });
    await intake.sweepKeys();
    expect((await submit({ body: good, headers: { 'idempotency-key': 'k299' } })).body).toEqual(again.body);
    const size = [...database.range('\x00', '\xff')].length;
    await intake.sweepKeys();
    expect([...database.range('\x00', '\xff')].length).toBe(size);
    expect(size).toBeLessThan(300 + 10);
  });
});
