/** Brings a registered tenant to active, with a first administrator where one is named. */
import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { provision } from './queries.ts';
import type { Administrator } from './shapes.ts';

export function ProvisionPanel({ tenantKey }: { readonly tenantKey: string }) {
  const { tenants: words } = useWords();
  const queries = useQueryClient();
  const [hasPerson, setHasPerson] = useState(true);
  const run = useMutation({
    mutationFn: (admin: Administrator | null) => provision(tenantKey, admin),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tenants'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [form.get('email'), form.get('new-password')];
    run.mutate(hasPerson && typeof email === 'string' && typeof password === 'string' ? { email, password } : null);
  };
  return (
    <Panel title={words.provision}>
      {run.error !== null && (
        <Fault error={run.error} again={() => run.variables !== undefined && run.mutate(run.variables)} />
      )}
      <form onSubmit={submit} aria-label={words.provision}>
        <Stack gap="sm" maw={480}>
          <Text>{words.provisionHow}</Text>
          <Checkbox
            label={words.withPerson}
            checked={hasPerson}
            onChange={({ currentTarget }) => setHasPerson(currentTarget.checked)}
          />
          {hasPerson ? (
            <>
              <TextInput name="email" type="email" label={words.email} autoComplete="off" required />
              <PasswordInput
                name="new-password"
                label={words.password}
                description={words.passwordHow}
                autoComplete="new-password"
                minLength={8}
                visibilityToggleButtonProps={{ 'aria-hidden': true }}
                required
              />
            </>
          ) : (
            <Text c="dimmed" size="sm">
              {words.withoutPerson}
            </Text>
          )}
          <Group>
            <Button type="submit" loading={run.isPending}>
              {words.provision}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
