/** The BFF under attack: values that want to be programs, upstreams that hang, lie and redirect. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import type { Answer, Headers } from '#test/kit/test-node.ts';

const FILES = {
  hanging: `
name: hanging
path: /hanging/{n}
auth: public
calls: { one: { url: "UPSTREAM/{{path.n}}", timeout: 20s } }
`,
  well: `
name: well
path: /well
auth: service
calls:
  near: { service: data, path: /data/rest/item }
  far: { url: OTHER/well }
response: { language: jq, program: "[.calls.far, .calls.near.data]" }
`,
  echo: `
name: echo
method: POST
path: /echo
auth: public
calls: { one: { url: OTHER/echo, method: POST, reads: true, body: "{{body}}", headers: { x-note: "{{query.note}}" } } }
response: { language: template, program: { data: { text: "said {{body.text}}", all: "{{body}}", far: "{{calls.one.text}}" } } }
`,
  filter: `
name: filter
path: /filter
auth: service
calls: { rows: { service: data, path: /data/rest/item, query: { name: "{{query.name}}", limit: "1" } } }
response: { language: jq, program: .calls.rows.data }
`,
  inner: `
name: inner
path: /inner
auth: public
calls: { one: { url: "http://localhost:1/" } }
`,
  mapped: `
name: mapped
path: /mapped
auth: public
calls: { one: { url: "http://[::1]:1/" } }
`,
};

let node: BffNode;
let service: Headers;
let anonymous: Headers;
const get = (path: string, headers = anonymous): Promise<Answer> => node.call('GET', `/bff${path}`, headers);

beforeAll(async () => {
  node = await startBff(FILES);
  service = await node.service();
  anonymous = node.position();
});
afterAll(() => node.stop());
beforeEach(() => {
  node.other.received.length = 0;
  node.other.answer = (_, response) => void response.end('{"text":"{{principal.tenant}}"}');
});

describe('values are values', () => {
  test('a template in a body, a parameter or an upstream’s answer stays text', async () => {
    const text = '{{calls.one.text}} {{principal.subject}} ${KEY}';
    const answer = await node.call('POST', '/bff/echo', anonymous, { text, deep: [{ a: '{{body}}' }] });
    expect(answer.json).toEqual({
      data: { text: `said ${text}`, all: { text, deep: [{ a: '{{body}}' }] }, far: '{{principal.tenant}}' },
    });
    expect(JSON.parse(node.other.received[0]!.body)).toEqual({ text, deep: [{ a: '{{body}}' }] });
  });

  test('a header takes one line: what would begin another is refused', async () => {
    for (const note of ['a\r\nX-Admin: 1', 'a\nb', 'a\u0000b', 'ü', 'x'.repeat(limits.bff.headerCharsMax + 1)]) {
      const answer = await node.call('POST', `/bff/echo?note=${encodeURIComponent(note)}`, anonymous, {});
      expect([answer.status, answer.json]).toMatchObject([400, { code: 'bff.bad_value' }]);
    }
    expect(node.other.received).toEqual([]);
    await node.call('POST', '/bff/echo?note=fine', anonymous, {});
    expect(node.other.received[0]!.headers['x-note']).toBe('fine');
  });

  test('a parameter cannot add another', async () => {
    for (const name of ['a', 'b']) await node.call('POST', '/data/rest/item', service, { name });
    expect((await get('/filter?name=a', service)).json).toMatchObject([{ name: 'a' }]);
    for (const name of ['zz&limit=9', 'zz&name[ne]=zz', 'zz#', 'zz%26name%5Bne%5D=zz', '* or 1=1'])
      expect((await get(`/filter?name=${encodeURIComponent(name)}`, service)).json).toEqual([]);
  });

  test('members that were not sent are not there', async () => {
    const answer = await node.call('POST', '/bff/echo', anonymous, '{"constructor":{"x":1}}');
    expect(answer.json).toMatchObject({ data: { text: 'said ', all: { constructor: { x: 1 } } } });
    expect((await node.call('POST', '/bff/echo', anonymous, '{"__proto__":{"text":"x"}}')).status).toBe(400);
  });
});

describe('addresses', () => {
  test('a declared host that resolves to this machine is not reached', async () => {
    for (const path of ['/inner', '/mapped'])
      expect((await get(path)).json).toMatchObject({ details: { call: 'one', reason: 'refused' } });
  });

  test('a redirect to a neighbour is no answer', async () => {
    node.upstream.answer = (_, response) =>
      void response.writeHead(307, { Location: `http://127.0.0.1:${node.other.port}/secret` }).end();
    expect((await get('/hanging/1')).json).toMatchObject({ details: { reason: 'status', status: 307 } });
    expect(node.other.received).toEqual([]);
  });
});

describe('an upstream that hangs', () => {
  test('others are served while it does, and its own callers are bounded', async () => {
    const held: ServerResponse[] = [];
    const full = new Promise<void>((resolve) => {
      node.upstream.answer = (_, response) => {
        held.push(response);
        if (held.length === limits.bff.originCallsMax) resolve();
      };
    });
    const asked = limits.bff.originCallsMax + limits.bff.originWaitingMax + 20;
    const hanging = Array.from({ length: asked }, (_, n) => get(`/hanging/${n}`));
    await full;
    for (let n = 0; n < 20; n++) {
      const well = await get('/well', service);
      expect([well.status, (well.json as unknown[])[0]]).toEqual([200, { text: '{{principal.tenant}}' }]);
    }
    expect((await node.call('GET', '/data/rest/item', service)).status).toBe(200);
    expect(held).toHaveLength(limits.bff.originCallsMax);
    node.upstream.answer = (_, response) => void response.end('1');
    for (const response of held) response.end('1');
    const answers = await Promise.all(hanging);
    const refused = answers.filter(({ status }) => status === 502);
    expect(refused).toHaveLength(20);
    for (const { json } of refused) expect(json).toMatchObject({ details: { reason: 'refused' } });
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(asked - 20);
  });
});

test('a product whose response decides does not load, and says where', async () => {
  const bad = {
    bad: 'name: bad\npath: /bad\nauth: public\ncalls: { a: { url: UPSTREAM/a } }\nresponse:\n  language: jq\n  program: if .calls.a then 1 else 2 end\n',
  };
  await expect(startBff(bad)).rejects.toThrow(/bff\/bad\.yaml:7:12: if: a response selects and arranges/);
});
