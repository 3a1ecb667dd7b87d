/** docs/contract/intake.md §2, row by row. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadForms } from '#config/definitions/load-forms.ts';
import * as cited from './cited.ts';
import type { Proofs } from './rows.ts';
import { configOf, type Contract } from './world.ts';

export function configuration(contract: Contract): Proofs<'Configuration'> {
  return {
    'every key has the default of the table, and there are no others': cited.inConfig(
      'of intake are the table, and the table is all there is',
    ),
    'flags over file over defaults; only flags explicitly set override the file': cited.inProgram(
      'only flags that are given override the file',
    ),
    'every key has a flag, and the named flags are those': cited.inProgram(
      'every named flag is there, and every key has a flag of its own',
    ),
    'secrets come from --gateway-secret or the five variables': cited.inConfig(
      'the secrets of intake come from their variables; an empty one counts as not set',
    ),
    'config show redacts the secrets': async () => {
      const { code, out } = await contract.process().run('config', 'show', '--gateway-secret', 'hunter2');
      expect([code, out.includes('gateway_secret'), out.includes('hunter2')]).toEqual([0, true, false]);
    },
    'http.bind': async () => {
      const served = await contract.process().serve();
      expect(new URL(served.url).hostname).toBe('127.0.0.1');
      expect((await fetch(`${served.url}/health`)).status).toBe(200);
      expect(await served.stop()).toBe(0);
    },
    'http.max_body_bytes': cited.onTheLine(
      'serves its own listener and nothing else; a flag outranks the file; SIGHUP rotates; SIGTERM drains',
    ),
    'http.max_fields, http.max_parts': cited.inMultipart('101 parts, and 101 fields'),
    'http.read_timeout': cited.atTheEdge(
      'a body that does not come within read_timeout: 408, the connection closes, nothing is stored',
    ),
    'http.write_timeout': cited.atTheEdge(
      'an answer that its caller does not take within write_timeout: the connection closes',
    ),
    'http.idle_timeout': cited.atTheEdge(
      'a connection that says nothing within idle_timeout closes, and callers learn so; the gateway has none of these times',
    ),
    'storage.backend embedded or jsonl': cited.inStore(
      'backend: jsonl writes no database, and answers retries also after a restart',
    ),
    'storage.wal_jsonl': cited.inStore('wal_jsonl: false writes no log'),
    'storage.batch_max': cited.inWriter('the requests of one turn of the event loop share a batch, up to batchMax'),
    'storage.batch_wait': cited.inWriter(
      'what arrives during a sync leaves as soon as it returns, without waiting for batchWaitMs',
    ),
    'storage.queue_depth': cited.inOverload(
      'a full queue: 503 with Retry-After, counted; what was taken is stored once',
    ),
    'embedded.path, jsonl.dir': cited.inStore('each alone makes no file of the other'),
    'jsonl.rotate daily': cited.inLog('daily: the first line of a UTC day starts a file'),
    'jsonl.rotate none': cited.inLog('none: only rotate() starts a file, and an empty one is not left behind'),
    'forms.dir, forms.reload startup': cited.onTheLine('a form that does not compile: file, line, column'),
    'forms.reload sighup': cited.atTheEdge(
      'reads the forms again; one that does not compile or would lose a column changes nothing',
    ),
    'logging.output, .format, .level': cited.atTheEdge(
      'one for each request, those of the door too, and never the payload',
    ),
    'logging.file': cited.inLogFile('a full file is renamed and compressed, and only so many are kept'),
    'ratelimit.ip_ttl, max_ips': cited.inBuckets(
      'an entry goes when its bucket has been full for the idle time, not before',
    ),
    'security.client_ip_header': cited.ofCallers("intake's own takes the header"),
    'security.bind_gateway_only': () => {
      const refused = 'must not listen on 203.0.113.1:8081';
      expect(configOf('http: { bind: 203.0.113.1:8081 }')).toContain(refused);
      for (const near of ['127.0.0.1', '10.0.0.1', '192.168.1.1', '172.16.0.1'])
        expect(configOf(`http: { bind: "${near}:8081" }`)).toBeTypeOf('object');
      const open = 'http: { bind: 203.0.113.1:8081 }\nsecurity: { bind_gateway_only: false }';
      expect(configOf(open)).toBeTypeOf('object');
    },
    'security.gateway_secret, gateway_secret_header': cited.inScenario(
      'each request of its own listener shows the secret or gets 403, probes and unknown paths too',
    ),
    'cors.origins': cited.atTheEdge('a page of an allowed origin may read every answer, refusals too'),
  };
}

export const notification: Proofs<'Notification'> = {
  'notify.enabled': cited.byMail('enabled without any transport: they stay off, and /metrics has no notify block'),
  'notify.workers': cited.inCourier('a waiting mail holds up no other; only so many are on the wire'),
  'notify.queue_depth': cited.byMail('a full outbox drops and counts; the submission is kept'),
  'notify.max_retries, retry_backoff exponential, capped at 30s': cited.inCourier(
    'a temporary failure is tried again: 2 s, doubling, at most 30 s, so many times',
  ),
  'notify.timeout per attempt': cited.byMail(
    'a form without its own goes to the default; a receiver that hangs is given up after `timeout`',
  ),
  'email.provider smtp, email.from': cited.byMail(
    'one mail to all addresses, with the reply address of the submission; nothing of it in the head',
  ),
  'email.provider webapi, email.webapi.api_key': cited.byMail(
    'the mail API: JSON with a bearer key and an Idempotency-Key; 429 is tried again, 400 is not',
  ),
  'email.smtp.host empty disables': cited.byMail(
    'enabled without any transport: they stay off, and /metrics has no notify block',
  ),
  'email.smtp.starttls': cited.overSmtp(
    'STARTTLS: under a certificate that is trusted the mail and the login go encrypted; under another nothing goes',
  ),
  'email.smtp.auth plain, username, password': cited.overSmtp('logs in where it is told to'),
  'email.smtp.auth xoauth2, oauth': cited.byMail(
    'xoauth2: one token for many mails, another when the server refuses it',
  ),
  'email.smtp.auth none': cited.overSmtp('sends to the one address, with a stable Message-ID'),
  'chat.default_webhook for forms without their own': cited.byMail(
    'a form without its own goes to the default; a receiver that hangs is given up after `timeout`',
  ),
};

export const forms: Proofs<'Forms'> = {
  'type, range, format, enum, max_length of each field': cited.inService(
    '422 lists every fault of every field at once',
  ),
  'an optional honeypot': cited.inScenario('a filled honeypot gets a success and is stored nowhere'),
  'an optional notify block: email destinations and a webhook': cited.inOutbox(
    'is offered once durable, by mail and by chat',
  ),
  'identifiers are checked by a strict pattern': () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-form-ids-'));
    const idsOf = (id: string): boolean => {
      writeFileSync(`${dir}/one.yaml`, `id: ${JSON.stringify(id)}\nfields:\n  name: { type: string }\n`);
      return !('problems' in loadForms(dir));
    };
    for (const good of ['a', 'contact', 'a-b_c9', `a${'x'.repeat(63)}`]) expect(idsOf(good), good).toBe(true);
    for (const bad of ['', 'A', '9a', 'a b', 'a/b', '../a', 'ä', `a${'x'.repeat(64)}`])
      expect(idsOf(bad), bad).toBe(false);
    rmSync(dir, { recursive: true });
  },
  'unknown fields are rejected': cited.inScenario('422 lists every fault at once'),
  'retention: past it a submission leaves the database and the log': cited.inRetention(
    'past its retention a submission leaves the database, and its log file when every line of it has expired',
  ),
};
