/** What stands above the grid: the entity, how many rows, the conditions, and what is done with them. */
import { Anchor, Button, Checkbox, Group, Menu, Text, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconColumns, IconPlus, IconTerminal2, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { CLOSED } from './beside.tsx';
import type { Columns } from './columns.ts';
import { DELETED_ALONE, isDeletedAlone, withoutDeleted } from './deleted-alone.ts';
import { ExportMenu } from './export-menu.tsx';
import { Filters } from './filters.tsx';
import { entityPath } from './paths.ts';
import { ROWS_MAX } from './row-pages.ts';
import type { EntityDoc } from './shapes.ts';
import type { Live } from './use-live.ts';
import type { Rows } from './use-rows.ts';
import { PICKED_MAX } from './use-picked.ts';
import type { Picked } from './use-picked.ts';
import { codeOf } from './code.ts';
import { curlOf } from './view.ts';
import type { View } from './view.ts';

interface RowsHeadProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: View;
  readonly rows: Rows;
  readonly live: Live;
  readonly columns: Columns;
  readonly picked: Picked;
  readonly show: (change: Partial<View>) => void;
}

export function RowsHead({ place, entity, view, rows: { pages }, live, columns, picked, show }: RowsHeadProps) {
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
        {(pages.total ?? 0) > ROWS_MAX && (
          <Text c="dimmed" size="sm">
            {words.most}
          </Text>
        )}
      </Group>
      <Group gap={6} mb="xs">
        <Filters entity={entity} conditions={view.conditions} onChange={(conditions) => show({ conditions })} />
        <ColumnMenu entity={entity} columns={columns} />
        <CopyMenu place={place} entity={entity} view={view} />
        <ExportMenu place={place} entity={entity} view={view} total={pages.total} isPicked={false} />
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
      {picked.ids.size > 0 && <PickedBar place={place} entity={entity} view={view} picked={picked} />}
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

interface PickedBarProps extends CopyMenuProps {
  readonly picked: Picked;
}

function PickedBar({ place, entity, view, picked: { ids, clear } }: PickedBarProps) {
  const { grid: words } = useWords();
  const { count } = useFigures();
  const conditions = useMemo(() => [{ field: entity.primary_key, op: 'in' as const, value: [...ids].join() }], [ids]);
  return (
    <Group gap={6} mb="xs" role="group" aria-label={words.picked(count(ids.size))}>
      <Text size="sm" role="status">
        {words.picked(count(ids.size))}
        {ids.size >= PICKED_MAX && `; ${words.pickedMost}`}
      </Text>
      <ExportMenu
        place={place}
        entity={entity}
        view={{ conditions, order: view.order, deleted: view.deleted }}
        total={ids.size}
        isPicked
      />
      <Button variant="default" size="compact-sm" onClick={clear}>
        {words.unpick}
      </Button>
    </Group>
  );
}

function ColumnMenu({ entity, columns }: { readonly entity: EntityDoc; readonly columns: Columns }) {
  const { data: words, grid } = useWords();
  const names = entity.fields.filter(({ type }) => type !== 'bytes').map(({ name }) => name);
  return (
    <Menu closeOnItemClick={false} position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button variant="default" size="compact-sm" leftSection={<IconColumns size={14} aria-hidden />}>
          {words.columns}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} className="column-menu">
        <Menu.Label>{grid.shownColumns}</Menu.Label>
        {names.map((name) => {
          const isShown = !columns.hidden.includes(name);
          return <Choice key={name} name={name} isOn={isShown} turn={() => columns.hide(name, isShown)} />;
        })}
        <Menu.Label>{grid.pinned}</Menu.Label>
        {names
          .filter((name) => !columns.hidden.includes(name))
          .map((name) => {
            const isPinned = columns.pinned.includes(name);
            const label = `${name} · ${grid.pinned}`;
            return (
              <Choice key={name} name={name} label={label} isOn={isPinned} turn={() => columns.pin(name, !isPinned)} />
            );
          })}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoiceProps {
  readonly name: string;
  /** Where the name does not say what is chosen. */
  readonly label?: string;
  readonly isOn: boolean;
  readonly turn: () => void;
}

function Choice({ name, label, isOn, turn }: ChoiceProps) {
  return (
    <Menu.CheckboxItem checked={isOn} aria-label={label} onChange={turn}>
      {name}
    </Menu.CheckboxItem>
  );
}
