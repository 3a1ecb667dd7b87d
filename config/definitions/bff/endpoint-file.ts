/** The form of `bff/*.yaml`, one endpoint per file. Source: docs/contract/bff.md §3. */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../../limits.ts';
import * as kit from '../../schema-kit.ts';
import { name } from '../source.ts';
import { INSIDE_PATHS } from './shapes.ts';
import type { InsideService } from './shapes.ts';

const ENDPOINT_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const PATH = /^(?:\/(?:[A-Za-z0-9._~-]+|\{[a-z][a-z0-9_]*\}))+$/;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function durationUpTo(ms: number, words: string, example: string) {
  return z
    .string()
    .refine((text) => {
      const value = parseDuration(text) ?? 0;
      return value > 0 && value <= ms;
    })
    .meta({ description: `a duration of at most ${words} in Go notation`, example });
}

const kept = durationUpTo(limits.bff.cacheMsMax, 'a day', '30s');
const texts = z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]));

const call = kit.entry({
  service: kit.oneOf(Object.keys(INSIDE_PATHS) as [InsideService, ...InsideService[]]).optional(),
  url: kit.text('an https URL', 'https://api.example.org/weather').optional(),
  method: kit.oneOf(METHODS).default('GET'),
  /** A POST that only reads: a search, a query. */
  reads: kit.yesNo().default(false),
  path: kit.text('a path, with placeholders', '/data/rest/city/id/{{path.id}}').optional(),
  query: texts.meta({ description: 'a map of query parameters', example: '{ limit: "10" }' }).default({}),
  headers: texts.meta({ description: 'a map of headers', example: '{ accept-language: "en" }' }).default({}),
  body: z.unknown().optional(),
  needs: kit.list(kit.text('the name of a call', 'city'), 'names of calls').default([]),
  on_error: kit.oneOf(['fatal', 'null', 'default', 'stale']).default('fatal'),
  default: z.unknown().optional(),
  timeout: durationUpTo(limits.bff.callTimeoutMsMax, 'a minute', '2s').optional(),
  retries: kit.whole(0, limits.bff.retriesMax).default(0),
  cache: kept.optional(),
});

const response = z
  .discriminatedUnion('language', [
    kit.entry({ language: z.literal('jq'), program: kit.text('a jq program', '{city: .calls.city.data[0]}') }),
    kit.entry({ language: z.literal('template'), program: z.unknown() }),
  ])
  .meta({ description: '{language: jq|template, program}', example: '{ language: jq, program: .calls.city }' });

export const endpointFile = kit.entry({
  name: kit.pattern(ENDPOINT_NAME, 'a name of lower-case letters, digits, - and _', 'dashboard'),
  method: kit.oneOf(METHODS).default('GET'),
  path: kit.pattern(PATH, 'a path whose parameters are whole segments', '/city/{id}'),
  auth: kit.oneOf(['public', 'user', 'service']),
  calls: z
    .record(name, call)
    .refine((calls) => Object.keys(calls).length > 0 && Object.keys(calls).length <= limits.bff.callsMax)
    .meta({ description: `a map of one to ${limits.bff.callsMax} calls`, example: '{ city: { service: data } }' }),
  response: response.optional(),
  cache: kept.optional(),
});

export type WrittenEndpoint = z.output<typeof endpointFile>;
export type WrittenCall = z.output<typeof call>;
