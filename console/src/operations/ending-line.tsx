/** How many certificates of the vault end soon, with the way to its page; nothing while none does, and on a node without a vault. */
import { Anchor, Group, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { vaultState } from '../vault/queries.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';

/** They end by days: the vault is asked once while this page is open, and for a page that is opened again within this time not once more. */
const FRESH_MS = 10 * 60_000;

export function EndingLine() {
  const { vault: words } = useWords();
  const { count, moment } = useFigures();
  const once = { refetchInterval: false, refetchOnWindowFocus: false, staleTime: FRESH_MS } as const;
  const { data } = useQuery({ ...vaultState, ...once });
  const papers = data?.vault?.state?.papers ?? null;
  const next = papers?.ending[0];
  if (papers === null || next === undefined) return null;
  const number = papers.ending_more ? `> ${count(papers.ending.length)}` : count(papers.ending.length);
  return (
    <Group gap="sm" px="sm" mb="md" wrap="nowrap">
      <ThemeIcon color="honey.7" radius="xl" size={28}>
        <IconAlertTriangle size={18} aria-hidden />
      </ThemeIcon>
      <Text size="sm">
        {words.endingSoon(papers.ending.length, number, count(papers.ending_days))}{' '}
        {words.endingNext(next.name, moment(next.until))}{' '}
        <Anchor component={Link} to="/vault" size="sm" c="var(--mantine-color-text)" underline="always">
          {words.title}
        </Anchor>
      </Text>
    </Group>
  );
}
