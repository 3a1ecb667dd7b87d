/** Adds a person without an invitation: by a mailed link that sets a password, or with a password that the administrator hands over. */
import { Alert, Anchor, Button, Group, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { PeopleHead } from './head.tsx';
import { peoplePath } from './paths.ts';
import { addPerson } from './queries.ts';
import { RolePicker } from './role-picker.tsx';
import { ADMINISTRATOR } from './roles.ts';
import type { PersonWish } from './shapes.ts';

const FIRST = {
  email: '',
  firstname: '',
  lastname: '',
  roles: ['tenant_user'] as readonly string[],
  by: 'link',
  password: '',
};

/** Names that were left empty are not sent. */
const wishOf = ({ email, firstname, lastname, roles, by, password }: typeof FIRST): PersonWish => ({
  email: email.trim(),
  roles,
  ...(firstname.trim() !== '' && { firstname: firstname.trim() }),
  ...(lastname.trim() !== '' && { lastname: lastname.trim() }),
  ...(by === 'link' ? { send_reset: true } : { password }),
});

export function AddPage() {
  const { people: words } = useWords();
  const place = usePlace();
  const queries = useQueryClient();
  const [wish, setWish] = useState(FIRST);
  const change = (part: Partial<typeof FIRST>): void => setWish((before) => ({ ...before, ...part }));
  const add = useMutation({
    mutationFn: (of: typeof FIRST) => addPerson(place, wishOf(of)),
    gcTime: 0,
    onSuccess: (_done, of) => {
      // What was typed while the page waited is a wish of its own.
      setWish((now) => (now === of ? FIRST : now));
      return queries.invalidateQueries({ queryKey: ['people', 'list'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate(wish);
  };
  const text = (name: 'firstname' | 'lastname') => (
    <TextInput
      label={words[name]}
      value={wish[name]}
      autoComplete="off"
      className="name-field"
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  );
  return (
    <>
      <PeopleHead />
      <Panel title={words.add}>
        <form onSubmit={submit} aria-label={words.add}>
          <Stack gap="sm" maw={480}>
            <Text size="sm" c="dimmed">
              {words.addHow}
            </Text>
            {add.error !== null && (
              <Denied error={add.error} again={() => add.variables !== undefined && add.mutate(add.variables)} />
            )}
            {add.data !== undefined && (
              <Alert color="teal" variant="outline" role="status">
                <Text c="var(--mantine-color-text)" className="said">
                  <Anchor
                    component={Link}
                    to={peoplePath(place.key)}
                    search={{ user: add.data.id } as never}
                    c="var(--mantine-color-text)"
                    underline="always"
                  >
                    {add.data.email}
                  </Anchor>{' '}
                  {add.data.has_password ? words.added : words.addedByLink}
                </Text>
              </Alert>
            )}
            <TextInput
              type="email"
              label={words.email}
              value={wish.email}
              autoComplete="off"
              required
              onChange={({ currentTarget }) => change({ email: currentTarget.value })}
            />
            <Group gap="sm">
              {text('firstname')}
              {text('lastname')}
            </Group>
            <RolePicker label={words.rolesInvited} value={wish.roles} choose={(roles) => change({ roles })} />
            {wish.roles.includes(ADMINISTRATOR) && <Text size="sm">{words.addsAdministrator}</Text>}
            <Radio.Group label={words.firstLogIn} value={wish.by} onChange={(by) => change({ by })}>
              <Stack gap={6} mt={4}>
                <Radio size="xs" value="link" label={words.byLink} description={words.byLinkHow} />
                <Radio size="xs" value="password" label={words.byPassword} description={words.byPasswordHow} />
              </Stack>
            </Radio.Group>
            {wish.by === 'password' && (
              <PasswordInput
                label={words.password}
                value={wish.password}
                autoComplete="new-password"
                required
                onChange={({ currentTarget }) => change({ password: currentTarget.value })}
              />
            )}
            <Group>
              <Button type="submit" loading={add.isPending}>
                {words.addIt}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </>
  );
}
