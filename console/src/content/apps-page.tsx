/** The apps of the tenant with the types of their documents. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { ContentHead } from './head.tsx';
import { NoApps } from './no-apps.tsx';
import { typePath } from './paths.ts';
import { appsOf } from './queries.ts';
import type { App } from './shapes.ts';

export function AppsPage() {
  const { content: words } = useWords();
  const asked = useQuery(appsOf(usePlace()));
  return (
    <>
      <ContentHead title={words.section} />
      {asked.error !== null && <Denied error={asked.error} again={() => void asked.refetch()} />}
      {asked.data?.length === 0 && <NoApps />}
      <Stack gap="sm">
        {asked.data?.map((app) => (
          <Panel key={app.name} title={app.name}>
            <AppPart of={app} />
          </Panel>
        ))}
      </Stack>
    </>
  );
}

function AppPart({ of: app }: { readonly of: App }) {
  const { content: words } = useWords();
  const { key } = usePlace();
  const { count } = useFigures();
  const isServed = app.active && !app.faulty;
  return (
    <>
      <Text size="sm" c="dimmed" maw="72ch">
        {factsOf(app, words)}
      </Text>
      {!isServed && (
        <Text size="sm" maw="72ch" role="status">
          {app.active ? words.faulty : words.inactive}
        </Text>
      )}
      <Table
        label={`${words.types}: ${app.name}`}
        rows={app.types}
        empty={words.noTypes}
        keyOf={({ name }) => name}
        columns={[
          {
            label: words.type,
            cell: ({ name }) =>
              isServed ? (
                <Anchor
                  component={Link}
                  to={typePath(key, app.name, name)}
                  size="sm"
                  c="var(--mantine-color-text)"
                  underline="always"
                >
                  {name}
                </Anchor>
              ) : (
                name
              ),
          },
          { label: words.fields, isFigure: true, cell: ({ fields }) => count(fields) },
        ]}
      />
    </>
  );
}

function factsOf({ locale, versioned, preview }: App, words: ReturnType<typeof useWords>['content']): string {
  return [
    locale === null ? words.oneLanguage : `${words.languages}: ${locale.supported.join(', ')}`,
    versioned ? words.keepsVersions : words.keepsNone,
    preview ? words.previews : words.noPreviews,
  ].join(' · ');
}
