/** A file of a row: chosen for a row that is made, since a row takes its files when it is created; told of one that exists. */
import { Button, FileButton, Group, Input, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { gatewayAt } from '../node/gateway.ts';
import { Sample } from '../parts/sample.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { fileIn, fileLine } from './file-line.ts';
import { keyOf } from './shapes.ts';
import type { EntityDoc, Field, Row } from './shapes.ts';

interface StoredProps {
  readonly placeKey: string;
  readonly entity: EntityDoc;
  readonly field: Field;
  readonly row: Row;
}

export function StoredFile({ placeKey, entity, field, row }: StoredProps) {
  const { row: words } = useWords();
  const { bytes } = useFigures();
  const file = fileIn(row[field.name]);
  const at = gatewayAt(location, undefined);
  return (
    <Input.Wrapper label={field.name} description={field.type} labelElement="div">
      {file === null ? (
        <Text size="sm" c="dimmed">
          {words.noFile}
        </Text>
      ) : (
        <>
          <Text size="sm" className="file-name">
            {file.name} · {file.content_type} · {bytes(file.size)}
          </Text>
          <Sample
            label={words.fetchFile}
            text={fileLine({ at, key: placeKey, entity: entity.name, id: keyOf(entity, row), field: field.name })}
            isLine
          />
        </>
      )}
    </Input.Wrapper>
  );
}

interface ChooseProps {
  readonly field: Field;
  readonly file: File | null;
  readonly faults: readonly string[];
  readonly onChange: (file: File | null) => void;
}

export function ChooseFile({ field, file, faults, onChange }: ChooseProps) {
  const { row: words, data } = useWords();
  const { bytes } = useFigures();
  return (
    <Input.Wrapper
      label={field.name}
      labelElement="div"
      description={field.required ? `${field.type}, ${data.required}` : field.type}
      error={faults.join('; ') || undefined}
    >
      <Group gap="xs" mt={2}>
        <FileButton onChange={onChange}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="compact-sm"
              leftSection={<IconPaperclip size={14} aria-hidden />}
              aria-label={`${file === null ? words.choose : words.chooseOther}: ${field.name}`}
            >
              {file === null ? words.choose : words.chooseOther}
            </Button>
          )}
        </FileButton>
        {file !== null && (
          <>
            <Text size="sm" className="file-name">
              {file.name} · {bytes(file.size)}
            </Text>
            <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onChange(null)}>
              {words.noneChosen}
            </Button>
          </>
        )}
      </Group>
    </Input.Wrapper>
  );
}
