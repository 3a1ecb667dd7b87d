/** The proof that a record is in its log, checked by this browser. */
import { Alert, Button, Group, List, Text, Textarea, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Fingerprint } from './fingerprint.tsx';
import { keepKey, pastedKey } from './keys.ts';
import { askProof, logOf } from './queries.ts';
import { save } from '../parts/save.ts';
import type { AuditRecord, Log } from './shapes.ts';
import { verifyApart } from './verify-apart.ts';
import type { Verdict } from './verify-proof.ts';

export function ProofPanel({ log, record }: { readonly log: string; readonly record: AuditRecord }) {
  const { audit } = useWords();
  const { data } = useQuery(logOf(log, usePlace()));
  return (
    <section aria-label={audit.proof}>
      <Title order={3} size="h2">
        {audit.proof}
      </Title>
      {data !== undefined && <Check log={data} record={record} />}
    </section>
  );
}

function Check({ log, record }: { readonly log: Log; readonly record: AuditRecord }) {
  const { audit } = useWords();
  const place = usePlace();
  const [pasted, setPasted] = useState(() => pastedKey(log.log_id));
  const isPasted = pasted.trim() !== '';
  const key = isPasted ? pasted : log.verifier_key;
  const check = useMutation({
    mutationFn: async () => {
      const proof = await askProof(place, log.log_id, record.seq);
      const verdict = await verifyApart({ proof, key, origin: log.origin, index: record.seq, record });
      return { proof, verdict, key };
    },
  });
  const verdict = check.data?.key === key ? check.data.verdict : null;
  return (
    <>
      <Text size="sm" mb={4}>
        {isPasted ? audit.keyPasted : audit.keySame}
      </Text>
      <Text size="sm" component="div" mb="xs">
        {audit.fingerprint}: <Fingerprint of={key} />
      </Text>
      <details>
        <summary>{audit.pasteKey}</summary>
        <Textarea
          label={audit.pastedKey}
          description={audit.whereKey}
          value={pasted}
          onChange={({ currentTarget }) => {
            keepKey(log.log_id, currentTarget.value);
            setPasted(currentTarget.value);
          }}
          rows={3}
          spellCheck={false}
        />
      </details>
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => check.mutate()} loading={check.isPending}>
          {audit.prove}
        </Button>
        {check.data !== undefined && (
          <Button
            size="xs"
            variant="default"
            onClick={() => save(`proof-${record.seq}.json`, JSON.stringify(check.data.proof))}
          >
            {audit.saveProof}
          </Button>
        )}
      </Group>
      {check.error !== null && <Fault error={check.error} again={() => check.mutate()} />}
      <div role="status">{verdict !== null && <Finding verdict={verdict} />}</div>
    </>
  );
}

function Finding({ verdict }: { readonly verdict: Verdict }) {
  const { audit } = useWords();
  const { count } = useFigures();
  const isGood = verdict.kind === 'good';
  const Sign = isGood ? IconCheck : IconX;
  return (
    <Alert
      mt="xs"
      variant="outline"
      color={isGood ? 'green' : 'red'}
      data-verdict={verdict.kind}
      data-fault={verdict.kind === 'bad' ? verdict.fault : undefined}
    >
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <ThemeIcon color={isGood ? 'green.8' : 'red.8'} radius="xl" size={24}>
          <Sign size={16} aria-hidden />
        </ThemeIcon>
        <div>
          <Text fw={600} c="var(--mantine-color-text)">
            {isGood ? audit.good : verdict.kind === 'unable' ? audit.unable : audit.bad}
          </Text>
          {verdict.kind === 'bad' && (
            <Text size="sm" c="var(--mantine-color-text)">
              {audit.faults[verdict.fault]}
            </Text>
          )}
          {isGood && (
            <>
              <List size="sm" c="var(--mantine-color-text)">
                <List.Item>{audit.held.signature}</List.Item>
                <List.Item>
                  {audit.held.path} {count(verdict.size)}.
                </List.Item>
                <List.Item>{audit.held.record}</List.Item>
              </List>
              <Text size="sm" className="mono" c="dimmed">
                {audit.root}: {verdict.root}
              </Text>
            </>
          )}
        </div>
      </Group>
    </Alert>
  );
}
