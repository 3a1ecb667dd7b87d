/** The webhooks of content, and their deliveries. Which of them are shown, and which is open, stand in the address. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LiveMark, useLive } from '../parts/live.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { DeliveriesTable, linkId } from './deliveries-table.tsx';
import { DeliverySheet } from './delivery-sheet.tsx';
import { Denied } from './denied.tsx';
import { ContentHead } from './head.tsx';
import { NoWebhooks } from './no-webhooks.tsx';
import { webhooksPath } from './paths.ts';
import { appsOf, deliveriesOf } from './queries.ts';
import type { DeliveriesSearch } from './search.ts';
import { OUTCOMES } from './states.ts';
import { WebhooksTable } from './webhooks-table.tsx';

export function WebhooksPage() {
  const { content: words } = useWords();
  const { count } = useFigures();
  const place = usePlace();
  const search = useSearch({ from: '/at/$customer/$product/$env/$tenant/content/webhooks' });
  const navigate = useNavigate();
  const apps = useQuery(appsOf(place));
  const { refetchInterval, isLive } = useLive();
  const list = useInfiniteQuery({
    ...deliveriesOf(place, search.outcome),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const error = apps.error ?? list.error;
  const again = (): void => void Promise.all([apps.refetch(), list.refetch()]);
  const go = (next: DeliveriesSearch): void =>
    void navigate({ to: webhooksPath(place.key), search: next as never, replace: next.delivery === undefined });
  const { delivery: shown, ...there } = search;
  const close = (id: string): void => {
    go(there);
    // The reader goes on where the sheet was opened.
    document.getElementById(linkId(id))?.focus();
  };
  const hooks = apps.data?.flatMap(({ name, webhooks }) => webhooks.map((hook) => ({ ...hook, app: name })));
  const rows = list.data?.pages.flatMap(({ deliveries }) => deliveries);
  const counts = list.data?.pages[0]?.count;
  const isPlain = hooks?.length === 0 && counts !== undefined && counts.waiting + counts.logged === 0;
  return (
    <>
      <ContentHead title={words.webhooks} />
      {error !== null && <Denied error={error} again={again} />}
      {isPlain && <NoWebhooks />}
      {!isPlain && hooks !== undefined && rows !== undefined && counts !== undefined && (
        <Stack gap="sm">
          <Panel title={words.webhooksList}>
            <WebhooksTable rows={hooks} />
          </Panel>
          <Panel title={words.deliveries}>
            <Text size="sm" c="dimmed" maw="72ch">
              {words.deliveryCounts(count(counts.waiting), count(counts.logged), count(counts.dropped))}
            </Text>
            <Group gap="sm" align="flex-end" my="xs">
              <OutcomeSelect search={there} go={go} />
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={list.isRefetching && !isLive}
                onClick={again}
              >
                {words.look}
              </Button>
              <LiveMark isLive={isLive} />
            </Group>
            <DeliveriesTable rows={rows} search={there} hasMore={list.hasNextPage} />
          </Panel>
          <More label={words.furtherBack} of={list} />
        </Stack>
      )}
      {shown !== undefined && rows !== undefined && (
        <DeliverySheet
          key={shown}
          of={rows.find(({ id }) => id === shown)}
          again={() => list.refetch()}
          close={() => close(shown)}
        />
      )}
    </>
  );
}

interface SelectProps {
  readonly search: DeliveriesSearch;
  readonly go: (search: DeliveriesSearch) => void;
}

function OutcomeSelect({ search, go }: SelectProps) {
  const { content: words } = useWords();
  const choose = (value: string): void => {
    const outcome = OUTCOMES.find((one) => one === value);
    go(outcome === undefined ? {} : { outcome });
  };
  return (
    <NativeSelect
      label={words.state}
      size="xs"
      value={search.outcome ?? ''}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[{ value: '', label: words.any }, ...OUTCOMES.map((value) => ({ value, label: words.outcomes[value] }))]}
    />
  );
}
