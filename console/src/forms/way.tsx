/** The way of a submission: accepted, handed to the tenant, and what became of it. */
import { Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconArchive, IconCircleCheck, IconClock, IconRefreshAlert } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Mend } from './mend.tsx';
import { Result } from './result.tsx';
import type { FormTrigger, Submission } from './shapes.ts';

interface WayProps {
  readonly of: Submission;
  readonly trigger: FormTrigger | undefined;
  /** Its trigger was asked to run. */
  readonly onRun: () => void;
}

export function Way({ of: one, trigger, onRun }: WayProps) {
  const { forms: words } = useWords();
  const { moment } = useFigures();
  return (
    <section className="section" aria-label={words.way}>
      <Title order={3} size="h2" mb={4}>
        {words.way}
      </Title>
      <ol className="way">
        <Step icon={IconCircleCheck} tone="teal" title={`${words.accepted}, ${moment(one.received_at)}`}>
          {words.acceptedHow}
        </Step>
        <Step icon={IconCircleCheck} tone="teal" title={words.stored}>
          {words.storedHow}
        </Step>
        <End of={one} trigger={trigger} onRun={onRun} />
      </ol>
    </section>
  );
}

function End({ of: one, trigger, onRun }: WayProps) {
  const { forms: words } = useWords();
  const { count, moment } = useFigures();
  const { outcome, error, attempts, ended_at: endedAt } = one;
  const at = endedAt === null ? '' : `, ${moment(endedAt)}`;
  const tries = attempts > 1 ? ` (${words.tries}: ${count(attempts)})` : '';
  const mend = <Mend of={one} trigger={trigger} onRun={onRun} />;
  if (outcome === 'kept')
    return (
      <Step icon={IconArchive} tone="gray" title={words.nothingFollows}>
        {trigger === undefined ? words.nothingFollowsHow : mend}
      </Step>
    );
  if (outcome === 'waiting')
    return (
      <Step
        icon={error === null ? IconClock : IconRefreshAlert}
        tone={error === null ? 'blue' : 'honey'}
        title={words.waits + tries}
      >
        {error !== null && <Said label={words.failedTry} error={error} />}
        {error === null ? words.waitsHow : mend}
      </Step>
    );
  if (outcome === 'delivered')
    return (
      <Step icon={IconCircleCheck} tone="teal" title={words.ran + at + tries}>
        <Result of={one} trigger={trigger} />
      </Step>
    );
  return (
    <Step icon={IconAlertTriangle} tone="red" title={words[outcome] + at + tries}>
      {error !== null && <Said error={error} />}
      {mend}
    </Step>
  );
}

/** What the trigger, or the node, says of a failure. */
function Said({ label, error }: { readonly label?: string; readonly error: string }) {
  return (
    <>
      {label !== undefined && <Text size="sm">{label}</Text>}
      <Text size="sm" className="said error-text">
        {error}
      </Text>
    </>
  );
}

interface StepProps {
  readonly icon: (props: { readonly size: number; readonly 'aria-hidden': true }) => ReactNode;
  readonly tone: string;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ icon: Icon, tone, title, children }: StepProps) {
  return (
    <li className={`tone-${tone}`}>
      <Icon size={20} aria-hidden />
      <div className="step">
        <Text fw={600}>{title}</Text>
        {typeof children === 'string' ? (
          <Text size="sm" c="dimmed" maw="72ch">
            {children}
          </Text>
        ) : (
          children
        )}
      </div>
    </li>
  );
}
