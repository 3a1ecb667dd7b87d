/** multipart/form-data as bytes: what is broken is refused, and never breaks the thread. RFC 7578. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { readMultipart } from '#actors/intake/read-multipart.ts';

const LIMITS = { bodyBytesMax: 65_536, fieldsMax: 100, partsMax: 100 };
const TYPE = 'multipart/form-data; boundary=B';
const part = (name: string, value: string, more = ''): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const read = (body: string, limits = LIMITS) => readMultipart(TYPE, body, limits);

async function reasonOf(body: string, limits = LIMITS): Promise<string> {
  const found = await read(body, limits);
  if (!isRefusal(found)) throw new Error('it was read');
  expect(found.status).toBe(400);
  return found.message;
}

describe('parts', () => {
  test('texts, files and an input without a choice', async () => {
    const file = part('cv', 'x', '; filename="a.txt"');
    const blank = part('photo', '', '; filename=""');
    const found = await read(`${part('name', 'Ada')}${file}${blank}--B--\r\n`);
    expect(found).toMatchObject({
      asText: true,
      values: { name: 'Ada', photo: '', cv: { name: 'a.txt', size: 1, base64: 'eA==' } },
    });
  });

  test('101 parts, and 101 fields', async () => {
    const many = Array.from({ length: 101 }, (_, i) => part(`f${i}`, '1')).join('');
    expect(await reasonOf(`${many}--B--\r\n`)).toContain('more than 100 parts');
    expect(await reasonOf(`${many}--B--\r\n`, { ...LIMITS, partsMax: 200 })).toContain('more than 100 fields');
  });

  test.each([
    ['a cut part', '--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda'],
    ['a part without a name', `--B\r\nContent-Disposition: form-data\r\n\r\nAda\r\n--B--\r\n`],
    ['a cut part without a name', '--B\r\nContent-Disposition: form-data;\r\n\r\nA'],
    ['a part with an empty name', `${part('', 'Ada')}--B--\r\n`],
    ['a file without a name', `--B\r\nContent-Disposition: form-data; filename="a"\r\n\r\nAda\r\n--B--\r\n`],
    ['a cut head', '--B\r\nContent-Disposition: form-da'],
    ['no end', part('name', 'Ada')],
    ['a text that is no UTF-8', `${part('name', '\xff')}--B--\r\n`],
    [
      'a transfer encoding',
      `--B\r\nContent-Disposition: form-data; name="n"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--B--\r\n`,
    ],
  ])('%s', async (_what, body) => {
    expect(await reasonOf(body)).not.toBe('');
  });
});

test('whatever the bytes are, there is an answer', async () => {
  const piece = fc.constantFrom(
    '--B',
    '--B--',
    '\r\n',
    '\r\n\r\n',
    'Content-Disposition: form-data; name="a"',
    '; filename="x"',
    '"',
    'x',
    '\xff',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const found = await read(pieces.join(''));
      expect(isRefusal(found) || found.asText).toBe(true);
    }),
    { numRuns: 300 },
  );
});
