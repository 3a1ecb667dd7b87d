/** What a jq program makes of rows, beside these rows as they are; and the line that asks what the rules say to a person. The question stands in the address, and a page that is opened by it asks it. */
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { schemaOf } from '../data/queries.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { HistoryPanel } from '../requests/history-panel.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { Editor } from './editor.tsx';
import { ExplainPanel } from './explain-panel.tsx';
import { ScratchHead } from './head.tsx';
import { expressionPath } from './paths.ts';
import { expressedOf } from './queries.ts';
import { readExpressionSearch } from './search.ts';

const FROM = '/at/$customer/$product/$env/$tenant/scratchpad/expression';
const FIRST = '.data | map(keys)';

export function ExpressionPage() {
  const { scratch: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const schema = useQuery(schemaOf(place));
  const names = (schema.data?.entities ?? [])
    .filter(({ operations }) => operations.includes('read'))
    .map(({ name }) => name);
  const [wish, setWish] = useState({ parameters: 'limit=3', expression: FIRST, ...search });
  const change = (part: Partial<typeof wish>): void => setWish((before) => ({ ...before, ...part }));
  const entity = wish.entity ?? names[0] ?? '';
  const { data, error, isFetching, refetch } = useQuery(expressedOf(place, search));
  const run = (): void => {
    const next = readExpressionSearch({ ...wish, entity });
    void navigate({ to: expressionPath(place.key), search: next as never, replace: true });
    if (JSON.stringify(next) === JSON.stringify(readExpressionSearch({ ...search }))) void refetch();
  };
  return (
    <>
      <ScratchHead />
      {schema.error !== null && <Fault error={schema.error} again={() => void schema.refetch()} />}
      {schema.data !== undefined && names.length === 0 && <Text maw="72ch">{words.nothingToRead}</Text>}
      {names.length > 0 && (
        <Stack gap="sm">
          <Panel title={words.expression}>
            <Text size="sm" c="dimmed" maw="72ch" mb="xs">
              {words.expressionHow}
            </Text>
            <Group gap="sm" align="flex-end" mb="xs">
              <NativeSelect
                label={words.entity}
                value={entity}
                onChange={({ currentTarget }) => change({ entity: currentTarget.value })}
                data={names}
              />
              <TextInput
                label={words.rowId}
                value={wish.id ?? ''}
                autoComplete="off"
                spellCheck={false}
                onChange={({ currentTarget }) => change({ id: currentTarget.value })}
              />
              <TextInput
                label={words.parameters}
                value={wish.parameters}
                autoComplete="off"
                spellCheck={false}
                onChange={({ currentTarget }) => change({ parameters: currentTarget.value })}
              />
            </Group>
            <Editor
              label={words.program}
              language="text"
              value={wish.expression}
              change={(expression) => change({ expression })}
              run={run}
            />
            <Button
              mt="xs"
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              loading={isFetching}
              disabled={wish.expression.trim() === ''}
              onClick={run}
            >
              {words.run}
            </Button>
          </Panel>
          {error !== null && <Fault error={error} again={() => void refetch()} />}
          {data !== undefined && error === null && (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
              <Panel title={words.envelope}>
                <Editor label={words.envelope} language="json" value={JSON.stringify(data.envelope, null, 2)} />
              </Panel>
              <Panel title={words.result}>
                <Editor label={words.result} language="json" value={JSON.stringify(data.result, null, 2)} />
              </Panel>
            </SimpleGrid>
          )}
          <HistoryPanel kind="expression" again={({ filled }) => change(filled)} />
          <ExplainPanel entity={entity} id={wish.id ?? ''} parameters={wish.parameters} />
        </Stack>
      )}
    </>
  );
}
