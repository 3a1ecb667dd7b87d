/** The form of `triggers/<name>.yaml`. Source: docs/contract/triggers.md §1. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';
import { SECTIONS } from './action.ts';
import { mailFile } from './mails.ts';
import { name } from './source.ts';
import { TRIGGER_EVENTS } from './trigger-shapes.ts';
import { webhookHeaders, webhookTimeout } from './webhook-keys.ts';

const FORM_ID = /^[a-z][a-z0-9_-]{0,63}$/;
const SUBMITTED = /^(?:\$id|\$received_at|[a-z][a-z0-9_]{0,62})$/;

const webhook = kit.entry({
  url: kit.httpUrl().meta({ about: 'where it is sent' }),
  secret: kit.secret('the secret that signs it').meta({ about: 'lets the receiver see that an event is ours' }),
  timeout: webhookTimeout.optional().meta({ about: 'how long one delivery may take' }),
  headers: webhookHeaders.optional().meta({ about: 'headers that go along' }),
});

const mail = kit.entry({
  to: name.meta({ about: 'the field of the row that holds the address' }),
  ...mailFile.shape,
});

const script = kit.entry({
  role: kit
    .text('a role of the catalogue in product.yaml', 'dispatcher')
    .meta({ about: 'the only role of the script: rules judge it as any caller with that role' }),
  source: kit.text('a script, or the name of a .js file beside this one', './notify.js').meta({ about: 'what runs' }),
});

const on = kit.entry({
  cron: kit
    .text('a cron expression of five fields', '"0 3 * * mon-fri"')
    .optional()
    .meta({ about: 'when it is due: minute, hour, day of the month, month, day of the week' }),
  timezone: kit
    .text('a time zone of the IANA database', 'Europe/Berlin')
    .optional()
    .meta({ about: 'by which clocks; UTC without it' }),
  form: kit
    .pattern(FORM_ID, 'the id of a form', 'contact')
    .optional()
    .meta({ about: 'instead of times: the form of the node whose submissions fire it' }),
});

const row = kit.entry({
  role: kit
    .text('a role of the catalogue in product.yaml', 'dispatcher')
    .meta({ about: 'the only role that creates it: rules judge it as any caller with that role' }),
  entity: name.meta({ about: 'what a submission becomes a row of' }),
  fields: z
    .record(name, kit.pattern(SUBMITTED, 'a field of the form, $id or $received_at', 'email'))
    .meta({ description: 'a map of fields of the entity to fields of the form', example: '{ requester: email }' })
    .meta({ about: 'which field gets the value of which form field; `$id` and `$received_at` are the submission’s' }),
  values: z
    .record(name, z.unknown())
    .meta({ description: 'a map of fields to values', example: '{ channel: web }' })
    .optional()
    .meta({ about: 'fields that have the same value in each of these rows' }),
});

const action = kit.entry({
  role: kit
    .text('a role of the catalogue in product.yaml', 'dispatcher')
    .meta({ about: 'the only role of the call: the rule of the action and those of its entities judge it' }),
  name: name.meta({ about: 'the action' }),
  section: kit.oneOf(SECTIONS).optional().meta({ about: 'the section that is called; needed where it has several' }),
  params: z
    .record(name, z.unknown())
    .meta({ description: 'a map of parameters', example: '{ days: 30 }' })
    .optional()
    .meta({ about: 'values of its parameters' }),
});

/** The form of the file. */
export const triggerFile = kit.entry({
  entity: name.optional().meta({ about: 'whose rows it watches' }),
  events: z
    .array(kit.oneOf(TRIGGER_EVENTS))
    .min(1)
    .meta({ description: `a list of ${TRIGGER_EVENTS.join(', ')}`, example: '[created]' })
    .optional()
    .meta({ about: 'what must happen to a row' }),
  on: on.optional().meta({ about: 'instead of an entity and its events: the times at which it is due, or a form' }),
  changed: z
    .array(name)
    .min(1)
    .meta({ description: 'a list of fields', example: '[status]' })
    .optional()
    .meta({ about: 'of updates only those that give one of these fields another value' }),
  when: kit
    .text('a CEL expression over row and old', 'row.total > 100.0')
    .optional()
    .meta({ about: 'what must be true of the row as it is now (`row`) and as it was before (`old`)' }),
  fields: z
    .array(name)
    .max(limits.triggers.fieldsMax)
    .meta({ description: `a list of at most ${limits.triggers.fieldsMax} fields`, example: '[number, total]' })
    .optional()
    .meta({ about: 'what of the row leaves with the event, besides its id; masked fields as their masks show them' }),
  webhook: webhook.optional().meta({ about: 'the event is sent to a server' }),
  mail: mail.optional().meta({ about: 'the event is a mail to an address in the row' }),
  script: script.optional().meta({ about: 'the event runs a script' }),
  action: action.optional().meta({ about: 'a time of `on` calls an action' }),
  row: row.optional().meta({ about: 'a submission of `on.form` becomes a row' }),
});

export type TriggerFile = z.output<typeof triggerFile>;
