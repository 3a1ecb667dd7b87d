/** A form: how it works, and its submissions, newest first. Which outcome is shown and which submission is open stand in the address. */
import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { LiveMark, useLive } from '../parts/live.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { ExportButton } from './export-button.tsx';
import { FormFacts, HowToSubmit } from './form-facts.tsx';
import { FormsHead } from './head.tsx';
import { triggerOf } from './known-forms.ts';
import { formPath } from './paths.ts';
import { submissionsOf, triggersOf } from './queries.ts';
import type { FormSearch } from './search.ts';
import { OUTCOMES } from './shapes.ts';
import { SubmissionSheet } from './submission-sheet.tsx';
import { linkId, SubmissionsTable } from './submissions-table.tsx';

const FROM = '/at/$customer/$product/$env/$tenant/forms/$form';

/** Each form has a page of its own: rows of another one never stand in for its own. */
export function FormPage() {
  const { form } = useParams({ from: FROM });
  return <Form key={form} form={form} />;
}

function Form({ form }: { readonly form: string }) {
  const { forms: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const { refetchInterval, isLive } = useLive();
  const triggers = useQuery(triggersOf(place));
  const asked = useInfiniteQuery({
    ...submissionsOf(place, form, search.outcome),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const rows = asked.data?.pages.flatMap(({ submissions }) => submissions);
  const error = triggers.error ?? asked.error;
  const again = (): void => void Promise.all([triggers.refetch(), asked.refetch()]);
  const go = (next: FormSearch): void =>
    void navigate({ to: formPath(place.key, form), search: next as never, replace: next.submission === undefined });
  const close = (id: string): void => {
    go({ ...(search.outcome !== undefined && { outcome: search.outcome }) });
    // The reader goes on where the sheet was opened.
    document.getElementById(linkId(id))?.focus();
  };
  const isEmpty = rows?.length === 0 && !asked.hasNextPage && search.outcome === undefined;
  const trigger = triggerOf(triggers.data ?? [], form);
  const shown = search.submission;
  return (
    <>
      <FormsHead form={form} />
      {error !== null && <Denied error={error} again={again} />}
      {rows !== undefined && triggers.data !== undefined && (
        <Stack gap="sm">
          <FormFacts form={form} trigger={trigger} newest={rows[0]} isEmpty={isEmpty} />
          {isEmpty ? (
            <Panel title={words.noSubmission}>
              <HowToSubmit form={form} trigger={trigger} newest={undefined} />
              <Look isLooking={asked.isRefetching && !isLive} look={again} />
              <LiveMark isLive={isLive} />
            </Panel>
          ) : (
            <Panel title={words.submissions}>
              <Group gap="sm" align="flex-end" mb="xs">
                <OutcomeSelect search={search} go={go} />
                <Look isLooking={asked.isRefetching && !isLive} look={again} />
                <ExportButton form={form} />
                <LiveMark isLive={isLive} />
              </Group>
              <SubmissionsTable rows={rows} search={search} form={form} hasMore={asked.hasNextPage} />
            </Panel>
          )}
          <More label={words.more} of={asked} />
        </Stack>
      )}
      {shown !== undefined && <SubmissionSheet key={shown} id={shown} close={() => close(shown)} />}
    </>
  );
}

interface SelectProps {
  readonly search: FormSearch;
  readonly go: (search: FormSearch) => void;
}

function OutcomeSelect({ search, go }: SelectProps) {
  const { forms: words } = useWords();
  const choose = (value: string): void => {
    const outcome = OUTCOMES.find((one) => one === value);
    go(outcome === undefined ? {} : { outcome });
  };
  return (
    <NativeSelect
      label={words.outcome}
      size="xs"
      value={search.outcome ?? ''}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[{ value: '', label: words.any }, ...OUTCOMES.map((value) => ({ value, label: words.outcomes[value] }))]}
    />
  );
}

function Look({ isLooking, look }: { readonly isLooking: boolean; readonly look: () => void }) {
  const { forms: words } = useWords();
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={isLooking}
      onClick={look}
    >
      {words.look}
    </Button>
  );
}
