/** Work that must not run on a tenant's host: when it runs away, it costs only its own thread. The pool is in `runtime/jobs/`. */

import type { ContentSource } from '#config/definitions/content/load-content.ts';
import type { StoreImage } from '#config/definitions/content/shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';

/** What each kind of job takes and gives; all of it can be cloned between threads. */
export interface JobKinds {
  /** Whether a jq program compiles. */
  'jq.check': { readonly body: { readonly source: string }; readonly result: JqJudged };
  /** A jq program over JSON text; `fast`: the fast tier can run it, but it took too many steps for the host. */
  'jq.run': {
    readonly body: { readonly source: string; readonly text: string; readonly fast: boolean };
    readonly result: JqJudged;
  };
  /** A product's checkout, read and checked; a job has no environment but the one that it is given. */
  'product.load': {
    readonly body: {
      readonly localdir: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly content: ContentSource;
      /** Where a sound product is kept as a revision; null: nowhere. */
      readonly dataDir: string | null;
    };
    readonly result: LoadedProduct;
  };
  /** The product of a kept revision, over the paths of a checkout. */
  'product.kept': {
    readonly body: {
      readonly revision: string;
      readonly localdir: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly content: ContentSource;
      readonly dataDir: string;
    };
    readonly result: LoadedProduct;
  };
  /** A product's checkout as an archive that a deploy sent: checked like a checkout and kept as a revision. */
  'product.take': {
    readonly body: {
      /** A tar archive, gzipped or not: untrusted. */
      readonly archive: Uint8Array;
      /** The checkout that the platform file names for this product: it says which variables the product may read. */
      readonly localdir: string;
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly content: ContentSource;
      readonly dataDir: string;
    };
    readonly result: TakenProduct;
  };
  /** Where the files of a product's folder `web` lie in the archive of a kept revision. */
  'web.index': {
    readonly body: { readonly dataDir: string; readonly revision: string };
    readonly result: readonly KeptFile[];
  };
  /** An image in another size. */
  'image.render': { readonly body: ImageWish; readonly result: ImageMade };
  /** A script of the tenant in its sandbox. */
  script: { readonly body: ScriptJob; readonly result: ScriptResult };
}

/** `problems`: text for an operator, naming file, line and column. */
export type LoadedProduct = FreshProduct | { readonly problems: string };

/** A product that was read from its checkout, and the revision under which its bytes are kept; null when they are not kept. */
export interface FreshProduct {
  readonly product: ProductDefinition;
  readonly revision: string | null;
}

/** An archive that was checked and kept; or text for the sender, naming file, line and column. */
export type TakenProduct =
  | {
      /** SHA-256 of the canonical archive, lower-case hex. */
      readonly revision: string;
      /** As `product.yaml` says it. */
      readonly name: string;
      readonly files: number;
    }
  | { readonly problems: string };

/** A file within an archive. */
export interface KeptFile {
  /** From the root of its site: `/index.html`. */
  readonly name: string;
  /** Where its bytes begin. */
  readonly at: number;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ImageWish {
  /** The bytes of the file, shared between the threads. */
  readonly source: SharedArrayBuffer;
  readonly size: StoreImage;
}

export type ImageMade =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  /** The file is none that can be shown, or it is too large. */
  | { readonly kind: 'bad'; readonly message: string }
  /** The package that makes images is not there. */
  | { readonly kind: 'missing'; readonly message: string };

export type JobKind = keyof JobKinds;

export type JqJudged =
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'bad' | 'failed'; readonly message: string };

export interface ScriptJob {
  readonly source: string;
  /** Used in the script's error messages. */
  readonly name: string;
  /** What the script sees as `request`: JSON text. */
  readonly request: string;
  /** Names of the host functions, each `a` or `a.b`. */
  readonly functions: readonly string[];
  readonly memoryBytesMax: number;
  readonly timeMsMax: number;
  /** How deep scripts that this one causes may nest: they run in its thread, within its deadline. */
  readonly nestedMax: number;
}

/** A script that must run before a host call can be answered. */
export interface NestedScript {
  readonly source: string;
  readonly name: string;
  readonly request: string;
  /** The role with whose rights it acts; absent: with those of the script or the caller that caused it. */
  readonly runAs?: string;
}

/** How a line from a script's thread begins: its call of the host, or the result of a script that the host wanted to run first. */
export const CALLED = 'call ';
export const RAN = 'ran ';
/** How a line of the host begins that is not the answer yet, but a script to run first. */
export const NESTED = 'run ';

export type ScriptResult =
  | { readonly kind: 'value'; readonly text: string }
  /** `refusal`: the number of a refusal by the host that the script did not catch. A script can forge it, so the host checks it. */
  | { readonly kind: 'failed'; readonly message: string; readonly refusal?: unknown };

export type JobEnd<R> =
  | { readonly kind: 'done'; readonly result: R }
  /** Terminated past its budget, or its thread died. */
  | { readonly kind: 'killed'; readonly why: 'time' | 'crash' }
  /** Not begun: the queue is full, or no thread came free in time. */
  | { readonly kind: 'busy' };

/** Answers what a running job asks of the host: one JSON text each way. Never rejects. */
export type HostLine = (text: string) => string | Promise<string>;

/** Called with how many milliseconds a job has run, before its result is given; not for one that did not begin. */
export type JobRan = (ms: number) => void;

export interface Jobs {
  run<K extends JobKind>(
    kind: K,
    body: JobKinds[K]['body'],
    budgetMs: number,
    host?: HostLine,
    ran?: JobRan,
  ): Promise<JobEnd<JobKinds[K]['result']>>;
}

/** For threads without a pool: every job is refused as busy. */
export const NO_JOBS: Jobs = { run: () => Promise.resolve({ kind: 'busy' }) };
