/** GraphQL by hand: a document, its variables, the answer, and the schema as this login may see it. What was run stands in the address. */
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { HistoryPanel } from '../requests/history-panel.tsx';
import { remember, type Past } from '../requests/history.ts';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { AnswerPanel } from './answer-panel.tsx';
import { exampleOf, operationsIn, variablesIn, type Operation } from './document.ts';
import { Editor } from './editor.tsx';
import { ScratchHead } from './head.tsx';
import { scratchPath } from './paths.ts';
import { graphqlSchemaOf, runGraphql, type GraphqlWish } from './queries.ts';
import { SchemaPanel } from './schema-panel.tsx';
import { inAddress } from './search.ts';

const FROM = '/at/$customer/$product/$env/$tenant/scratchpad';

export function GraphqlPage() {
  const { scratch: words } = useWords();
  const place = usePlace();
  const search = useSearch({ from: FROM });
  const navigate = useNavigate();
  const schema = useQuery(graphqlSchemaOf(place));
  const [typed, setTyped] = useState<string | null>(null);
  const [variables, setVariables] = useState(search.variables ?? '');
  const [chosen, setChosen] = useState('');
  const query = typed ?? search.query ?? (schema.data === undefined ? '' : exampleOf(schema.data));
  const operations = operationsIn(query);
  const operation = operations.find(({ name }) => name === chosen) ?? operations[0];
  const given = variablesIn(variables);
  const ask = useMutation({
    mutationFn: (wish: GraphqlWish) => runGraphql(place, wish),
    gcTime: 0,
    onSuccess: ({ ms, status }) => {
      const title = operation?.name ?? query.replaceAll(/\s+/g, ' ').trim();
      remember(place, { kind: 'graphql', title, status, ms, filled: { query, variables } });
    },
  });
  const again = ({ filled }: Past<'graphql'>): void => {
    setTyped(filled.query);
    setVariables(filled.variables);
  };
  const canRun = query.trim() !== '' && given !== null && operation?.kind !== 'subscription' && !ask.isPending;
  const run = (): void => {
    if (!canRun) return;
    const { type } = search;
    const next = { ...inAddress(query, variables), ...(type !== undefined && { type }) };
    void navigate({ to: scratchPath(place.key), search: next as never, replace: true });
    ask.mutate({ query, variables: given, operationName: operation?.name });
  };
  return (
    <>
      <ScratchHead />
      {schema.error !== null && <Fault error={schema.error} again={() => void schema.refetch()} />}
      {schema.data !== undefined && exampleOf(schema.data) === '' && (
        <Text maw="72ch" mb="sm">
          {words.nothingToRead}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" mb="sm">
        <Panel title={words.document}>
          <Stack gap="xs">
            <Text size="sm" c="dimmed" maw="72ch">
              {words.graphqlHow}
            </Text>
            <Editor
              label={words.document}
              language="graphql"
              value={query}
              change={setTyped}
              run={run}
              schema={schema.data}
            />
            <Text size="sm">{words.variables}</Text>
            <Editor label={words.variables} language="json" value={variables} change={setVariables} run={run} />
            {given === null && (
              <Text size="sm" role="status">
                {words.noObject}
              </Text>
            )}
            {operation?.kind === 'subscription' && (
              <Text size="sm" role="status">
                {words.noSubscription}
              </Text>
            )}
            <Group align="flex-end" gap="xs">
              {operations.length > 1 && <Choice of={operations} value={operation?.name ?? ''} choose={setChosen} />}
              <Button
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                loading={ask.isPending}
                disabled={!canRun}
                onClick={run}
              >
                {operation?.kind === 'mutation' ? words.runMutation : words.run}
              </Button>
            </Group>
          </Stack>
        </Panel>
        <AnswerPanel answer={ask.data?.answer} error={ask.error} again={run} />
      </SimpleGrid>
      <Stack gap="sm">
        <HistoryPanel kind="graphql" again={again} />
        {schema.data !== undefined && <SchemaPanel schema={schema.data} search={search} />}
      </Stack>
    </>
  );
}

interface ChoiceProps {
  readonly of: readonly Operation[];
  readonly value: string;
  readonly choose: (name: string) => void;
}

function Choice({ of: operations, value, choose }: ChoiceProps) {
  const { scratch: words } = useWords();
  return (
    <NativeSelect
      label={words.operation}
      value={value}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={operations.map(({ name, kind }) => ({ value: name ?? '', label: name ?? kind }))}
    />
  );
}
