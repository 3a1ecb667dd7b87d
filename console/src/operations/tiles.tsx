/** The figures that one looks at first, each with what it was within the last hour. */
import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Spark } from '../parts/spark.tsx';
import { Trend } from '../parts/trend.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Health, Load } from '../node/answers.ts';
import type { FigurePoint } from './shapes.ts';

interface TilesProps {
  readonly health: Health;
  readonly healthAt: number;
  /** Of the last minute; undefined until it is there. */
  readonly load: Load | undefined;
  /** Of the last hour, oldest first; none until they are there. */
  readonly points: readonly FigurePoint[];
}

export function Tiles({ health, healthAt, load, points }: TilesProps) {
  const { operations } = useWords();
  const { bytes, count } = useFigures();
  const { threads, hosts, disk } = health;
  const serving = threads.filter(({ state }) => state === 'serving').length;
  const restarts = sumOf(threads.map((thread) => thread.restarts));
  const now = points.at(-1);
  const trend = (of: Exclude<keyof FigurePoint, 'at'>) => (
    <Trend points={points.map((point) => ({ at: Date.parse(point.at), value: point[of] }))} />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" mb="md">
      <Tile label={operations.requests} value={`${count((load?.total.requests ?? 0) / 60)} ${operations.perSecond}`}>
        {load !== undefined &&
          `${count(load.total.failed)} ${operations.failed}, ${count(load.total.refused)} ${operations.refused}`}
        {trend('requests_per_second')}
      </Tile>
      <Tile label={operations.times} value={now?.p99_ms == null ? '–' : `${count(now.p99_ms)} ms`}>
        {operations.p99}
        {now?.p50_ms != null && `, ${operations.half} ${count(now.p50_ms)} ms`}
        {trend('p99_ms')}
      </Tile>
      <Tile label={operations.memory} value={now === undefined ? '–' : bytes(now.rss_bytes)}>
        {operations.ofProcess}
        {now !== undefined && `, ${bytes(now.heap_bytes)} ${operations.heap}`}
        {trend('rss_bytes')}
      </Tile>
      <Tile label={operations.waiting} value={count(sumOf(hosts.map(({ waiting }) => waiting)))}>
        {operations.waitingNow}
        {trend('waiting')}
      </Tile>
      <Tile label={operations.journal} value={count(sumOf(hosts.map(({ lag_records }) => lag_records)))}>
        {operations.lag}
        {trend('lag_records')}
      </Tile>
      <Tile label={operations.loopDelay} value={now === undefined ? '–' : `${count(now.loop_delay_ms)} ms`}>
        p99
        {trend('loop_delay_ms')}
      </Tile>
      <Tile label={operations.threads} value={`${serving} / ${threads.length} ${operations.ofThreads}`}>
        {count(restarts)} {operations.restarts}
        <Spark name="threads" at={healthAt} value={serving} />
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

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}

function Tile({ label, value, children }: TileProps) {
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
