/** The schema of a tenant led on: a plan is made, reviewed and applied. Which plan is open stands in the address. */
import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { PlanReview } from './plan-review.tsx';
import { makePlan, planMade } from './queries.ts';
import type { Aim, PlanWish } from './shapes.ts';

const AT = '/tenants/$customer/$product/$env/$tenant';
const AIMS: readonly Aim[] = ['checkout', 'former'];

export function PlanPanel({ tenantKey }: { readonly tenantKey: string }) {
  const { tenants: words } = useWords();
  const { plan } = useSearch({ from: AT });
  return plan === undefined ? (
    <Panel title={words.plan}>
      <MakePlan tenantKey={tenantKey} />
    </Panel>
  ) : (
    <PlanReview key={plan} tenantKey={tenantKey} id={plan} />
  );
}

function MakePlan({ tenantKey }: { readonly tenantKey: string }) {
  const { tenants: words } = useWords();
  const navigate = useNavigate({ from: AT });
  const queries = useQueryClient();
  const { aim = 'checkout' } = useSearch({ from: AT });
  const [wish, setWish] = useState<PlanWish>({ to: aim, allow_drops: false });
  const making = useMutation({
    mutationFn: () => makePlan(tenantKey, wish),
    onSuccess: (made) => {
      queries.setQueryData(planMade(tenantKey, made.plan_id).queryKey, made);
      void navigate({ search: { plan: made.plan_id } });
    },
  });
  return (
    <Stack gap="sm">
      <Text maw="72ch">{words.planHow}</Text>
      {making.error !== null && <Fault error={making.error} again={() => making.mutate()} />}
      <Radio.Group
        label={words.aim}
        value={wish.to}
        onChange={(to) => setWish({ ...wish, to: to === 'former' ? 'former' : 'checkout' })}
      >
        <Stack gap={8} mt={4}>
          {AIMS.map((to) => (
            <Radio key={to} value={to} label={words.aims[to]} description={words.aimsHow[to]} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={words.drops}
        description={words.dropsHow}
        checked={wish.allow_drops}
        onChange={({ currentTarget }) => setWish({ ...wish, allow_drops: currentTarget.checked })}
      />
      <Group>
        <Button loading={making.isPending} onClick={() => making.mutate()}>
          {words.makePlan}
        </Button>
      </Group>
    </Stack>
  );
}
