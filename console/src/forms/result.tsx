/** What a submission became: the row that names it, where one does. */
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityPath } from '../data/paths.ts';
import { schemaOf } from '../data/queries.ts';
import type { EntityDoc } from '../data/shapes.ts';
import { usePlace } from '../session/gate.tsx';
import { useWords } from '../words/words.tsx';
import { idField } from './known-fields.ts';
import { rowMadeOf } from './queries.ts';
import type { FormTrigger, RowTarget, Submission } from './shapes.ts';

interface ResultProps {
  readonly of: Submission;
  readonly trigger: FormTrigger | undefined;
}

export function Result({ of: one, trigger }: ResultProps) {
  const { forms: words } = useWords();
  if (trigger === undefined) return null;
  if (trigger.row === null)
    return (
      <Text size="sm" c="dimmed" maw="72ch">
        {words.runs} {trigger.name}. {words.scriptRan}
      </Text>
    );
  return <Row id={one.id} target={trigger.row} />;
}

function Row({ id, target }: { readonly id: string; readonly target: RowTarget }) {
  const place = usePlace();
  const { data: schema } = useQuery(schemaOf(place));
  const entity = schema?.entities.find(({ name }) => name === target.entity);
  const field = idField(target);
  if (entity !== undefined && field !== undefined) return <Found id={id} entity={entity} field={field} />;
  return <OneOf entity={target.entity} isThere={entity !== undefined} isNamed={field !== undefined} />;
}

interface FoundProps {
  readonly id: string;
  readonly entity: EntityDoc;
  readonly field: string;
}

function Found({ id, entity, field }: FoundProps) {
  const { forms: words } = useWords();
  const place = usePlace();
  const { data: row, error } = useQuery(rowMadeOf(place, entity, field, id));
  if (error !== null || row === null) return <OneOf entity={entity.name} isThere isNamed />;
  if (row === undefined) return null;
  return (
    <Text size="sm">
      {words.made}{' '}
      <Anchor
        component={Link}
        to={entityPath(place.key, entity.name)}
        search={{ row } as never}
        fz="inherit"
        c="var(--mantine-color-text)"
        underline="always"
      >
        {entity.name} {row}
      </Anchor>
    </Text>
  );
}

interface OneOfProps {
  readonly entity: string;
  /** Whether this login sees the entity. */
  readonly isThere: boolean;
  /** Whether rows say of which submission they were made. */
  readonly isNamed: boolean;
}

function OneOf({ entity, isThere, isNamed }: OneOfProps) {
  const { forms: words } = useWords();
  const { key } = usePlace();
  return (
    <>
      <Text size="sm">
        {words.madeOne}{' '}
        {isThere ? (
          <Anchor
            component={Link}
            to={entityPath(key, entity)}
            size="sm"
            c="var(--mantine-color-text)"
            underline="always"
          >
            {entity}
          </Anchor>
        ) : (
          <span className="mono">{entity}</span>
        )}
        .
      </Text>
      <Text size="sm" c="dimmed" maw="72ch">
        {isNamed ? words.madeNone : words.madeUnknown}
      </Text>
    </>
  );
}
