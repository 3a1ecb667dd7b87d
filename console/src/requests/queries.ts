/** What a login may ask of its tenant, and one request of it with how it was answered. */
import { isSkepError } from '@skep/client';
import { queryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import { operationsIn } from './operations.ts';
import type { Request } from './request.ts';
import type { ApiDocument, Operation } from './shapes.ts';

const MINUTE_MS = 60_000;

/** As the tenant's OpenAPI document says, which is made for this login. */
export const operationsOf = (place: Place) =>
  queryOptions({
    queryKey: ['requests', 'operations'],
    queryFn: async ({ signal }): Promise<readonly Operation[]> => {
      const { json } = await place.skep.transport.send({ method: 'GET', path: '/data/schema/openapi.json', signal });
      return operationsIn(json as ApiDocument);
    },
    staleTime: 10 * MINUTE_MS,
  });

export interface Answered {
  readonly status: number;
  /** From the first byte that left to the last that came, in milliseconds. */
  readonly ms: number;
  readonly requestId: string | null;
  /** Of a success: the client keeps none of a refusal. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  /** Of a refusal: what it says of each field. */
  readonly error: Error | null;
}

/** Sent once: a request whose answer was lost may have been carried out, and its reader decides. Throws where no answer came. */
export async function run({ skep }: Place, { query, ...ask }: Request): Promise<Answered> {
  const began = performance.now();
  try {
    const answer = await skep.transport.send({ ...ask, query: new URLSearchParams(query), again: 'never' });
    const { status, headers, json: body } = answer;
    const requestId = headers.get('x-request-id');
    return { status, ms: performance.now() - began, requestId, headers: [...headers], body, error: null };
  } catch (error) {
    if (!isSkepError(error) || error.status === 0) throw error;
    const { status, requestId, code, message, details } = error;
    const body = { code, message, ...(Object.keys(details).length > 0 && { details }) };
    return { status, ms: performance.now() - began, requestId, headers: [], body, error };
  }
}
