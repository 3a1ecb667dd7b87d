/** Changes a cell in its place: Enter keeps it, Escape leaves it, and what the node refuses is said below it. */
import { isSkepError } from '@skep/client';
import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { Field, Row } from './shapes.ts';
import { faultsOf } from './faults.ts';
import { isFigure } from './operators.ts';
import { textOf } from './value.ts';

interface CellEditorProps {
  readonly field: Field;
  readonly row: Row;
  readonly onLeave: () => void;
  readonly onSave: (text: string) => Promise<void>;
}

export function CellEditor({ field, row, onLeave, onSave }: CellEditorProps) {
  const [before] = useState(() => textOf(row[field.name]));
  const [text, setText] = useState(before);
  const [fault, setFault] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);

  const save = async (): Promise<void> => {
    if (isSaving) return;
    if (text === before) {
      onLeave();
      return;
    }
    setSaving(true);
    try {
      await onSave(text);
      onLeave();
    } catch (error) {
      setFault(wordsOf(error, field));
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Escape') onLeave();
    if (event.key === 'Enter') void save();
  };
  const shared = {
    value: text,
    autoFocus: true,
    readOnly: isSaving,
    'aria-label': field.name,
    'aria-invalid': fault !== null,
    'aria-errormessage': fault === null ? undefined : 'cell-fault',
    onKeyDown,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setText(currentTarget.value),
    onBlur: () => void (fault === null ? save() : onLeave()),
  };
  const choices = field.type === 'boolean' ? ['true', 'false'] : field.type === 'enum' ? field.enum : undefined;
  return (
    <span className="cell-editor" onMouseDown={(event) => event.stopPropagation()}>
      {choices === undefined ? (
        <input
          {...shared}
          inputMode={isFigure(field) ? 'decimal' : 'text'}
          type={field.type === 'date' ? 'date' : 'text'}
        />
      ) : (
        <select {...shared}>
          {(field.nullable || before === '') && <option value="" />}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      {fault !== null && (
        <span role="alert" id="cell-fault" className="cell-fault">
          {fault}
        </span>
      )}
    </span>
  );
}

/** The node's words on this field; on the whole, where it has none on it. */
function wordsOf(error: unknown, field: Field): string {
  const own = faultsOf(error)[field.name];
  if (own !== undefined) return own.join('; ');
  return isSkepError(error) ? `${error.message} (${error.code})` : String(error);
}
