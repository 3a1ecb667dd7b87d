/** One delivery beside the list: what it told of, what its receiver answered, what to do, and another try. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { usePlace } from '../session/gate.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { DeliveryBadge } from './delivery-badge.tsx';
import { documentPath } from './paths.ts';
import { redeliver } from './queries.ts';
import type { Delivery } from './shapes.ts';

interface DeliverySheetProps {
  /** Undefined where it is not among those that are shown. */
  readonly of: Delivery | undefined;
  /** Looks at the list anew. */
  readonly again: () => Promise<unknown>;
  readonly close: () => void;
}

export function DeliverySheet({ of: one, again, close }: DeliverySheetProps) {
  const { content: words } = useWords();
  const { moment } = useFigures();
  const place = usePlace();
  const run = useMutation({ mutationFn: (id: string) => redeliver(place, id), onSettled: again });
  return (
    <Sheet title={one === undefined ? words.delivery : `${words.delivery}, ${moment(one.at)}`} close={close}>
      {one === undefined && (
        <Text maw="72ch" role="status">
          {run.isSuccess ? words.onItsWay : words.unknownDelivery}
        </Text>
      )}
      {one !== undefined && (
        <Stack gap="md">
          <div>
            <DeliveryBadge of={one.outcome} />
            <About of={one} />
          </div>
          <section aria-label={words.whatToDo}>
            <Title order={3} size="h2" mb={4}>
              {words.whatToDo}
            </Title>
            <Text size="sm" maw="72ch">
              {words.mend[one.outcome]}
            </Text>
            {run.error !== null && <Fault error={run.error} again={() => run.mutate(one.id)} />}
            <Group mt="xs">
              <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate(one.id)}>
                {one.outcome === 'waiting' ? words.tryNow : words.sendAgain}
              </Button>
              {run.isSuccess && (
                <Text size="sm" c="dimmed" role="status">
                  {words.onItsWay}
                </Text>
              )}
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                c="var(--mantine-color-text)"
                onClick={() => void again()}
              >
                {words.look}
              </Button>
            </Group>
          </section>
        </Stack>
      )}
    </Sheet>
  );
}

function About({ of: one }: { readonly of: Delivery }) {
  const { content: words } = useWords();
  const { moment, count } = useFigures();
  return (
    <Facts
      of={[
        [words.webhook, `${one.app} / ${one.webhook}`],
        ['id', one.id],
        [words.about, `${one.type} ${words.events[one.event]}`],
        [words.documents, <Documents key="documents" of={one} />],
        [words.attempts, one.attempts === null ? words.notKnown : count(one.attempts)],
        [words.status, one.status],
        [words.reason, one.error === null ? null : <span className="said">{one.error}</span>],
        ...(one.ended_at === null ? [] : [[words.ended, moment(one.ended_at)] as const]),
      ]}
    />
  );
}

/** The first of them, each with its page unless it was deleted. */
function Documents({ of: { app, type, event, documents, documents_count: all } }: { readonly of: Delivery }) {
  const { content: words } = useWords();
  const { count } = useFigures();
  const { key } = usePlace();
  return (
    <>
      {documents.map((id) => (
        <Text key={id} component="span" display="block" inherit>
          {event === 'AfterContentDeleteSuccess' ? (
            id
          ) : (
            <Anchor
              component={Link}
              to={documentPath(key, app, type, id)}
              fz="inherit"
              c="var(--mantine-color-text)"
              underline="always"
            >
              {id}
            </Anchor>
          )}
        </Text>
      ))}
      {all > documents.length && words.andMore(count(all - documents.length))}
    </>
  );
}
