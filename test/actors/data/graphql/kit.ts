/** GraphQL requests to a tenant in memory. */
import { expect } from 'vitest';
import type { Principal } from '#actors/protocol/principal.ts';
import { USER, type Answer, type DataTenant } from '#test/kit/data-call.ts';

export type Variables = Readonly<Record<string, unknown>>;

export const JSON_BODY = 'content-type:application/json\n';
export const STRICT = `${JSON_BODY}accept:application/graphql-response+json\n`;

export function ask(
  tenant: DataTenant,
  query: string,
  variables: Variables = {},
  { principal = USER, extra = STRICT }: { principal?: Principal; extra?: string } = {},
): Promise<Answer> {
  return tenant.send('POST', '/data/graphql', { query, variables }, { principal, extra });
}

/** The data of a request that must succeed, run three times: interpreted, then twice compiled. */
export async function data(
  tenant: DataTenant,
  query: string,
  variables: Variables = {},
  principal: Principal = USER,
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const answers = [];
  const times = query.trimStart().startsWith('mutation') ? 1 : 3;
  for (let i = 0; i < times; i++) answers.push(await ask(tenant, query, variables, { principal }));
  for (const { status, body } of answers) {
    expect(body.errors).toBeUndefined();
    expect(status).toBe(200);
    expect(body).toEqual(answers[0]!.body);
  }
  return answers[0]!.body.data;
}
