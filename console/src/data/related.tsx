/** Rows that refer to one row, and those that are linked with it: for each reference and link how many, the first of them, and the grid with all. */
import { Anchor, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { linkTo, type CellContext } from './cell.tsx';
import { LinkRow } from './link-row.tsx';
import { entityPath } from './paths.ts';
import { countOf, firstOf } from './queries.ts';
import { linksOf, referrersOf, type EntityDoc } from './shapes.ts';
import type { Condition } from './view.ts';

interface RelatedProps {
  readonly context: CellContext;
  readonly place: Place;
  readonly id: string;
}

export function Related({ context, place, id }: RelatedProps) {
  const { row: words } = useWords();
  const { schema, entity: own } = context;
  const referrers = referrersOf(schema, own);
  const links = linksOf(schema, own);
  if (referrers.length + links.length === 0) return <Text c="dimmed">{words.noRelated}</Text>;
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
          entity={entity}
          how={`${words.refersBy} ${field.name}`}
          condition={{ field: field.name, op: 'eq', value: id }}
        />
      ))}
      {links.map((link) => (
        <Referrer
          key={`${link.entity.name} ${link.declared} ${link.isOwn}`}
          context={context}
          place={place}
          entity={link.entity}
          how={`${link.isOwn ? words.linkedAs : words.linkedBy} ${link.declared}`}
          condition={{ field: `[${link.back}.${own.primary_key}]`, op: 'eq', value: id }}
        >
          {link.isOwn && own.operations.includes('update') && (
            <LinkRow place={place} entity={own} id={id} link={link} />
          )}
        </Referrer>
      ))}
    </>
  );
}

interface ReferrerProps extends Omit<RelatedProps, 'id'> {
  readonly entity: EntityDoc;
  /** What makes them related. */
  readonly how: string;
  /** What they meet. */
  readonly condition: Condition;
  readonly children?: ReactNode;
}

function Referrer({ context, place, entity, how, condition, children }: ReferrerProps) {
  const { row: words } = useWords();
  const { count } = useFigures();
  const conditions = [condition];
  const counted = useQuery(countOf(place, entity.name, { conditions, deleted: false }));
  const { data: first = [], isPending } = useQuery(firstOf(place, entity, conditions));
  // An entity that is too large to be counted in one turn still shows that there are some.
  const total = counted.data ?? (isPending || (counted.isPending && first.length > 0) ? null : first.length);
  const isUncounted = counted.isError && first.length > 0;
  return (
    <section className="related" aria-label={`${entity.name} ${how}`}>
      <Group gap="xs" justify="space-between" align="baseline">
        <Title order={2} fz="md">
          {entity.name}{' '}
          <Text span size="sm" c="dimmed">
            {how}
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
          search={{ [`${condition.field}[eq]`]: condition.value } as never}
          aria-label={words.showAllOf(entity.name, how)}
          size="sm"
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.showAll}
        </Anchor>
      )}
      {children}
    </section>
  );
}
