/**
 * What stock generators make of a tenant's documents: openapi-typescript with openapi-fetch of OpenAPI, graphql-codegen of the introspected schema. Their types
 * hold a strict program to the fields of the help desk, and the program runs against the node.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as documents from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildClientSchema, getIntrospectionQuery, parse, printSchema, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { as, it, useHelpDesk } from '#test/kit/help-desk.ts';
import { errorsIn } from '#test/kit/strict-tsc.ts';

useHelpDesk();

const run = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), 'skep-generators-'));
const STRICT = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
};

beforeAll(() => {
  symlinkSync(`${ROOT}node_modules`, join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), '{ "private": true, "type": "module" }');
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Types hold: the program has no error, and each line that expects one has one. */
async function holds(name: string, program: string): Promise<void> {
  writeFileSync(join(dir, name), program);
  expect(await errorsIn(dir, STRICT, [name])).toEqual([]);
  writeFileSync(join(dir, name), program.replaceAll('@ts-expect-error', ''));
  const found = (await errorsIn(dir, STRICT, [name])).map((line) => Number(/\((\d+),\d+\)/.exec(line)![1]));
  const expected = program.split('\n').flatMap((line, at) => (line.includes('@ts-expect-error') ? [at + 2] : []));
  expect([...new Set(found)]).toEqual(expected);
  writeFileSync(join(dir, name), program);
}

/** What the program prints, which is run as it is by Node. */
async function printed(name: string): Promise<unknown> {
  const env = { ...process.env, SKEP_URL: it.gateway, SKEP_HEADERS: JSON.stringify(as('gus')) };
  return JSON.parse((await run(process.execPath, ['--no-warnings', name], { cwd: dir, env })).stdout) as unknown;
}

const OPENAPI_PROGRAM = `import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

declare const process: { readonly env: Record<string, string> };
const { 'X-Customer': c, 'X-Product': p, 'X-Env': e, 'X-Tenant': t, Authorization } = JSON.parse(process.env['SKEP_HEADERS']!);
const header = { 'X-Customer': c as string, 'X-Product': p as string, 'X-Env': e as string, 'X-Tenant': t as string };
const skep = createClient<paths>({ baseUrl: process.env['SKEP_URL']!, headers: { Authorization } });

const made = await skep.POST('/data/rest/ticket', { params: { header }, body: { subject: 'Generated', priority: 'high', requester: 'x' } });
const ticket = made.data?.data?.[0];
const id: string = ticket?.id!;
const path = { id };
const changed = await skep.PATCH('/data/rest/ticket/id/{id}', { params: { header, path }, body: { subject: 'Generated again' } });
const listed = await skep.GET('/data/rest/ticket', { params: { header, query: { subject: 'Generated again', limit: 5 } } });
const subjects: (string | null | undefined)[] | undefined = listed.data?.data?.map((row) => row.subject);
const refused = await skep.GET('/data/rest/ticket/id/{id}', { params: { header, path: { id: '01J00000000000000000000000' } } });
const code: string | undefined = typeof refused.error === 'object' && 'code' in refused.error ? refused.error.code : undefined;
type Create = components['schemas']['ticket.create'];
type Update = components['schemas']['ticket.update'];
const found = await skep.GET('/data/rest/ticket/id/{id}', { params: { header, path } });
const again: string | null | undefined = found.data?.data[0]?.subject;
const form: Create = { subject: 'Later', requester: 'x' };
console.log(JSON.stringify([made.response.status, changed.data?.data?.[0]?.subject, subjects, code, form.subject, again]));

export function wrong(): unknown[] {
  return [
    // @ts-expect-error no such field of a row
    ticket?.subjct,
    // @ts-expect-error no such field of a row in a list
    listed.data?.data?.map((row) => row.subjct),
    // @ts-expect-error no such route
    skep.GET('/data/rest/tickets', { params: { header } }),
    // @ts-expect-error a create with an unknown field
    (): Create => ({ subject: 'x', requester: 'x', colour: 'red' }),
    // @ts-expect-error a create without a required field
    (): Create => ({ text: 'x' }),
    // @ts-expect-error a value that the field does not take
    skep.PATCH('/data/rest/ticket/id/{id}', { params: { header, path }, body: { priority: 'highest' } }),
    // @ts-expect-error an update with an unknown field
    (): Update => ({ colour: 'red' }),
    // @ts-expect-error no such field of the one row that was read
    found.data?.data?.[0]?.subjct,
  ];
}
`;

