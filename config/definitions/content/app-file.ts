/** The form of `app.yaml` (docs/contract/content.md §3.3); `access` and `preview.previous` are not in the contract. */
import * as z from 'zod';
import { limits } from '../../limits.ts';
import * as kit from '../../schema-kit.ts';
import { webhookHeaders, webhookTimeout } from '../webhook-keys.ts';
import { ruleMap } from './rule-map.ts';
import { APP_OPERATIONS, CONTENT_EVENTS } from './shapes.ts';
import { SLUG } from './stores.ts';

const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;

const { content } = limits;

const locale = kit.pattern(LOCALE, 'a locale', 'en-GB');

const webhook = kit.entry({
  name: kit
    .pattern(SLUG, 'a name of lower-case letters, digits, _ and -', 'site')
    .meta({ about: 'its name in logs and lists' }),
  url: kit.httpUrl().meta({ about: 'where deliveries go' }),
  events: kit
    .list(kit.oneOf(CONTENT_EVENTS), 'events')
    .default([])
    .meta({ about: 'what it hears of; of all unless set' }),
  secret: kit
    .secret('the secret that signs its deliveries')
    .meta({ about: 'lets the receiver see that a delivery is ours' }),
  timeout: webhookTimeout.optional().meta({ about: 'how long one delivery may take' }),
  active: kit.yesNo().default(true).meta({ about: 'whether it is delivered to' }),
  headers: webhookHeaders.meta({ about: 'headers that go along' }).default({}),
});

export const appFile = kit.entry({
  name: kit.pattern(SLUG, 'the name of its folder', 'blog').meta({ about: 'the name in its paths' }),
  active: kit.yesNo().default(true).meta({ about: 'whether it is served' }),
  contentstore: kit
    .text('the name of a content store', 'media')
    .optional()
    .meta({ about: 'the content store that belongs to it' }),
  contenttypes: kit
    .list(kit.text('the name of a content type', 'blog.post'), 'content types')
    .default([])
    .meta({ about: 'the types of its documents' }),
  locale: kit
    .entry({
      default: locale.meta({ about: 'the locale of a request that names none' }),
      supported: z
        .array(locale)
        .max(content.localesMax)
        .meta({ description: `a list of at most ${content.localesMax} locales`, example: '[en, fr]' })
        .default([])
        .meta({ about: 'the locales that a document may have' }),
    })
    .optional()
    .meta({ about: 'documents in several languages' }),
  version: kit
    .entry({ enabled: kit.yesNo().meta({ about: 'whether earlier versions of a document are kept' }) })
    .optional()
    .meta({ about: 'versions of documents' }),
  preview: kit
    .entry({
      secret: kit.secret('the secret that signs preview tokens').meta({ about: 'signs and verifies them' }),
      previous: kit
        .secret('the secret before it, while it rotates')
        .optional()
        .meta({ about: 'verifies those that are out' }),
    })
    .optional()
    .meta({ about: 'tokens with which others see what is not published' }),
  webhooks: z
    .array(webhook)
    .max(content.webhooksPerAppMax)
    .meta({ description: `a list of at most ${content.webhooksPerAppMax} webhooks`, example: '[]' })
    .default([])
    .meta({ about: 'who is told of changes' }),
  access: ruleMap(APP_OPERATIONS).meta({ about: 'who may do what: one rule for each operation' }),
});

export type AppFile = z.output<typeof appFile>;
