/** Download of an asset inside its host: authorization, look-up, and its bytes in pieces, until the last one would leave for the door. */
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { dataService } from '#actors/data/service.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { BenchCase } from './harness.ts';
import { benchContent } from './kit/bench-content.ts';
import { layProduct, readProduct } from './kit/bench-product.ts';
import type { Figure } from './kit/figure.ts';
import { functionMs, timeCalls } from './kit/function-bench.ts';
import { withTurns, type Asked, type Turns } from './kit/turns.ts';

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;
const LARGE_MEGABYTES = 16;
const BOUNDARY = 'bench';
const STORE = 'files';

const asked = { service: 'content', withToken: true } as const;

/** Stores a file; the request that downloads it. */
async function uploaded(turns: Turns, bytes: number): Promise<Asked> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="asset.bin"\r\n\r\n`;
  const form = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'skep'), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  const stream = { type: `multipart/form-data; boundary=${BOUNDARY}`, bytes: form };
  const create = { ...asked, route: 'asset_create', method: 'POST', params: STORE, stream, expect: 201 } as const;
  const { id } = (await turns.run(create, true)()).body as { id: string };
  return { ...asked, route: 'asset_download', method: 'GET', params: `${STORE}\n${id}`, expect: 200 };
}

/** Throws unless all bytes come. */
async function drained({ stream }: Reply, bytes: number): Promise<void> {
  let came = 0;
  for await (const piece of stream!.pieces) came += piece.byteLength;
  if (came !== bytes) throw new Error(`${came} bytes came instead of ${bytes}`);
}

async function timed(turns: Turns, name: string, bytes: number, ms: number): Promise<Figure> {
  const download = turns.run(await uploaded(turns, bytes));
  return timeCalls(name, async () => drained(await download(), bytes), ms);
}

export const assetTurn: BenchCase = {
  name: 'asset-turn',
  measures: `download inside the host, to the last piece: an asset of 1 KB, and one of ${LARGE_MEGABYTES} MB`,
  target: '',
  http: false,
  seconds: (options) => (3 * functionMs(options)) / 1000,
  async run({ dataDir, options }) {
    const dir = await mkdtemp(join(dataDir, 'asset-turn-'));
    layProduct(dir);
    const product = readProduct(dir);
    await rm(dir, { recursive: true });
    return withTurns(dataDir, { product, services: (_, at) => [dataService(), benchContent(at)] }, async (turns) => {
      const ms = functionMs(options);
      const small = await timed(turns, 'asset-turn 1 KB', KILOBYTE, ms);
      const large = await timed(turns, 'asset-turn', LARGE_MEGABYTES * MEGABYTE, ms);
      const rate: Figure = {
        ...large,
        name: `asset-turn ${LARGE_MEGABYTES} MB`,
        unit: 'MB/s',
        value: large.value * LARGE_MEGABYTES,
      };
      return [small, rate];
    });
  },
};
