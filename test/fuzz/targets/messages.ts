/** Messages of WebSockets, headers of resumable uploads, cursors and other texts that callers bring back. */
import type { RouteRow } from '#actors/protocol/route.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

export async function liveTarget(): Promise<Target> {
  const { LiveDialect } = await import('#runtime/door/live/live-dialect.ts');
  const { GraphqlDialect } = await import('#runtime/door/live/graphql-dialect.ts');
  const run = (input: Buffer): void => {
    const text = input.toString();
    const dialects = [new LiveDialect('/data/changes'), new GraphqlDialect('/data/graphql')];
    // The second dialect takes subscriptions once it has said hello.
    dialects[1]!.asked('{"type":"connection_init"}');
    for (const dialect of dialects) {
      const asked = dialect.asked(text);
      if (asked.type === 'subscribe') {
        const { path, query, body } = asked.request;
        must(/^\/[\x21-\x7e]*$/.test(path) && !/[^\x20-\x7e]/.test(query), 'a request that no line can hold');
        if (body !== '') must(typeof JSON.parse(body) === 'object', 'a body that is no object');
      }
      if (asked.type === 'say' && asked.authorization !== null)
        must(/^[\x20-\x7e]+$/.test(asked.authorization), 'a credential that no header can hold');
    }
  };
  return {
    name: 'live',
    form: 'json',
    covers: ['/runtime/door/live/', '/actors/kit/json.ts', '/actors/kit/long-number.ts'],
    seeds: [
      '{"type":"auth","token":"v4.public.a.b"}',
      '{"type":"subscribe","id":"s","entity":"city","after":1,"snapshot":true,"fields":["id"],"where":{"name[gt]":"a","n":1}}',
      '{"type":"join","id":"j","channel":"room","key":"k","state":{"x":[1]}}',
      '{"type":"send","id":"j","channel":"room/../x","payload":{"a":1},"member":"m"}',
      '{"type":"state","id":"j","channel":"room","member":"m","state":null}',
      '{"type":"connection_init","payload":{"headers":{"Authorization":"Bearer x"}}}',
      '{"type":"subscribe","id":"1","payload":{"query":"{a}","variables":{"n":9007199254740993},"extensions":{"idempotencyKey":"k"}}}',
      '{"type":"complete","id":"1"}',
    ],
    words: [
      'subscribe',
      'unsubscribe',
      'ping',
      'pong',
      'leave',
      'entity',
      'snapshot',
      'where',
      'payload',
      'token',
      '\ud800',
      '..',
      '%2e',
    ],
    bytesMax: 16_384,
    stepsMax: linear(6000, 60),
    run,
  };
}

/** Lines `name: value`, of which the ones that the route reads travel. */
export async function uploadTarget(): Promise<Target> {
  const { routes } = await import('#actors/content/routes.ts');
  const { Call } = await import('#actors/host/call.ts');
  const tus = await import('#actors/content/upload/tus.ts');
  const { Refused } = await import('#actors/kit/refused.ts');
  const { safeName } = await import('#actors/kit/file/upload.ts');
  const row: RouteRow = routes.upload_append;
  const route = { no: 0, name: 'upload_append', service: 'content', row, paramNames: ['name', 'id'] };
  const isRefused = (error: unknown): boolean => error instanceof Refused;
  return {
    name: 'upload-headers',
    form: 'text',
    covers: ['/actors/content/upload/tus.ts', '/actors/host/call.ts', '/actors/kit/file/upload.ts'],
    seeds: [
      'tus-resumable:1.0.0\nupload-offset:12\nupload-checksum:sha1 Lve95gjOVATpfV8EL5X4nxwjKHE=\n',
      'tus-resumable:1.0.0\nupload-length:100\nupload-metadata:filename d29ybGQucGRm,is_confidential,filetype aW1hZ2UvcG5n\n',
    ],
    words: [
      'upload-metadata:',
      'upload-checksum:',
      'upload-offset:',
      'filename ',
      'sha256 ',
      ',',
      ' ',
      '=',
      'md5',
      '999999999999999',
      '..',
      'Li4v',
    ],
    bytesMax: 8192,
    stepsMax: linear(600, 30),
    run: (input) => {
      const text = input.toString('latin1');
      const call = new Call(0, route, 1, 'PATCH', 'a\nb', '', '', 'r', text.endsWith('\n') ? text : `${text}\n`, '');
      unless(isRefused, () => tus.checkVersion(call));
      for (const name of ['upload-offset', 'upload-length']) {
        const bytes = unless(isRefused, () => tus.bytesIn(call, name));
        must(bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 0), `${bytes} bytes`);
      }
      for (const value of unless(isRefused, () => tus.metadataIn(call))?.values() ?? [])
        must(!/[/\\\0]/.test(safeName(value)), `the name ${safeName(value)}`);
      const checksum = unless(isRefused, () => tus.checksumIn(call));
      if (checksum != null) must(['sha1', 'sha256', 'md5'].includes(checksum.algorithm), checksum.algorithm);
    },
  };
}

