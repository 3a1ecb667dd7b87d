/** The form of `bff/*.yaml`, one endpoint per file. Source: docs/contract/bff.md §3. */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../../limits.ts';
import * as kit from '../../schema-kit.ts';
import { name } from '../source.ts';
import { INSIDE_PATHS, type InsideService } from './shapes.ts';

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
  service: kit
    .oneOf(Object.keys(INSIDE_PATHS) as [InsideService, ...InsideService[]])
    .optional()
    .meta({ about: 'the service of this node that is called; either it or a url' }),
  url: kit
    .text('an https URL', 'https://api.example.org/weather')
    .optional()
    .meta({ about: 'the server elsewhere that is called; its host is in outbound.hosts' }),
  method: kit.oneOf(METHODS).default('GET').meta({ about: 'the method of the call' }),
  reads: kit.yesNo().default(false).meta({ about: 'a POST that only reads: a search, a query' }),
  path: kit
    .text('a path, with placeholders', '/data/rest/city/id/{{path.id}}')
    .optional()
    .meta({ about: 'what is asked for; of a service it is needed' }),
  query: texts
    .meta({ description: 'a map of query parameters', example: '{ limit: "10" }', about: 'parameters of the call' })
    .default({}),
  headers: texts
    .meta({ description: 'a map of headers', example: '{ accept-language: "en" }', about: 'headers of the call' })
    .default({}),
  body: z.unknown().optional().meta({ about: 'what is sent, with placeholders' }),
  needs: kit
    .list(kit.text('the name of a call', 'city'), 'names of calls')
    .default([])
    .meta({ about: 'calls that must have ended before; those whose values it uses need no mention' }),
  on_error: kit
    .oneOf(['fatal', 'null', 'default', 'stale'])
    .default('fatal')
    .meta({ about: 'what a failure means: the answer fails, or has null, the default, or the last good value' }),
  default: z.unknown().optional().meta({ about: 'the value of on_error: default' }),
  timeout: durationUpTo(limits.bff.callTimeoutMsMax, 'a minute', '2s')
    .optional()
    .meta({ about: 'how long the call may take' }),
  retries: kit.whole(0, limits.bff.retriesMax).default(0).meta({ about: 'how often it is tried again' }),
  cache: kept.optional().meta({ about: 'how long its answer is used again for the same caller' }),
});

const response = z
  .discriminatedUnion('language', [
    kit.entry({
      language: z.literal('jq').meta({ about: 'a jq program makes the answer' }),
      program: kit.text('a jq program', "'{city: .calls.city.data[0]}'").meta({ about: 'what it makes of the calls' }),
    }),
    kit.entry({
      language: z.literal('template').meta({ about: 'a value with placeholders is the answer' }),
      program: z.unknown().meta({ about: 'the value' }),
    }),
  ])
  .meta({ description: '{language: jq|template, program}', example: '{ language: jq, program: .calls.city }' });

export const endpointFile = kit.entry({
  name: kit
    .pattern(ENDPOINT_NAME, 'a name of lower-case letters, digits, - and _', 'dashboard')
    .meta({ about: 'the name in lists and logs' }),
  method: kit.oneOf(METHODS).default('GET').meta({ about: 'the method that it takes' }),
  path: kit
    .pattern(PATH, 'a path whose parameters are whole segments', '/city/{id}')
    .meta({ about: 'where it is called, below /bff' }),
  auth: kit.oneOf(['public', 'user', 'service']).meta({ about: 'who may call it' }),
  calls: z
    .record(name, call)
    .refine((calls) => Object.keys(calls).length > 0 && Object.keys(calls).length <= limits.bff.callsMax)
    .meta({ description: `a map of one to ${limits.bff.callsMax} calls`, example: '{ city: { service: data } }' })
    .meta({ about: 'what it asks, by names that the answer uses' }),
  response: response.optional().meta({ about: 'the answer; all answers by name unless set' }),
  cache: kept.optional().meta({ about: 'how long an answer is given again to the same caller' }),
});

export type WrittenEndpoint = z.output<typeof endpointFile>;
export type WrittenCall = z.output<typeof call>;
