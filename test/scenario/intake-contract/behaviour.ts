/** docs/contract/intake.md: what intake does, answers, counts and is told, row by row. */
import { expect } from 'vitest';
import { readLog } from '#test/kit/intake-log.ts';
import { call } from '#test/kit/test-node.ts';
import * as cited from './cited.ts';
import type { Proofs } from './rows.ts';
import { configOf, GOOD, OPEN, type Contract } from './world.ts';

const DURABLE = cited.inService('200 {id, received_at} only after the line is synced and the commit is durable');
const CEILINGS = cited.inScenario('by caller, then for all; every answer is counted once, those of the door too');
const REFUSED = cited.onTheLine('a form that does not compile: file, line, column');

export const service: Proofs<'Service'> = {
  'each submission is validated against the definition file of its form': cited.inScenario(
    '422 lists every fault at once',
  ),
  'it answers only after the write is durable': DURABLE,
  'plain HTTP, on a loopback or private interface only': () => {
    expect(configOf('http: { bind: 8.8.8.8:80 }')).toContain('must not listen');
    expect(configOf('http: { bind: "[::1]:8081" }')).toBeTypeOf('object');
  },
  'it applies rate limits': CEILINGS,
  'it can notify by email or chat webhook': cited.inOutbox('is offered once durable, by mail and by chat'),
};

export const metrics: Proofs<'Metrics'> = {
  'requests: the eleven counters': cited.inService(
    'metrics: exactly the names of the contract, no notify block while notifications are off',
  ),
  'notify: the six counters, only when notifications are on': cited.byMail(
    'one mail to all addresses, with the reply address of the submission; nothing of it in the head',
  ),
  'one log line per request with its seven members, never the payload': cited.atTheEdge(
    'one for each request, those of the door too, and never the payload',
  ),
  'each record carries a monotonic ULID id': cited.inForm('ids rise from the last one seen, through a carry'),
};

export const states: Proofs<'States'> = {
  '/ready answers ready while serving, not ready while draining after SIGTERM or SIGINT': cited.inService(
    'readiness turns 503 while draining, first for the balancer, then for submissions',
  ),
};

export const endpoints: Proofs<'Endpoints'> = {
  'POST /f/{id}: 200 only after the durable write': DURABLE,
  'POST /f/{id}: unknown form 404': cited.inScenario('an unknown form'),
  'GET /health, /healthz: 200, healthy true and version': cited.inScenario(
    'the probes are on its own listener only, under both names',
  ),
  'GET /ready, /readyz: 200 ready:true': cited.inScenario('the probes are on its own listener only, under both names'),
  'GET /ready, /readyz: 503 ready:false while draining': cited.inService(
    'readiness turns 503 while draining, first for the balancer, then for submissions',
  ),
  'GET /metrics: JSON counter snapshot': CEILINGS,
  'accepted content types are an allowlist, others 415': cited.inScenario('plain text'),
  'a honeypot hit answers 200 and discards silently': cited.inScenario(
    'a filled honeypot gets a success and is stored nowhere',
  ),
};

export function commands(contract: Contract): Proofs<'Commands'> {
  return {
    'no subcommand runs the server': cited.onTheLine(
      'serves its own listener and nothing else; a flag outranks the file; SIGHUP rotates; SIGTERM drains',
    ),
    'version prints version and build metadata': async () => {
      const { code, out } = await contract.process().run('version');
      expect([code, out]).toEqual([0, expect.stringMatching(/^skep +\d+\.\d+\.\d+[^]*node +22\./)]);
    },
    'config generate prints a default config': cited.inProgram('generate prints every default, and it loads'),
    'config show prints the effective config': async () => {
      const { code, out } = await contract.process().run('config', 'show', '--storage-batch-max', '7');
      expect([code, out]).toEqual([0, expect.stringMatching(/batch_max: 7\b[^]*max_ips: 100000\b/)]);
    },
    'SIGTERM stops accepting, finishes and drains without loss': cited.onDrain(
      'SIGTERM under load: what had arrived is answered and kept, exit 0, nothing to replay',
    ),
    'SIGINT does the same': async () => {
      const it = contract.process();
      const served = await it.serve();
      const submit = async (): Promise<string | null> => {
        const answer = await call(served.url, 'POST', '/f/contact', {}, GOOD).catch(() => null);
        return answer?.status === 200 ? (answer.json as { id: string }).id : null;
      };
      const accepted = [await submit()];
      const load = Array.from({ length: 50 }, submit);
      served.signal('SIGINT');
      accepted.push(...(await Promise.all(load)));
      expect(await served.ended).toBe(0);
      const stored = readLog(it.jsonl).map(({ id }) => id);
      expect(stored).toEqual(expect.arrayContaining(accepted.filter((id) => id !== null)));
      const verified = await it.run('verify', '-f', it.file, '-o', 'json');
      expect(JSON.parse(verified.out)).toMatchObject({ rows: stored.length, ahead: 0, torn: false, faultCount: 0 });
    },
    'SIGHUP forces a log rotation': cited.inScenario('SIGHUP starts a new file; nothing is lost between the two'),
    'write path: JSONL and fsync, then the database, then the acknowledgement': cited.inWriter(
      'append, sync, commit, acknowledge; each only after the one before',
    ),
    'a single writer owns the database connection': cited.onTheLine('verify and export beside the running service'),
    'notifications start only when enabled with a usable transport, else a warning': cited.byMail(
      'enabled without any transport: they stay off, and /metrics has no notify block',
    ),
    'the record is committed before its notice is queued': cited.inOutbox(
      'is offered once durable, by mail and by chat',
    ),
    'the queue of notices is drained at shutdown, best-effort': cited.inCourier(
      'a stop waits for the wire, begins nothing, and answers for nothing that waits',
    ),
    'an OAuth token is cached until about 30 seconds before expiry': cited.ofTokens(
      'a token is cached until 30 seconds before its end, and simultaneous requests share one answer',
    ),
  };
}

