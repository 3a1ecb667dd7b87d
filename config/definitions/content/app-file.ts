/** The form of `app.yaml` (docs/contract/content.md §3.3); `access` and `preview.previous` are not in the contract. */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../../limits.ts';
import * as kit from '../../schema-kit.ts';
import { ruleMap } from './rule-map.ts';
import { APP_OPERATIONS, CONTENT_EVENTS } from './shapes.ts';
import { SLUG } from './stores.ts';

const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Headers that every delivery sets: a subscriber cannot change them. */
const TAKEN =
  /^(?:x-service-|webhook-)|^(?:content-type|content-length|user-agent|host|connection|transfer-encoding|expect|te|upgrade)$/i;

const { content } = limits;

const locale = kit.pattern(LOCALE, 'a locale', 'en-GB');

function isTimeout(text: string): boolean {
  const ms = parseDuration(text) ?? 0;
  return ms > 0 && ms <= content.webhookTimeoutMsMax;
}

const headerName = z
  .string()
  .regex(HEADER, 'write a header name')
  .refine((name) => !TAKEN.test(name), 'the delivery sets this header itself: choose another name');

const webhook = kit.entry({
  name: kit.pattern(SLUG, 'a name of lower-case letters, digits, _ and -', 'site'),
  url: kit.httpUrl(),
  events: kit.list(kit.oneOf(CONTENT_EVENTS), 'events').default([]),
  secret: kit.secret('the secret that signs its deliveries'),
  timeout: z
    .string()
    .refine(isTimeout)
    .meta({ description: `a duration of at most ${content.webhookTimeoutMsMax / 1000}s`, example: '10s' })
    .optional(),
  active: kit.yesNo().default(true),
  headers: z
    .record(headerName, z.string().regex(/^[\x20-\x7e]{0,1024}$/))
    .refine((headers) => Object.keys(headers).length <= content.webhookHeadersMax)
    .meta({ description: `a map of at most ${content.webhookHeadersMax} headers`, example: '{ X-Site: a }' })
    .default({}),
});

export const appFile = kit.entry({
  name: kit.pattern(SLUG, 'the name of its folder', 'blog'),
  active: kit.yesNo().default(true),
  contentstore: kit.text('the name of a content store', 'media').optional(),
  contenttypes: kit.list(kit.text('the name of a content type', 'blog.post'), 'content types').default([]),
  locale: kit
    .entry({
      default: locale,
      supported: z
        .array(locale)
        .max(content.localesMax)
        .meta({ description: `a list of at most ${content.localesMax} locales`, example: '[en, fr]' })
        .default([]),
    })
    .optional(),
  version: kit.entry({ enabled: kit.yesNo() }).optional(),
  preview: kit
    .entry({
      secret: kit.secret('the secret that signs preview tokens'),
      previous: kit.secret('the secret before it, while it rotates').optional(),
    })
    .optional(),
  webhooks: z
    .array(webhook)
    .max(content.webhooksPerAppMax)
    .meta({ description: `a list of at most ${content.webhooksPerAppMax} webhooks`, example: '[]' })
    .default([]),
  access: ruleMap(APP_OPERATIONS),
});

export type AppFile = z.output<typeof appFile>;
