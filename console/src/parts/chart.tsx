/** Lines over time, from zero on, two at most: one solid, one dashed, so that no colour has to be told from another. What they show is said in words and in a table beside them. */
import { Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { useLanguage } from '../words/words.tsx';

export interface Line {
  readonly label: string;
  /** Null where there was nothing to measure. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What the picture shows, for people who do not see it. */
  readonly label: string;
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly [Line] | readonly [Line, Line];
  readonly tell: (value: number) => string;
}

const HEIGHT = 170;
/** Charts of one page show the same moment under the pointer. */
const TOGETHER = 'skep';
const DASH = [6, 4];

export function Chart({ label, times, lines, tell }: ChartProps) {
  const scheme = useComputedColorScheme('light');
  const { language } = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [under, setUnder] = useState<number | null>(null);
  const told = useRef(tell);
  told.current = tell;
  const labels = lines.map((line) => line.label).join('\n');
  useEffect(() => {
    const root = place.current!;
    const options = optionsFor(root, labels.split('\n'), (value) => told.current(value), language, setUnder);
    const made = new uPlot(options, [[], ...labels.split('\n').map(() => [])], root);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: HEIGHT }));
    watch.observe(root);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [labels, scheme, language]);
  useEffect(() => {
    plot.current?.setData([times.map((at) => at / 1000), ...lines.map(({ values }) => [...values])]);
  }, [times, lines, labels, scheme, language]);
  const at = under !== null && under < times.length ? under : times.length - 1;
  return (
    <>
      <Legend lines={lines} at={at} time={times[at]} tell={tell} />
      <div ref={place} className="chart" role="img" aria-label={label} />
    </>
  );
}

interface LegendProps extends Pick<ChartProps, 'lines' | 'tell'> {
  /** The point whose values are told. */
  readonly at: number;
  readonly time: number | undefined;
}

function Legend({ lines, at, time, tell }: LegendProps) {
  const { language } = useLanguage();
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  return (
    <Text size="sm" component="div" className="chart-legend">
      {lines.map(({ label, values }, no) => (
        <span key={label}>
          <span className={no === 0 ? 'chart-mark' : 'chart-mark second'} aria-hidden />
          {label}: {values[at] == null ? '–' : tell(values[at])}
        </span>
      ))}
      {time !== undefined && (
        <Text span c="dimmed" size="sm">
          {clock.format(time)}
        </Text>
      )}
    </Text>
  );
}

function optionsFor(
  root: HTMLElement,
  labels: readonly string[],
  tell: (value: number) => string,
  language: string,
  point: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(root);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
  const axis = {
    stroke: colour('--mantine-color-dimmed'),
    grid: { stroke: colour('--skep-line'), width: 1 },
    ticks: { show: false },
    font: `12px ${style.fontFamily}`,
  };
  return {
    width: root.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: TOGETHER } },
    scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, size: 28, values: (_plot, seconds) => seconds.map((at) => clock.format(at * 1000)) },
      { ...axis, size: 72, values: (_plot, values) => values.map(tell) },
    ],
    series: [
      {},
      ...labels.map((label, no) => ({
        label,
        stroke: colour(no === 0 ? '--skep-line-1' : '--skep-line-2'),
        width: 1.5,
        ...(no > 0 && { dash: DASH }),
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => point(idx ?? null)] },
  };
}
