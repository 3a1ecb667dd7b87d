/** One submission beside the list: what it says, and its way. It has an address of its own. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Facts } from '../parts/facts.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useLooks } from '../parts/use-looks.ts';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { triggerOf } from './known-forms.ts';
import { submissionOf, triggersOf } from './queries.ts';
import type { Submission } from './shapes.ts';
import { OutcomeBadge } from './state-badge.tsx';
import { Way } from './way.tsx';

export function SubmissionSheet({ id, close }: { readonly id: string; readonly close: () => void }) {
  const { forms: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const triggers = useQuery(triggersOf(place));
  const { refetchInterval, begin } = useLooks<Submission | null>((found) => found?.outcome === 'waiting');
  const { data: one, error, refetch } = useQuery({ ...submissionOf(place, id), refetchInterval });
  useFresh(one?.outcome);
  const title = one ? `${words.submission}, ${moment(one.received_at)}` : words.submission;
  return (
    <Sheet title={title} close={close}>
      {one === null && <Text maw="72ch">{words.unknown}</Text>}
      {error !== null && <Denied error={error} again={() => void refetch()} />}
      {one && triggers.data !== undefined && (
        <Stack gap="md">
          <div>
            <OutcomeBadge of={one} />
            <Facts
              of={[
                [words.form, one.form],
                ['id', one.id],
              ]}
            />
          </div>
          <Way of={one} trigger={triggerOf(triggers.data, one.form)} onRun={begin} />
          <FieldsSection of={one} />
        </Stack>
      )}
    </Sheet>
  );
}

/** What the sheet learns, the list behind it says, too. */
function useFresh(outcome: Submission['outcome'] | undefined): void {
  const queries = useQueryClient();
  const before = useRef(outcome);
  useEffect(() => {
    const isNews = before.current !== undefined && before.current !== outcome;
    before.current = outcome;
    if (isNews) for (const part of ['list', 'triggers']) void queries.invalidateQueries({ queryKey: ['forms', part] });
  }, [outcome, queries]);
}

function FieldsSection({ of: { fields } }: { readonly of: Submission }) {
  const { forms: words } = useWords();
  const values = Object.entries(fields);
  return (
    <section className="section" aria-label={words.fields}>
      <Title order={3} size="h2" mb={4}>
        {words.fields}
      </Title>
      {values.length === 0 && <Text c="dimmed">{words.noFields}</Text>}
      <Facts
        of={values.map(([name, value]) => [
          name,
          <span key={name} className="said">
            {String(value)}
          </span>,
        ])}
      />
    </section>
  );
}
