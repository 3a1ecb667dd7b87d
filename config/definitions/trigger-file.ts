/** The form of `triggers/<name>.yaml`. Source: docs/contract/triggers.md §1. */
import * as z from 'zod';
import { limits } from '../limits.ts';
import * as kit from '../schema-kit.ts';
import { mailFile } from './mails.ts';
import { name } from './source.ts';
import { TRIGGER_EVENTS } from './trigger-shapes.ts';
import { webhookHeaders, webhookTimeout } from './webhook-keys.ts';

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

/** The form of the file. */
export const triggerFile = kit.entry({
  entity: name.meta({ about: 'whose rows it watches' }),
  events: z
    .array(kit.oneOf(TRIGGER_EVENTS))
    .min(1)
    .meta({ description: `a list of ${TRIGGER_EVENTS.join(', ')}`, example: '[created]' })
    .meta({ about: 'what must happen to a row' }),
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
});

export type TriggerFile = z.output<typeof triggerFile>;
