/** The vault, the keys that sign tokens, and the certificates of the node's names: what the control plane may know of them, and the commands for the rest. */
import { List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageHead } from '../frame/page-head.tsx';
import { settings } from '../node/settings.ts';
import { health } from '../operations/queries.ts';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { useWords } from '../words/words.tsx';
import { CertificatesPanel } from './certificates-panel.tsx';
import { RingPanel } from './ring-panel.tsx';
import { StatePanels } from './state-panel.tsx';
import { isOn, vaultLine, VaultPanel } from './vault-panel.tsx';

export function VaultPage() {
  const { vault: words } = useWords();
  const { data: node, error, refetch } = useQuery(settings);
  return (
    <>
      <PageHead title={words.title} label={words.section} beside={[]} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {node !== undefined && (
        <Stack gap="sm">
          <Amiss />
          <VaultPanel node={node} />
          {isOn(node) && <StatePanels line={vaultLine(node)} />}
          <CertificatesPanel node={node} />
          <RingPanel node={node} />
        </Stack>
      )}
    </>
  );
}

/** What the node itself reports of the vault and of certificates; nothing while that is well. */
function Amiss() {
  const { vault: words } = useWords();
  const { data } = useQuery(health);
  const found = data?.degraded.filter(({ scope, name }) => scope === 'certificate' || name.startsWith('vault')) ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title={words.amiss}>
      <List size="sm">
        {found.map(({ name, reason }) => (
          <List.Item key={`${name} ${reason}`}>
            {name}: {reason}
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}
