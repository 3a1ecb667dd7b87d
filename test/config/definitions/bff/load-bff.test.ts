/** BFF declarations: what they may say, and what is wrong with file, line and column. Source: docs/contract/bff.md §3. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '#test/kit/property.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BffEndpointDefinition } from '#config/definitions/bff/shapes.ts';
import { stagesOf, waitsFor } from '#config/definitions/bff/graph.ts';
import { loadProduct } from '#config/definitions/load-product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-bff-'));
  mkdirSync(join(dir, 'bff'));
  writeFileSync(join(dir, 'product.yaml'), 'name: atlas\noutbound: { hosts: [api.example.org] }\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (text: string, name = 'a'): void => writeFileSync(join(dir, 'bff', `${name}.yaml`), text);
const HEAD = 'name: a\npath: /a/{id}\nauth: public\n';
const load = () => loadProduct(dir, { env: { KEY: 'k' } });

function endpoints(): readonly BffEndpointDefinition[] {
  const loaded = load();
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.bff ?? [];
}

function problems(): string[] {
  const loaded = load();
  return 'problems' in loaded
    ? loaded.problems.map(({ line, column, message, mend }) => `${line}:${column} ${message}: ${mend}`)
    : [];
}

/** The problem of one call in flow style, on the fifth line. */
function callProblems(call: string, more = ''): string {
  write(`${HEAD}calls:\n  x: ${call}\n${more}`);
  return problems().join('\n');
}

describe('what it says', () => {
  test('defaults, placeholders, stages', () => {
    write(
      `${HEAD}calls:
  last: { url: "https://api.example.org/v1/", path: "/x/{{ calls.first.data[0].name }}", needs: [first], cache: 1m }
  first: { service: data, path: "/data/rest/city/id/{{path.id}}", headers: { Accept: "\${KEY}" }, timeout: 2s, retries: 1 }
`,
    );
    const [endpoint] = endpoints();
    expect(endpoint).toMatchObject({
      name: 'a',
      method: 'GET',
      path: '/a/{id}',
      auth: 'public',
      cacheMs: 0,
      response: null,
    });
    expect(endpoint!.calls).toMatchObject([
      {
        name: 'first',
        to: { kind: 'service', service: 'data' },
        path: ['/data/rest/city/id/', { source: 'path', steps: ['id'] }],
        headers: [['accept', ['k']]],
        stage: 0,
        needs: [],
        onError: 'fatal',
        timeoutMs: 2000,
        retries: 1,
      },
      {
        name: 'last',
        to: { kind: 'outside', origin: 'https://api.example.org' },
        path: ['/v1/x/', { source: 'calls', steps: ['first', 'data', '0', 'name'] }],
        stage: 1,
        needs: ['first'],
        timeoutMs: 5000,
        cacheMs: 60_000,
      },
    ]);
  });

  test('a write waits for the calls that could fail the answer, not for those that need it', () => {
    write(
      `name: a
method: POST
path: /a
auth: user
calls:
  after: { url: "https://api.example.org/x/{{calls.write.id}}" }
  mild: { url: "https://api.example.org/y", on_error: "null" }
  check: { url: "https://api.example.org/z" }
  write: { service: data, method: POST, path: /data/rest/city, body: { name: "{{body.name}}", deep: [{ a: "x{{query.q}}" }] } }
`,
    );
    const needs = Object.fromEntries(endpoints()[0]!.calls.map((call) => [call.name, [call.stage, call.needs]]));
    expect(needs).toEqual({ mild: [0, []], check: [0, []], write: [1, ['check']], after: [2, ['write']] });
  });
});

