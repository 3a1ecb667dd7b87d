/** An HTTP case: alternating runs of the raw hello and of the product under the same load. */
import type { Bench } from '../harness.ts';
import { HELLO } from './ceiling.ts';
import type { DevFile } from './dev-file.ts';
import { ratioOf, type Figure, type Pair, type Target } from './figure.ts';
import type { LoadRequest } from './load-script.ts';
import type { Options } from './options.ts';
import { median, mediansOf } from './stats.ts';
import { busyOf } from './watch.ts';
import { unexpected, type LoadResult } from './wrk-output.ts';
import { runWrk, type Load } from './wrk.ts';

interface Spec {
  readonly name: string;
  readonly connections: number;
  /** Length of each measured run, unless a flag says otherwise. */
  readonly seconds: number;
  /** The only status that counts as a success. */
  readonly expect: number;
  /** Throws when the answer to the probe is not what the case means to measure. */
  readonly check?: (body: string) => void;
  readonly target?: Target;
  readonly note?: string;
}

/** A case of the server that the cases share. */
export interface HttpSpec extends Spec {
  readonly url: (dev: DevFile) => string;
  readonly request: (dev: DevFile, token: string) => LoadRequest;
}

/** A case of a server of its own. */
export interface UrlSpec extends Spec {
  readonly url: string;
  /** Asked for before each run: tokens end. */
  readonly request: () => Promise<LoadRequest>;
}

/** One alternating pair, as it was measured. */
export interface Round {
  readonly hello: LoadResult;
  readonly work: LoadResult;
}

const WARM_SECONDS = 2;
const HELLO_SECONDS_MAX = 10;

/** Estimated seconds of a case. */
export function httpSeconds({ seconds }: Pick<Spec, 'seconds'>, options: Options): number {
  const run = options.seconds ?? seconds;
  return options.pairs * (run + Math.min(run, HELLO_SECONDS_MAX)) + 2 * Math.min(run, WARM_SECONDS);
}

/** A figure of the shared server. */
export async function measureHttp(bench: Bench, spec: HttpSpec): Promise<Figure> {
  const { dev } = await bench.server();
  const request = async (): Promise<LoadRequest> => spec.request(dev, await bench.token());
  return measureUrl(bench, { ...spec, url: spec.url(dev), request });
}

/** Probes the exact answer once, makes the hello as long, warms both up, then measures the pairs. */
export async function measureUrl(bench: Bench, spec: UrlSpec): Promise<Figure> {
  const ceiling = await bench.ceiling();
  await ceiling.setBytes(await probe(spec));
  const seconds = bench.options.seconds ?? spec.seconds;
  const connections = bench.options.connections ?? spec.connections;
  const { threads } = bench.options;
  const hello = (forSeconds: number): Load => ({
    url: ceiling.url,
    request: HELLO,
    connections,
    threads,
    seconds: Math.min(forSeconds, HELLO_SECONDS_MAX),
  });
  const work = async (forSeconds: number): Promise<Load> => ({
    url: spec.url,
    request: await spec.request(),
    connections,
    threads,
    seconds: forSeconds,
  });
  await runWrk(hello(Math.min(seconds, WARM_SECONDS)));
  await runWrk(await work(Math.min(seconds, WARM_SECONDS)));
  const rounds: Round[] = [];
  for (let i = 0; i < bench.options.pairs; i++) {
    const round = await measurePair(
      () => runWrk(hello(seconds)),
      async () => runWrk(await work(seconds)),
      i % 2 === 1,
    );
    bench.noteHello(round.hello.perSecond);
    rounds.push(round);
  }
  return figureOf(spec, rounds);
}

/** The side that goes first changes from pair to pair, so that neither always meets the machine as the other left it. */
async function measurePair(
  hello: () => Promise<LoadResult>,
  work: () => Promise<LoadResult>,
  workFirst: boolean,
): Promise<Round> {
  if (!workFirst) return { hello: await hello(), work: await work() };
  const first = await work();
  return { hello: await hello(), work: first };
}

/** Sends the case's request once. Gives the bytes of the answer's body; throws when the answer is not the expected one. */
async function probe(spec: UrlSpec): Promise<number> {
  const { url } = spec;
  const { method, headers, body } = await spec.request();
  const answer = await fetch(url, { method, headers, body: body === null ? null : probeBody(body) });
  const text = await answer.text();
  if (answer.status !== spec.expect)
    throw new Error(`${method} ${url} answered ${answer.status} ${text.slice(0, 500)}`);
  spec.check?.(text);
  return Buffer.byteLength(text);
}

function probeBody(body: NonNullable<LoadRequest['body']>): string {
  const unique = `probe ${Date.now().toString(36)} ${Math.floor(Math.random() * 2 ** 32).toString(36)}`;
  return body.map((part) => (typeof part === 'string' ? part : part.kind === 'unique' ? unique : '1')).join('');
}

/** Medians over the pairs; errors of all of them together. */
export function figureOf(spec: Spec, rounds: readonly Round[]): Figure {
  const pairs: Pair[] = rounds.map(({ hello, work }) => ({ ceiling: hello.perSecond, value: work.perSecond }));
  const works = rounds.map(({ work }) => work);
  return {
    name: spec.name,
    unit: 'req/s',
    value: median(pairs.map(({ value }) => value)),
    ...mediansOf(works),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    ...busyOf(works),
    errors: rounds.reduce((sum, round) => sum + unexpected(round.hello, 200) + unexpected(round.work, spec.expect), 0),
    ...(spec.target === undefined ? {} : { target: spec.target }),
    ...(spec.note === undefined ? {} : { note: spec.note }),
  };
}
