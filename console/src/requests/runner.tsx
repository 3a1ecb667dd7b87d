/** An operation to be filled in and run: its form, its answer beside it, and the lines that do the same elsewhere. */
import { SimpleGrid, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { faultsOf } from '../data/faults.ts';
import { gatewayAt } from '../node/gateway.ts';
import { Panel } from '../parts/panel.tsx';
import { Sample } from '../parts/sample.tsx';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { AnsweredPanel } from './answered.tsx';
import { OperationForm } from './form.tsx';
import { remember, type Past } from './history.ts';
import { clientLineOf, curlOf } from './lines.ts';
import { run } from './queries.ts';
import { bodyOf, requestOf, valuesOf, type Filled, type Request } from './request.ts';
import { isServed } from './served.ts';
import type { Operation } from './shapes.ts';

interface RunnerProps {
  readonly operation: Operation;
  /** What is filled in to begin with; nothing is run by it. */
  readonly begin?: Partial<Filled> | undefined;
  readonly kind: Past['kind'];
  /** What was filled in, of each request that leaves. */
  readonly onRun: (filled: Filled) => void;
  /** What stands below the answer; `isReady`: whether everything that the request needs is there. */
  readonly below?: (values: Readonly<Record<string, unknown>>, isReady: boolean) => ReactNode;
}

export function Runner({ operation, begin, kind, onRun, below }: RunnerProps) {
  const { requests: words } = useWords();
  const place = usePlace();
  const [filled, setFilled] = useState<Filled>({ texts: {}, body: bodyOf(operation), ...begin });
  const [hasTried, setTried] = useState(false);
  const ask = useMutation({
    mutationFn: (request: Request) => run(place, request),
    onSuccess: ({ status, ms }, { method, path, query }) => {
      const title = `${method} ${path}${query && `?${query}`}`;
      remember(place, { kind, title, status, ms, filled: { operation: operation.id, ...filled } });
      if (operation.writes)
        void place.queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'requests' });
    },
  });
  const { request, unfilled } = requestOf(operation, filled);
  const isServedHere = isServed(operation);
  const submit = (): void => {
    setTried(true);
    if (Object.keys(unfilled).length > 0 || !isServedHere || ask.isPending) return;
    onRun(filled);
    ask.mutate(request);
  };
  const { headers: position } = place.skep.transport;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" className="runner">
      <Panel title={operation.id}>
        <OperationForm
          operation={operation}
          filled={filled}
          change={setFilled}
          unfilled={hasTried ? unfilled : {}}
          faults={faultsOf(ask.data?.error)}
          isServed={isServedHere}
          isPending={ask.isPending}
          submit={submit}
        />
      </Panel>
      <Stack gap="sm" miw={0}>
        {isServedHere && <AnsweredPanel answer={ask.data} error={ask.error} again={() => ask.mutate(request)} />}
        {below?.(valuesOf(operation, filled.texts), Object.keys(unfilled).length === 0)}
        <Panel title={words.elsewhere}>
          <Sample label="curl" text={curlOf(request, gatewayAt(location, undefined), position)} />
          <Sample label={words.client} text={clientLineOf(request)} isLine />
        </Panel>
      </Stack>
    </SimpleGrid>
  );
}
