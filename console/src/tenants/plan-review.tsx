/** A plan as it is reviewed: what it refuses and warns of, each step, the apply, how far it is, how it ended. */
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconBan, IconScissorsOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { ApplyPlan } from './apply-plan.tsx';
import { PlanEnd } from './plan-end.tsx';
import { applyPlan, ledgerOf, planMade } from './queries.ts';
import type { Plan } from './shapes.ts';
import { deedOf, harmOf } from './step-words.ts';
import { Steps } from './steps.tsx';

const AT = '/tenants/$customer/$product/$env/$tenant';

export function PlanReview({ tenantKey, id }: { readonly tenantKey: string; readonly id: string }) {
  const { tenants: words } = useWords();
  const navigate = useNavigate({ from: AT });
  const queries = useQueryClient();
  const { data: made = null } = useQuery(planMade(tenantKey, id));
  const applying = useMutation({
    mutationFn: (plan: Plan) => applyPlan(tenantKey, plan),
    onSettled: () =>
      queries.invalidateQueries({ queryKey: ['tenants'], predicate: ({ queryKey }) => queryKey[1] !== 'plan' }),
  });
  const ledger = useQuery(ledgerOf(tenantKey, id, applying.isPending));
  const status = applying.data?.status ?? ledger.data?.plan.Status ?? 'generated';
  // The ledger says `applied` a moment before the answer comes.
  const isOpen = applying.isPending || status === 'generated';
  const title = useRef<HTMLDivElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return (
    <Panel title={words.plan}>
      <Stack
        gap="sm"
        ref={title}
        tabIndex={-1}
        className="review"
        data-plan={applying.isPending ? 'under-way' : status}
      >
        {ledger.error !== null && <Fault error={ledger.error} again={() => void ledger.refetch()} />}
        {made !== null && <Findings of={made} />}
        {made === null && ledger.data !== undefined && isOpen && <Text maw="72ch">{words.shownLater}</Text>}
        {(made !== null || ledger.data !== undefined) && <Steps made={made} ledger={ledger.data ?? null} />}
        {applying.error !== null && (
          <Fault error={applying.error} again={() => made !== null && applying.mutate(made)} />
        )}
        {made !== null && isOpen && (
          <ApplyPlan
            tenantKey={tenantKey}
            isHarmful={made.steps.some((step) => harmOf(step, words.steps) !== null)}
            isRefused={(made.refusals ?? []).length > 0}
            done={ledger.data?.plan.AppliedCount ?? 0}
            total={made.steps.length}
            isPending={applying.isPending}
            apply={() => applying.mutate(made)}
          />
        )}
        {!isOpen && (
          <PlanEnd status={status} applied={applying.data ?? null} ledger={ledger.data ?? null} tenantKey={tenantKey} />
        )}
        {!applying.isPending && (
          <Group>
            <Button variant="default" size="xs" onClick={() => void navigate({ search: {} })}>
              {words.anotherPlan}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

/** What does not fit, what is to be known before, and what the plan leaves out. */
function Findings({ of: { refusals = [], warnings = [], left = [] } }: { readonly of: Plan }) {
  const { tenants: words } = useWords();
  return (
    <>
      <Finding kind="refusal" color="red" icon={<IconBan aria-hidden />} title={words.refused} texts={refusals} />
      <Finding
        kind="warning"
        color="honey"
        icon={<IconAlertTriangle aria-hidden />}
        title={words.warned}
        texts={warnings}
      />
      <Finding
        kind="left"
        color="gray"
        icon={<IconScissorsOff aria-hidden />}
        title={words.left}
        texts={left.map((step) => deedOf(step, words.steps))}
      />
    </>
  );
}

interface FindingProps {
  readonly kind: string;
  readonly color: string;
  readonly icon: ReactNode;
  readonly title: string;
  readonly texts: readonly string[];
}

/** Nothing where there are no texts. */
function Finding({ kind, color, icon, title, texts }: FindingProps) {
  if (texts.length === 0) return null;
  const className = `finding toned tone-${color}`;
  return (
    <Alert color={color} variant="outline" icon={icon} title={title} className={className} data-finding={kind}>
      <Texts of={texts} />
    </Alert>
  );
}

function Texts({ of }: { readonly of: readonly string[] }) {
  return (
    <List size="sm" c="var(--mantine-color-text)">
      {of.map((text) => (
        <List.Item key={text} className="mono">
          {text}
        </List.Item>
      ))}
    </List>
  );
}
