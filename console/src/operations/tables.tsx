/** The tables of the operator's pages. */
import { Table } from '../parts/table.tsx';
import { CONTROL_PLANE } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Load } from '../node/answers.ts';
import type { Counts, Host, Line, SlowRequest, Thread } from './shapes.ts';

/** The control plane by its name, which four equal segments hide. */
export function Place({ of }: { readonly of: string }) {
  const { controlPlane } = useWords();
  return of === CONTROL_PLANE ? controlPlane : <span className="mono">{of}</span>;
}

export function Threads({ rows }: { readonly rows: readonly Thread[] }) {
  const { operations } = useWords();
  const { count, moment } = useFigures();
  return (
    <Table
      label={operations.threads}
      rows={rows}
      empty={operations.noHost}
      keyOf={({ name }) => name}
      columns={[
        { label: operations.thread, cell: ({ name }) => name },
        { label: operations.state, cell: ({ state }) => operations[state] },
        { label: operations.since, cell: ({ since }) => (since === null ? '' : moment(since)) },
        { label: operations.restarts, isFigure: true, cell: ({ restarts }) => count(restarts) },
      ]}
    />
  );
}

export function Hosts({ rows }: { readonly rows: readonly Host[] }) {
  const { operations } = useWords();
  const { count } = useFigures();
  return (
    <Table
      label={operations.hosts}
      rows={rows}
      empty={operations.noHost}
      keyOf={({ name }) => name}
      columns={[
        { label: operations.host, cell: ({ name }) => name },
        { label: operations.awake, isFigure: true, cell: ({ tenants_awake }) => count(tenants_awake) },
        { label: operations.waiting, isFigure: true, cell: ({ waiting }) => count(waiting) },
        { label: operations.lagShort, isFigure: true, cell: ({ lag_records }) => count(lag_records) },
        { label: operations.syncs, isFigure: true, cell: ({ journal_syncs }) => count(journal_syncs) },
      ]}
    />
  );
}

export function SlowRequests({ rows }: { readonly rows: readonly SlowRequest[] }) {
  const { operations } = useWords();
  const { count, moment } = useFigures();
  return (
    <Table
      label={operations.slowest}
      rows={rows}
      empty={operations.noSlow}
      keyOf={({ request_id, at }) => `${request_id} ${at}`}
      columns={[
        { label: operations.ms, isFigure: true, cell: ({ ms }) => count(ms) },
        { label: operations.route, cell: ({ method, route }) => <span className="mono">{`${method} ${route}`}</span> },
        { label: operations.status, isFigure: true, cell: ({ status }) => status },
        { label: operations.tenant, cell: ({ tenant }) => <Place of={tenant ?? ''} /> },
        { label: operations.at, cell: ({ at }) => moment(at) },
        { label: operations.requestId, cell: ({ request_id }) => <span className="mono">{request_id}</span> },
      ]}
    />
  );
}

export function Rates({ rows }: { readonly rows: Load['rates'] }) {
  const { operations } = useWords();
  const { count } = useFigures();
  return (
    <Table
      label={operations.rates}
      rows={rows.filter(({ refused }) => refused > 0)}
      empty={operations.noRates}
      keyOf={({ profile }) => profile}
      columns={[
        { label: operations.profile, cell: ({ profile }) => <span className="mono">{profile}</span> },
        { label: operations.callers, isFigure: true, cell: ({ callers }) => count(callers) },
        { label: operations.refused, isFigure: true, cell: ({ refused }) => count(refused) },
      ]}
    />
  );
}

/** Counts by a name, the others last. */
export function CountTable({
  label,
  name,
  rows,
  more,
}: {
  readonly label: string;
  readonly name: string;
  readonly rows: readonly (Counts & { readonly name: string })[];
  readonly more: Counts;
}) {
  const { operations } = useWords();
  const { count } = useFigures();
  return (
    <Table
      label={label}
      rows={more.requests === 0 ? rows : [...rows, { ...more, name: operations.others }]}
      empty={operations.noLoad}
      keyOf={(row) => row.name}
      columns={[
        { label: name, cell: (row) => <Place of={row.name} /> },
        { label: operations.count, isFigure: true, cell: ({ requests }) => count(requests) },
        { label: operations.refused, isFigure: true, cell: ({ refused }) => count(refused) },
        { label: operations.failed, isFigure: true, cell: ({ failed }) => count(failed) },
        { label: operations.byDoor, isFigure: true, cell: ({ by_door }) => count(by_door) },
        { label: operations.mean, isFigure: true, cell: ({ mean_ms }) => count(mean_ms) },
      ]}
    />
  );
}

export function Lines({ rows, label }: { readonly rows: readonly Line[]; readonly label: string }) {
  const { operations } = useWords();
  const { moment } = useFigures();
  return (
    <Table
      label={label}
      rows={rows.toReversed()}
      empty={operations.noLines}
      keyOf={({ id }) => id}
      columns={[
        { label: operations.at, cell: ({ at }) => moment(at) },
        { label: operations.level, cell: ({ level }) => level },
        { label: operations.thread, cell: ({ thread }) => thread },
        { label: operations.service, cell: ({ service }) => service },
        { label: operations.message, cell: ({ message }) => message },
      ]}
    />
  );
}
