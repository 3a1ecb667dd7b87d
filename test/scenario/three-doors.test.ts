/**
 * The README's tour against a real HAProxy in front of three nodes on one log, as docs/how-to/several-doors.md says: undisturbed, and while the node that serves is killed, drained and paused. Its commands
 * succeed; one that is answered 502, 503 or 504 with Retry-After, or not at all, does when it is sent again. Nothing that was acknowledged is lost, and no row is there twice.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasHaproxy, Haproxy } from '#test/kit/haproxy.ts';
import { difference, linesOf } from '#test/kit/page-commands.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { openShell, tourTurn, type TourBlock } from '#test/kit/tour.ts';
import { Disturber } from '#test/scenario/three-doors/disturber.ts';
import { DemoNodes, NAMES, type Name } from '#test/scenario/three-doors/nodes.ts';
import { block, tourOfThree } from '#test/scenario/three-doors/page.ts';
import { Writer } from '#test/scenario/three-doors/writer.ts';

const ROUNDS = rounds({ suite: 1, ci: 1 }, 'SKEP_TOUR_ROUNDS');
const TOUR_MS = 400_000;
/** The block that kills the node that serves. */
const KILL = 'Kill it';
/** The last one, which reads the audit log. */
const RECORDED = 'See what is recorded';
const BALANCER = 'https://127.0.0.1:8443';

/** What the tour has made is there, and no more of it. */
const ONCE: Pick<TourBlock, 'text' | 'expected'> = {
  text: `call '${BALANCER}/data/rest/city?name=New%20Skep&fields=name'
call '${BALANCER}/data/rest/city?name=Old%20Skep&fields=name'
call '${BALANCER}/data/rest/suggestion?text=More%20bridges&fields=text'
call '${BALANCER}/data/rest/suggestion?text=Name%20the%20river%20too&fields=text'
curl -s -K .skep/position.curl '${BALANCER}/content/travel/story?country_id=CH' | grep -o '"title":"[^"]*"'`,
  expected: [
    '{"data":[{"name":"New Skep"}],"count":1}',
    '200',
    '{"data":[{"name":"Old Skep"}],"count":1}',
    '200',
    '{"data":[{"text":"More bridges"}],"count":1}',
    '200',
    '{"data":[{"text":"Name the river too"}],"count":1}',
    '200',
    '"title":"A bear in Bern"',
  ],
};

type Run = (one: Pick<TourBlock, 'text' | 'expected'>) => Promise<void>;

interface Walk {
  /** Ahead of each block but the one that kills, and the start behind it. */
  readonly before: (no: number, nodes: DemoNodes) => Promise<void>;
  /** Ahead of that one. */
  readonly ahead: (writer: Writer) => Promise<void>;
}

describe.runIf(hasPostgres && hasHaproxy)('the tour through a balancer in front of three nodes', () => {
  let pair: PostgresPair;
  /** Of a log in which the cities are; its node is stopped. */
  let loaded: DemoNodes;
  let tours = 0;

  const database = (name: string): string => pair.primary.url.replace(/postgres$/, name);
  const folder = (): string => mkdtempSync(join(tmpdir(), 'skep-tour-'));

  beforeAll(async () => {
    pair = await PostgresPair.start();
    await pair.primary.sql('create database loaded');
    loaded = await DemoNodes.make(folder(), database('loaded'));
    await loaded.run('runtime/cli/skep cluster init -f cluster.yaml --shards 4');
    loaded.start('n1');
    await loaded.serving();
    await loaded.stop();
  }, TOUR_MS);
  afterAll(async () => {
    await loaded.stop();
    loaded.remove();
    await pair.stop();
  }, TOUR_MS);

  async function tour(steps: Walk): Promise<Writer> {
    const name = `tour${++tours}`;
    await pair.primary.sql(`create database ${name} template loaded`);
    const nodes = await DemoNodes.copy(loaded, folder(), database(name));
    const balancer = await Haproxy.start(nodes.folder, nodes.gateways);
    try {
      await startAll(nodes);
      const run = shellOf(nodes, balancer);
      await run({ text: block('ahead of the tour'), expected: null });
      const writer = await Writer.start(balancer, nodes.folder);
      const end = await tourTurn();
      await walk(nodes, run, writer, steps).finally(end);
      await run(ONCE);
      return writer;
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${nodes.logs}`, { cause: error });
    } finally {
      await balancer.stop();
      await nodes.stop();
      nodes.remove();
    }
  }

  test('undisturbed', { timeout: TOUR_MS }, async () => {
    const ahead = (writer: Writer): Promise<void> => {
      expect([...writer.told.keys()]).toEqual(['201']);
      return Promise.resolve();
    };
    await tour({ before: () => Promise.resolve(), ahead });
  });

  test.each(Array.from({ length: ROUNDS }, (_, no) => testSeed() + no))(
    'while the node that serves is killed, drained and paused, by seed %i',
    { timeout: TOUR_MS },
    async (seed) => {
      const blocks = tourOfThree().findIndex(({ title }) => title === KILL);
      const disturber = new Disturber(new Random(seed), blocks);
      const writer = await tour({
        before: (no, nodes) => disturber.before(no, nodes),
        ahead: () => disturber.over(),
      });
      const { acknowledged, longestMs, told } = writer;
      console.log(JSON.stringify({ seed, plan: [...disturber.plan], acknowledged, longestMs, told: [...told] }));
      // Without an answer (0): HAProxy ends a connection on which an earlier request was answered, where that of the node ends.
      const wellSaid = /^(?:201|0|50[234] retry-after 1)$/;
      expect([...told.keys()].filter((what) => !wellSaid.test(what))).toEqual([]);
    },
  );
});

async function startAll(nodes: DemoNodes): Promise<void> {
  await nodes.shareSecrets();
  nodes.start('n1');
  await nodes.serving();
  for (const other of NAMES.slice(1)) nodes.start(other);
  await nodes.whole();
}

/** One shell for a tour; what it prints is held against what is promised. */
function shellOf(nodes: DemoNodes, balancer: Haproxy): Run {
  const shell = openShell(nodes.folder, { ...nodes.env, CURL_CA_BUNDLE: join(nodes.folder, 'site.pem') });
  return async ({ expected, text }) => {
    const { code, output } = await shell.run(text.replaceAll(BALANCER, balancer.url));
    expect(code, `${text}\n${output}`).toBe(0);
    if (expected !== null) expect(difference(linesOf(output), expected), `${text}\n${output}`).toBe(null);
  };
}

async function walk(nodes: DemoNodes, run: Run, writer: Writer, { ahead, before }: Walk): Promise<void> {
  let killed: Name | null = null;
  for (const [no, one] of tourOfThree().entries()) {
    if (one.kind === 'start') {
      if (killed === null) await before(no, nodes);
      else nodes.start(killed);
      continue;
    }
    if (one.title === KILL) {
      await ahead(writer);
      killed = await nodes.whole();
    } else await before(no, nodes);
    // The log is read when it is at rest, as the tour has it.
    if (one.title === RECORDED) expect(await writer.wrong()).toEqual([]);
    await run(one);
  }
}
