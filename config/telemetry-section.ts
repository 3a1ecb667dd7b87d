/** `telemetry` of the platform file: which requests are traced, and where their spans go (docs/contract/platform.md §4.1). */
import * as z from 'zod';
import { defaults } from './defaults.ts';
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

/** RFC 9110 §5.6.2, and visible characters with spaces between them: a value ends no line. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const SERVICE_NAME = /^[\x21-\x7e]{1,128}$/;

const headerName = z.string().regex(HEADER_NAME, 'use the name of a header, for example authorization');

const share = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'a share from 0 (none) to 1 (all)', example: String(defaults.traces.sample) });

const traces = kit.entry({
  /** OTLP over HTTP, as protobuf. */
  to: kit.httpUrl('the http or https URL of an OTLP receiver'),
  headers: z
    .record(headerName, kit.secret('the value of a header'))
    .refine((given) => Object.keys(given).length <= limits.traces.headersMax, {
      message: 'there are too many headers',
      params: { mend: `keep at most ${limits.traces.headersMax}` },
    })
    .default({}),
  sample: share.default(defaults.traces.sample),
  /** Peers whose traces are continued, and whose choice of sampling counts. */
  trust_parent: kit.list(kit.network(), 'IP addresses and CIDR ranges').default([]),
  service_name: kit
    .pattern(SERVICE_NAME, 'a name without spaces, at most 128 characters', defaults.traces.service_name)
    .default(defaults.traces.service_name),
});

export const telemetrySection = kit.section({ traces: traces.optional() });

/** What the node needs to trace; undefined where it does not. */
export type TraceConfig = z.output<typeof traces>;
