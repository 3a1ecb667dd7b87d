/**
 * A kept OCSP answer over the vault's listener (target: 0.8 × of a constant answer of the same listener). The constant one is the same
 * request to a door of the same kind that gives the same lines and bytes and crosses no thread. Both over TLS 1.3, as a vault is served,
 * and over plain HTTP, where nothing hides the hop.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { selfSign } from '#actors/vault/pki/certificate.ts';
import { fromPem, toPem } from '#actors/vault/pki/pem.ts';
import { readCertificate } from '#actors/vault/pki/read-certificate.ts';
import type { BenchCase } from './harness.ts';
import type { DoorTls } from '#runtime/door/port.ts';
import type { ConstantAnswer } from './kit/constant-door.process.ts';
import { ratioOf, type Pair } from './kit/figure.ts';
import { ocspRequest } from './kit/ocsp-request.ts';
import { freePortBase } from './kit/ports.ts';
import { startServer } from './kit/server.ts';
import { median } from './kit/stats.ts';
import type { Options } from './kit/options.ts';
import { busyOf } from './kit/watch.ts';
import { unexpected, type LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const SECONDS = 10;
const CONNECTIONS = 64;
const RATIO_MIN = 0.8;
const VAULT_PLACE = 7;
const OK = 200;
const DAY_MS = 86_400_000;
const NOTE = 'ratio to a door of its own that gives every caller the same lines and bytes';
/** Node's own, and the one that is another each time. */
const OF_THE_DOOR = new Set(['connection', 'content-length', 'date', 'keep-alive', 'uwebsockets', 'x-request-id']);

/** The path of a request about a certificate that the vault has just issued. */
async function ocspPath(url: string): Promise<string> {
  const body = JSON.stringify({ common_name: 'api', dns: ['api.bench.test'] });
  const headers = { 'Content-Type': 'application/json' };
  const made = await fetch(`${url}/certificate/internal`, { method: 'POST', headers, body });
  if (made.status !== 201) throw new Error(`no certificate: ${made.status} ${await made.text()}`);
  const { ca, serial } = (await made.json()) as { ca: string; serial: string };
  const facts = readCertificate(fromPem(ca, ['CERTIFICATE'])!);
  if (typeof facts === 'string') throw new Error(facts);
  const key = createPublicKey(ca).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(key.x!, 'base64url'), Buffer.from(key.y!, 'base64url')]);
  const sha1 = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();
  const request = ocspRequest({ name: sha1(facts.subjectName), key: sha1(point) }, serial);
  return `/pki/ocsp/${encodeURIComponent(request.toString('base64'))}`;
}

/** A certificate for the listener, which wrk does not look at. */
async function tlsFiles(directory: string): Promise<DoorTls> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { der } = selfSign(privateKey, { organization: 'Skep', commonName: 'bench' }, Date.now(), DAY_MS);
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  await writeFile(certFile, toPem('CERTIFICATE', der));
  await writeFile(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return { certFile, keyFile, requestCert: true };
}

/** The vault's answer to a request, which is the same for every caller. */
async function answerOf(url: string): Promise<Pick<ConstantAnswer, 'lines' | 'body'>> {
  const answer = await fetch(url);
  if (answer.status !== OK) throw new Error(`${url} answered ${answer.status}`);
  const own = [...answer.headers].filter(([name]) => !OF_THE_DOOR.has(name));
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  return { lines: own.map(([name, value]) => `${name}: ${value}\n`).join(''), body };
}

/** A door with a constant answer, in a process of its own, for as long as `work` takes. */
async function withConstant<T>(file: string, answer: ConstantAnswer, work: (at: string) => Promise<T>): Promise<T> {
  await writeFile(file, JSON.stringify(answer));
  const child = fork(new URL('./kit/constant-door.process.ts', import.meta.url), [file]);
  try {
    const [port] = (await once(child, 'message')) as [number];
    return await work(`${answer.tls === null ? 'http' : 'https'}://127.0.0.1:${port}`);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Pairs of the constant and the kept answer. */
async function measure(
  url: string,
  constantUrl: string,
  path: string,
  { pairs: count, seconds = SECONDS, threads }: Options,
) {
  const load = (origin: string): Promise<LoadResult> => {
    const request = { method: 'GET', headers: {}, body: null };
    return runWrk({ url: origin + path, request, connections: CONNECTIONS, threads, seconds });
  };
  await load(constantUrl);
  await load(url);
  const pairs: Pair[] = [];
  const answers: LoadResult[] = [];
  let errors = 0;
  for (let i = 0; i < count; i++) {
    const constant = await load(constantUrl);
    const kept = await load(url);
    answers.push(kept);
    errors += unexpected(constant, OK) + unexpected(kept, OK);
    pairs.push({ ceiling: constant.perSecond, value: kept.perSecond });
  }
  const middle = (of: (answer: LoadResult) => number): number => median(answers.map(of));
  const times = {
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    p999Ms: middle(({ p999Ms }) => p999Ms),
  };
  const value = median(pairs.map((pair) => pair.value));
  const ceiling = median(pairs.map((pair) => pair.ceiling));
  const ratio = ratioOf(pairs);
  return { unit: 'op/s', value, ...times, ceiling, ratio, pairs, ...busyOf(answers), errors, note: NOTE } as const;
}

export const ocspKept: BenchCase = {
  name: 'ocsp-kept',
  measures: `a kept OCSP answer by GET on ${CONNECTIONS} connections, and a constant answer of the same listener`,
  target: `≥ ${RATIO_MIN} ×`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 20 + 2 * (2 * pairs + 2) * seconds,
  async run({ dataDir, options, profileDir }) {
    const directory = await mkdtemp(join(dataDir, 'ocsp-'));
    const portBase = await freePortBase();
    const set = ['vault.enabled=true', 'vault.profile=development'];
    const at = `127.0.0.1:${portBase + VAULT_PLACE}`;
    const serve = (more: readonly string[]) =>
      startServer({ dataDir: directory, portBase, hosts: options.hosts ?? 1, set: [...set, ...more], profileDir });
    const file = join(directory, 'constant.json');
    const open = await serve([]);
    let path: string;
    let plain: Awaited<ReturnType<typeof measure>>;
    let answer: Awaited<ReturnType<typeof answerOf>>;
    try {
      const url = `http://${at}`;
      path = await ocspPath(url);
      answer = await answerOf(url + path);
      plain = await withConstant(file, { ...answer, tls: null }, (constant) => measure(url, constant, path, options));
    } finally {
      await open.stop();
    }
    const tls = await tlsFiles(directory);
    const closed = await serve([`vault.tls.cert=${tls.certFile}`, `vault.tls.key=${tls.keyFile}`]);
    try {
      const held = { of: 'ratio', bound: 'min', than: RATIO_MIN } as const;
      const kept = (constant: string) => measure(`https://${at}`, constant, path, options);
      const figure = await withConstant(file, { ...answer, tls }, kept);
      return [
        { name: 'ocsp-kept', ...figure, target: held },
        { name: 'ocsp-kept plain HTTP', ...plain },
      ];
    } finally {
      await closed.stop();
      await rm(directory, { recursive: true });
    }
  },
};
