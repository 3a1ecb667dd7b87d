/** How the apply of a plan ended. */
import { Alert, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';
import type { Applied, Ledger, PlanStatus } from './shapes.ts';

interface EndProps {
  readonly status: PlanStatus;
  /** The answer of the apply; null where it was asked for elsewhere. */
  readonly applied: Applied | null;
  readonly ledger: Ledger | null;
}

export function PlanEnd({ status, applied, ledger }: EndProps) {
  const { tenants: words } = useWords();
  const isDone = status === 'applied';
  const why = applied?.error ?? ledger?.plan.Notes ?? '';
  const steps = ledger?.plan.AppliedCount ?? applied?.steps_applied ?? 0;
  return (
    <Alert
      role="status"
      color={isDone ? 'teal' : 'red'}
      variant="outline"
      className={`finding toned tone-${isDone ? 'teal' : 'red'}`}
      icon={isDone ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      title={words.ends[status]}
    >
      <Text size="sm" c="var(--mantine-color-text)">
        {isDone ? words.endHow : `${words.stepsDone}: ${steps}`}
      </Text>
      {why !== '' && (
        <Text size="sm" c="var(--mantine-color-text)" className="mono said">
          {why}
        </Text>
      )}
    </Alert>
  );
}
