/** Bodies of requests: forms, files in parts, lines of an import. */
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const BOUNDARY = 'XX';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n`;
const FILE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n`;
const NAMED = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename*=UTF-8''%c3%a4.txt\r\nContent-Transfer-Encoding: 7bit\r\n\r\n\u00e4\r\n`;
const END = `--${BOUNDARY}--\r\n`;
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const PART_WORDS = [
  '\r\n',
  '\r\n\r\n',
  `--${BOUNDARY}`,
  `--${BOUNDARY}--`,
  'Content-Disposition: form-data; name="',
  'filename="',
  "filename*=UTF-8''",
  'Content-Type: ',
  'boundary=',
  '"',
  '; ',
  'charset=utf-16',
  'Content-Transfer-Encoding: base64',
  '\0',
];
const bodies = [
  `${PART}${END}`,
  `${PART}${FILE}${END}`,
  `${FILE}${NAMED}${END}`,
  `${PART}${PART}${PART}${END}`,
  `preamble\r\n${PART}${END}epilogue`,
];

/** The content type on the first line, the body behind it. */
function typed(input: Buffer): { readonly type: string; readonly body: Buffer } {
  const end = input.indexOf('\n');
  return end < 0
    ? { type: input.toString('latin1'), body: Buffer.alloc(0) }
    : { type: input.toString('latin1', 0, end), body: input.subarray(end + 1) };
}

export async function multipartTarget(): Promise<Target> {
  const { readParts, MultipartFault } = await import('#actors/kit/file/multipart.ts');
  const run = async (input: Buffer): Promise<void> => {
    const { type, body } = typed(input);
    let bytes = 0;
    const third = Math.ceil(body.length / 3) || 1;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < body.length; at += third) yield body.subarray(at, at + third);
    }
    try {
      await readParts(
        type,
        pieces(),
        {
          field: (_name, text) => void (bytes += text.length),
          file: async (_name, content) => {
            for await (const piece of content) bytes += (piece as Buffer).length;
          },
        },
        1000,
      );
    } catch (error) {
      if (!(error instanceof MultipartFault)) throw error;
    }
    must(bytes <= body.length, `${bytes} bytes out of ${body.length}`);
  };
  return {
    name: 'multipart',
    form: 'bytes',
    covers: ['/actors/kit/file/', '/node_modules/@fastify/busboy/'],
    seeds: bodies.map((body) => `${MULTIPART}\n${body}`),
    words: PART_WORDS,
    bytesMax: 65_536,
    stepsMax: linear(4000, 60),
    run,
  };
}

/** A submission of a form, up to its answer. */
export async function formTarget(): Promise<Target> {
  const { rig, contact, good } = await import('#test/actors/intake/kit.ts');
  const { refusals } = await import('#actors/intake/refusals.ts');
  let made = await rig({ forms: [contact] });
  let taken = 0;
  const statuses = new Set([200, 303, ...Object.values(refusals).flatMap((row) => row.statuses)]);
  const run = async (input: Buffer): Promise<void> => {
    const { type, body } = typed(input);
    // What was accepted stays in the memory of the rig.
    if (++taken % 500 === 0) made = await rig({ forms: [contact] });
    const { status } = await made.submit({ raw: body, headers: { 'content-type': type } });
    must(statuses.has(status) && status < 500, `status ${status}`);
    must(made.fatal.length === 0, 'the intake ended');
  };
  return {
    name: 'form',
    costs: 2,
    form: 'text',
    covers: ['/actors/intake/', '/actors/kit/json.ts', '/node_modules/@fastify/busboy/'],
    seeds: [
      `application/json\n${JSON.stringify(good)}`,
      `application/x-www-form-urlencoded\n${new URLSearchParams({ ...good, age: '36', topic: 'sales' }).toString()}`,
      'application/x-www-form-urlencoded; charset=UTF-8\nname=%C3%84da&email=a%40b.example&news=on&website=',
      ...bodies.map((body) => `${MULTIPART}\n${body}`),
    ],
    words: [
      ...PART_WORDS,
      'name=',
      'email=',
      '&',
      '=',
      '%',
      '+',
      'application/json',
      '__proto__',
      'website',
      '_idempotency_key',
    ],
    bytesMax: 65_536,
    stepsMax: linear(8000, 80),
    run,
  };
}

const JSONL = '{"code":"a","count":1,"price":"1.50","day":"2026-01-01","data":{"x":[1,2]}}\n{"code":"b"}\n';
const CSV = 'code,count,price,day,data\na,1,1.50,2026-01-01,"{""x"":[1,2]}"\n"b",\\N,,,\n';

/** Bulk data, read in pieces that end anywhere: rows or a fault with its line. */
export async function importTarget(): Promise<Target> {
  const { readerOf } = await import('#actors/data/bulk/format.ts');
  const { FormatFault } = await import('#actors/data/bulk/line.ts');
  const { TextReader } = await import('#actors/data/bulk/text-reader.ts');
  const { entityOf, productOf } = await import('#test/kit/data-call.ts');
  const { Engine } = await import('#test/kit/data-session.ts');
  const engine = new Engine(productOf([entityOf('thing', ALL_FIELDS)]));
  const model = engine.models.get('thing')!;
  const formats = ['csv', 'json', 'jsonl'] as const;
  const run = async (input: Buffer): Promise<void> => {
    const format = formats[(input[0] ?? 0) % 3]!;
    const body = input.subarray(1);
    const reader = await readerOf(format, model);
    const texts = new TextReader();
    const size = 1 + ((input[0] ?? 0) >> 2);
    const step = Math.max(size, Math.ceil(body.length / 40));
    try {
      let rows = 0;
      for (let at = 0; at < body.length; at += step)
        rows += reader.read(texts.read(body.subarray(at, at + step), reader.line)).length;
      rows += reader.read(texts.end(reader.line)).length + reader.end().length;
      must(rows <= body.length + 1, `${rows} rows of ${body.length} bytes`);
    } catch (error) {
      if (!(error instanceof FormatFault)) throw error;
      must(Number.isSafeInteger(error.line) && error.line > 0, `line ${error.line}`);
    }
  };
  return {
    name: 'import',
    costs: 2,
    form: 'text',
    covers: ['/actors/data/bulk/', '/actors/kit/json.ts', '/actors/kit/long-number.ts', '/config/values/'],
    // The first byte chooses the format, and how the body is cut.
    seeds: [`0${CSV}`, `3${CSV}`, `1[${JSONL.trim().replace('\n', ',')}]`, `2${JSONL}`, `\u007f${JSONL}`],
    words: [
      '"',
      '""',
      ',',
      '\n',
      '\r\n',
      '\\N',
      '[',
      ']',
      '{',
      '}',
      '\ufeff',
      '\0',
      '__proto__',
      '9007199254740993',
      "'=1",
      'null',
    ],
    bytesMax: 65_536,
    stepsMax: linear(4000, 60),
    run,
  };
}

const ALL_FIELDS = {
  code: { type: 'string' },
  count: { type: 'integer', default: 7 },
  score: { type: 'number' },
  price: { type: 'decimal' },
  open: { type: 'boolean' },
  day: { type: 'date' },
  at: { type: 'datetime' },
  raw: { type: 'bytes' },
  data: { type: 'json' },
} as const;
