/** Invites a person by mail, with the roles that the account will have. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { invite } from './queries.ts';
import { RolePicker } from './role-picker.tsx';
import { ADMINISTRATOR } from './roles.ts';
import type { InvitationWish } from './shapes.ts';

const FIRST = ['tenant_user'];

export function InviteForm({ onMade }: { readonly onMade: () => void }) {
  const { people: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<readonly string[]>(FIRST);
  const make = useMutation({
    mutationFn: (wish: InvitationWish) => invite(place, wish),
    onSuccess: () => {
      setEmail('');
      setRoles(FIRST);
      onMade();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate({ email: email.trim(), roles });
  };
  return (
    <Panel title={words.invite}>
      <form onSubmit={submit} aria-label={words.invite}>
        <Stack gap="sm" maw={480}>
          <Text size="sm" c="dimmed">
            {words.inviteHow}
          </Text>
          {make.error !== null && (
            <Fault error={make.error} again={() => make.variables !== undefined && make.mutate(make.variables)} />
          )}
          {make.data !== undefined && (
            <Alert color="teal" variant="outline" role="status">
              <Text c="var(--mantine-color-text)" className="said">
                {make.data.email} {words.invited} {moment(make.data.expires_at)}.
              </Text>
            </Alert>
          )}
          <TextInput
            type="email"
            label={words.email}
            value={email}
            autoComplete="off"
            required
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <RolePicker label={words.rolesInvited} value={roles} choose={setRoles} />
          {roles.includes(ADMINISTRATOR) && <Text size="sm">{words.invitesAdministrator}</Text>}
          <Group>
            <Button type="submit" loading={make.isPending}>
              {words.sendInvitation}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
