/** Registers a tenant: its four names and where its product comes from. What is missing then, its page says. */
import { Button, Group, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { Fault } from '../parts/fault.tsx';
import { useWords } from '../words/words.tsx';
import { TenantsHead } from './head.tsx';
import { tenantAddress } from './paths.ts';
import { register } from './queries.ts';
import type { Registration } from './shapes.ts';

const NAMES = ['customer', 'product', 'env', 'tenant'] as const;
/** As docs/contract/common.md §1.2 has a name. */
const NAME = '[a-z0-9][a-z0-9_\\-]{0,62}';

export function NewPage() {
  const { tenants: words, cancel } = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const making = useMutation({
    mutationFn: register,
    onSuccess: async ({ key }) => {
      await queries.invalidateQueries({ queryKey: ['tenants'] });
      await navigate({ to: tenantAddress(key) });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    making.mutate(wishOf(new FormData(event.currentTarget)));
  };
  return (
    <>
      <TenantsHead title={words.register} isBelow />
      {making.error !== null && (
        <Fault error={making.error} again={() => making.variables !== undefined && making.mutate(making.variables)} />
      )}
      <Paper component="form" withBorder p="md" maw={640} onSubmit={submit} aria-label={words.register}>
        <Stack gap="sm">
          <Text maw="72ch">{words.registerHow}</Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            {NAMES.map((name) => (
              <TextInput
                key={name}
                name={name}
                label={words.names[name]}
                placeholder={EXAMPLES[name]}
                pattern={NAME}
                title={words.nameHow}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                required
              />
            ))}
          </SimpleGrid>
          <TextInput
            name="product_source"
            label={words.source}
            description={words.sourceHow}
            placeholder="acme:shop:dev:main"
            autoComplete="off"
            spellCheck={false}
          />
          <Group gap="xs">
            <Button type="submit" loading={making.isPending}>
              {words.register}
            </Button>
            <Button component={Link} to="/tenants" variant="default">
              {cancel}
            </Button>
          </Group>
        </Stack>
      </Paper>
    </>
  );
}

const EXAMPLES = { customer: 'acme', product: 'shop', env: 'dev', tenant: 'main' } as const;

function wishOf(form: FormData): Registration {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const source = text('product_source');
  return {
    customer: text('customer'),
    product: text('product'),
    env: text('env'),
    tenant: text('tenant'),
    product_source: source === '' ? null : source,
  };
}
