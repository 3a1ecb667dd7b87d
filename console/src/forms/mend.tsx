/** What to do with a submission that did not get through, and another run of its trigger. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import type { Words } from '../words/en.ts';
import { retry } from './queries.ts';
import type { FormTrigger, Submission } from './shapes.ts';

interface MendProps {
  readonly of: Submission;
  readonly trigger: FormTrigger | undefined;
  readonly onRun: () => void;
}

export function Mend({ of: { id, outcome }, trigger, onRun }: MendProps) {
  const { forms: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: () => retry(place, id),
    onSuccess: () => {
      onRun();
      return queries.invalidateQueries({ queryKey: ['forms'] });
    },
  });
  return (
    <>
      <Text size="sm" maw="72ch" mt={4}>
        {outcome !== 'kept' && <b>{words.whatToDo}: </b>}
        {adviceOf(outcome, trigger, words)}
      </Text>
      {run.error !== null && <Fault error={run.error} again={() => run.mutate()} />}
      {trigger !== undefined && (
        <Group mt="xs">
          <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
            {outcome === 'kept' || outcome === 'dropped' ? words.runFirst : words.run}
          </Button>
        </Group>
      )}
    </>
  );
}

function adviceOf(outcome: Submission['outcome'], trigger: FormTrigger | undefined, words: Words['forms']): string {
  if (trigger === undefined) return words.nothingFollowsHow;
  if (outcome === 'kept' || outcome === 'dropped') return words.mendDropped;
  return trigger.row === null ? words.mendScript : words.mendRow;
}
