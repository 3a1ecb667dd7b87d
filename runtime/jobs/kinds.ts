/** What each kind of job runs. Its library is heavy, so it is loaded when the kind is first asked for. */
import { flushCompileCache } from 'node:module';
import { limits } from '#config/limits.ts';
import type { JobKind, JobKinds, JqJudged } from '#actors/kit/jobs.ts';
import { WebAssembly, type WasmMemory } from '#actors/kit/web-assembly.ts';
import type { AskHost } from '#actors/kit/script/sandbox.ts';

type Run<K extends JobKind> = (body: JobKinds[K]['body'], ask: AskHost) => Promise<JobKinds[K]['result']>;
type AnyRun = (body: never, ask: AskHost) => Promise<unknown>;

const LOADERS: { readonly [K in JobKind]: () => Promise<Run<K>> } = {
  'jq.check': async () => {
    const { reference } = await loadJq();
    return ({ source }) => reference.check(source);
  },
  'jq.run': async () => {
    const { reference, runFast } = await loadJq();
    return async ({ source, text, fast }) => (fast ? runFast(source, text) : null) ?? reference.run(source, text);
  },
  'product.load': async () => {
    const { readCheckout } = await import('#runtime/read-checkout.ts');
    return readCheckout;
  },
  'product.kept': async () => {
    const { Revisions } = await import('#runtime/revisions.ts');
    return async ({ revision, localdir, env, content, dataDir }) => {
      const { product, problem } = await new Revisions(dataDir).load(revision, localdir, content, env);
      return problem === null ? { product, revision } : { problems: problem };
    };
  },
  'product.take': async () => {
    const { takeArchive } = await import('#runtime/take-archive.ts');
    return takeArchive;
  },
  'web.index': async () => {
    const { webIndex } = await import('#runtime/web/web-index.ts');
    return webIndex;
  },
  'image.render': async () => {
    const { renderImage } = await import('#actors/kit/image/render.ts');
    return renderImage;
  },
  script: async () => {
    const { Sandboxes } = await import('#actors/kit/script/sandbox.ts');
    const sandboxes = await Sandboxes.load();
    return (job, ask) => sandboxes.run(job, ask);
  },
};

const loaded = new Map<JobKind, Promise<AnyRun>>();

export function loadJob(kind: JobKind): Promise<AnyRun> {
  let run = loaded.get(kind);
  if (run === undefined) loaded.set(kind, (run = load(kind)));
  return run;
}

/** A job thread does not end by itself, so what it compiled is kept for the next one as soon as it is loaded. */
async function load(kind: JobKind): Promise<AnyRun> {
  const run = (await LOADERS[kind]()) as AnyRun;
  flushCompileCache();
  return run;
}

interface LoadedJq {
  readonly reference: {
    check(source: string): Promise<JqJudged>;
    run(source: string, text: string): Promise<JqJudged>;
  };
  readonly runFast: (source: string, text: string) => JqJudged | null;
}

let jq: Promise<LoadedJq> | null = null;

function loadJq(): Promise<LoadedJq> {
  return (jq ??= importJq());
}

async function importJq(): Promise<LoadedJq> {
  boundWasmMemory(limits.expressions.jobMemoryBytesMax);
  const [{ JqReference }, { judgeFast }] = await Promise.all([
    import('#actors/kit/jq/reference.ts'),
    import('#actors/kit/jq/expressions.ts'),
  ]);
  const reference = new JqReference();
  await reference.warm();
  return { reference, runFast: judgeFast };
}

const PAGE_BYTES = 65_536;

/** Bounds WebAssembly's memory, which the `resourceLimits` of a worker do not cover: a program that asks for more gets a RangeError. */
function boundWasmMemory(bytesMax: number): void {
  const { prototype } = WebAssembly.Memory;
  const grow: (this: WasmMemory, pages: number) => number = Reflect.get(prototype, 'grow');
  prototype.grow = function bounded(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > bytesMax) throw new RangeError('the job holds no more memory');
    return grow.call(this, pages);
  };
}
