/** A command that does something to a tenant as a whole: what it does, what it needs, the line to run. It has an address of its own. */
import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { NamedAct } from '../parts/named-act.tsx';
import { Sample } from '../parts/sample.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { keepsLogs, settings } from '../node/settings.ts';
import { keyOfText } from '../session/position.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { ACTS, actCommand, startOf, wrongBlank, type ActName, type Blank, type Given } from './acts.ts';
import type { Tenant } from './shapes.ts';
import { doneTo, lookAgain } from './queries.ts';

interface ActSheetProps {
  readonly name: ActName;
  readonly tenant: Tenant;
  /** The backup of the whole node that it is about. */
  readonly set: string | undefined;
  readonly close: () => void;
}

export function ActSheet({ name, tenant, set, close }: ActSheetProps) {
  const { acts: words } = useWords();
  const { blanks, record, suits } = ACTS[name];
  // Done, it does not suit the tenant any more, and the line stays.
  const [isSuited] = useState(() => suits(tenant));
  const [given, setGiven] = useState<Given>(() => startOf(tenant, set));
  return (
    <Sheet title={words.titles[name]} close={close}>
      <Stack gap="md">
        <Text maw="72ch">{words.how[name]}</Text>
        {!isSuited && (
          <Text maw="72ch" role="status">
            {words.unsuited}
          </Text>
        )}
        {blanks.map((blank) => (
          <BlankInput
            key={blank}
            blank={blank}
            value={given[blank] ?? ''}
            isWrong={wrongBlank(name, given) === blank}
            change={(text) => setGiven({ ...given, [blank]: text })}
          />
        ))}
        {isSuited && <Command name={name} tenantKey={tenant.key} given={given} />}
        <Text size="sm" c="dimmed" maw="72ch">
          {words.onRecord} <Code>{record}</Code>
        </Text>
      </Stack>
    </Sheet>
  );
}

interface BlankProps {
  readonly blank: Blank;
  readonly value: string;
  readonly isWrong: boolean;
  readonly change: (text: string) => void;
}

function BlankInput({ blank, value, isWrong, change }: BlankProps) {
  const { acts: words } = useWords();
  return (
    <TextInput
      label={words.blanks[blank]}
      description={words.blanksHow[blank]}
      error={isWrong && words.blanksWrong[blank]}
      value={value}
      maw={480}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={blank === 'reason'}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

interface CommandProps {
  readonly name: ActName;
  readonly tenantKey: string;
  readonly given: Given;
}

/** The line; that of a grave act behind the tenant's name, which its reader types. */
function Command({ name, tenantKey, given }: CommandProps) {
  const { acts: words, tenants } = useWords();
  const queries = useQueryClient();
  const look = useMutation({ mutationFn: () => lookAgain(queries) });
  const [isNamed, setNamed] = useState(!ACTS[name].isGrave);
  const { data: node, error, refetch } = useQuery(settings);
  if (error !== null) return <Fault error={error} again={() => void refetch()} />;
  if (!isNamed)
    return (
      <NamedAct
        act={words.show}
        how={words.showHow}
        name={tenantKey.replaceAll(':', '/')}
        label={tenants.typed}
        isTyped={(typed) => keyOfText(typed) === tenantKey}
        isHarmful={false}
        run={() => setNamed(true)}
      />
    );
  const line = node === undefined ? null : actCommand(name, tenantKey, node.file, given);
  return (
    <div role="status">
      {line !== null && <Sample label={words.command} text={line} isLine />}
      {node !== undefined && line === null && <Text maw="72ch">{words.fillIn}</Text>}
      <Text size="sm" maw="72ch" mt="xs">
        {words.runs}
      </Text>
      <Group mt="xs" gap="sm">
        <Button size="xs" variant="default" loading={look.isPending} onClick={() => look.mutate()}>
          {words.look}
        </Button>
        <LastDone name={name} tenantKey={tenantKey} />
      </Group>
    </div>
  );
}

/** When the tenant had this done last, as the log of the node has it; a restore is on record with the tenant that it makes. */
function LastDone({ name, tenantKey }: { readonly name: ActName; readonly tenantKey: string }) {
  const { acts: words } = useWords();
  const { moment } = useFigures();
  const { data: node } = useQuery(settings);
  const isAsked = node !== undefined && keepsLogs(node) && !ACTS[name].blanks.includes('as');
  const { data } = useInfiniteQuery({ ...doneTo(tenantKey), enabled: isAsked });
  if (!isAsked || data === undefined) return null;
  const last = data.pages.flatMap(({ records }) => records).find(({ action }) => action === ACTS[name].record);
  return (
    <Text size="sm" c="dimmed">
      {last === undefined ? words.notDone : `${words.lastDone}: ${moment(last.ts)}`}
    </Text>
  );
}
