/** A file of a row: chosen for a row that is made; told of one that exists, exchanged there and taken away. */
import { Button, FileButton, Group, Input, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { gatewayAt } from '../node/gateway.ts';
import { Sample } from '../parts/sample.tsx';
import { useFigures } from '../words/figures.ts';
import { useWords } from '../words/words.tsx';
import { fileIn, fileLine } from './file-line.ts';
import { keyOf, type EntityDoc, type Field, type Row } from './shapes.ts';

/** What becomes of a file when its row is saved: another one takes its place, or it is taken away; null where it stays. */
export type FileChange = File | 'away' | null;

interface StoredProps {
  readonly placeKey: string;
  readonly entity: EntityDoc;
  readonly field: Field;
  readonly row: Row;
  readonly change: FileChange;
  readonly faults: readonly string[];
  /** Absent where the reader may not change it. */
  readonly onChange?: ((change: FileChange) => void) | undefined;
}

export function StoredFile({ placeKey, entity, field, row, change, faults, onChange }: StoredProps) {
  const { row: words } = useWords();
  const { bytes } = useFigures();
  const file = fileIn(row[field.name]);
  const at = gatewayAt(location, undefined);
  return (
    <Input.Wrapper
      label={field.name}
      description={field.type}
      labelElement="div"
      error={faults.join('; ') || undefined}
    >
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
            label={words.fetchFile(field.name)}
            text={fileLine({ at, key: placeKey, entity: entity.name, id: keyOf(entity, row), field: field.name })}
            isLine
          />
        </>
      )}
      {onChange !== undefined && (
        <Group gap="xs" mt={4}>
          <Chooser field={field} change={change} isOther={file !== null} onChange={onChange} />
          {file !== null && change === null && !field.required && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              aria-label={`${words.takeAway}: ${field.name}`}
              onClick={() => onChange('away')}
            >
              {words.takeAway}
            </Button>
          )}
        </Group>
      )}
    </Input.Wrapper>
  );
}

interface ChooserProps {
  readonly field: Field;
  readonly change: FileChange;
  /** Whether what is chosen takes the place of a file. */
  readonly isOther: boolean;
  readonly onChange: (change: FileChange) => void;
}

/** The button, what was chosen, and the way back from it. */
function Chooser({ field, change, isOther, onChange }: ChooserProps) {
  const { row: words, cancel } = useWords();
  const { bytes } = useFigures();
  const label = isOther || change instanceof File ? words.chooseOther : words.choose;
  return (
    <>
      <FileButton onChange={onChange}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            size="compact-sm"
            leftSection={<IconPaperclip size={14} aria-hidden />}
            aria-label={`${label}: ${field.name}`}
          >
            {label}
          </Button>
        )}
      </FileButton>
      {change !== null && (
        <>
          <Text size="sm" className="file-name" role="status">
            {change === 'away' ? words.goesAway : `${change.name} · ${bytes(change.size)}`}
          </Text>
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onChange(null)}>
            {isOther ? cancel : words.noneChosen}
          </Button>
        </>
      )}
    </>
  );
}

interface ChooseProps {
  readonly field: Field;
  readonly change: FileChange;
  readonly faults: readonly string[];
  readonly onChange: (change: FileChange) => void;
}

export function ChooseFile({ field, change, faults, onChange }: ChooseProps) {
  const { data } = useWords();
  return (
    <Input.Wrapper
      label={field.name}
      labelElement="div"
      description={field.required ? `${field.type}, ${data.required}` : field.type}
      error={faults.join('; ') || undefined}
    >
      <Group gap="xs" mt={2}>
        <Chooser field={field} change={change} isOther={false} onChange={onChange} />
      </Group>
    </Input.Wrapper>
  );
}
