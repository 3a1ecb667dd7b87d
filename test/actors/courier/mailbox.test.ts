/** The development mailbox: what it keeps, and when it drops. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Mailbox } from '#actors/courier/mailbox.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';

const mail = (id: string, more: Partial<Mail> = {}): Mail => ({
  tenantNo: 7,
  tenant: 'acme:shop:dev:main',
  id,
  to: 'ada@example.org',
  subject: id,
  text: 't',
  html: '<p>t</p>',
  expiresAtMs: 0,
  ...more,
});

const open = () => new Mailbox('Shop <shop@example.org>', new SimulatedClock());
const subjects = (mailbox: Mailbox) => mailbox.list().map(({ subject }) => subject);

test('newest first, with sender, tenant and time', () => {
  const mailbox = open();
  mailbox.keep(mail('a'));
  mailbox.keep(mail('b'));
  expect(mailbox.list()).toMatchObject([
    { no: 2, subject: 'b', from: 'Shop <shop@example.org>', to: 'ada@example.org', tenant: 'acme:shop:dev:main' },
    { no: 1, subject: 'a', at: '2026-01-01T00:00:00.000Z' },
  ]);
});

test('too many, or too large ones: the oldest are dropped, and a number is not given again', () => {
  const mailbox = open();
  for (let i = 0; i < limits.mail.mailboxMailsMax + 3; i++) mailbox.keep(mail(`m${i}`));
  expect(mailbox.list()).toHaveLength(limits.mail.mailboxMailsMax);
  expect(mailbox.list().at(-1)).toMatchObject({ no: 4, subject: 'm3' });
  const half = 'x'.repeat(limits.mail.mailboxCharsMax / 2);
  mailbox.keep(mail('big', { html: half }));
  mailbox.keep(mail('bigger', { text: half }));
  expect(subjects(mailbox)).toEqual(['bigger']);
  mailbox.keep(mail('too big', { text: half + half }));
  expect(subjects(mailbox)).toEqual([]);
  mailbox.keep(mail('small'));
  expect(subjects(mailbox)).toEqual(['small']);
});

test('a tenant that is gone takes its mails along, and their room', () => {
  const mailbox = open();
  mailbox.keep(mail('gone', { tenantNo: 8, text: 'x'.repeat(limits.mail.mailboxCharsMax - 100) }));
  mailbox.keep(mail('stays'));
  mailbox.forget((tenantNo) => tenantNo === 8);
  mailbox.keep(mail('comes', { text: 'x'.repeat(limits.mail.mailboxCharsMax / 2) }));
  expect(subjects(mailbox)).toEqual(['comes', 'stays']);
});
