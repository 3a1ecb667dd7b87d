/** An event of a trigger as a mail to an address in its row (docs/contract/triggers.md §3.2). */
import { MAIL_LANGUAGE } from '#config/definitions/mails.ts';
import type { MailTarget, TriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import { limits } from '#config/limits.ts';
import { FORMATS } from '#config/values/field-format.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Judged } from '#actors/host/outbox/outbox.ts';
import type { Work } from '#actors/host/work.ts';
import { renderMail, type MailValues } from '#actors/kit/mail/render.ts';
import type { Mail } from '#actors/protocol/mail.ts';
import { triggerOf } from './part.ts';
import { rowNow, shownFields, type RowNow } from './row-now.ts';
import type { TriggerEntry } from './store.ts';

const isAddress = FORMATS.get('email')!;

/** An event ends without a mail where its trigger or its row is gone, or where the row's field holds no address. */
export function mailOf(work: Work, entry: TriggerEntry): Judged<Mail> {
  const trigger = triggerOf(work.activation, entry);
  const now = trigger === undefined ? null : rowNow(work, entry);
  if (trigger === undefined || now === null) return 'ended';
  const target = trigger.target as MailTarget;
  const to = addressIn(now, target.to);
  const expiresAtMs = instantMs(entry.at) + limits.triggers.mailMs;
  if (to === null || work.now >= expiresAtMs) return 'ended';
  return () => mail(work, entry, { to, expiresAtMs, target, values: valuesOf(work, entry, trigger, now) });
}

/** The address itself: a mask hides it from readers of the row, not from the mail that goes to it. */
function addressIn({ model, slots }: RowNow, field: string): string | null {
  const column = model.column(field);
  const value = column === undefined ? null : slots[column.at];
  return typeof value === 'string' && isAddress(value) ? value : null;
}

interface Parts {
  readonly to: string;
  readonly expiresAtMs: number;
  readonly target: MailTarget;
  readonly values: MailValues;
}

function mail({ activation }: Work, { id, trace }: TriggerEntry, { to, expiresAtMs, target, values }: Parts): Mail {
  const { tenantNo, position, product } = activation;
  const language = product.settings.mails?.language ?? MAIL_LANGUAGE;
  const rendered = renderMail({ ...target, language }, values);
  return { tenantNo, tenant: position.key, id, to, expiresAtMs, ...rendered, ...(trace !== undefined && { trace }) };
}

function valuesOf(
  { activation }: Work,
  { key, entity, event }: TriggerEntry,
  { fields }: TriggerDefinition,
  now: RowNow,
): MailValues {
  const { customer, product, env, tenant } = activation.position;
  const shown = Object.entries(shownFields(now, fields)).map(([name, value]) => [name, textOf(value)] as const);
  const common = { id: textOf(key), entity, event, customer, product, env, tenant };
  return { ...common, ...Object.fromEntries(shown) };
}

/** Callers chose the values of rows: a mail shows the beginning of long ones. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, limits.triggers.mailValueCharsMax);
}
