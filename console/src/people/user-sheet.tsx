/** One person beside the list: what is known, roles, sessions, and whether the person may log in. It has an address of its own. */
import { Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Facts } from '../parts/facts.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { AccessSection } from './access-section.tsx';
import { Denied } from './denied.tsx';
import { MaySection } from './may-section.tsx';
import { fullName, loginOf } from './names.ts';
import { personOf } from './queries.ts';
import { RolesForm } from './roles-form.tsx';
import { SessionsSection } from './sessions-section.tsx';
import type { PersonDetail } from './shapes.ts';
import { StateBadge } from './state-badge.tsx';

export function UserSheet({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { people: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const { data: person, error, refetch } = useQuery(personOf(place, id));
  const title = person === undefined ? words.person : person.guest ? words.states.guest : loginOf(person);
  const again = (): Promise<void> => queries.invalidateQueries({ queryKey: ['people'] });
  return (
    <Sheet title={title} close={close}>
      {isSkepError(error, 'unknown_user') && <Text>{words.unknown}</Text>}
      {error !== null && !isSkepError(error, 'unknown_user') && <Denied error={error} again={() => void refetch()} />}
      {person !== undefined && (
        <Stack gap="md">
          <div>
            <StateBadge of={person} />
            <PersonFacts of={person} />
          </div>
          {!person.guest && <RolesForm person={person} again={again} />}
          <MaySection person={person} />
          <SessionsSection person={person} />
          <AccessSection person={person} again={again} />
        </Stack>
      )}
    </Sheet>
  );
}

function PersonFacts({ of: person }: { readonly of: PersonDetail }) {
  const { people: words } = useWords();
  const { moment } = useFigures();
  const ways = [
    ...(person.has_password ? [words.ways.password] : []),
    ...(person.second_factor ? [words.ways.code] : []),
    ...(person.passkeys > 0 ? [`${words.ways.passkeys}: ${person.passkeys}`] : []),
    ...person.identities.map(({ provider }) => provider),
  ];
  return (
    <Facts
      of={[
        ...(person.guest ? [] : [[words.name, fullName(person) || null] as const]),
        [words.logsInBy, ways.join(', ') || null],
        ...(person.guest
          ? []
          : [[words.verified, person.verified_at === null ? words.notVerified : moment(person.verified_at)] as const]),
        ...(person.disabled_at === null ? [] : [[words.disabledAt, moment(person.disabled_at)] as const]),
        [words.since, moment(person.created_at)],
        ['id', person.id],
      ]}
    />
  );
}
