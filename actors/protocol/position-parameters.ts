/** The four headers of a position as parameters of an OpenAPI document. */
import { SEGMENT_PATTERN } from './position.ts';

export const POSITION = ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'] as const;

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
