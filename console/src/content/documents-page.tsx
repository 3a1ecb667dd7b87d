/** The documents of a type, newest first. The language and the state that are shown stand in the address. */
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Denied } from './denied.tsx';
import { DocumentsTable } from './documents-table.tsx';
import { ContentHead } from './head.tsx';
import { newPath, typePath } from './paths.ts';
import { appsOf, documentsOf, typeOf } from './queries.ts';
import type { DocumentsSearch } from './search.ts';
import { STATES } from './states.ts';
import type { Locales } from './shapes.ts';

const FROM = '/at/$customer/$product/$env/$tenant/content/$app/$type';

/** Each type has a page of its own: documents of another one never stand in for its own. */
export function DocumentsPage() {
  const { app, type } = useParams({ from: FROM });
  return <Documents key={`${app} ${type}`} app={app} type={type} />;
}

function Documents({ app: name, type: typeName }: { readonly app: string; readonly type: string }) {
  const { content: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const apps = useQuery(appsOf(place));
  const type = useQuery(typeOf(place, name, typeName));
  const list = useInfiniteQuery({
    ...documentsOf(place, name, typeName, search),
    placeholderData: keepPreviousData,
  });
  const app = apps.data?.find((one) => one.name === name);
  const error = apps.error ?? type.error ?? list.error;
  const again = (): void => void Promise.all([apps.refetch(), type.refetch(), list.refetch()]);
  const go = (next: DocumentsSearch): void =>
    void navigate({ to: typePath(place.key, name, typeName), search: next as never, replace: true });
  const rows = list.data?.pages.flatMap(({ documents }) => documents);
  const isEmpty = rows?.length === 0 && search.status === undefined;
  return (
    <>
      <ContentHead title={typeName} of={{ app: name, type: typeName }} />
      {error !== null && <Denied error={error} again={again} />}
      {app !== undefined && type.data !== undefined && rows !== undefined && (
        <Stack gap="sm">
          <Panel title={words.documents}>
            <Group gap="sm" align="flex-end" mb="xs">
              <Choices locale={app.locale} search={search} go={go} />
              <Button component={Link} to={newPath(place.key, name, typeName)} size="xs">
                {words.add}
              </Button>
            </Group>
            {list.data?.pages[0]?.isPublishedAlone === true && (
              <Text size="sm" c="dimmed" maw="72ch" mb="xs" role="status">
                {words.publishedAlone}
              </Text>
            )}
            <DocumentsTable
              app={app}
              type={type.data}
              rows={rows}
              search={search}
              empty={isEmpty ? words.noDocuments : words.noneOf}
            />
          </Panel>
          <More label={words.more} of={list} />
        </Stack>
      )}
    </>
  );
}

interface ChoicesProps {
  readonly locale: Locales | null;
  readonly search: DocumentsSearch;
  readonly go: (search: DocumentsSearch) => void;
}

function Choices({ locale, search, go }: ChoicesProps) {
  const { content: words } = useWords();
  const { status, ...others } = search;
  return (
    <>
      {locale !== null && (
        <NativeSelect
          label={words.language}
          size="xs"
          value={search.locale ?? locale.default}
          onChange={({ currentTarget }) => go({ ...search, locale: currentTarget.value })}
          data={[...locale.supported]}
        />
      )}
      <NativeSelect
        label={words.state}
        size="xs"
        value={status ?? ''}
        onChange={({ currentTarget }) => {
          const chosen = STATES.find((one) => one === currentTarget.value);
          go(chosen === undefined ? others : { ...others, status: chosen });
        }}
        data={[{ value: '', label: words.any }, ...STATES.map((value) => ({ value, label: words.states[value] }))]}
      />
    </>
  );
}
