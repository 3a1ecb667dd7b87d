/** The rows of a view, or those that were picked, as a file: CSV or JSON lines, with how many there are. */
import { Alert, Button, Group, Menu, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Fault } from '../parts/fault.tsx';
import { saveParts } from '../parts/save.ts';
import type { Place } from '../session/session.ts';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { EXPORT_ROWS_MAX, FORMATS, takeRows, type Format } from './export-rows.ts';
import { plainPageOf, rowsOf, shownFields } from './queries.ts';
import type { EntityDoc } from './shapes.ts';
import type { View } from './view.ts';

interface ExportMenuProps {
  readonly place: Place;
  readonly entity: EntityDoc;
  readonly view: Pick<View, 'conditions' | 'order' | 'deleted'>;
  /** The keys of the rows; absent for all of the view. */
  readonly ids?: readonly string[];
  /** Null where it is not known. */
  readonly total: number | null;
}

export function ExportMenu({ place, entity, view, ids, total }: ExportMenuProps) {
  const { grid: words, close } = useWords();
  const { count } = useFigures();
  const [rows, setRows] = useState(0);
  const isStopped = useRef(false);
  const take = useMutation({
    mutationFn: async (format: Format) => {
      isStopped.current = false;
      setRows(0);
      const shown = shownFields(entity);
      const fields = entity.fields.filter(({ name }) => shown.includes(name));
      const ask = ids === undefined ? plainPageOf(place, entity, view) : () => rowsOf(place, entity, ids, view);
      const taken = await takeRows(fields, format, ask, (so) => {
        setRows(so);
        return !isStopped.current;
      });
      saveParts(`${entity.name}.${format}`, taken.parts);
      return taken;
    },
  });
  const label = total === null ? words.exportRows : words.exportSo(count(Math.min(total, EXPORT_ROWS_MAX)));
  return (
    <>
      <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button
            variant="default"
            size="compact-sm"
            loading={take.isPending}
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            {ids !== undefined ? label : words.exportRows}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{label}</Menu.Label>
          {FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => take.mutate(format)}>
              {words.formats[format]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {take.isPending && (
        <Group gap="xs" role="status">
          <Text size="sm">{words.taken(count(rows))}</Text>
          <Button variant="default" size="compact-xs" onClick={() => void (isStopped.current = true)}>
            {words.stop}
          </Button>
        </Group>
      )}
      {take.error !== null && <Fault error={take.error} again={take.reset} />}
      {take.data !== undefined && !take.isPending && (
        <Alert
          role="status"
          variant="outline"
          color={take.data.isCut ? 'orange' : 'gray'}
          py={2}
          px="xs"
          withCloseButton
          closeButtonLabel={close}
          onClose={take.reset}
        >
          <Text size="sm" c="var(--mantine-color-text)">
            {words.saved(count(take.data.rows))} {take.data.isCut && words.cut}
          </Text>
        </Alert>
      )}
    </>
  );
}
