/** Attacks by the shape of a body: JSON that is dear to read, multipart bodies of many kinds, uploads that never end. */
import type { Attack } from './attack.ts';

const BOUNDARY = 'x7f';
export const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

const part = (head: string, body: string): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n`;
export const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, value: string): string =>
  part(
    `Content-Disposition: form-data; name="${name}"; filename="a.bin"\r\nContent-Type: application/octet-stream`,
    value,
  );
export const END = `--${BOUNDARY}--\r\n`;

const written = (name: string, body: () => string, more: Partial<Attack> = {}): Attack => ({
  name: `json-${name}`,
  kind: 'json',
  send: { method: 'POST', path: '/data/rest/note', body },
  statuses: [201, 400, 413, 422],
  ...more,
});

const tags = (text: string): string => `{"name":"n","tags":${text}}`;
const list = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(',');

const json: readonly Attack[] = [
  written('shapes', () => tags(`[${list(300_000, (i) => `{"k${i}":1}`)}]`)),
  written('keys', () => tags(`{${list(300_000, (i) => `"k${i}":1`)}}`)),
  written('indexes', () => tags(`{${list(300_000, (i) => `"${i * 7919}":1`)}}`)),
  written('same-key', () => tags(`{${list(600_000, () => '"a":1')}}`)),
  written('lists', () => tags(`[${list(1_500_000, () => '[]')}]`)),
  written('deep', () => tags(`${'['.repeat(3_000_000)}${']'.repeat(3_000_000)}`)),
  written('number', () => tags('9'.repeat(6_000_000))),
  written('escapes', () => tags(`"${'\\u0041'.repeat(1_200_000)}"`), { times: 4 }),
  written(
    'rows',
    () =>
      JSON.stringify({
        operations: [
          { action: 'create', data: { note: Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}` })) } },
        ],
      }),
    {
      send: {
        method: 'POST',
        path: '/data/rest',
        body: () =>
          JSON.stringify({
            operations: [
              { action: 'create', data: { note: Array.from({ length: 10_000 }, (_, i) => ({ name: `rows${i}` })) } },
            ],
          }),
      },
      statuses: [200, 201, 422],
    },
  ),
];

const formed = (name: string, body: () => string, more: Partial<Attack> = {}): Attack => ({
  name: `multipart-${name}`,
  kind: 'multipart',
  send: { method: 'POST', path: '/data/rest/paper', body, type: FORM },
  statuses: [201, 400, 413, 422],
  ...more,
});

const multipart: readonly Attack[] = [
  formed('parts', () => `${field('title', 'x').repeat(5000)}${END}`),
  formed(
    'headers',
    () => `${part(`Content-Disposition: form-data; name="title"\r\n${'X-A: b\r\n'.repeat(5000)}X-B: c`, 'x')}${END}`,
  ),
  formed('header-line', () => `${part(`Content-Disposition: form-data; name="${'a'.repeat(1_000_000)}"`, 'x')}${END}`),
  formed('near-boundaries', () => `${file('scan', `\r\n--${BOUNDARY.slice(0, 2)}`.repeat(300_000))}${END}`),
  formed('text', () => `${field('title', 'x'.repeat(9_000_000))}${END}`),
  formed('no-end', () => field('title', 'x')),
];

const uploads: readonly Attack[] = [
  {
    name: 'upload-slots',
    kind: 'upload',
    finding: 'O5',
    send: {
      method: 'POST',
      path: '/data/rest/paper',
      type: FORM,
      body: () => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="scan"; filename="a"\r\n\r\n`,
    },
    times: 40,
    how: 'trickled',
    statuses: [],
  },
  {
    name: 'upload-imports',
    kind: 'upload',
    finding: 'O5',
    send: {
      method: 'POST',
      path: '/data/bulk?entity=note&format=jsonl',
      type: 'application/x-ndjson',
      body: () => '{"name":"',
    },
    times: 16,
    how: 'trickled',
    statuses: [],
  },
];

export const shapeAttacks: readonly Attack[] = [...json, ...multipart, ...uploads];
