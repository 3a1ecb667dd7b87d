/** What stands above the grid: the entity, how many rows, the conditions, and what is done with them. */
import { Anchor, Button, Checkbox, Group, Menu, Text, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconPlus, IconTerminal2, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { CLOSED } from './beside.tsx';
import { ColumnMenu } from './column-menu.tsx';
import type { Columns } from './columns.ts';
import { DELETED_ALONE, isDeletedAlone, withoutDeleted } from './deleted-alone.ts';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters.tsx';
import { entityPath } from './paths.ts';
import { PickedBar } from './picked-bar.tsx';
import type { EntityDoc } from './shapes.ts';
import type { Live } from './use-live.ts';
import type { Rows } from './use-rows.ts';
import type { Kind } from './use-act.ts';
import type { Picked } from './use-picked.ts';
import { codeOf } from './code.ts';
import { curlOf, type View } from './view.ts';

interface RowsHeadProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: View;
  readonly rows: Rows;
  readonly live: Live;
  readonly columns: Columns;
  readonly picked: Picked;
  readonly show: (change: Partial<View>) => void;
  /** Begins what is done to all picked rows. */
  readonly act: (kind: Kind) => void;
}

export function RowsHead({ place, entity, view, rows: { pages }, live, columns, picked, show, act }: RowsHeadProps) {
  const { data: words } = useWords();
  const { count } = useFigures();
  return (
    <>
      <Group gap="xs" align="baseline" mb={4}>
        <Anchor
          component={Link}
          to={entityPath(place.key, '').slice(0, -1)}
          c="var(--mantine-color-text)"
          underline="always"
        >
          {words.section}
        </Anchor>
        <span aria-hidden>/</span>
        <Title order={1}>{entity.name}</Title>
        <Text c="dimmed" role="status" size="sm">
          {pages.total === null
            ? words.countUnknown
            : `${count(pages.total)} ${pages.total === 1 ? words.oneRow : words.rows}`}
        </Text>
        {live.isLive && (
          <Text c="dimmed" size="sm">
            {words.live}
          </Text>
        )}
        <span role="status">
          {live.count > 0 && (
            <Button variant="default" size="compact-xs" onClick={live.look}>
              {words.cameOrWent(count(live.count))}
            </Button>
          )}
        </span>
      </Group>
      <Group gap={6} mb="xs">
        <Filters entity={entity} conditions={view.conditions} onChange={(conditions) => show({ conditions })} />
        <ColumnMenu entity={entity} columns={columns} />
        <CopyMenu place={place} entity={entity} view={view} />
        <ExportMenu place={place} entity={entity} view={view} total={pages.total} />
        {entity.traits.includes('soft_delete') && (
          <Checkbox
            size="xs"
            label={words.showDeleted}
            checked={view.deleted}
            onChange={({ currentTarget }) =>
              show({ deleted: currentTarget.checked, conditions: withoutDeleted(view.conditions) })
            }
          />
        )}
        {entity.traits.includes('soft_delete') && view.deleted && (
          <Checkbox
            size="xs"
            label={words.deletedAlone}
            checked={view.conditions.some(isDeletedAlone)}
            onChange={({ currentTarget }) =>
              show({
                conditions: [...withoutDeleted(view.conditions), ...(currentTarget.checked ? [DELETED_ALONE] : [])],
              })
            }
          />
        )}
        {entity.operations.includes('create') && (
          <Group gap={6} ml="auto" wrap="nowrap">
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconUpload size={14} aria-hidden />}
              onClick={() => show({ ...CLOSED, isImport: true })}
            >
              {words.importRows}
            </Button>
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => show({ ...CLOSED, isNew: true })}
            >
              {words.newRow}
            </Button>
          </Group>
        )}
      </Group>
      {picked.ids.size > 0 && <PickedBar place={place} entity={entity} view={view} picked={picked} act={act} />}
    </>
  );
}

interface CopyMenuProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: View;
}

/** What asks for the same rows elsewhere. */
function CopyMenu({ place, entity, view }: CopyMenuProps) {
  const { grid: words, copied: said } = useWords();
  const { copied, copy } = useClipboard();
  const at = { origin: location.origin, key: place.key, entity: entity.name };
  return (
    <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button variant="default" size="compact-sm" leftSection={<IconTerminal2 size={14} aria-hidden />}>
          {copied ? said : words.copyAs}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(curlOf(view, at))}>{words.asCurl}</Menu.Item>
        <Menu.Item onClick={() => copy(codeOf(view, entity))}>{words.asCode}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
