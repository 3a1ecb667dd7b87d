/** The settings of the node, each with its value and where that comes from. What is searched for stands in the address. */
import { Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { commandOf } from '../node/command.ts';
import { settings, type Setting } from '../node/settings.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { found, told, type SettingSearch } from './setting-search.ts';

export function ConfigurationPage() {
  const { operations } = useWords();
  const search = useSearch({ from: '/operations/configuration' });
  const navigate = useNavigate({ from: '/operations/configuration' });
  const { data, error, refetch } = useQuery(settings);
  const go = (next: SettingSearch): void => void navigate({ search: next, replace: true });
  const { q = '', set } = search;
  return (
    <>
      <Head title={operations.configuration} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Stack gap="sm">
          <Text maw="72ch">{operations.settingsHow}</Text>
          <Group gap="sm" align="flex-end">
            <TextInput
              type="search"
              label={operations.settingFind}
              value={q}
              onChange={({ currentTarget: { value } }) =>
                go({ ...(value !== '' && { q: value }), ...(set === true && { set }) })
              }
              leftSection={<IconSearch size={14} aria-hidden />}
              autoCapitalize="none"
              spellCheck={false}
              size="xs"
              w={320}
              maw="100%"
            />
            <Switch
              label={operations.notDefault}
              checked={set === true}
              onChange={({ currentTarget }) =>
                go({ ...(q !== '' && { q }), ...(currentTarget.checked && { set: true }) })
              }
            />
          </Group>
          <Panel title={operations.configuration}>
            <Settings rows={found([...data.of.values()], search)} />
          </Panel>
          <Panel title={operations.settingsFile}>
            <Sample label={operations.checkFile} text={commandOf('config show', data.file)} isLine />
          </Panel>
        </Stack>
      )}
    </>
  );
}

function Settings({ rows }: { readonly rows: readonly Setting[] }) {
  const { operations } = useWords();
  return (
    <Table
      label={operations.configuration}
      rows={rows}
      empty={operations.noSetting}
      keyOf={({ key }) => key}
      columns={[
        { label: operations.setting, cell: ({ key }) => <span className="mono">{key}</span> },
        {
          label: operations.settingValue,
          cell: (one) =>
            one.secret ? (
              <Text size="sm" c="dimmed">
                {one.set ? operations.secretSet : operations.secretUnset}
              </Text>
            ) : (
              <span className="mono">{told(one.value)}</span>
            ),
        },
        {
          label: operations.settingFrom,
          cell: ({ source, from }) => (
            <>
              {source === null ? '–' : operations.sources[source]}
              {from !== null && <span className="mono"> {from}</span>}
            </>
          ),
        },
      ]}
    />
  );
}
