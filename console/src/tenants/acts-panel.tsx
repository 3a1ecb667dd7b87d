/** What the people who run the node may do to a tenant as a whole, each by a command that its sheet shows. */
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { ACTS, ACT_NAMES } from './acts.ts';
import { tenantAddress } from './paths.ts';
import type { Tenant } from './shapes.ts';

export function ActsPanel({ of: tenant }: { readonly of: Tenant }) {
  const { acts: words } = useWords();
  return (
    <Panel title={words.section}>
      <Text maw="72ch">{words.sectionHow}</Text>
      <ul className="acts">
        {ACT_NAMES.filter((name) => name !== 'restore-set' && ACTS[name].suits(tenant)).map((name) => (
          <li key={name}>
            <Anchor
              renderRoot={(props) => (
                <Link
                  {...props}
                  to={tenantAddress(tenant.key)}
                  search={(before: object) => ({ ...before, act: name }) as never}
                />
              )}
              size="sm"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {words.titles[name]}
            </Anchor>
            <Text size="sm" c="dimmed">
              {words.brief[name]}
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