describe('openapi-typescript with openapi-fetch', () => {
  beforeAll(async () => {
    const { status, text } = await it.call('GET', '/data/schema/openapi.json', as('gus'));
    expect(status).toBe(200);
    writeFileSync(join(dir, 'openapi.json'), text);
    const command = `${ROOT}node_modules/openapi-typescript/bin/cli.js`;
    const options = ['openapi.json', '-o', 'api.d.ts', '--default-non-nullable=false'];
    await run(process.execPath, ['--import', `${ROOT}test/kit/typescript-5.ts`, command, ...options], { cwd: dir });
  }, 60_000);

  test('its types hold a program to the fields', { timeout: 60_000 }, () => holds('rest.ts', OPENAPI_PROGRAM));

  test('the program runs against the node', async () => {
    expect(await printed('rest.ts')).toEqual([
      201,
      'Generated again',
      ['Generated again'],
      'v2.row_not_found',
      'Later',
      'Generated again',
    ]);
  });
});

const DOCUMENTS = `query Open($first: Int, $status: TicketStatus!) {
  ticket(filter: { status: { eq: $status } }, sort: [{ subject: asc }], first: $first) {
    nodes { id subject status created_at organisation { name } }
  }
}
mutation Raise($id: ID!, $changes: TicketUpdate!) { update_ticket(id: $id, data: $changes) { id priority } }`;

const GRAPHQL_PROGRAM = `import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { OpenDocument, RaiseDocument } from './graphql.ts';

declare const process: { readonly env: Record<string, string> };
const headers = { ...(JSON.parse(process.env['SKEP_HEADERS']!) as Record<string, string>), 'Content-Type': 'application/json' };
async function ask<R, V>(document: TypedDocumentNode<R, V>, variables: V): Promise<R> {
  const body = JSON.stringify({ query: print(document), variables });
  const answer = await fetch(process.env['SKEP_URL'] + '/data/graphql', { method: 'POST', headers, body });
  const { data, errors } = (await answer.json()) as { data: R; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

const { ticket } = await ask(OpenDocument, { first: 5, status: 'open' });
const first = ticket?.nodes[0];
const at: string | null | undefined = first?.created_at;
const name: string | null | undefined = first?.organisation?.name;
const { update_ticket: raised } = await ask(RaiseDocument, { id: first!.id, changes: { priority: 'high' } });
console.log(JSON.stringify([first?.status, typeof at, typeof name, raised?.priority]));

export function wrong(): unknown[] {
  return [
    // @ts-expect-error a field that was not asked for
    first?.text,
    // @ts-expect-error no such value
    ask(OpenDocument, { status: 'opened' }),
    // @ts-expect-error a variable is missing
    ask(OpenDocument, { first: 1 }),
    // @ts-expect-error an update with an unknown field
    ask(RaiseDocument, { id: '1', changes: { colour: 'red' } }),
  ];
}
`;

describe('graphql-codegen', () => {
  beforeAll(async () => {
    const asked = { query: getIntrospectionQuery() };
    const { json } = await it.call('POST', '/data/graphql', as('gus'), asked);
    const schema = buildClientSchema((json as { data: IntrospectionQuery }).data);
    const generated = await codegen({
      schema: parse(printSchema(schema)),
      documents: [{ location: 'documents.graphql', document: parse(DOCUMENTS) }],
      filename: 'graphql.ts',
      plugins: [{ operations: {} }, { documents: {} }],
      pluginMap: { operations, documents },
      config: { useTypeImports: true, scalars: { DateTime: 'string', Integer: 'number | string' } },
    });
    writeFileSync(join(dir, 'graphql.ts'), generated);
  }, 60_000);

  test('its types hold a program to the fields', { timeout: 60_000 }, () => holds('query.ts', GRAPHQL_PROGRAM));

  test('the program runs against the node', async () => {
    expect(await printed('query.ts')).toEqual(['open', 'string', expect.any(String), 'high']);
  });
});
