/** One call of an endpoint: its target, what it sends, and what its failure means. Each problem says how to mend it. */
import { durationMs } from '#config/values/duration.ts';
import { limits } from '../../limits.ts';
import type { Path } from '../../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Desk } from './desk.ts';
import type { WrittenCall } from './endpoint-file.ts';
import { INSIDE_PATHS, type BffCall, type TextTemplate } from './shapes.ts';
import { inText, referencesOf } from './template.ts';

/** A call whose place in the order is not yet known. */
export type LooseCall = Omit<BffCall, 'stage'>;

/** Headers that identify the caller or delimit the message: the node sets them. */
const SET_BY_NODE =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|x-customer|x-product|x-env|x-tenant|x-request-id|traceparent|tracestate)$/i;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** RFC 9110 §9.2.2. */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);

export function readCall(name: string, written: WrittenCall, desk: Desk): LooseCall {
  const at: Path = ['calls', name];
  const writes = written.method !== 'GET' && !written.reads;
  const target = targetOf(written, desk, at);
  checkPolicy(written, writes, desk, at);
  const call = {
    name,
    ...target,
    method: written.method,
    writes,
    query: desk.named(written.query, [...at, 'query']),
    headers: headersOf(written, desk, at),
    body: bodyOf(written, desk, at),
    onError: written.on_error,
    default: written.default ?? null,
    timeoutMs: written.timeout === undefined ? limits.bff.callTimeoutMs : durationMs(written.timeout),
    retries: written.retries,
    cacheMs: written.cache === undefined ? 0 : durationMs(written.cache),
  };
  return { ...call, needs: needsOf(written, call, desk, at) };
}

function targetOf(written: WrittenCall, desk: Desk, at: Path): Pick<BffCall, 'to' | 'path'> {
  const { service, url, path } = written;
  const nowhere = { to: { kind: 'outside', origin: '' }, path: [] } as const;
  if ((service === undefined) === (url === undefined)) {
    desk.say(at, 'a call goes to a service or to a url', 'write either `service: data` or `url: https://…`', 'key');
    return nowhere;
  }
  if (service === undefined) return outsideOf(url!, path, desk, at);
  if (path === undefined) {
    desk.say(at, 'a call of a service needs its path', 'add `path:`, as on the gateway', 'key');
    return nowhere;
  }
  const prefixes = INSIDE_PATHS[service];
  if (!prefixes.some((prefix) => path.startsWith(prefix)))
    desk.say([...at, 'path'], `no path of the ${service} service`, `begin with ${prefixes.join(' or ')}`);
  return { to: { kind: 'service', service }, path: plainPath(path, [...at, 'path'], desk) };
}

