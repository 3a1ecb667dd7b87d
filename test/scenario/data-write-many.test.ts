/** Writes at once, retries, and malformed bodies: over HTTP to a real node (docs/contract/data.md §6, docs/contract/common.md §4). */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JSON_FAULTS, ROW_FAULTS } from '#test/kit/bad-rows.ts';
import { Depot } from '#test/kit/depot.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';

let it: Depot;
beforeAll(async () => {
  it = await Depot.open();
});
afterAll(() => it.node.stop());
const send: Depot['send'] = (...request) => it.send(...request);
const as: Depot['as'] = (extra) => it.as(extra);
const box: Depot['box'] = (row) => it.box(row);
const total: Depot['total'] = (entity) => it.total(entity);

describe('many at once', () => {
  test('of parallel claims of one value exactly one wins, single or compound', async () => {
    const claims = (row: Record<string, unknown>) =>
      Promise.all(Array.from({ length: 20 }, (_, i) => send('POST', 'rest/shelf', { label: `race ${i}`, ...row })));
    const single = await claims({ label: 'the one' });
    const compound = await claims({ row: 7, place: 7 });
    for (const answers of [single, compound]) {
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const { status, json } of answers)
        if (status !== 201) expect([status, json.code]).toEqual([422, 'v2.create_failed']);
    }
    expect(compound.find(({ status }) => status === 422)!.json.details).toEqual({
      fields: {
        row: ['is taken by another row together with row, place'],
        place: ['is taken by another row together with row, place'],
      },
    });
  });

  test('parallel retries under one Idempotency-Key write once and agree', async () => {
    const before = await total('box');
    const headers = as({ 'Idempotency-Key': 'retry-1' });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send('POST', 'rest/box', { name: 'once' }, headers)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await total('box')).toBe(before + 1);
    const other = await send('POST', 'rest/box', { name: 'twice' }, headers);
    expect([other.status, other.json.code]).toEqual([422, 'v2.idempotency_key_reused']);
  });

  test('parallel retries of a long envelope, too', async () => {
    const before = await total('box');
    const body = { operations: [{ data: { box: Array.from({ length: 1000 }, (_, i) => ({ name: `r${i}` })) } }] };
    const headers = as({ 'Idempotency-Key': 'retry-2' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('POST', 'rest', body, headers)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
    expect(await total('box')).toBe(before + 1000);
  });

  test('another tenant of the same host is served between the slices of a long envelope', async () => {
    const rows = Array.from({ length: 9000 }, (_, i) => ({ name: `long ${i}` }));
    const state = { running: true, served: 0 };
    const long = send('POST', 'rest', { operations: [{ data: { box: rows } }] }).finally(() => (state.running = false));
    // Served in order of asking, each answer had to find its turn while the envelope was under way.
    while (state.running) {
      const answer = await send('GET', 'anon/rest/shelf?limit=1', undefined, it.node.position(OTHER_TENANT));
      expect(answer.status).toBe(200);
      state.served++;
    }
    expect((await long).status).toBe(200);
    expect(state.served).toBeGreaterThan(5);
  });

  test('single writes between the slices of long envelopes: nothing is lost, no claim is granted twice', async () => {
    const labels = Array.from({ length: 600 }, (_, i) => ({ label: `mix ${i}` }));
    const long = () => send('POST', 'rest', { operations: [{ data: { shelf: labels } }] });
    const singles = labels.slice(0, 40).map((row) => () => send('POST', 'rest/shelf', row));
    const answers = await Promise.all([long, ...singles, long].map((request) => request()));
    const first = answers[0]!.status;
    const last = answers.at(-1)!.status;
    const kept = answers.slice(1, -1).filter(({ status }) => status === 201).length;
    expect([first, last].filter((status) => status === 200).length * 600 + kept).toBeGreaterThan(0);
    for (const { label } of labels.slice(0, 50)) {
      const found = await send('GET', `rest/shelf?label=${encodeURIComponent(label)}`);
      expect(found.json.count).toBeLessThanOrEqual(1);
    }
    const mixed = (await send('GET', 'rest/shelf?limit=10000')).json.data.filter((row) =>
      String(row['label']).startsWith('mix '),
    );
    expect(mixed).toHaveLength([first, last].includes(200) ? 600 : kept);
  });
});

describe('bad bodies are 400 v2.bad_json or 422, and write nothing', () => {
  test('on create, update and in envelopes', async () => {
    const id = await box();
    const before = await total('box');
    const expected = async (body: string, status: number, codes: readonly string[]): Promise<void> => {
      const wrapped = `{"operations":[{"data":{"box":${body}}}]}`;
      const answers = [
        await send('POST', 'rest/box', body),
        await send('PATCH', `rest/box/id/${id}`, body),
        await send('POST', 'rest', wrapped),
      ];
      for (const [i, answer] of answers.entries()) {
        if (i === 2 && body === '[]') continue; // no rows to create
        // A JSON value that is no object is a fault of the operation, inside an envelope that can be read.
        const statuses = i === 2 ? [400, 422] : [status];
        expect(statuses, `${body.slice(0, 80)}: ${answer.text.slice(0, 200)}`).toContain(answer.status);
        expect(codes).toContain(answer.json.code);
        expect(answer.text.length).toBeLessThan(4096);
      }
    };
    for (const body of JSON_FAULTS) await expected(body, 400, ['v2.bad_json', 'v2.bulk_failed', 'v2.empty_envelope']);
    for (const body of ROW_FAULTS)
      await expected(body, 422, ['v2.create_failed', 'v2.update_failed', 'v2.bulk_failed']);
    for (const bytes of [
      '{"name":"\xff"}',
      '{"name":"\xc0\xaf"}',
      '{"name":"\xed\xa0\x80"}',
      '{"name":"\xf4\x90\x80\x80"}',
    ]) {
      const answer = await it.raw('POST', 'rest/box', Buffer.from(bytes, 'latin1'));
      expect([answer.status, answer.json.code]).toEqual([400, 'v2.bad_json']);
    }
    expect(await total('box')).toBe(before);
    expect((await send('GET', `rest/box/id/${id}`)).json.data[0]).toMatchObject({ name: 'b', version: 1 });
  });

  test('413 over the cap, and the node serves on', async () => {
    const answer = await send('POST', 'rest/box', { name: 'x', note: 'n'.repeat(9_000_000) });
    expect(answer.status).toBe(413);
    expect((await send('POST', 'rest/box', { name: 'after' })).status).toBe(201);
  });

  test('a caller that leaves in the middle of a body writes nothing', async () => {
    const before = await total('box');
    const { hostname, port } = new URL(it.node.gateway);
    const lines = Object.entries(it.bearer).map(([name, value]) => `${name}: ${value}`);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /data/rest/box HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\nContent-Length: 100\r\n\r\n{"name":"half`,
          () => socket.destroy(),
        );
      });
      socket.on('close', () => resolve()).on('error', reject);
    });
    expect(await total('box')).toBe(before);
  });
});
