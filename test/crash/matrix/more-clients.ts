/** Clients beside those of test/crash/images/load.ts: files of rows, uploads in parts, images in other sizes, secrets. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AnswerCheck, type OpenApi } from '#test/kit/answer-check.ts';
import { holdAgainstDocument } from '#test/kit/documented.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { answerOf, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';

/** One pixel (PNG). */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const UPLOAD_BYTES = 9000;
const TUS = { 'Tus-Resumable': '1.0.0' };
const vaultAnswers = new AnswerCheck(
  JSON.parse(readFileSync(new URL('../../../docs/openapi.vault.json', import.meta.url), 'utf8')) as OpenApi,
);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What was acknowledged, and must be found by a node that starts again. */
export class Acknowledged {
  /** Digests of files, by the path that they are read at. */
  readonly files = new Map<string, string>();
  /** Bytes that an upload had taken, by its path. */
  readonly uploads = new Map<string, number>();
  /** Of a secret: the newest value that was acknowledged, and those that were asked for since. */
  readonly secrets = new Map<string, { readonly value: string | undefined; readonly asked: readonly string[] }>();

  get count(): number {
    return this.files.size + this.uploads.size + this.secrets.size;
  }
}

export interface MoreWish {
  readonly node: ProcessNode;
  readonly headers: Headers;
  readonly rounds: number;
  readonly name: string;
  readonly acknowledged: Acknowledged;
  readonly refused: (answer: Pick<Answer, 'status' | 'text'>) => void;
}

/** One request, whose answer is held against its document. */
async function send(wish: MoreWish, method: string, path: string, init: RequestInit): Promise<Answer> {
  const headers = { ...wish.headers, ...(init.headers as Headers) };
  const answer = await answerOf(await fetch(wish.node.listeners['gateway']! + path, { ...init, method, headers }));
  const type = answer.headers.get('content-type');
  holdAgainstDocument({ method, path, status: answer.status, type, text: answer.text });
  return answer;
}

async function document(wish: MoreWish, key: string): Promise<void> {
  const bytes = Buffer.alloc(3000, key);
  const form = new FormData();
  form.set('id', key);
  form.set('title', key);
  form.set('scan', new Blob([bytes], { type: 'application/octet-stream' }), 'scan.bin');
  const answer = await send(wish, 'POST', '/data/rest/document', { body: form });
  if (answer.status === 201)
    wish.acknowledged.files.set(`/data/rest/document/id/${key}?download=true&field=scan`, sha256(bytes));
  else wish.refused(answer);
}

/** In a store whose notes are files. */
async function noted(wish: MoreWish, key: string): Promise<void> {
  const bytes = Buffer.alloc(2000, key);
  const form = new FormData();
  form.set('file', new Blob([bytes], { type: 'application/octet-stream' }), `${key}.bin`);
  const answer = await send(wish, 'POST', '/store/noted/asset', { body: form });
  if (answer.status !== 201) return wish.refused(answer);
  const { id } = answer.json as { id: string };
  wish.acknowledged.files.set(`/store/noted/asset/${id}/download`, sha256(bytes));
}

/** Begins an upload and sends its first half; every other one is sent whole. */
async function upload(wish: MoreWish, isWhole: boolean): Promise<void> {
  const metadata = `filename ${Buffer.from('a.bin').toString('base64')}`;
  const begin = { ...TUS, 'Upload-Length': String(UPLOAD_BYTES), 'Upload-Metadata': metadata };
  const made = await send(wish, 'POST', '/store/media/upload', { headers: begin });
  if (made.status !== 201) return wish.refused(made);
  const path = new URL(made.headers.get('location')!, 'http://any').pathname;
  wish.acknowledged.uploads.set(path, 0);
  for (let at = 0; at < (isWhole ? UPLOAD_BYTES : UPLOAD_BYTES / 2); at += UPLOAD_BYTES / 2) {
    const headers = { ...TUS, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(at) };
    const body = new Uint8Array(UPLOAD_BYTES / 2).fill(at % 251);
    const sent = await send(wish, 'PATCH', path, { headers, body });
    if (sent.status !== 204) return wish.refused(sent);
    wish.acknowledged.uploads.set(path, Number(sent.headers.get('upload-offset')));
  }
}

