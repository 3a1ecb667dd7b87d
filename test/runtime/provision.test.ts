/** Provisioning interrupted at every step, and resumed. Spec: docs/contract/identity.md §10.4. */
import { describe, expect, test } from 'vitest';
import { register, advance, ensureRing, readControl } from '#actors/identity/registry.ts';
import { Work } from '#actors/host/work.ts';
import { provisionTenant, type ProvisionPorts } from '#runtime/provision.ts';
import { World } from '#test/kit/identity-call.ts';

const KEY = 'acme:atlas:dev:main';

/** A control plane in memory and a data service that counts; the nth message fails when told so. */
class Plane {
  readonly world = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  readonly asked: string[] = [];
  failAt = Number.POSITIVE_INFINITY;
  #provisioned = false;

  get ports(): ProvisionPorts {
    return {
      hosts: {
        shardCount: 4,
        ask: (_shard, _no, service, verb, body) => this.#ask(service, verb, body),
        forget: async () => {
          await Promise.resolve();
          this.#count('host forget');
          return null;
        },
      },
      ensureRing: async () => void (await this.#ask('identity', 'ring.ensure', null)),
      share: async () => {
        this.#count('share');
        await Promise.resolve();
      },
    };
  }

  /** What the registry says now. */
  tenants() {
    return readControl(new Work(this.world.activation)).tenants;
  }

  #count(what: string): void {
    this.asked.push(what);
    if (this.asked.length === this.failAt) throw new Error(`interrupted at ${what}`);
  }

  async #ask(service: string, verb: string, body: unknown): Promise<unknown> {
    await Promise.resolve();
    this.#count(`${service} ${verb}`);
    if (service === 'data') {
      const steps = this.#provisioned ? [] : ['table item'];
      this.#provisioned = true;
      return steps;
    }
    const work = new Work(this.world.activation);
    const answers: Record<string, (work: Work, body: never) => unknown> = {
      'ring.ensure': ensureRing,
      'registry.register': register,
      'registry.advance': advance,
    };
    const result = answers[verb]!(work, body as never);
    work.commit();
    return result;
  }
}

test('a first run does every step once, in order, and leaves the tenant active', async () => {
  const plane = new Plane();
  expect(await provisionTenant(KEY, './atlas', plane.ports)).toEqual({
    tenant: KEY,
    state: 'active',
    steps: ['table item'],
    admin: null,
  });
  expect(plane.asked).toEqual([
    'identity ring.ensure',
    'identity registry.register',
    'share',
    'data schema.provision',
    'host forget',
    'identity registry.advance',
    'identity registry.advance',
    'identity registry.advance',
    'share',
  ]);
});

test('a second run changes nothing: same number, same shard, same key, no steps', async () => {
  const plane = new Plane();
  await provisionTenant(KEY, './atlas', plane.ports);
  const [before] = plane.tenants();
  expect(await provisionTenant(KEY, './atlas', plane.ports)).toEqual({
    tenant: KEY,
    state: 'active',
    steps: [],
    admin: null,
  });
  expect(plane.tenants()).toEqual([before]);
  expect(readControl(new Work(plane.world.activation)).ring).toHaveLength(1);
});

describe('interrupted', () => {
  test.each(Array.from({ length: 9 }, (_, step) => step + 1))('at step %i, then resumed', async (step) => {
    const plane = new Plane();
    plane.failAt = step;
    await expect(provisionTenant(KEY, './atlas', plane.ports)).rejects.toThrow('interrupted');
    plane.failAt = Number.POSITIVE_INFINITY;
    expect(await provisionTenant(KEY, './atlas', plane.ports)).toMatchObject({ state: 'active' });
    expect(plane.tenants()).toHaveLength(1);
    expect(plane.tenants()[0]).toMatchObject({ no: 2, shard: 2, state: 'active' });
    expect(readControl(new Work(plane.world.activation)).ring).toHaveLength(1);
    expect(plane.asked.at(-1)).toBe('share');
  });
});
