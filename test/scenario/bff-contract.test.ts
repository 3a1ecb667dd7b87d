/** Every row of the contract that speaks of the BFF has a proof, and the proof holds. */
import { afterAll, beforeAll, expect } from 'vitest';
import { LISTENER_ADDRESSES } from '#config/defaults.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { proveContract, type Proof } from '#test/kit/contract-table.ts';
import { ROWS } from '#test/scenario/bff-contract/rows.ts';

const FILES = {
  wide: `
name: wide
path: /wide
auth: public
calls:
  a: { url: UPSTREAM/a, timeout: 30s }
  b: { url: UPSTREAM/b, timeout: 30s }
  c: { url: OTHER/c, timeout: 30s }
`,
};

let node: BffNode;
beforeAll(async () => {
  node = await startBff(FILES);
});
afterAll(() => node.stop());

const at =
  (file: string) =>
  (title: string): Proof => ({ file: `test/${file}.test.ts`, title });
const served = at('scenario/bff');
const attacked = at('scenario/bff-attack');
const origin = at('actors/bff/origin');
const pools = at('actors/bff/pools');
const loaded = at('config/definitions/bff/load-bff');

const composed = served('calls of two services and of an upstream make one answer');
const listed = served('/list shows each caller what it may call, /health and /ready answer');
const fatal = served('a fatal call: 502 with call and reason, 504 when its time is up');
const degraded = served('degraded: null, default and stale, named in X-Degraded and meta');
const kinds = served('an endpoint is for its kind of callers');
const kept = served('kept answers are of one principal');
const named = origin('each failure has its name');
const writes = loaded('writes: two of them, one that is tried again, one that may fail unseen');
const filled = served('a body is filled with values, not with text');
const bare = served('without a response the answers stand under their names');
const refusedWhere = loaded('what is refused, where, and how to mend it');
const arranged = at('actors/bff/arranging')('what decides or derives is refused with its place');

/** None of them is answered before all of them have been asked. */
async function startTogether(): Promise<void> {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const all = new Promise<void>((resolve) => {
    for (const upstream of [node.upstream, node.other])
      upstream.answer = ({ path }, response) => {
        asked.push(path);
        held.push(() => void response.end('1'));
        if (asked.length === 3) resolve();
      };
  });
  const answer = node.call('GET', '/bff/wide', node.position());
  await all;
  for (const release of held) release();
  expect((await answer).json).toEqual({ data: { a: 1, b: 1, c: 1 } });
  expect(asked.toSorted()).toEqual(['/a', '/b', '/c']);
}

proveContract(ROWS, {
  Service: {
    'serves product endpoints declared per tenant, each assembling the responses of several upstream calls': composed,
    'independent upstream calls run in parallel, so an endpoint costs roughly its slowest upstream': startTogether,
    'each upstream is declared either fatal to the response or degrading it': degraded,
    'conditional branching and derived values belong in a service: refused': refusedWhere,
    'cross-service writes belong in a service: refused': writes,
  },
  Endpoints: {
    'GET /list: inventory of BFF endpoints defined for the product, as the runtime resolves them': listed,
    'GET /health: liveness': listed,
    'GET /ready: readiness': listed,
    'product endpoints are served from the same surface': bare,
    '/bff/<path> on the gateway and /<path> on its own listener': bare,
    'its own listener: 127.0.0.1:5032': () => expect(LISTENER_ADDRESSES.bff).toBe('127.0.0.1:5032'),
    '/list gives name, method, path, auth, calls with deadline and policy': listed,
    'the paths /list /health /ready are taken': loaded('taken paths, and endpoints that stand in one another’s way'),
  },
  Declarations: {
    'bff/*.yaml: name method path auth calls response cache': loaded('defaults, placeholders, stages'),
    'calls.<name>: service|url method path query headers body needs on_error default timeout retries cache': loaded(
      'defaults, placeholders, stages',
    ),
    'every definition error names file, line and column, and how to mend it': refusedWhere,
    'auth public, user, service': kinds,
    'needs, or an interpolated call, orders calls; independent calls start together': startTogether,
    'cycles and unknown calls are refused': loaded('circles are reported whole'),
    'values interpolate path, query, header, body, calls, principal': filled,
    'a jq response only selects and arranges: anything else is refused at load with an explanation': arranged,
    'a template response': attacked('a template in a body, a parameter or an upstream’s answer stays text'),
    'without a response the answers stand under their names': bare,
  },
  Calls: {
    'a call to a service of this node goes by message, with the caller’s own credential': served(
      'services judge the caller: without a credential it gets nothing',
    ),
    'outside calls have a deadline': origin('the deadline ends a call with all its tries, and counts against the call'),
    'retries on idempotent verbs only': writes,
    'a circuit breaker per tenant and origin': origin(
      'an origin that goes on failing is left alone; what it refuses on purpose does not count',
    ),
    'a bulkhead per tenant and origin': origin(
      'a hanging origin holds so many calls, queues so many, and refuses the rest at once',
    ),
    'hosts must be in the product’s allow-list': refusedWhere,
    'resolved addresses are checked: no loopback, private, link-local or metadata address, in any form': pools(
      'addresses that may not be reached',
    ),
    'outbound.allow_private names host and port of those that may be reached': pools(
      'the platform file names host and port, and nothing beside them',
    ),
    'a redirect leads nowhere': attacked('a redirect to a neighbour is no answer'),
    'traceparent is passed on': served('trace and request id go along, a malformed trace does not'),
    'bodies are bounded': pools('an answer that is too large is cut, whatever it announces'),
    'identical concurrent reads of one principal are coalesced': served(
      'identical reads that are on their way are one, of one principal',
    ),
    'caching is per principal': kept,
  },
  Failures: {
    'a fatal failure: 502 {error, code: bff.upstream_failed, details: {call, reason}}': fatal,
    '504 on deadline': fatal,
    'on_error null, default, stale: 200 with X-Degraded: <names>': degraded,
    'meta.degraded[] where the response keeps an envelope': degraded,
    'reasons timeout, refused, status, schema, circuit_open': named,
    'error bodies are {error, code} with the prefix bff.': fatal,
    'a hanging upstream: others are served': attacked(
      'others are served while it does, and its own callers are bounded',
    ),
  },
  Authentication: {
    'a credential that does not count: 401': kinds,
    'a caller of another kind: 403': kinds,
  },
  Limits: {
    'no limiter, hence no X-RateLimit header, until the platform file has rates': async () => {
      const { headers } = await node.call('GET', '/bff/list', node.position());
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    },
  },
});
