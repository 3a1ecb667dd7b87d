/** One person's submissions erased from intake, then from the tenants that keep copies of them (docs/contract/intake.md §3.5, §3.6). */
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import type { Directory } from './door/directory.ts';
import type { Relays } from './relays/relays.ts';
import type { IntakeWriterRoom } from './rooms/intake-writer-room.ts';
import type { Tenants } from './tenants.ts';

export interface ErasingParts {
  readonly intake: Pick<IntakeWriterRoom, 'erasePerson'>;
  readonly relays: Pick<Relays, 'submissionsQuiet'>;
  readonly tenants: Pick<Tenants, 'ask'>;
  readonly directory: Pick<Directory, 'get'>;
}

/**
 * Counts what was erased, by form and by tenant. What is on its way when intake has erased its part reaches the tenant first. Throws where a tenant
 * cannot be asked: the same erasure again does the rest.
 */
export async function eraseSubmissions(
  { intake, relays, tenants, directory }: ErasingParts,
  address: string,
): Promise<ErasedSubmissions> {
  const erased = await intake.erasePerson(address);
  if (erased.tenants === undefined) return erased;
  await relays.submissionsQuiet();
  const counts: Record<string, number> = {};
  const elsewhere: string[] = [];
  for (const key of Object.keys(erased.tenants))
    if (directory.get(key) === undefined) elsewhere.push(key);
    else counts[key] = (await tenants.ask(key, 'data', 'submissions.erase', { address })) as number;
  return { ...erased, tenants: counts, ...(elsewhere.length > 0 && { elsewhere }) };
}
