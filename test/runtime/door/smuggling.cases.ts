/**
 * Requests whose end two readers could see differently. Each is refused, or read in one way only: what follows it on the
 * connection never reaches the handler. Parser refusals come with the parser's own status; where the two differ both stand here.
 */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { DoorKind } from '#runtime/door/open-door.ts';
import { HOST, Stage, tell, tellLater } from './stage.ts';
import type { Wire } from './wire.ts';

/** The addon takes it for an unfinished head: it says nothing until the head is too large (431) or the connection has idled. */
const SILENT = 'silent';
type Expected = number | typeof SILENT;

const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`;
const post = (fields: string, body = 'hello'): string => `POST /a HTTP/1.1\r\n${HOST}${fields}\r\n\r\n${body}`;
const chunks = (body: string): string => post('Transfer-Encoding: chunked', body);

/** Refused by both with the same status. */
const REFUSED: Record<string, [string, number]> = {
  'two lengths': [post('Content-Length: 5\r\nContent-Length: 3'), 400],
  'two equal lengths': [post('Content-Length: 5\r\nContent-Length: 5'), 400],
  'a list of lengths': [post('Content-Length: 5, 5'), 400],
  'an empty length': [post('Content-Length:'), 400],
  'an empty length before one': [post('Content-Length: \r\nContent-Length: 5'), 400],
  'length, then chunked': [post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), 400],
  'chunked, then length': [post('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n'), 400],
  'a negative length': [post('Content-Length: -5'), 400],
  'a length with a plus sign': [post('Content-Length: +5'), 400],
  'a hexadecimal length': [post('Content-Length: 0x5'), 400],
  'a length with a space in it': [post('Content-Length: 5 5'), 400],
  'a length that overflows': [post('Content-Length: 18446744073709551621'), 400],
  'chunked twice': [post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), 400],
  'another coding': [post('Transfer-Encoding: gzip'), 400],
  'a coding before chunked': [post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n'), 400],
  'a coding after chunked': [post('Transfer-Encoding: chunked, identity', '0\r\n\r\n'), 400],
  'almost chunked': [post('Transfer-Encoding: xchunked', '0\r\n\r\n'), 400],
  'an empty coding': [post('Transfer-Encoding:', '0\r\n\r\n'), 400],
  'HEAD with a chunked body': [chunks('0\r\n\r\n').replace('POST', 'HEAD'), 400],
  'two hosts': [`GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, 400],
  'two credentials': [`GET /a HTTP/1.1\r\n${HOST}Authorization: A\r\naUthorization: A\r\n\r\n`, 400],
  'two static keys': [`GET /a HTTP/1.1\r\n${HOST}X-Api-Key: A\r\nX-Api-Key: B\r\n\r\n`, 400],
  'two tenants': [`GET /a HTTP/1.1\r\n${HOST}X-Tenant: a\r\nX-Env: a\r\nX-Tenant: b\r\n\r\n`, 400],
  'no host': [`GET /a HTTP/1.1\r\nX-A: 1\r\n\r\n`, 400],
  'HTTP/1.0': [`GET /a HTTP/1.0\r\n${HOST}\r\n`, 505],
  'a path that is not ASCII': [`GET /\xe9 HTTP/1.1\r\n${HOST}\r\n`, 400],
  'a query that is not ASCII': [`GET /a?\xe9 HTTP/1.1\r\n${HOST}\r\n`, 400],
  'a chunk size that overflows': [chunks('ffffffffffffffff1\r\nhello\r\n0\r\n\r\n'), 400],
  'a chunk size that wraps to five': [chunks('10000000000000005\r\nhello\r\n0\r\n\r\n'), 400],
  'a negative chunk size': [chunks('-5\r\nhello\r\n0\r\n\r\n'), 400],
  'a chunk size with a prefix': [chunks('0x5\r\nhello\r\n0\r\n\r\n'), 400],
};

/** Refused by both, each in its parser's way. */
const REFUSED_EACH_ITS_WAY: Record<string, [string, Record<DoorKind, Expected>]> = {
  'a folded field': [`GET /a HTTP/1.1\r\n${HOST}X-A: a\r\n b\r\n\r\n`, { uws: SILENT, node: 400 }],
  'a folded length': [post('Content-Length:\r\n 5'), { uws: SILENT, node: 400 }],
  'a bare LF after a field': [`GET /a HTTP/1.1\r\nHost: x\nX-A: b\r\n\r\n`, { uws: SILENT, node: 400 }],
  'a bare CR in a field': [`GET /a HTTP/1.1\r\nHost: x\rX-A: b\r\n\r\n`, { uws: SILENT, node: 400 }],
  'a NUL in a field': [`GET /a HTTP/1.1\r\n${HOST}X-A: b\0c\r\n\r\n`, { uws: SILENT, node: 400 }],
  'a space before the colon': [post('Content-Length : 5'), { uws: SILENT, node: 400 }],
  'a space before the first field': [`GET /a HTTP/1.1\r\n X: 5\r\n${HOST}\r\n`, { uws: SILENT, node: 400 }],
  'a field without colon': [`GET /a HTTP/1.1\r\n${HOST}XA\r\n\r\n`, { uws: SILENT, node: 400 }],
  'a field name that is no token': [`GET /a HTTP/1.1\r\n${HOST}X(A: v\r\n\r\n`, { uws: SILENT, node: 400 }],
  'no field at all': [`GET /a HTTP/1.1\r\n\r\n`, { uws: SILENT, node: 400 }],
  // Both look for the version before a CR and find none.
  'a head of bare LF': [`GET /a HTTP/1.1\nHost: x\n\n`, { uws: 505, node: 505 }],
  // Targets that do not begin with a slash, and control characters in one, spoil the addon's reading of the version.
  'the absolute form': [`GET http://x/a HTTP/1.1\r\n${HOST}\r\n`, { uws: 505, node: 400 }],
  'the asterisk form': [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, { uws: 505, node: 400 }],
  'a space in the path': [`GET /a b HTTP/1.1\r\n${HOST}\r\n`, { uws: 505, node: 400 }],
  'a control character in the path': [`GET /a\x01b HTTP/1.1\r\n${HOST}\r\n`, { uws: 505, node: 400 }],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', { uws: 505, node: 505 }],
};

