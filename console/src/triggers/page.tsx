/** The triggers of the tenant, and their events that wait or ended without success. Which of them are shown, and which is open, stand in the address. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { LiveMark, useLive } from '../parts/live.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { EventSheet } from './event-sheet.tsx';
import { EventsTable, linkId } from './events-table.tsx';
import { NoTriggers } from './no-triggers.tsx';
import { triggersPath } from './paths.ts';
import { EVENTS_MAX, eventsOf, triggersOf } from './queries.ts';
import type { TriggerSearch } from './search.ts';
import { OUTCOMES, type Trigger } from './shapes.ts';
import { TriggersTable } from './triggers-table.tsx';
import './triggers.css';

const FROM = '/at/$customer/$product/$env/$tenant/triggers';

export function TriggersPage() {
  const { triggers: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { refetchInterval, isLive } = useLive();
  const triggers = useQuery({ ...triggersOf(place), refetchInterval });
  const events = useQuery({
    ...eventsOf(place, search.outcome),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const error = triggers.error ?? events.error;
  const again = (): void => void Promise.all([triggers.refetch(), events.refetch()]);
  const go = (next: TriggerSearch): void =>
    void navigate({ to: triggersPath(place.key), search: next as never, replace: next.event === undefined });
  const { event: shown, ...list } = search;
  const close = (id: string): void => {
    go(list);
    // The reader goes on where the sheet was opened.
    document.getElementById(linkId(id))?.focus();
  };
  const rows = events.data?.filter(({ trigger }) => search.trigger === undefined || trigger === search.trigger);
  return (
    <>
      <PageHead title={words.section} label={words.section} beside={[]} />
      {error !== null && <Denied error={error} again={again} />}
      {triggers.data?.length === 0 && <NoTriggers />}
      {triggers.data !== undefined && triggers.data.length > 0 && rows !== undefined && (
        <Stack gap="sm">
          <Panel title={words.list}>
            <TriggersTable rows={triggers.data} />
          </Panel>
          <Panel title={words.eventsList}>
            <Group gap="sm" align="flex-end" mb="xs">
              <Choices triggers={triggers.data} search={list} go={go} />
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={events.isRefetching && !isLive}
                onClick={again}
              >
                {words.look}
              </Button>
              <LiveMark isLive={isLive} />
            </Group>
            <EventsTable rows={rows} search={list} />
            <Text size="sm" c="dimmed" maw="72ch" mt="xs">
              {words.keptOnly} {events.data?.length === EVENTS_MAX && words.most}
            </Text>
          </Panel>
        </Stack>
      )}
      {shown !== undefined && error === null && <EventSheet key={shown} id={shown} close={() => close(shown)} />}
    </>
  );
}

interface ChoicesProps {
  readonly triggers: readonly Trigger[];
  readonly search: TriggerSearch;
  readonly go: (search: TriggerSearch) => void;
}

function Choices({ triggers, search, go }: ChoicesProps) {
  const { triggers: words } = useWords();
  const { outcome: _outcome, ...ofAll } = search;
  const { trigger: _trigger, ...ofAny } = search;
  const choose = (value: string): void => {
    const outcome = OUTCOMES.find((one) => one === value);
    go(outcome === undefined ? ofAll : { ...ofAll, outcome });
  };
  return (
    <>
      <NativeSelect
        label={words.outcome}
        size="xs"
        value={search.outcome ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[{ value: '', label: words.any }, ...OUTCOMES.map((value) => ({ value, label: words.outcomes[value] }))]}
      />
      <NativeSelect
        label={words.trigger}
        size="xs"
        value={search.trigger ?? ''}
        onChange={({ currentTarget: { value } }) => go(value === '' ? ofAny : { ...ofAny, trigger: value })}
        data={[{ value: '', label: words.any }, ...triggers.map(({ name }) => name)]}
      />
    </>
  );
}

function Denied({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { triggers: words } = useWords();
  if (isSkepError(error, 'v2.requires_admin')) return <Text maw="72ch">{words.administratorsOnly}</Text>;
  return <Fault error={error} again={again} />;
}
