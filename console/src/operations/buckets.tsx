/** The rate limits of the node: what each profile allows, how empty its buckets are, which tenants were refused most, which routes it limits. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fault } from '../parts/fault.tsx';
import { Panel } from '../parts/panel.tsx';
import { Table } from '../parts/table.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import { buckets } from './queries.ts';
import type { ProfileBuckets } from './shapes.ts';
import { Place } from './tables.tsx';

export function BucketsPage() {
  const { operations } = useWords();
  const { data, error, refetch } = useQuery(buckets);
  return (
    <>
      <Head title={operations.rates} />
      {error !== null && <Fault error={error} again={() => void refetch()} />}
      {data !== undefined && (
        <Stack gap="sm">
          <Panel title={operations.refusedMost}>
            <Refused rows={data.profiles} />
          </Panel>
          <Panel title={operations.rates}>
            <Text c="dimmed" size="sm" maw="72ch" mb="xs">
              {operations.levelsHow}
            </Text>
            <Profiles rows={data.profiles} />
            <Text c="dimmed" size="sm" maw="72ch" mt="xs">
              {operations.ratesHow}
            </Text>
          </Panel>
          <Panel title={operations.limitedRoutes}>
            <Limited rows={data.profiles} />
          </Panel>
        </Stack>
      )}
    </>
  );
}

/** Routes that are shown without a click. */
const FEW = 2;

interface Rows {
  readonly rows: readonly ProfileBuckets[];
}

const name = ({ profile }: { readonly profile: string }) => <span className="mono">{profile}</span>;

function Profiles({ rows }: Rows) {
  const { operations } = useWords();
  const { count } = useFigures();
  const allowed = ({ burst, per_second: rate }: ProfileBuckets): string => {
    if (burst === null || rate === null) return operations.limitless;
    if (rate < 1) return operations.allowsSeldom(count(burst), count(1 / rate));
    return operations.allows(count(burst), count(rate));
  };
  return (
    <Table
      label={operations.rates}
      rows={rows}
      empty={operations.noRates}
      keyOf={({ profile }) => profile}
      columns={[
        { label: operations.profile, cell: name },
        { label: operations.allowance, cell: allowed },
        { label: operations.taken, isFigure: true, cell: ({ taken }) => `${count(100 * taken)} %` },
        { label: operations.spent, isFigure: true, cell: ({ spent }) => count(spent) },
        { label: operations.refused, isFigure: true, cell: ({ refused }) => count(refused) },
        { label: operations.callers, isFigure: true, cell: ({ callers }) => count(callers) },
        { label: operations.shared, isFigure: true, isMinor: true, cell: ({ overflowed }) => count(overflowed) },
        {
          label: operations.setAt,
          isMinor: true,
          cell: ({ source, from }) => (source === 'default' ? operations.setByDefault : from),
        },
      ]}
    />
  );
}

function Refused({ rows }: Rows) {
  const { operations } = useWords();
  const { count } = useFigures();
  const refused = rows.flatMap(({ profile, tenants }) => tenants.map((one) => ({ profile, ...one })));
  return (
    <Table
      label={operations.refusedMost}
      rows={refused.toSorted((a, b) => b.refused - a.refused)}
      empty={operations.noRates}
      keyOf={({ profile, tenant }) => `${profile} ${tenant}`}
      columns={[
        {
          label: operations.tenant,
          cell: ({ tenant }) => (tenant === null ? operations.noTenant : <Place of={tenant} />),
        },
        { label: operations.profile, cell: name },
        {
          label: operations.refused,
          isFigure: true,
          cell: ({ refused: times, over }) => (over === 0 ? count(times) : operations.atMost(count(times))),
        },
      ]}
    />
  );
}

function Limited({ rows }: Rows) {
  const { operations } = useWords();
  return (
    <Table
      label={operations.limitedRoutes}
      rows={rows.filter(({ routes }) => routes.length > 0)}
      empty={operations.noRates}
      keyOf={({ profile }) => profile}
      columns={[
        { label: operations.profile, cell: name },
        {
          label: operations.route,
          cell: ({ routes }) => <Routes of={routes} />,
        },
      ]}
    />
  );
}

/** Few of them as they are, many behind a click. */
function Routes({ of }: { readonly of: readonly string[] }) {
  const { operations } = useWords();
  const { count } = useFigures();
  const list = of.map((route) => (
    <Text key={route} className="mono" size="sm">
      {route}
    </Text>
  ));
  if (of.length <= FEW) return list;
  return (
    <details>
      <summary>{operations.routesMany(count(of.length))}</summary>
      {list}
    </details>
  );
}
