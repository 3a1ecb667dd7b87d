/** Begins to act for a person of a tenant, by name and reason. */
import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { isSkepError } from '@skep/client';
import { IconEyeglass } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { PageHead } from '../frame/page-head.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { commandOf } from '../node/command.ts';
import { usePlace } from '../session/gate.tsx';
import { baseOf, homeOf } from '../session/position.ts';
import { useWords } from '../words/words.tsx';
import { begin, type ActWish, type Mode } from './acting.ts';
import { TenantField } from './tenant-field.tsx';

const FROM = '/at/$customer/$product/$env/$tenant/act-as';

export function ActAsPage() {
  const { acting: words } = useWords();
  const place = usePlace();
  const navigate = useNavigate();
  const search = useSearch({ from: FROM });
  const [tenant, setTenant] = useState(search.tenant ?? '');
  const [user, setUser] = useState('');
  const [reason, setReason] = useState('');
  const [mode, setMode] = useState<Mode>('readonly');
  const key = [...place.key.split(':').slice(0, 3), tenant.trim()].join(':');
  const ask = useMutation({
    mutationFn: (wish: ActWish) => begin(place, wish),
    onSuccess: (_, { tenant: at }) =>
      void navigate({ to: search.to === 'scratchpad' ? `${baseOf(at)}/scratchpad/rest` : homeOf(at) }),
  });
  const isWhole = [tenant, user, reason].every((text) => text.trim() !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isWhole) ask.mutate({ tenant: key, user: user.trim(), reason: reason.trim(), mode });
  };
  const isDenied = isSkepError(ask.error, 'impersonation_denied');
  const field = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, maw: 420, required: true } as const;
  return (
    <>
      <PageHead title={words.title} label={words.title} beside={[]} />
      <Panel title={words.begin}>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed" maw="72ch">
              {words.how}
            </Text>
            <TenantField operators={place.key} value={tenant} onChange={setTenant} />
            <TextInput
              {...field}
              label={words.person}
              value={user}
              onChange={(one) => setUser(one.currentTarget.value)}
            />
            <TextInput
              {...field}
              label={words.reason}
              description={words.reasonHow}
              value={reason}
              onChange={(one) => setReason(one.currentTarget.value)}
            />
            <Radio.Group label={words.mode} value={mode} onChange={setMode}>
              <Group gap="md" mt={4}>
                <Radio value="readonly" label={words.modes.readonly} />
                <Radio value="full" label={words.modes.full} />
              </Group>
            </Radio.Group>
            {isDenied && (
              <Text size="sm" role="alert" maw="72ch">
                {words.denied}
              </Text>
            )}
            {ask.error !== null && !isDenied && <Fault error={ask.error} again={ask.reset} />}
            <Group>
              <Button
                type="submit"
                leftSection={<IconEyeglass size={16} aria-hidden />}
                disabled={!isWhole}
                loading={ask.isPending}
              >
                {words.begin}
              </Button>
            </Group>
          </Stack>
        </form>
        {isDenied && (
          <Sample
            label={words.grant}
            isLine
            text={commandOf('impersonation grant', null, [
              '--operator',
              'you@example.org',
              '--tenant',
              key,
              '--for',
              '1h',
            ])}
          />
        )}
      </Panel>
    </>
  );
}
