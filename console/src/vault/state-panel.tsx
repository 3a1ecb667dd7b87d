/** What the vault says of itself to this login: its seal, its nodes, join tokens by state, certificates that end. Each guarded act stands there as a line. */
import { Alert, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconLock, IconLockOpen } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { Table } from '../parts/table.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { vaultState } from './queries.ts';
import type { VaultPapers, VaultState } from './shapes.ts';

const SEALS = {
  open: { icon: IconLockOpen, color: 'teal' },
  sealed: { icon: IconLock, color: 'red' },
  none: { icon: IconAlertTriangle, color: 'honey' },
} as const;
const NODES = {
  active: { icon: IconCircleCheck, color: 'teal' },
  evicted: { icon: IconCircleDashed, color: 'gray' },
  banned: { icon: IconAlertTriangle, color: 'red' },
} as const;

/** `line`: a line of a shell that asks the vault. */
export type VaultLine = (verb: string, ...more: readonly string[]) => string;

export function StatePanels({ line }: { readonly line: VaultLine }) {
  const { vault: words } = useWords();
  const { data, error, refetch } = useQuery(vaultState);
  const vault = data?.vault ?? null;
  return (
    <>
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {vault?.failed != null && (
        <Alert color="red" variant="outline" role="alert" title={words.silent}>
          <Text c="var(--mantine-color-text)" className="said">
            {vault.failed}
          </Text>
        </Alert>
      )}
      {vault?.state != null && (
        <Stack gap="sm">
          <SealPanel state={vault.state} line={line} />
          {vault.state.papers !== null && (
            <>
              <NodesPanel papers={vault.state.papers} line={line} />
              <TokensPanel papers={vault.state.papers} line={line} />
              <EndingPanel papers={vault.state.papers} line={line} />
            </>
          )}
        </Stack>
      )}
    </>
  );
}

function SealPanel({ state, line }: { readonly state: VaultState; readonly line: VaultLine }) {
  const { vault: words } = useWords();
  const { count } = useFigures();
  const { seal, backend, reasons } = state;
  const kind = seal.sealed ? 'sealed' : seal.kind === 'none' ? 'none' : 'open';
  return (
    <Panel title={words.sealTitle}>
      <TonedBadge look={SEALS[kind]} state={kind}>
        {words.sealStates[kind]}
      </TonedBadge>
      {reasons.length > 0 && (
        <List size="sm" mt="xs">
          {reasons.map((reason) => (
            <List.Item key={reason}>{reason}</List.Item>
          ))}
        </List>
      )}
      <Facts
        of={[
          [words.store, `${backend.kind}, ${backend.reachable ? words.reachable : words.unreachable}`],
          ...(seal.kind === 'shamir'
            ? ([
                [
                  words.shares,
                  seal.threshold === null || seal.shares === null
                    ? words.noShares
                    : words.sharesOf(count(seal.threshold), count(seal.shares)),
                ],
                ...(seal.sealed && seal.initialized
                  ? ([[words.given, words.givenOf(count(seal.progress ?? 0), count(seal.threshold ?? 0))]] as const)
                  : []),
              ] as const)
            : []),
        ]}
      />
      {seal.kind === 'shamir' && !seal.initialized && (
        <Sample label={words.makeShares} text={line('init', '--shares', '5', '--threshold', '3')} isLine />
      )}
      {seal.sealed && seal.initialized && <Sample label={words.unseal} text={line('unseal')} isLine />}
      {!seal.sealed && seal.kind === 'shamir' && <Sample label={words.sealIt} text={line('seal')} isLine />}
    </Panel>
  );
}

interface OfPapers {
  readonly papers: VaultPapers;
  readonly line: VaultLine;
}

function NodesPanel({ papers, line }: OfPapers) {
  const { vault: words } = useWords();
  const { moment } = useFigures();
  return (
    <Panel title={words.nodes}>
      <Table
        label={words.nodes}
        rows={papers.nodes.map((node, no) => ({ ...node, no }))}
        empty={words.noNodes}
        keyOf={({ no }) => String(no)}
        columns={[
          { label: words.name, cell: ({ name }) => <span className="mono">{name}</span> },
          {
            label: words.state,
            cell: ({ state }) => (
              <TonedBadge look={NODES[state]} state={state}>
                {words.nodeStates[state]}
              </TonedBadge>
            ),
          },
          { label: words.renewed, cell: ({ renewed_at: at }) => moment(at) },
          { label: words.until, cell: ({ until }) => (until === null ? '–' : moment(until)) },
          { label: words.joined, isMinor: true, cell: ({ joined_at: at }) => moment(at) },
        ]}
      />
      {papers.nodes_more && <Text c="dimmed">{words.moreThere}</Text>}
      <Sample label={words.listNodes} text={line('node list')} isLine />
    </Panel>
  );
}

function TokensPanel({ papers, line }: OfPapers) {
  const { vault: words } = useWords();
  const { count, moment } = useFigures();
  const { open, spent, expired, last_end: end } = papers.join_tokens;
  return (
    <Panel title={words.joinTokens}>
      <Text c="dimmed" size="sm" maw="72ch">
        {words.tokensHow}
      </Text>
      <Facts
        of={[
          [words.tokenStates.open, count(open)],
          [words.tokenStates.spent, count(spent)],
          [words.tokenStates.expired, count(expired)],
          [words.lastEnd, end === null ? null : moment(end)],
        ]}
      />
      {papers.join_tokens_more && <Text c="dimmed">{words.moreThere}</Text>}
      <Sample
        label={words.issueToken}
        text={line('node-token issue', '--scope', 'dc=<datacenter>,cluster=<cluster>', '--ttl', '1h', '--uses', '1')}
        isLine
      />
      <Sample label={words.listTokens} text={line('node-token list')} isLine />
    </Panel>
  );
}

function EndingPanel({ papers, line }: OfPapers) {
  const { vault: words } = useWords();
  const { count, moment } = useFigures();
  return (
    <Panel title={words.endingTitle(count(papers.ending_days))}>
      <Table
        label={words.endingTitle(count(papers.ending_days))}
        rows={papers.ending.map((one, no) => ({ ...one, no }))}
        empty={words.noneEnds}
        keyOf={({ no }) => String(no)}
        columns={[
          { label: words.name, cell: ({ name }) => <span className="mono">{name}</span> },
          { label: words.kind, cell: ({ kind }) => words.kinds[kind] },
          { label: words.until, cell: ({ until }) => moment(until) },
        ]}
      />
      {papers.ending_more && <Text c="dimmed">{words.moreThere}</Text>}
      <Sample label={words.ending} text={line('certificate list', '--days', String(papers.ending_days))} isLine />
    </Panel>
  );
}