describe('what is refused, where, and how to mend it', () => {
  test.each([
    ['{ service: data }', '5:3 a call of a service needs its path: add `path:`'],
    ['{ }', '5:3 a call goes to a service or to a url'],
    ['{ service: data, url: "https://api.example.org", path: /data/x }', 'a call goes to a service or to a url'],
    ['{ service: audit, path: /audit/logs }', 'service'],
    ['{ service: data, path: /auth/token }', '5:29 no path of the data service: begin with /data/'],
    [
      '{ url: "https://evil.example/x" }',
      '5:13 evil.example is not in outbound.hosts: add it in product.yaml: known here: api.example.org',
    ],
    ['{ url: "https://api.example.com/x" }', 'did you mean "api.example.org"?'],
    ['{ url: "https://{{query.host}}/x" }', '5:13 not a URL of an upstream'],
    ['{ url: "https://api.example.org{{query.x}}" }', 'not a URL of an upstream'],
    ['{ url: "https://api.example.org@evil.example/" }', 'not a URL of an upstream'],
    ['{ url: "https://api.example.org\\\\@evil.example/" }', 'not a URL of an upstream'],
    ['{ url: "file:///etc/passwd" }', 'not a URL of an upstream'],
    ['{ url: "https://api.example.org/x?a=1" }', 'a path has no query'],
    ['{ url: "https://api.example.org/a/../b" }', 'not a path as it is sent'],
    ['{ service: data, path: "/data/rest/{{calls.y.id}}" }', '5:29 there is no call "y"'],
    ['{ service: data, path: "/data/rest/{{path.it}}" }', 'there is no parameter of the path "it": did you mean "id"?'],
    [
      '{ service: data, path: "/data/rest/{{header.authorization}}" }',
      'there is no header that a declaration may name',
    ],
    ['{ service: data, path: "/data/rest/{{env.X}}" }', 'there is no env to take a value from'],
    ['{ service: data, path: "/data/rest/{{#if body}}" }', 'conditions and derived values belong in a service'],
    [
      '{ service: data, path: "/data/rest/{{query.a || query.b}}" }',
      'conditions and derived values belong in a service',
    ],
    ['{ service: data, path: "/data/rest/{{query.a" }', 'a {{ without its }}'],
    ['{ service: data, path: /data/x, when: "1" }', '5:38 a BFF endpoint has no "when": a declaration only composes'],
    ['{ service: data, path: /data/x, headers: { Authorization: x } }', 'called with the credential of the caller'],
    ['{ service: data, path: /data/x, headers: { X-Tenant: x } }', 'the node sets X-Tenant itself'],
    ['{ url: "https://api.example.org/", headers: { Host: x } }', 'the node sets Host itself'],
    ['{ service: data, path: /data/x, on_error: default }', 'there is no default to fall back to'],
    ['{ service: data, path: /data/x, default: 1 }', 'a fatal call has no use for a default'],
    ['{ service: data, path: /data/x, retries: 9 }', 'retries'],
    ['{ service: data, path: /data/x, timeout: 2h }', 'a duration of at most a minute'],
    ['{ service: data, path: /data/x, needs: [x] }', 'there is no call "x"'],
    ['{ service: data, path: /data/x, body: { a: 1 } }', 'a GET sends no body'],
    [
      '{ service: data, path: /data/x, method: POST, body: { a: ["{{x}}"] } }',
      '5:64 there is no x to take a value from',
    ],
    ['{ service: data, path: /data/x, method: POST }', 'a GET endpoint changes nothing'],
  ])('%s', (call, said) => {
    expect(callProblems(call)).toContain(said);
  });

  test('writes: two of them, one that is tried again, one that may fail unseen', () => {
    write(
      `name: a
method: POST
path: /a
auth: user
calls:
  one: { service: data, method: POST, path: /data/rest/a, retries: 1 }
  two: { service: content, method: PATCH, path: /content/a/b/c, on_error: "null", cache: 1m }
`,
    );
    expect(problems()).toEqual([
      expect.stringMatching(/^6:59 a POST may happen twice/),
      expect.stringMatching(/^7:36 "one" writes already: writes that belong together/),
      expect.stringMatching(/^7:65 a write that failed must fail the answer/),
      expect.stringMatching(/^7:83 a write cannot be cached/),
    ]);
  });

  test('circles are reported whole', () => {
    write(
      `${HEAD}calls:
  a: { service: data, path: "/data/{{calls.b.x}}" }
  b: { service: data, path: /data/b, needs: [c] }
  c: { service: data, path: /data/c, needs: [a] }
`,
    );
    expect(problems()).toEqual(['5:3 calls wait for one another: a → b → c → a: remove one of these needs']);
  });

  test('taken paths, and endpoints that stand in one another’s way', () => {
    const call = 'calls: { x: { service: data, path: /data/x } }\n';
    for (const path of ['/list', '/health', '/ready'])
      write(`name: ${path.slice(1)}\npath: ${path}\nauth: public\n${call}`, path.slice(1));
    write(`name: one\npath: /p/{a}\nauth: public\n${call}`, 'one');
    write(`name: one\npath: /p/{b}\nauth: public\n${call}`, 'two');
    const said = problems().join('\n');
    for (const path of ['/list', '/health', '/ready']) expect(said).toContain(`2:7 ${path} is the service's own`);
    expect(said).toContain('1:7 the endpoint "one" is declared twice');
    expect(said).toContain('2:7 GET /p/{b} is declared twice');
  });

  test('no calls, a cached POST, an unknown key, a template without a program', () => {
    write('name: a\npath: /a\nauth: public\ncalls: {}\n');
    expect(problems()[0]).toMatch(/^4:\d+ .*one to 32 calls/);
    write('name: a\nmethod: POST\npath: /a\nauth: public\ncache: 1m\ncalls: { x: { service: data, path: /data/x } }\n');
    expect(problems()).toEqual(['5:1 a POST cannot be cached: remove it']);
    write(`${HEAD}call: {}\ncalls: { x: { service: data, path: /data/x } }\n`);
    expect(problems()).toEqual(['4:1 unknown key "call": did you mean "calls"?']);
    write(`${HEAD}calls: { x: { service: data, path: /data/x } }\nresponse: { language: template, program: }\n`);
    expect(problems().join()).toContain('a template needs its program');
  });
});

const graphs = fc.array(fc.array(fc.nat({ max: 7 }), { maxLength: 4 }), { minLength: 1, maxLength: 8 });

test('a stage is above all that a call needs, or there is a circle, and it is one', () => {
  fc.assert(fc.property(graphs, checkStages));
});

function checkStages(edges: readonly (readonly number[])[]): void {
  const name = (at: number): string => `c${at % edges.length}`;
  const calls = edges.map((needs, at) => ({ name: name(at), needs: [...new Set(needs.map(name))] }));
  const staged = stagesOf(calls);
  const needsOf = (call: string) => calls.find((one) => one.name === call)!.needs;
  if ('circle' in staged) {
    const { circle } = staged;
    expect(circle.length).toBeGreaterThan(1);
    expect(circle[0]).toBe(circle.at(-1));
    circle.slice(1).forEach((next, at) => expect(needsOf(circle[at]!)).toContain(next));
    return;
  }
  for (const call of calls) {
    for (const need of call.needs) expect(staged.stages.get(need)).toBeLessThan(staged.stages.get(call.name)!);
    for (const far of waitsFor(calls, call.name))
      expect(staged.stages.get(far)).toBeLessThan(staged.stages.get(call.name)!);
  }
}
