/** Which columns are shown, which stay at the left, and in which order they come. */
import { Button, Menu } from '@mantine/core';
import { IconArrowLeft, IconArrowRight, IconColumns } from '@tabler/icons-react';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import type { Columns } from './columns.ts';
import type { EntityDoc } from './shapes.ts';

export function ColumnMenu({ entity, columns }: { readonly entity: EntityDoc; readonly columns: Columns }) {
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
        <Menu.Label>{grid.order}</Menu.Label>
        {names
          .filter((name) => !columns.hidden.includes(name))
          .map((name) => (
            <Mover key={name} name={name} columns={columns} />
          ))}
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

/** Moves a column by one. It stays where it is in the menu, under the hand that moves it, and says its place. */
function Mover({ name, columns }: { readonly name: string; readonly columns: Columns }) {
  const { grid } = useWords();
  const { count } = useFigures();
  const isPinned = columns.leftOf(name) !== null;
  const beside = columns.shown.filter((field) => (columns.leftOf(field.name) !== null) === isPinned);
  const at = beside.findIndex((field) => field.name === name);
  const move = (by: 1 | -1): void => {
    const other = beside[at + by];
    if (other !== undefined) columns.place(name, other.name);
  };
  const place = grid.place(
    count(columns.shown.findIndex((field) => field.name === name) + 1),
    count(columns.shown.length),
  );
  return (
    <div role="group" aria-label={name} className="column-mover">
      <span>{name}</span>
      <span className="column-place">{place}</span>
      <Menu.Item aria-label={`${name}: ${grid.moveLeft}, ${place}`} aria-disabled={at === 0} onClick={() => move(-1)}>
        <IconArrowLeft size={14} aria-hidden />
      </Menu.Item>
      <Menu.Item
        aria-label={`${name}: ${grid.moveRight}, ${place}`}
        aria-disabled={at === beside.length - 1}
        onClick={() => move(1)}
      >
        <IconArrowRight size={14} aria-hidden />
      </Menu.Item>
    </div>
  );
}