/** An image, in another size: a file that is made of a file. */
async function image(wish: MoreWish): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([PIXEL], { type: 'image/png' }), 'a.png');
  const made = await send(wish, 'POST', '/store/media/asset', { body: form });
  if (made.status !== 201) return wish.refused(made);
  const path = `/store/media/asset/${(made.json as { id: string }).id}/image/thumb`;
  const response = await fetch(wish.node.listeners['gateway']! + path, { headers: wish.headers });
  const type = response.headers.get('content-type');
  const text = response.ok ? '' : await response.clone().text();
  if (!response.ok) holdAgainstDocument({ method: 'GET', path, status: response.status, type, text });
  await response.arrayBuffer();
  if (!response.ok) wish.refused({ status: response.status, text });
}

async function secret(wish: MoreWish, name: string, value: string): Promise<void> {
  const { secrets } = wish.acknowledged;
  const { value: known, asked = [] } = secrets.get(name) ?? {};
  secrets.set(name, { value: known, asked: [...asked, value] });
  const url = `${wish.node.listeners['vault']!}/secret/${name}`;
  const answer = await callVault(url, null, 'PUT', { value }, positionHeaders(TENANT));
  // The vault's own listener has a document of its own.
  vaultAnswers.expect('/secret/{name}', 'PUT', answer.status, answer.json, { type: 'application/json' });
  if (answer.status === 200 || answer.status === 201) secrets.set(name, { value, asked: [] });
  else wish.refused(answer);
}

export async function runMore(wish: MoreWish): Promise<void> {
  const acts: ((key: string, round: number) => Promise<void>)[] = [
    (key) => document(wish, `${key}.d`),
    (key) => noted(wish, `${key}.n`),
    (_key, round) => upload(wish, round % 2 === 1),
    (_key, round) => (round === 0 ? image(wish) : Promise.resolve()),
  ];
  if (wish.node.listeners['vault'] !== undefined)
    acts.push((key, round) => secret(wish, `s-${wish.name}-${round % 2}`, key));
  const runs = acts.map(async (act) => {
    for (let round = 0; round < wish.rounds; round++) await act(`${wish.name}${round}`, round);
  });
  await Promise.allSettled(runs);
  await Promise.all(runs);
}

/** What of it a node does not have: none where all is well. */
export async function missingOf(acknowledged: Acknowledged, node: ProcessNode, headers: Headers): Promise<string[]> {
  const gateway = node.listeners['gateway']!;
  const found: string[] = [];
  for (const [path, digest] of acknowledged.files) {
    const file = await fetch(gateway + path, { headers });
    if (sha256(new Uint8Array(await file.arrayBuffer())) !== digest)
      found.push(`${path} was answered and is missing, or has other bytes (${file.status})`);
  }
  for (const [path, offset] of acknowledged.uploads) {
    const state = await fetch(gateway + path, { method: 'HEAD', headers: { ...headers, ...TUS } });
    const has = Number(state.headers.get('upload-offset'));
    if (state.status !== 200 || has < offset)
      found.push(`${path} had ${offset} bytes, and has ${has} (${state.status})`);
  }
  for (const [name, { value: answered, asked }] of acknowledged.secrets) {
    const url = `${node.listeners['vault']!}/secret/${name}`;
    const { status, json } = await callVault(url, null, 'GET', undefined, positionHeaders(TENANT));
    const { value } = (json ?? {}) as { value?: string };
    if (value !== answered && !asked.includes(value!))
      found.push(`secret ${name} is ${value} (${status}), and ${[answered, ...asked].join(' or ')} may be`);
  }
  return found;
}
