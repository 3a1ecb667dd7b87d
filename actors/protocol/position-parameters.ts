/** The four headers of a position as parameters of an OpenAPI document. */
import { SEGMENT_PATTERN } from './position.ts';

export const POSITION = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'] as const;

/** The parameter that carries the position in a signed URL, as `customer:product:env:tenant`; it is the first of the query. */
export const POSITION_PARAMETER = 'tenant';

/** The parameters of a signed URL in OpenAPI: a client sends the URL as it is, so that it never composes them. */
export function signedParameters(): readonly Readonly<Record<string, unknown>>[] {
  const schema = { type: 'string' };
  return [
    {
      name: POSITION_PARAMETER,
      in: 'query',
      required: true,
      schema,
      description: 'The position; signed, as all of the URL is.',
    },
    { name: 'signature', in: 'query', required: true, schema, description: 'Send the URL as it was given, unchanged.' },
  ];
}

/** `components.parameters`, by header name. */
export function positionParameters(): Readonly<Record<string, object>> {
  const part = (name: string) => ({
    name,
    in: 'header',
    required: true,
    schema: { type: 'string', pattern: SEGMENT_PATTERN },
    description: `The ${name.slice(2).toLowerCase()} of the position.`,
  });
  return Object.fromEntries(POSITION.map((name) => [name, part(name)]));
}
