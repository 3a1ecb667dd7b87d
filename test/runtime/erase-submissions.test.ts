/** One person's submissions erased from intake and from the tenants of the forms. docs/contract/intake.md §3.6 */
import { expect, test } from 'vitest';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { eraseSubmissions } from '#runtime/erase-submissions.ts';

const [HERE, GONE] = ['acme:desk:dev:main', 'acme:desk:dev:gone'];

function parts(tenants?: Readonly<Record<string, number>>) {
  const told: string[] = [];
  const erased = { forms: { contact: 1 }, left: ['/old'], ...(tenants !== undefined && { tenants }) };
  return {
    told,
    intake: { erasePerson: async (address: string) => (told.push(`intake ${address}`), erased) },
    relays: { submissionsQuiet: async () => void told.push('quiet') },
    tenants: {
      ask: async (key: string, service: string, verb: string) => (told.push(`${key} ${service} ${verb}`), 2) as unknown,
    },
    directory: { get: (key: string) => (key === HERE ? ({ no: 1 } as TenantEntry) : undefined) },
  };
}

test('intake first, then, when nothing is on its way any more, each tenant; one that is elsewhere is named', async () => {
  const { told, ...them } = parts({ [HERE]: 0, [GONE]: 0 });
  expect(await eraseSubmissions(them, 'eve@example.org')).toEqual({
    forms: { contact: 1 },
    left: ['/old'],
    tenants: { [HERE]: 2 },
    elsewhere: [GONE],
  });
  expect(told).toEqual(['intake eve@example.org', 'quiet', `${HERE} data submissions.erase`]);
});

test('where no form has a tenant, none is asked', async () => {
  const { told, ...them } = parts();
  expect(await eraseSubmissions(them, 'eve@example.org')).toEqual({ forms: { contact: 1 }, left: ['/old'] });
  expect(told).toEqual(['intake eve@example.org']);
});
