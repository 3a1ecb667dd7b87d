/** The node's vault as it is set up. Whether it is sealed, the vault says to those who show it a certificate: the page has the command. */
import { Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { commandOf } from '../node/command.ts';
import type { Settings } from '../node/settings.ts';
import { Facts } from '../parts/facts.tsx';
import type { Fact } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { TonedBadge } from '../parts/toned-badge.tsx';
import { useWords } from '../words/words.tsx';

const LOOKS = {
  on: { icon: IconCircleCheck, color: 'teal' },
  off: { icon: IconCircleDashed, color: 'gray' },
} as const;
/** Where the vault listens unless its file says otherwise. */
const USUAL_PORT = 7999;

export function VaultPanel({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const isOn = node.of.get('vault.enabled')?.value === true;
  const state = isOn ? 'on' : 'off';
  return (
    <Panel title={words.section}>
      <TonedBadge look={LOOKS[state]} state={state}>
        {words.states[state]}
      </TonedBadge>
      {isOn ? <Running node={node} /> : <NoVault />}
    </Panel>
  );
}

function Running({ node }: { readonly node: Settings }) {
  const { vault: words } = useWords();
  const text = (key: string): string | null => {
    const value = node.of.get(`vault.${key}`)?.value;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  const hasKey = text('seal.current.file') !== null || text('seal.current.env') !== null;
  const seal = text('seal.kind') === 'shamir' ? 'shamir' : hasKey ? 'key' : 'none';
  const facts: readonly Fact[] = [
    [words.seal, words.seals[seal]],
    [words.store, text('backend.kind')],
    [words.trustDomain, text('trust_domain')],
    [words.profile, text('profile')],
  ];
  // A vault for development speaks plain HTTP, and none other does.
  const scheme = text('tls.cert') === null ? 'http' : 'https';
  const url = text('public_url') ?? `${scheme}://127.0.0.1:${text('port') ?? USUAL_PORT}`;
  const line = (verb: string, ...more: readonly string[]): string =>
    ['skep vault', verb, '--url', url, ...more].join(' ');
  return (
    <>
      <Facts of={facts} />
      <Text maw="72ch">{words.asks}</Text>
      <Sample label={words.isSealed} text={line('status')} isLine />
      {seal === 'shamir' && <Sample label={words.unseal} text={line('unseal')} isLine />}
      <Sample label={words.ending} text={line('certificate list', '--days', '30')} isLine />
    </>
  );
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
