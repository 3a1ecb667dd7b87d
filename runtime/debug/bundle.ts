/** The parts of a debug bundle. Each is gathered on its own and scrubbed; one that cannot be gathered says why in its place. */
import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import type { Platform } from '#config/platform.ts';
import { redacted } from '#config/redact.ts';
import { readFormat } from '#storage/format.ts';
import { callControl } from '#runtime/control.ts';
import { examine } from '#runtime/doctor/examine.ts';
import { metricsAt, nearUrl, readinessAt } from '#runtime/observe/ask-operations.ts';
import { writeArchive } from '#runtime/product-archive.ts';
import { commitOf, packageFile } from '#runtime/version.ts';
import { logTail } from './log-tail.ts';
import { machineFacts } from './machine.ts';
import { scrubber, withoutCallers } from './scrub.ts';
import { folderSizes } from './sizes.ts';
import type { ProcessFigures } from './thread-inspector.ts';

export interface BundleWish {
  readonly platform: Platform;
  /** How long the threads are profiled; null: not at all. */
  readonly profileMs: number | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Why a part is not there. */
class Absent extends Error {}

/** The bundle: a tar archive, gzipped. */
export async function bundleOf(wish: BundleWish): Promise<Buffer> {
  const scrub = scrubber(wish.platform);
  const files = await Promise.all(
    Object.entries(partsOf(wish)).map(async ([name, gather]) => {
      const text = await gather().catch((error: unknown) => `not there: ${(error as Error).message}\n`);
      return { path: `skep-debug/${name}`, bytes: Buffer.from(scrub(text)) };
    }),
  );
  return gzipSync(writeArchive(files));
}

type Parts = Readonly<Record<string, () => Promise<string>>>;

function partsOf({ platform, profileMs, nowMs }: BundleWish): Parts {
  const { dir } = platform.storage;
  const operations = (): string => {
    if (platform.listeners.operations === null) throw new Absent('the platform file sets no operations listener');
    return nearUrl(platform.listeners.operations);
  };
  const threads = once(() => ofNode(dir, 'debug.threads', null) as Promise<ProcessFigures>);
  const profile = { 'profile.json': async () => json(await ofNode(dir, 'debug.profile', { ms: profileMs })) };
  return {
    'version.json': async () => json(versions(dir, nowMs)),
    'doctor.json': async () => json(await examine(platform, nowMs)),
    'config.yaml': async () => stringify(redacted(platform), { lineWidth: 0 }),
    'metrics.txt': async () => metricsAt(operations()),
    'readyz.json': async () => json(await readinessAt(operations())),
    'threads.json': async () => json(await threads()),
    'machine.json': async () =>
      json(
        machineFacts(
          dir,
          await threads().then(
            ({ pid }) => pid,
            () => null,
          ),
        ),
      ),
    'storage.json': async () => json(folderSizes(dir)),
    'intake.log': async () => intakeLog(platform),
    ...(profileMs === null ? {} : profile),
  };
}

function versions(dir: string, nowMs: number): object {
  const { version, dependencies } = packageFile();
  const { node, v8, openssl, uv } = process.versions;
  const served = existsSync(dir) ? readFormat(dir) : null;
  return {
    made_at: new Date(nowMs).toISOString(),
    skep: version,
    ...commitOf(),
    node,
    v8,
    openssl,
    uv,
    served,
    dependencies,
  };
}

async function ofNode(dir: string, verb: string, body: unknown): Promise<unknown> {
  const answered = await callControl(dir, verb, body);
  if (answered === undefined) throw new Absent('no node serves this directory now');
  return answered.result;
}

/** The node's own lines go to its standard output: whatever reads that has them. */
async function intakeLog({ intake: { logging } }: Platform): Promise<string> {
  if (logging.output !== 'file') throw new Absent(`intake.logging.output is ${logging.output}: look at the journal`);
  return withoutCallers(logTail(logging.file.path));
}

/** The same answer for each caller. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  return () => (answer ??= work());
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