/**
 * Chunk ends that the addon reads laxly and the twin refuses. The addon gives the handler a body, its answer closes the
 * connection, and bytes that come before the answer close it without one.
 */
const LAX_CHUNKS: Record<string, string> = {
  'a chunk size ending in a bare LF': chunks('5\nhello\r\n0\r\n\r\n'),
  'a chunk without CRLF after it': chunks('5\r\nhelloXX0\r\n\r\n'),
  'a chunk longer than its size': chunks('3\r\nhello\r\n0\r\n\r\n'),
  'a chunk size followed by a space': chunks('5 \r\nhello\r\n0\r\n\r\n'),
  'no chunk size': chunks('\r\nhello\r\n0\r\n\r\n'),
};

const HANDLERS = [
  ['at once', tell],
  ['late', tellLater],
] as const;

async function nothingFollows(wire: Wire, seen: string[], stage: Stage): Promise<void> {
  await wire.closed;
  // A later request on a connection of its own comes after whatever the server might still have read from the first.
  const other = await stage.wire();
  other.send(`GET /barrier HTTP/1.1\r\n${HOST}\r\n`);
  expect((await other.answer())!.status).toBe(200);
  expect(seen.filter((line) => line.includes('smuggled'))).toEqual([]);
}

/** Sends a form alone, then with a request behind it: what answers there are, when nothing behind it was taken for a request. */
async function answersTo(kind: DoorKind, handler: typeof tell, form: string): Promise<(number | undefined)[]> {
  const seen: string[] = [];
  const stage = await Stage.open(kind, handler(seen));
  const statuses: (number | undefined)[] = [];
  for (const text of [form, form + SMUGGLED]) {
    const wire = await stage.wire();
    wire.send(text);
    statuses.push((await wire.answer())?.status);
    await nothingFollows(wire, seen, stage);
  }
  return statuses;
}

export function smugglingCases(kind: DoorKind): void {
  describe(`${kind}: ambiguous requests`, () => {
    test.each(Object.entries(REFUSED))('%s', async (_, [form, status]) => {
      for (const [, handler] of HANDLERS) {
        const [alone, followed] = await answersTo(kind, handler, form);
        expect(alone).toBe(status);
        // uWebSockets.js can leave the answer out: a further request before it has left costs the connection.
        expect(kind === 'uws' ? (followed ?? status) : followed).toBe(status);
      }
    });

    test.each(Object.entries(REFUSED_EACH_ITS_WAY))('%s', async (_, [form, expected]) => {
      const seen: string[] = [];
      const stage = await Stage.open(kind, tell(seen));
      const wire = await stage.wire();
      wire.send(form + SMUGGLED);
      if (expected[kind] === SILENT) wire.send(SMUGGLED.repeat(limits.door.headerBytesMax / 32));
      expect((await wire.answer())!.status).toBe(expected[kind] === SILENT ? 431 : expected[kind]);
      await nothingFollows(wire, seen, stage);
      expect(seen).toEqual(['GET /barrier?']);
    });

    test.each(Object.entries(LAX_CHUNKS))('%s', async (_, form) => {
      for (const [, handler] of HANDLERS) {
        const [alone, followed] = await answersTo(kind, handler, form);
        expect(alone).toBe(kind === 'uws' ? 200 : 400);
        expect(kind === 'uws' ? [200, 505, undefined] : [400]).toContain(followed);
      }
    });

    test.each(HANDLERS)('a request in place of the last chunk line (answered %s)', async (_, handler) => {
      // The addon skips two bytes after `0 CRLF` and would read the rest as a request, were an answer not due.
      const statuses = await answersTo(kind, handler, chunks(`0\r\nXX${SMUGGLED}`));
      expect(statuses).toEqual(kind === 'uws' ? [undefined, undefined] : [400, 400]);
    });

    test.each(HANDLERS)(
      'a trailer (answered %s): the twin reads it, the addon cannot and closes',
      async (_, handler) => {
        const seen: string[] = [];
        const stage = await Stage.open(kind, handler(seen));
        const wire = await stage.wire();
        wire.send(chunks('5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n') + SMUGGLED);
        expect((await wire.answer())!.status).toBe(kind === 'uws' ? 505 : 200);
        await nothingFollows(wire, seen, stage);
      },
    );

    // A hole of the addon: its list of fields ends at an empty name, so a length behind one is out of sight. A late answer closes
    // it, as any does that has bytes behind it; one at once does not. A front that forwards such a field is broken itself.
    test.each(HANDLERS)('an empty field name before a length (answered %s)', async (when, handler) => {
      const seen: string[] = [];
      const stage = await Stage.open(kind, handler(seen));
      const wire = await stage.wire();
      wire.send(post(`: v\r\nContent-Length: ${SMUGGLED.length}\r\nConnection: close`, SMUGGLED));
      if (kind === 'node') expect((await wire.answer())!.status).toBe(400);
      else if (when === 'late') expect(await wire.answer()).toBeNull();
      else expect([(await wire.answer())!.status, (await wire.answer())!.status]).toEqual([200, 200]);
      expect(seen.length).toBe(kind === 'node' ? 0 : when === 'late' ? 1 : 2);
    });
  });
}
