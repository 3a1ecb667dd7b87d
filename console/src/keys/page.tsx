/** The API keys of the tenant: made, listed, revoked. Which one is open stands in the address. */
import { Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { KeySheet } from './key-sheet.tsx';
import { KeysTable, linkId } from './keys-table.tsx';
import { MakeForm } from './make-form.tsx';
import { keysPath } from './paths.ts';
import { keysOf } from './queries.ts';
import './keys.css';

const FROM = '/at/$customer/$product/$env/$tenant/keys';

export function KeysPage() {
  const { keys: words } = useWords();
  const place = usePlace();
  const { key: shown } = useSearch({ from: FROM });
  const navigate = useNavigate();
  const asked = useInfiniteQuery(keysOf(place));
  const rows = asked.data?.pages.flatMap(({ keys }) => keys);
  const again = (): void => void asked.refetch();
  const close = (id: string): void => {
    void navigate({ to: keysPath(place.key), replace: true });
    // The reader goes on where the sheet was opened.
    document.getElementById(linkId(id))?.focus();
  };
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {asked.error !== null && <Denied error={asked.error} again={again} />}
      {rows !== undefined && (
        <Stack gap="sm">
          <MakeForm onMade={again} />
          <Panel title={words.list}>
            <KeysTable rows={rows} />
          </Panel>
          <More label={words.more} of={asked} />
        </Stack>
      )}
      {shown !== undefined && rows !== undefined && (
        <KeySheet
          key={shown}
          of={rows.find(({ id }) => id === shown)}
          isOnAnotherPage={asked.hasNextPage}
          close={() => close(shown)}
          onRevoked={() => {
            again();
            close(shown);
          }}
        />
      )}
    </>
  );
}

function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { keys: words } = useWords();
  if (isSkepError(error, 'requires_tenant_admin')) return <Text maw="72ch">{words.administratorsOnly}</Text>;
  return <Fault error={error} again={again} />;
}
