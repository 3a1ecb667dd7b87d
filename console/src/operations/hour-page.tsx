/** The last hour of the node, in pictures and in a table. */
import { SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Chart, type Line } from '../parts/chart.tsx';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { chartsOf, type FigureChart } from './figure-charts.ts';
import { Head } from './head.tsx';
import { figures } from './queries.ts';
import type { FigurePoint } from './shapes.ts';

export function HourPage() {
  const words = useWords();
  const { operations } = words;
  const charts = chartsOf(words, useFigures());
  const { data, error, refetch } = useQuery(figures);
  const points = data?.points ?? [];
  return (
    <>
      <Head title={operations.hour} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && points.length === 0 && <Text c="dimmed">{operations.noFigures}</Text>}
      {points.length > 0 && (
        <>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm" mb="sm">
            {charts.map((chart) => (
              <OnePanel key={chart.title} chart={chart} points={points} />
            ))}
          </SimpleGrid>
          <Panel title={operations.asTable}>
            <Values charts={charts} points={points} />
          </Panel>
        </>
      )}
    </>
  );
}

interface OfPoints {
  readonly points: readonly FigurePoint[];
}

function OnePanel({ chart, points }: OfPoints & { readonly chart: FigureChart }) {
  const { operations } = useWords();
  const times = points.map(({ at }) => Date.parse(at));
  const [first, ...more] = chart.lines.map(([label, of]): Line => ({ label, values: points.map((one) => one[of]) }));
  return (
    <Panel title={chart.title}>
      <Chart
        label={`${chart.title}: ${operations.pictureOf}`}
        times={times}
        lines={more[0] === undefined ? [first!] : [first!, more[0]]}
        tell={chart.tell}
      />
    </Panel>
  );
}

/** All values, newest first. */
function Values({ charts, points }: OfPoints & { readonly charts: readonly FigureChart[] }) {
  const { operations } = useWords();
  const { moment } = useFigures();
  const columns = charts.flatMap(({ title, lines, tell }) =>
    lines.map(([label, of]) => ({
      label: lines.length === 1 ? title : `${title}, ${label}`,
      isFigure: true,
      cell: (point: FigurePoint) => (point[of] === null ? '–' : tell(point[of])),
    })),
  );
  return (
    <details>
      <summary>{operations.allValues}</summary>
      <Table
        label={operations.asTable}
        rows={points.toReversed()}
        empty={operations.noFigures}
        keyOf={({ at }) => at}
        columns={[{ label: operations.at, cell: ({ at }) => moment(at) }, ...columns]}
      />
    </details>
  );
}