export const authentication: Proofs<'Authentication'> = {
  'gateway secret: each request carries it or gets 403': cited.inScenario(
    'each request of its own listener shows the secret or gets 403, probes and unknown paths too',
  ),
  'gateway secret: compared in constant time': cited.inService(
    'the gateway secret is compared whole; without one every caller passes',
  ),
  'the client IP is taken from client_ip_header only, chains are not parsed': CEILINGS,
  'a missing or unparseable address fails closed into one shared bucket': cited.atTheDoor(
    'intake: a caller without an address, and the one after the last that the table holds, share the one bucket',
  ),
  'CORS: an origin allowlist, never *, no credentials': cited.atTheEdge(
    'a page of an allowed origin may read every answer, refusals too',
  ),
};

export const events: Proofs<'Events'> = {
  'email and chat deliveries per form are counted in notify metrics': cited.byMail(
    'to the webhook of the form, else to the default one; markup that a caller sent is text',
  ),
};

export function errors(contract: Contract): Proofs<'Errors'> {
  return {
    '413 above max_body_bytes': cited.inScenario(
      'a body of 65,537 bytes is too large, with or without a length; one of 65,536 is looked at',
    ),
    '415 content type not allowed': cited.inScenario('a compressed body'),
    '404 unknown form': cited.inScenario('a prototype name'),
    '403 gateway secret missing or wrong': cited.atTheEdge(
      'a caller that does not show it takes nothing from a bucket, whatever address it claims',
    ),
    '503 writer queue full': async () => {
      const it = await contract.node(`storage: { queue_depth: 1, batch_max: 1 }\n  ${OPEN}`);
      const own = it.node.listeners['intake']!;
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => it.call('POST', '/f/contact', {}, GOOD, own)),
      );
      const shed = answers.filter(({ status }) => status === 503);
      const accepted = answers.filter(({ status }) => status === 200);
      expect([shed.length > 0, accepted.length > 0, shed.length + accepted.length]).toEqual([true, true, 100]);
      expect(shed[0]!.json).toMatchObject({ code: 'intake.shedding' });
      expect(shed[0]!.headers.get('retry-after')).toBe('1');
      const { json } = await it.call('GET', '/metrics', {}, undefined, own);
      expect(json).toMatchObject({ requests: { accepted: accepted.length, shedding: shed.length } });
      const stored = readLog(`${it.dir}/data/intake/jsonl`).map(({ id }) => id);
      expect(stored).toEqual(accepted.map((answer) => (answer.json as { id: string }).id).toSorted());
    },
    '503 global ceiling reached': cited.atTheDoor(
      "intake: 429 for a caller, 503 past the ceiling of all; a refused caller takes nothing from the others' share",
    ),
    'counted: validation failures, bad requests, rate-limited requests': CEILINGS,
    'counted: internal errors': cited.inOverload('a broken disk: logged once, nothing acknowledged any more'),
    'a destructive form diff refuses the start': cited.onTheLine(
      'a form that retypes or removes a stored column: the difference is printed, nothing is touched',
    ),
    'a form that fails to compile refuses the start': REFUSED,
  };
}

export const limits: Proofs<'Limits'> = {
  'body 65536 bytes': cited.inScenario(
    'a body of 65,537 bytes is too large, with or without a length; one of 65,536 is looked at',
  ),
  'fields 100, parts 100': cited.inMultipart('101 parts, and 101 fields'),
  'writer queue 1024; overflow gives 503': cited.inOverload(
    'a full queue: 503 with Retry-After, counted; what was taken is stored once',
  ),
  'per IP 5, burst 20': () => expect(configOf('')).toMatchObject({ ratelimit: { per_ip: 5, per_ip_burst: 20 } }),
  'global 200, burst 400': () => expect(configOf('')).toMatchObject({ ratelimit: { global: 200, global_burst: 400 } }),
  'idle IP entries evicted after 10m': cited.inBuckets(
    'an entry goes when its bucket has been full for the idle time, not before',
  ),
  'at most 100000 IPs': cited.atTheDoor(
    'intake: the 100,001st address fails closed into the one bucket; the 100,000 before it keep theirs',
  ),
  'group commit: up to 64 records or 25ms': cited.inWriter(
    'a batch whose oldest record waited longer than batchWaitMs is counted as late',
  ),
  'notify: a full queue drops and counts': cited.byMail('a full outbox drops and counts; the submission is kept'),
  'notify: 4 workers, 4 retries, 2s backoff to 30s, 10s per attempt': cited.inCourier(
    'a temporary failure is tried again: 2 s, doubling, at most 30 s, so many times',
  ),
};

export const versioning: Proofs<'Versioning'> = {
  'the version command prints version and build metadata': cited.inProgram(
    'as a flag and as a verb, for people and for programs',
  ),
};
