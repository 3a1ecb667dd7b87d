/** The audit log over HTTP: strict appends, proofs, and the whole of it verified by what its listener serves. */
import { auditVerify } from '#runtime/cli/audit-verify.ts';
import type { BenchCase } from './harness.ts';
import { withDataNode, type DataNode } from './kit/data-node.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { httpSeconds, measureUrl } from './kit/http-load.ts';
import type { LoadRequest } from './kit/load-script.ts';
import { median } from './kit/stats.ts';
import { busyOf, watched } from './kit/watch.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
/** What the appends leave is verified in seconds. */
const VERIFY_SECONDS = 5;
const LOG = `/audit/logs/${encodeURIComponent('tenant/acme/bench/dev/busy')}`;
const RECORD = { action: 'bench.door.open', target: 'front', data: { sha256: '5'.repeat(64), version: 1 } };

/** The signed log: what verifies it, and that all which was appended is in it. */
interface Log {
  readonly size: number;
  readonly verifier_key: string;
}

/** Appends one more record and waits until it is signed, and with it all before it. */
async function published(node: DataNode): Promise<Log> {
  const headers = { ...(await node.headers()), 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(RECORD) };
  const answer = await fetch(`${node.gateway}${LOG}/records?wait=checkpoint`, init);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the append answered ${answer.status} ${text.slice(0, 300)}`);
  const log = await fetch(node.gateway + LOG, { headers: await node.adminHeaders() });
  return (await log.json()) as Log;
}

/** As `skep audit verify <url>` does it; seconds. Throws unless every record is verified. */
async function verifySeconds(node: DataNode, { size, verifier_key: key }: Log): Promise<number> {
  const { Authorization: bearer = '' } = await node.adminHeaders();
  let said = '';
  const terminal = {
    out: (text: string) => void (said += text),
    err: (text: string) => void (said += text),
    redraws: false,
    columns: 80,
    env: { SKEP_TOKEN: bearer.replace('Bearer ', '') },
    now: () => Date.now(),
  };
  const began = performance.now();
  await auditVerify(node.gateway + LOG, { key, json: true }, terminal);
  const { records } = JSON.parse(said) as { records: number };
  if (records < size) throw new Error(`${records} records are verified of ${size}`);
  return (performance.now() - began) / 1000;
}

async function verified(node: DataNode, runs: number): Promise<Figure> {
  const log = await published(node);
  const times = [];
  for (let i = 0; i < runs; i++) times.push(await watched(() => verifySeconds(node, log)));
  const speeds = times.map(({ value }) => log.size / value);
  const note = `records a second, of ${number(log.size)}; the bench itself verifies`;
  return {
    name: 'audit-http verify',
    unit: 'op/s',
    value: median(speeds),
    runs: speeds,
    ...busyOf(times),
    errors: 0,
    note,
  };
}

export const auditHttp: BenchCase = {
  name: 'audit-http',
  measures: `strict records appended one a request, ${CONNECTIONS} connections; an inclusion proof; the whole log verified by its URL`,
  target: '',
  http: false,
  seconds: (options) => 10 + 2 * httpSeconds({ seconds: SECONDS }, options) + VERIFY_SECONDS * options.pairs,
  run: (bench) =>
    withDataNode(
      bench,
      async (node) => {
        const spec = { connections: CONNECTIONS, seconds: SECONDS, expect: 200 };
        const record = async (): Promise<LoadRequest> => ({
          method: 'POST',
          headers: { ...(await node.headers()), 'Content-Type': 'application/json' },
          body: [JSON.stringify(RECORD)],
        });
        const url = node.gateway + LOG;
        const append = await measureUrl(bench, {
          ...spec,
          name: 'audit-http append',
          url: `${url}/records`,
          request: record,
        });
        await published(node);
        const proof = await measureUrl(bench, {
          ...spec,
          name: 'audit-http proof',
          url: `${url}/proof/inclusion?index=1`,
          request: async () => ({ method: 'GET', headers: await node.adminHeaders(), body: null }),
        });
        return [append, proof, await verified(node, bench.options.pairs)];
      },
      { more: 'audit: { enabled: true, name: audit.example }' },
    ),
};
