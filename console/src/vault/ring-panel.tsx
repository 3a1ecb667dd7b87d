/** The keys that sign tokens: when they were rotated, and the commands. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { commandOf } from '../node/command.ts';
import { keepsLogs, type Settings } from '../node/settings.ts';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { rotations } from './queries.ts';

export function RingPanel({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const { moment } = useFigures();
  const found = useInfiniteQuery({ ...rotations, enabled: keepsLogs(node) });
  const place = node.of.get('identity.keyring')?.value;
  const last = found.data?.pages[0]?.records[0];
  return (
    <Panel title={words.ring}>
      {found.error !== null && <Fault error={found.error} again={() => void found.refetch()} />}
      <Text maw="72ch">{words.ringHow}</Text>
      {found.data !== undefined && (
        <Facts
          of={[
            [words.keptIn, typeof place === 'string' && place !== '' ? place : words.keptInPlane],
            [words.rotated, last === undefined ? words.notRotated : moment(last.ts)],
          ]}
        />
      )}
      <Sample label={words.listRing} text={commandOf('key ring list', node.file)} isLine />
      <Sample label={words.rotateRing} text={commandOf('key ring rotate', node.file)} isLine />
    </Panel>
  );
}
