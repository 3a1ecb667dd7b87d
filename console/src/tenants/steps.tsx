/** The steps of a plan: what each does and loses, its risk, its SQL, and how far it is. */
import { Group, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconPlayerPause,
  IconShieldCheck,
} from '@tabler/icons-react';
import { useWords } from '../words/words.tsx';
import type { Ledger, Plan, Risk, Step, StepStatus } from './shapes.ts';
import { deedOf, harmOf } from './step-words.ts';
import { TonedBadge } from '../parts/toned-badge.tsx';

interface Shown extends Omit<Step, 'Risk' | 'Notes'> {
  /** Null where the plan was made before this page was opened. */
  readonly Risk: Risk | null;
  readonly Notes: string;
  readonly status: StepStatus | null;
  readonly error: string;
}

interface StepsProps {
  readonly made: Plan | null;
  readonly ledger: Ledger | null;
}

export function Steps({ made, ledger }: StepsProps) {
  const { tenants: words } = useWords();
  const steps = shownOf(made, ledger);
  const risk = made?.max_risk ?? ledger?.plan.MaxRisk ?? 'low';
  if (steps.length === 0 && (made?.refusals ?? []).length > 0) return null;
  if (steps.length === 0) return <Text maw="72ch">{words.noSteps}</Text>;
  return (
    <>
      <Text>
        {steps.length === 1 ? words.oneStep : `${steps.length} ${words.manySteps}`}
        {' · '}
        {words.highest}: <b>{words.risks[risk]}</b>
      </Text>
      <ol className="steps" aria-label={words.stepsOf}>
        {steps.map((step) => (
          <StepItem key={step.Order} step={step} />
        ))}
      </ol>
    </>
  );
}

function shownOf(made: Plan | null, ledger: Ledger | null): readonly Shown[] {
  const kept = new Map((ledger?.steps ?? []).map((step) => [step.StepOrder, step] as const));
  const stateOf = (order: number) => {
    const step = kept.get(order);
    return { status: step?.Status ?? null, error: step?.Error ?? '' };
  };
  if (made !== null) return made.steps.map((step) => ({ ...step, ...stateOf(step.Order) }));
  return [...kept.values()].map((step) => ({
    ...step,
    Order: step.StepOrder,
    Risk: null,
    Notes: '',
    ...stateOf(step.StepOrder),
  }));
}

function StepItem({ step }: { readonly step: Shown }) {
  const { tenants: words } = useWords();
  const harm = harmOf(step, words.steps);
  return (
    <li className="step" data-risk={step.Risk} data-status={step.status}>
      <Group gap="xs" justify="space-between" wrap="wrap">
        <Text fw={600} className="named">
          {deedOf(step, words.steps)}
        </Text>
        <Group gap={4}>
          {step.Risk !== null && <RiskBadge risk={step.Risk} />}
          {step.status !== null && step.status !== 'pending' && <StatusBadge status={step.status} />}
        </Group>
      </Group>
      {harm !== null && (
        <Text size="sm" className="harm">
          <IconAlertTriangle size={14} aria-hidden /> {harm}
        </Text>
      )}
      {step.Notes !== '' && (
        <Text size="sm" c="dimmed">
          {step.Notes}
        </Text>
      )}
      {step.error !== '' && (
        <Text size="sm" className="harm">
          {step.error}
        </Text>
      )}
      <pre className="sql" tabIndex={0} role="region" aria-label={`SQL: ${deedOf(step, words.steps)}`}>
        {step.SQL}
      </pre>
    </li>
  );
}

const RISKS = {
  low: { icon: IconShieldCheck, color: 'teal' },
  medium: { icon: IconAlertTriangle, color: 'honey' },
  high: { icon: IconAlertTriangle, color: 'red' },
} as const;

function RiskBadge({ risk }: { readonly risk: Risk }) {
  const { tenants: words } = useWords();
  return (
    <TonedBadge look={RISKS[risk]}>
      {words.risk}: {words.risks[risk]}
    </TonedBadge>
  );
}

const STATUSES = {
  pending: { icon: IconCircleDashed, color: 'gray' },
  applied: { icon: IconCircleCheck, color: 'teal' },
  failed: { icon: IconCircleX, color: 'red' },
  halted: { icon: IconPlayerPause, color: 'honey' },
} as const;

function StatusBadge({ status }: { readonly status: StepStatus }) {
  const { tenants: words } = useWords();
  return <TonedBadge look={STATUSES[status]}>{words.stepStatus[status]}</TonedBadge>;
}
