/** Rows that refer to one row: for each reference to its entity how many, the first of them, and the grid with all. */
import { Anchor, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { linkTo } from './cell.tsx';
import type { CellContext } from './cell.tsx';
import { entityPath } from './paths.ts';
import { countOf, firstOf } from './queries.ts';
import { referrersOf } from './shapes.ts';
import type { EntityDoc, Field } from './shapes.ts';

interface RelatedProps {
  readonly context: CellContext;
  readonly place: Place;
  readonly id: string;
}

export function Related({ context, place, id }: RelatedProps) {
  const { row: words } = useWords();
  const referrers = referrersOf(context.schema, context.entity);
  if (referrers.length === 0) return <Text c="dimmed">{words.noRelated}</Text>;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {words.relatedHow}
      </Text>
      {referrers.map(({ entity, field }) => (
        <Referrer
          key={`${entity.name} ${field.name}`}
          context={context}
          place={place}
          id={id}
          entity={entity}
          field={field}
        />
      ))}
    </>
  );
}

interface ReferrerProps extends RelatedProps {
  readonly entity: EntityDoc;
  readonly field: Field;
}

function Referrer({ context, place, id, entity, field }: ReferrerProps) {
  const { row: words } = useWords();
  const { count } = useFigures();
  const conditions = [{ field: field.name, op: 'eq', value: id }] as const;
  const counted = useQuery(countOf(place, entity.name, { conditions, deleted: false }));
  const { data: first = [], isPending } = useQuery(firstOf(place, entity, conditions));
  // An entity that is too large to be counted in one turn still shows that there are some.
  const total = counted.data ?? (isPending || (counted.isPending && first.length > 0) ? null : first.length);
  const isUncounted = counted.isError && first.length > 0;
  return (
    <section className="related" aria-label={`${entity.name} ${words.refersBy} ${field.name}`}>
      <Group gap="xs" justify="space-between" align="baseline">
        <Title order={2} fz="md">
          {entity.name}{' '}
          <Text span size="sm" c="dimmed">
            {words.refersBy} {field.name}
          </Text>
        </Title>
        <Text size="sm" c="dimmed" data-count={total ?? undefined}>
          {isUncounted ? words.someRefer : total === null ? '' : total === 0 ? words.noneRefers : count(total)}
        </Text>
      </Group>
      <ul>
        {first.map((one) => {
          const there = linkTo(context, entity.name, one.id);
          return (
            <li key={one.id}>
              <Anchor
                component={Link}
                to={there.to}
                search={there.search as never}
                size="sm"
                c="var(--mantine-color-text)"
                underline="always"
                title={one.id}
              >
                {one.label}
              </Anchor>
            </li>
          );
        })}
      </ul>
      {first.length > 0 && (
        <Anchor
          component={Link}
          to={entityPath(place.key, entity.name)}
          search={{ [`${field.name}[eq]`]: id } as never}
          aria-label={words.showAllOf(entity.name, field.name)}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.showAll}
        </Anchor>
      )}
    </section>
  );
}
