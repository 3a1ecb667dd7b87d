/** Roles as boxes to tick: those of every product, those that people here have, and any other by its name. */
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { usePlace } from '../session/gate.tsx';
import { rolesOf, rolesSeen } from './queries.ts';
import { offered } from './roles.ts';

interface RolePickerProps {
  readonly label: ReactNode;
  readonly value: readonly string[];
  readonly choose: (roles: readonly string[]) => void;
}

export function RolePicker({ label, value, choose }: RolePickerProps) {
  const { people: words } = useWords();
  const queries = useQueryClient();
  // Without an answer the roles that were seen are offered.
  const { data: catalogue = [] } = useQuery(rolesOf(usePlace()));
  const howOf = (role: string): string | undefined =>
    words.rolesHow[role] ?? catalogue.find((one) => one.role === role)?.about ?? undefined;
  // What was ticked first stays in the list when it is ticked off.
  const [own, setOwn] = useState<readonly string[]>(value);
  const [other, setOther] = useState('');
  const name = other.trim();
  const add = (): void => {
    if (name === '') return;
    setOwn([...own, name]);
    if (!value.includes(name)) choose([...value, name]);
    setOther('');
  };
  return (
    <Stack gap="xs">
      <Checkbox.Group label={label} value={[...value]} onChange={choose}>
        <Stack gap={6} mt={4}>
          {offered(...catalogue.map(({ role }) => role), ...rolesSeen(queries), ...own).map((role) => (
            <Checkbox
              key={role}
              value={role}
              size="xs"
              label={role}
              {...(howOf(role) !== undefined && { description: howOf(role) })}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Group gap="xs" align="flex-end">
        <TextInput
          size="xs"
          label={words.otherRole}
          value={other}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ currentTarget }) => setOther(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button size="xs" variant="default" disabled={name === ''} onClick={add}>
          {words.addRole}
        </Button>
      </Group>
    </Stack>
  );
}
