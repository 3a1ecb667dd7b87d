/** Download of a large asset, next to the same bytes from a plain `node:http` file stream in the same minute: 0.5 × of it or more is the target. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { BenchCase } from './harness.ts';
import { withDataNode, type DataNode } from './kit/data-node.ts';
import { ratioOf, type Pair } from './kit/figure.ts';
import { median } from './kit/stats.ts';
import { busyOf, watched, type Usage } from './kit/watch.ts';

const MEGABYTE = 1024 * 1024;
const ASSET_MEGABYTES = 128;
const RATIO_MIN = 0.5;
/** Two downloads, and the case's own start spread over its pairs. */
const PAIR_SECONDS = 4;

/** Reads an answer to its end without keeping it; megabytes a second. */
async function download(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const began = performance.now();
  const asked = request(url, { headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let bytes = 0;
  answer.on('data', (piece: Buffer) => (bytes += piece.length));
  await once(answer, 'end');
  if (answer.statusCode !== 200 || bytes !== ASSET_MEGABYTES * MEGABYTE)
    throw new Error(`the download answered ${answer.statusCode} with ${bytes} bytes`);
  return (ASSET_MEGABYTES * 1000) / (performance.now() - began);
}

async function uploaded(node: DataNode, file: Buffer<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([file]), 'asset.bin');
  const url = `${node.gateway}/store/files/asset`;
  const answer = await fetch(url, { method: 'POST', headers: await node.headers(), body: form });
  const body = (await answer.json()) as { id: string };
  if (answer.status !== 201) throw new Error(`the upload answered ${answer.status} ${JSON.stringify(body)}`);
  return `${url}/${body.id}/download`;
}

/** Serves a file from a process of its own for as long as `work` takes. */
async function withPeer<T>(file: string, work: (url: string) => Promise<T>): Promise<T> {
  const child = fork(new URL('./kit/file-stream.process.ts', import.meta.url), [file]);
  try {
    const [port] = (await once(child, 'message')) as [number];
    return await work(`http://127.0.0.1:${port}/`);
  } finally {
    child.kill('SIGKILL');
  }
}

export const assetDownload: BenchCase = {
  name: 'asset-download',
  measures: `an asset of ${ASSET_MEGABYTES} MB over one connection, against a node:http file stream`,
  target: '≥ 0.5 ×',
  http: false,
  seconds: ({ pairs }) => PAIR_SECONDS * pairs,
  run: (bench) =>
    withDataNode(bench, async (node) => {
      const { dataDir, options } = bench;
      const bytes = Buffer.alloc(ASSET_MEGABYTES * MEGABYTE, 'skep');
      const file = join(dataDir, 'asset.bin');
      await writeFile(file, bytes);
      const url = await uploaded(node, bytes);
      const pairs: Pair[] = [];
      const usages: { readonly usage: Usage }[] = [];
      await withPeer(file, async (peer) => {
        const ours = async (): Promise<number> => {
          const headers = await node.headers();
          const { value, usage } = await watched(() => download(url, headers));
          usages.push({ usage });
          return value;
        };
        const theirs = (): Promise<number> => download(peer, {});
        for (let i = 0; i < options.pairs; i++) {
          const first = i % 2 === 0 ? await theirs() : await ours();
          const second = i % 2 === 0 ? await ours() : await theirs();
          pairs.push(i % 2 === 0 ? { ceiling: first, value: second } : { ceiling: second, value: first });
        }
      });
      return [
        {
          name: 'asset-download',
          unit: 'MB/s',
          value: median(pairs.map(({ value }) => value)),
          ceiling: median(pairs.map(({ ceiling }) => ceiling)),
          ratio: ratioOf(pairs),
          ...busyOf(usages),
          pairs,
          errors: 0,
          note: 'the ceiling is a file stream of node:http',
          target: { of: 'ratio', bound: 'min', than: RATIO_MIN },
        },
      ];
    }),
};