/** The text before the first placeholder is fixed: a caller cannot choose scheme, host or port. */
function outsideOf(url: string, path: string | undefined, desk: Desk, at: Path): Pick<BffCall, 'to' | 'path'> {
  const place = [...at, 'url'];
  const match = /^(https?:\/\/[^/?#{}\\@\s]+)(\/.*)?$/i.exec(url);
  if (match === null || !URL.canParse(match[1]!)) {
    const mend = 'write https://host/path; scheme, host and port are fixed, and a URL holds no credentials';
    desk.say(place, 'not a URL of an upstream', mend);
    return { to: { kind: 'outside', origin: '' }, path: [] };
  }
  const { origin, hostname } = new URL(match[1]!);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  if (desk.hosts !== null && !desk.hosts.includes(host))
    desk.say(place, `${host} is not in outbound.hosts`, `add it in product.yaml: ${hint(host, desk.hosts)}`);
  const base = match[2] ?? '/';
  const text = path === undefined ? base : `${base.replace(/\/$/, '')}/${path.replace(/^\//, '')}`;
  return { to: { kind: 'outside', origin }, path: plainPath(text, path === undefined ? place : [...at, 'path'], desk) };
}

const hint = (host: string, hosts: readonly string[]): string =>
  hosts.length === 0 ? `outbound: { hosts: [${host}] }` : suggestion(host, hosts);

/** Checks a path without a query: query parameters have their own key, where each value is encoded. */
function plainPath(text: string, place: Path, desk: Desk): TextTemplate {
  const plain = text.replaceAll(/\{\{.*?\}\}/g, 'x');
  if (!plain.startsWith('/')) desk.say(place, 'a path begins with a slash', `write /${text.slice(0, 40)}`);
  if (/[?#]/.test(plain)) desk.say(place, 'a path has no query', 'put its parameters under `query:`');
  else if (!/^[A-Za-z0-9/._~%!$&'()*+,;=:@-]*$/.test(plain) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(plain))
    desk.say(place, 'not a path as it is sent', 'percent-encode it, and leave out `.` and `..`');
  return desk.text(text, place);
}

function headersOf(written: WrittenCall, desk: Desk, at: Path): BffCall['headers'] {
  for (const name of Object.keys(written.headers)) {
    const place = [...at, 'headers', name];
    if (!HEADER.test(name)) desk.say(place, 'not the name of a header', 'use letters, digits and -', 'key');
    else if (SET_BY_NODE.test(name)) desk.say(place, `the node sets ${name} itself`, 'remove it', 'key');
    else if (written.service !== undefined && /^(?:authorization|x-api-key)$/i.test(name))
      desk.say(place, 'a service is called with the credential of the caller', 'remove it', 'key');
  }
  const named = desk.named(written.headers, [...at, 'headers']);
  return named.map(([name, text]) => [name.toLowerCase(), text]);
}

function bodyOf(written: WrittenCall, desk: Desk, at: Path): BffCall['body'] {
  if (written.body === undefined) return null;
  const place = [...at, 'body'];
  if (written.method === 'GET') desk.say(place, 'a GET sends no body', 'remove it, or use another method', 'key');
  return desk.value(written.body, place);
}

function checkPolicy(written: WrittenCall, writes: boolean, desk: Desk, at: Path): void {
  const say = (key: string, message: string, mend: string): void => desk.say([...at, key], message, mend, 'key');
  if (written.on_error === 'default' && written.default === undefined)
    say('on_error', 'there is no default to fall back to', 'add `default:` with the value');
  if (written.default !== undefined && written.on_error !== 'default' && written.on_error !== 'stale')
    say('default', `a ${written.on_error} call has no use for a default`, 'write `on_error: default`, or remove it');
  if (written.retries > 0 && !IDEMPOTENT.has(written.method))
    say(
      'retries',
      `a ${written.method} may happen twice when it is tried again`,
      'remove it: only GET, PUT and DELETE are',
    );
  if (written.reads && written.method !== 'POST') say('reads', 'only a POST may look or write', 'remove it');
  if (!writes) return;
  if (written.cache !== undefined) say('cache', 'a write cannot be cached', 'remove it');
  if (written.on_error !== 'fatal')
    say('on_error', 'a write that failed must fail the answer', 'remove it: the caller has to know');
}

function needsOf(
  { needs }: WrittenCall,
  { name, path, query, headers, body }: Omit<LooseCall, 'needs'>,
  desk: Desk,
  at: Path,
): readonly string[] {
  const others = desk.scope.calls.filter((other) => other !== name);
  needs.forEach((need, index) => {
    if (!others.includes(need))
      desk.say([...at, 'needs', index], `there is no call "${need}"`, suggestion(need, others));
  });
  const texts = [path, ...query.map(([, text]) => text), ...headers.map(([, text]) => text)];
  const references = [...texts.flatMap(inText), ...(body === null ? [] : referencesOf(body))];
  const named = references.filter(({ source }) => source === 'calls').map(({ steps }) => steps[0]!);
  return [...new Set([...needs, ...named])].filter((need) => desk.scope.calls.includes(need));
}
