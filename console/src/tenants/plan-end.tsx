/** How the apply of a plan ended; of one that did not come to its end, what is done, what is not, and what to do next. */
import { Alert, Anchor, List, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { homeOf } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Applied, Ledger, PlanStatus } from './shapes.ts';
import { deedOf } from './step-words.ts';

interface EndProps {
  readonly status: PlanStatus;
  /** The answer of the apply; null where it was asked for elsewhere. */
  readonly applied: Applied | null;
  readonly ledger: Ledger | null;
  readonly tenantKey: string;
}

export function PlanEnd({ status, applied, ledger, tenantKey }: EndProps) {
  const { tenants: words } = useWords();
  const isDone = status === 'applied';
  const why = applied?.error ?? ledger?.plan.Notes ?? '';
  return (
    <Alert
      role="status"
      color={isDone ? 'teal' : 'red'}
      variant="outline"
      className={`finding toned tone-${isDone ? 'teal' : 'red'}`}
      icon={isDone ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      title={words.ends[status]}
    >
      {isDone && (
        <Text size="sm" c="var(--mantine-color-text)">
          {words.endHow}
        </Text>
      )}
      {why !== '' && (
        <Text size="sm" c="var(--mantine-color-text)" className="mono said">
          {why}
        </Text>
      )}
      {!isDone && <Next applied={applied} ledger={ledger} tenantKey={tenantKey} />}
    </Alert>
  );
}

/** A plan that is made anew holds what is still missing alone: steps that are done are in the schema by then. */
function Next({ applied, ledger, tenantKey }: Omit<EndProps, 'status'>) {
  const { tenants: words } = useWords();
  const { count } = useFigures();
  const steps = ledger?.steps ?? [];
  const done = ledger?.plan.AppliedCount ?? applied?.steps_applied ?? 0;
  const failed = steps.filter(({ Status }) => Status === 'failed');
  const waiting = steps.filter(({ Status }) => Status === 'pending' || Status === 'halted').length;
  return (
    <List size="sm" c="var(--mantine-color-text)" mt={4} aria-label={words.next}>
      <List.Item>{done === 0 ? words.nothingDone : words.doneStays(count(done))}</List.Item>
      {failed.map((step) => (
        <List.Item key={step.StepOrder} className="said">
          {words.failedStep(deedOf(step, words.steps))}
        </List.Item>
      ))}
      {waiting > 0 && <List.Item>{words.notBegun(count(waiting))}</List.Item>}
      <List.Item>
        {words.nextHow}{' '}
        <Anchor component={Link} to={homeOf(tenantKey)} size="sm" c="var(--mantine-color-text)" underline="always">
          {words.rows}
        </Anchor>
      </List.Item>
    </List>
  );
}
