/** The figures that one looks at first, each with what it was while the page was open. */
import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Spark } from '../parts/spark.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Health, Load } from './shapes.ts';

interface TilesProps {
  readonly health: Health;
  readonly healthAt: number;
  /** Of the last minute; undefined until it is there. */
  readonly load: Load | undefined;
  readonly loadAt: number;
}

export function Tiles({ health, healthAt, load, loadAt }: TilesProps) {
  const { operations } = useWords();
  const { bytes, count } = useFigures();
  const { threads, hosts, disk } = health;
  const serving = threads.filter(({ state }) => state === 'serving').length;
  const lag = sumOf(hosts.map(({ lag_records }) => lag_records));
  const restarts = sumOf(threads.map((thread) => thread.restarts));
  const second = (load?.total.requests ?? 0) / 60;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" mb="md">
      <Tile label={operations.requests} value={`${count(second)} ${operations.perSecond}`}>
        {load !== undefined &&
          `${count(load.total.failed)} ${operations.failed}, ${count(load.total.refused)} ${operations.refused}, ${count(load.total.mean_ms)} ${operations.meanMs}`}
        <Spark name="requests" at={loadAt} value={second} />
      </Tile>
      <Tile label={operations.threads} value={`${serving} / ${threads.length} ${operations.ofThreads}`}>
        {count(restarts)} {operations.restarts}
        <Spark name="threads" at={healthAt} value={serving} />
      </Tile>
      <Tile label={operations.journal} value={count(lag)}>
        {operations.lag}
        <Spark name="lag" at={healthAt} value={lag} />
      </Tile>
      <Tile
        label={operations.disk}
        value={disk.free_bytes === null ? operations.unknown : `${bytes(disk.free_bytes)} ${operations.free}`}
      >
        {bytes(disk.free_bytes_min)} {operations.kept}
        <Spark name="disk" at={healthAt} value={disk.free_bytes ?? 0} />
      </Tile>
    </SimpleGrid>
  );
}

function Tile({
  label,
  value,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}) {
  return (
    <Paper withBorder p="sm" miw={0}>
      <Text c="dimmed" size="sm">
        {label}
      </Text>
      <Text fw={600} size="lg">
        {value}
      </Text>
      <Text c="dimmed" size="sm" component="div">
        {children}
      </Text>
    </Paper>
  );
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
