/**
 * Three nodes on one log are replaced by another release, one after the other, and back again, by the commands of docs/operate/upgrade.md, under callers at all doors: each request is answered, or gets 503 with a
 * Retry-After of two seconds at most; what was acknowledged is there, once. The other release is a commit of this repository's history.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { tally } from '#test/kit/tally.ts';
import { DoorCallers } from '#test/crash/upgrade/callers.ts';
import { FURTHER, Machine } from '#test/crash/upgrade/machine.ts';
import { present, releaseOf, type Release } from '#test/crash/upgrade/release.ts';
import { keyOf, replace, until } from '#test/crash/upgrade/replace.ts';

/**
 * Commits without pages of sites on links and without the column `linked`, and with both, before rows took files by PATCH. The first commits whose nodes answer at every door (before 67e6d3dc) cut callers when a node
 * that stands by is stopped.
 */
const FORMER = [
  { commit: '55bdc382fbc0f3ca0e248af05be204c08796d785' },
  { commit: '966d5f7bd5bfcea453d7ddf4ad599658fab65dec' },
  // Its nodes carry hosts of one another. Those of two releases do not, and go by the number, which is the same for commits between releases.
  { commit: '1d6199bde1542b053f235af52212fb1d2e3a5b06', version: '0.1.99', carries: true },
] as const;
/** What callers of these may meet: they close a door without a word ahead (the third one: too soon on a busy machine), so that a request may cross the close. Doors of this release cut no caller whose connection was made. */
const CUT = new RegExp(` of (?!${present.name}:)\\S+: 0 (?:ECONNRESET|UND_ERR_SOCKET)$`);
const ROUNDS = rounds({ suite: 2, ci: 2 }, 'SKEP_UPGRADE_ROUNDS');
const NAMES = ['n1', 'n2', 'n3'];
const SHARDS = 12;
const LEASE_MS = 4000;
const ROUND_MS = 400_000;

const seed = testSeed();
const chosen: { readonly commit: string; readonly version?: string; readonly carries?: true } =
  FORMER[seed % FORMER.length]!;
const { carries = false } = chosen;
const former = hasPostgres ? releaseOf(chosen.commit, chosen.version ?? null) : null;

describe.runIf(former !== null)(
  `three nodes of ${former?.name} on one log${carries ? ', which carry hosts' : ''}, and of this release`,
  () => {
    const root = mkdtempSync(join(tmpdir(), 'skep-upgrade-'));
    const random = new Random(seed);
    let pair: PostgresPair;
    const machines: Machine[] = [];
    let callers: DoorCallers;

    beforeAll(async () => {
      pair = await PostgresPair.start();
      for (const name of NAMES)
        machines.push(await Machine.make(root, { name, url: pair.primary.url, leaseMs: LEASE_MS, carries }, former!));
      const [first, ...others] = machines as [Machine, ...Machine[]];
      await first.skep('cluster', 'init', '-f', first.file, '--shards', String(SHARDS));
      first.start();
      await until('the first one serves', machines, () => first.serves());
      const keys = new Map<string, string>();
      for (const tenant of carries ? [TENANT, ...FURTHER] : [TENANT]) keys.set(tenant, await keyOf(first, tenant));
      for (const other of others) {
        other.start();
        await until(`${other.name} stands by`, machines, () => other.isStandby());
      }
      callers = new DoorCallers(
        machines.map((machine) => ({ url: machine.gateway, said: () => `${machine.name} of ${machine.release.name}` })),
        keys,
      );
      await shared();
    }, ROUND_MS);
    afterAll(async () => {
      for (const machine of machines) machine.kill();
      await callers.end();
      await pair.stop();
      rmSync(root, { recursive: true, force: true });
    }, ROUND_MS);

    /** Where nodes carry hosts, each runs its part of them, as it does when all are of one release. */
    async function shared(): Promise<void> {
      if (!carries) return;
      const [first] = machines as [Machine];
      await until('each node runs hosts', machines, async () => {
        const owners = await first.owners();
        return NAMES.every((name) => owners.filter((owner) => owner === name).length === SHARDS / NAMES.length);
      });
    }

    /** All of them, those that stand by first. */
    async function replaceAll(to: Release): Promise<void> {
      const serving = await Promise.all(machines.map((machine) => machine.serves()));
      const late = machines.filter((_, no) => serving[no]);
      const order = machines.filter((one) => !late.includes(one));
      if (random.chance(0.5)) order.reverse();
      for (const machine of [...order, ...late]) {
        callers.pauseMs();
        const before = { ...callers.counts, acknowledged: callers.acknowledged };
        await replace(machine, to, machines);
        tally({ replacements: 1, acknowledged: callers.acknowledged - before.acknowledged });
        const { elsewhere, refused, requests } = callers.counts;
        const told = {
          node: machine.name,
          to: to.name,
          served: late.includes(machine),
          cut: callers.failures.filter((what) => CUT.test(what)).length,
          pauseMs: callers.pauseMs(),
          requests: requests - before.requests,
          refused: refused - before.refused,
          elsewhere: elsewhere - before.elsewhere,
        };
        console.log(JSON.stringify(told));
        const failures = callers.failures.splice(0).filter((what) => !CUT.test(what));
        expect(failures, JSON.stringify(told)).toEqual([]);
        expect(callers.acknowledged).toBeGreaterThan(before.acknowledged);
      }
      await shared();
    }

    test.each(Array.from({ length: ROUNDS }, (_, no) => [no, no % 2 === 0 ? 'to this release' : 'back'] as const))(
      `replacement %i, %s, by seed ${seed}`,
      { timeout: ROUND_MS },
      (no) => replaceAll(no % 2 === 0 ? present : former!),
    );

    test('what was acknowledged is there, once', { timeout: ROUND_MS }, async () => {
      expect(await callers.wrong()).toEqual([]);
      for (const machine of machines) await machine.stop();
    });
  },
);