export async function textsTarget(): Promise<Target> {
  const { readCursor, writeCursor } = await import('#actors/identity/people/cursor.ts');
  const { parseHash } = await import('#actors/kit/foreign-hash/parse.ts');
  const { compilePattern } = await import('#actors/kit/pattern.ts');
  const { filtersOf } = await import('#actors/audit/filters.ts');
  const { canonicalJson } = await import('#actors/audit/canonical.ts');
  const { parseJson } = await import('#actors/kit/json.ts');
  const { instantMs } = await import('#config/values/instant.ts');
  const { parseSpiffeId } = await import('#actors/vault/pki/spiffe-id.ts');
  const isInfinite = (error: unknown): boolean => error instanceof TypeError && error.message.includes('JSON number');
  return {
    name: 'texts',
    form: 'text',
    covers: ['/actors/', '/config/values/'],
    seeds: [
      Buffer.from('["01ARZ3NDEKTSV4RRFFQ69G5FAV","ada"]').toString('base64url'),
      '$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA',
      '$2b$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234',
      'pbkdf2_sha256$600000$salt$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g=',
      '$scrypt$ln=14,r=8,p=1$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA',
      '^(?:[a-z]{1,30}[0-9]|x*)+$',
      'actor=u*&action=data.*.create&since=2026-01-01T00:00:00Z&limit=10',
      '{"b":1,"a":[1.5,"x",null,{"c":"\\u00e4"}]}',
      '2026-02-29T24:00:00.123456789+14:00',
      'spiffe://hive/ns/a',
    ],
    words: [
      '$',
      '{1000}',
      '(?i)',
      '*',
      '[[:alpha:]]',
      'since=',
      'spiffe://',
      'ln=99',
      'm=99999999',
      '"',
      '1e400',
      'T24:00:00',
    ],
    bytesMax: 4096,
    stepsMax: linear(20_000, 300),
    run: (input) => {
      const text = input.toString();
      const search = readCursor(text, true);
      if (search !== undefined) must(readCursor(writeCursor(search), true)?.id === search.id, 'another cursor');
      void parseHash(text);
      unless(
        (error) =>
          error instanceof Error && /pattern|regexp|RE2JS|error parsing/i.test(`${error.name} ${error.message}`),
        () => compilePattern(text),
      );
      const filters = filtersOf(new URLSearchParams(text));
      if (typeof filters !== 'string') void filters.fits({ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', action: 'a', actor: 'u' });
      const json = parseJson(text);
      // JSON has no infinity, and `1e400` is one once it is parsed.
      const canonical = json.ok && unless(isInfinite, () => canonicalJson(json.value));
      if (typeof canonical === 'string') must(canonicalJson(JSON.parse(canonical)) === canonical, 'another JSON');
      void instantMs(text);
      void parseSpiffeId(text);
    },
  };
}
