/** One key beside the list: what it may do, where it counts, and its end, behind its name that is typed. */
import { Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { AskedAct } from '../parts/asked-act.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { MayDo } from './keys-table.tsx';
import { revokeKey } from './queries.ts';
import type { ApiKey } from './shapes.ts';
import { KeyBadge } from './state-badge.tsx';

interface KeySheetProps {
  /** Undefined where the list does not have it. */
  readonly of: ApiKey | undefined;
  readonly isOnAnotherPage: boolean;
  readonly close: () => void;
  readonly onRevoked: () => void;
}

export function KeySheet({ of: one, isOnAnotherPage, close, onRevoked }: KeySheetProps) {
  const { keys: words } = useWords();
  return (
    <Sheet title={one === undefined ? words.key : (one.name ?? one.id)} close={close}>
      {one === undefined ? (
        <Text maw="72ch">{isOnAnotherPage ? words.further : words.unknown}</Text>
      ) : (
        <Known of={one} onRevoked={onRevoked} />
      )}
    </Sheet>
  );
}

function Known({ of: one, onRevoked }: { readonly of: ApiKey; readonly onRevoked: () => void }) {
  const { keys: words, typed } = useWords();
  const { moment, count } = useFigures();
  const place = usePlace();
  const revoke = useMutation({ mutationFn: () => revokeKey(place, one.id), onSuccess: onRevoked });
  const name = one.name ?? one.id;
  return (
    <Stack gap="md">
      <div>
        <KeyBadge of={one} />
        <Facts
          of={[
            ['id', one.id],
            [words.may, <MayDo key="may" of={one} />],
            [words.where, one.ips === null ? words.everywhere : one.ips.join(', ')],
            [words.rate, one.per_second === null ? words.asOthers : count(one.per_second)],
            [words.made, moment(one.created_at)],
            [words.madeBy, one.created_by],
            [words.ends, one.expires_at === null ? words.never : moment(one.expires_at)],
            [words.lastUsed, one.last_used_at === null ? words.never : moment(one.last_used_at)],
          ]}
        />
      </div>
      <section className="section" aria-label={words.revoke}>
        <Title order={3} size="h2" mb={4}>
          {words.revoke}
        </Title>
        <Text size="sm" maw="72ch">
          {words.revokeHow}
        </Text>
        {revoke.error !== null && <Fault error={revoke.error} again={() => revoke.mutate()} />}
        <AskedAct
          act={words.revokeIt}
          how={words.revokeAsks}
          name={name}
          label={typed}
          isTyped={(text) => text.trim() === name}
          isPending={revoke.isPending}
          run={() => revoke.mutateAsync()}
          reset={revoke.reset}
        />
      </section>
    </Stack>
  );
}
