/** The node's vault as it is set up, and the lines that ask it. */
import { Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { commandOf, wordOf } from '../node/command.ts';
import type { Settings } from '../node/settings.ts';
import { Facts, type Fact } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';
import type { VaultLine } from './state-panel.tsx';

const LOOKS = {
  on: { icon: IconCircleCheck, color: 'teal' },
  off: { icon: IconCircleDashed, color: 'gray' },
} as const;
/** Where the vault listens unless its file says otherwise. */
const USUAL_PORT = 7999;

export const isOn = (node: Settings): boolean => node.of.get('vault.enabled')?.value === true;

export function VaultPanel({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const state = isOn(node) ? 'on' : 'off';
  return (
    <Panel title={words.section}>
      <TonedBadge look={LOOKS[state]} state={state}>
        {words.states[state]}
      </TonedBadge>
      {isOn(node) ? <Running node={node} /> : <NoVault />}
    </Panel>
  );
}

function Running({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const hasKey = textIn(node, 'seal.current.file') !== null || textIn(node, 'seal.current.env') !== null;
  const seal = textIn(node, 'seal.kind') === 'shamir' ? 'shamir' : hasKey ? 'key' : 'none';
  const facts: readonly Fact[] = [
    [words.seal, words.seals[seal]],
    [words.store, textIn(node, 'backend.kind')],
    [words.trustDomain, textIn(node, 'trust_domain')],
    [words.profile, textIn(node, 'profile')],
  ];
  return (
    <>
      <Facts of={facts} />
      <Text maw="72ch">{words.asks}</Text>
      <Sample label={words.isSealed} text={vaultLine(node)('status')} isLine />
    </>
  );
}

/** Lines that ask the vault of this node. */
export function vaultLine(node: Settings): VaultLine {
  // A vault for development speaks plain HTTP, and none other does.
  const scheme = textIn(node, 'tls.cert') === null ? 'http' : 'https';
  const url = textIn(node, 'public_url') ?? `${scheme}://127.0.0.1:${textIn(node, 'port') ?? USUAL_PORT}`;
  return (verb, ...more) => ['skep vault', verb, '--url', wordOf(url), ...more.map(wordOf)].join(' ');
}

/** Of the settings below `vault`. */
function textIn(node: Settings, key: string): string | null {
  const value = node.of.get(`vault.${key}`)?.value;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function NoVault() {
  const { vault: words } = useWords();
  return (
    <>
      <Text maw="72ch" mt="xs">
        {words.noVault}
      </Text>
      <Sample label={words.tryOne} text="skep vault config generate bootstrap-dev > vault.yaml" isLine />
      <Sample label={words.serveOne} text={commandOf('vault server', 'vault.yaml')} isLine />
    </>
  );
}
