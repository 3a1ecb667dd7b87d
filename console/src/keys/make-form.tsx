/** Makes a key, and shows it once: no page has it after its reader has put it away. */
import { Alert, Button, Group, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { ADMINISTRATOR } from '../people/roles.ts';
import { usePlace } from '../session/gate.tsx';
import type { Place } from '../session/session.ts';
import { useWords } from '../words/words.tsx';
import { makeKey } from './queries.ts';
import { addressesIn, grantOf } from './search.ts';
import type { KeyWish, MadeKey } from './shapes.ts';

const DAYS = [30, 90, 365, 730] as const;
/** A key of data is exchanged for tokens that count at this tenant; one of people stands in for a login of its administrator. */
type Use = 'data' | 'people';

interface Wish {
  readonly name: string;
  readonly use: Use;
  readonly days: string;
  readonly addresses: string;
}

const FIRST: Wish = { name: '', use: 'data', days: '90', addresses: '' };

function wishOf(place: Place, { name, use, days, addresses }: Wish): KeyWish {
  const ips = addressesIn(addresses);
  return {
    name: name.trim(),
    capabilities: use === 'data' ? { scope: [grantOf(place.key)] } : { roles: [ADMINISTRATOR] },
    expires_in_days: Number(days),
    ...(ips.length > 0 && { ips }),
  };
}

export function MakeForm({ onMade }: { readonly onMade: () => void }) {
  const { keys: words } = useWords();
  const place = usePlace();
  const [wish, setWish] = useState(FIRST);
  const change = (part: Partial<Wish>): void => setWish((before) => ({ ...before, ...part }));
  // Its answer is the key: it is kept no longer than it is shown.
  const make = useMutation({
    mutationFn: (of: Wish) => makeKey(place, wishOf(place, of)),
    gcTime: 0,
    onSuccess: (_made, of) => {
      // What was typed while the page waited is a wish of its own.
      setWish((now) => (now === of ? FIRST : now));
      onMade();
    },
  });
  if (make.data !== undefined) return <Shown of={make.data} done={make.reset} />;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate(wish);
  };
  return (
    <Panel title={words.make}>
      <form onSubmit={submit} aria-label={words.make}>
        <Stack gap="sm" maw={480}>
          <Text size="sm" c="dimmed">
            {words.makeHow}
          </Text>
          {make.error !== null && (
            <Fault error={make.error} again={() => make.variables !== undefined && make.mutate(make.variables)} />
          )}
          <TextInput
            label={words.name}
            description={words.nameHow}
            value={wish.name}
            autoComplete="off"
            required
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <Radio.Group
            label={words.may}
            value={wish.use}
            onChange={(value) => change({ use: value === 'people' ? 'people' : 'data' })}
          >
            <Stack gap={6} mt={4}>
              <Radio size="xs" value="data" label={words.forData} description={words.forDataHow} />
              <Radio size="xs" value="people" label={words.forPeople} description={words.forPeopleHow} />
            </Stack>
          </Radio.Group>
          <NativeSelect
            label={words.ends}
            value={wish.days}
            onChange={({ currentTarget }) => change({ days: currentTarget.value })}
            data={DAYS.map((days) => ({ value: String(days), label: words.inDays(days) }))}
          />
          <TextInput
            label={words.where}
            description={words.whereHow}
            placeholder="203.0.113.7, 10.0.0.0/8"
            value={wish.addresses}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget }) => change({ addresses: currentTarget.value })}
          />
          <Group>
            <Button type="submit" loading={make.isPending} disabled={wish.name.trim() === ''}>
              {words.makeIt}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function Shown({ of: { name, key, scope }, done }: { readonly of: MadeKey; readonly done: () => void }) {
  const { keys: words } = useWords();
  const { key: place } = usePlace();
  const title = useRef<HTMLParagraphElement>(null);
  useEffect(() => title.current?.focus(), []);
  const [customer, product, env, tenant] = place.split(':');
  const heads = [`X-Customer: ${customer}`, `X-Product: ${product}`, `X-Env: ${env}`, `X-Tenant: ${tenant}`];
  const asked =
    scope.length > 0 ? '-X POST http://127.0.0.1:8080/auth/token' : 'http://127.0.0.1:8080/auth/admin/invitations';
  const line = `curl ${asked} ${heads.map((head) => `-H '${head}'`).join(' ')} -H 'Authorization: ApiKey '"$SKEP_KEY"`;
  return (
    <Panel title={words.shownTitle}>
      <Alert color="orange" variant="outline" role="status">
        <Text c="var(--mantine-color-text)" ref={title} tabIndex={-1} className="sheet-title">
          {words.shownOnce}
        </Text>
      </Alert>
      <Sample label={name ?? words.key} text={key} isLine />
      <Text size="sm" mt="sm" maw="72ch">
        {scope.length > 0 ? words.useData : words.usePeople}
      </Text>
      <Sample label={words.shell} text={line} isLine />
      <Group mt="sm">
        <Button size="xs" onClick={done}>
          {words.kept}
        </Button>
      </Group>
    </Panel>
  );
}
