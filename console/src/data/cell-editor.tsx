/**
 * Changes a cell in its place: Enter keeps it, Escape leaves it, and what the node refuses is said below it. Where another caller was first, the newer value is said, and Enter is a choice
 * between the two.
 */
import { isSkepError } from '@skep/client';
import { useState, type FocusEvent, type KeyboardEvent } from 'react';
import { useWords } from '../words/words.tsx';
import { Overtaken } from './change-row.ts';
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
  const { data: words } = useWords();
  const [before] = useState(() => textOf(row[field.name]));
  const [text, setText] = useState(before);
  const [fault, setFault] = useState<string | null>(null);
  /** What another caller wrote meanwhile; null where none was first. */
  const [newer, setNewer] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);

  const save = async (): Promise<void> => {
    if (isSaving) return;
    if (text === (newer ?? before)) {
      onLeave();
      return;
    }
    setSaving(true);
    try {
      await onSave(text);
      onLeave();
    } catch (error) {
      const isOvertaken = error instanceof Overtaken;
      setNewer(isOvertaken ? textOf(error.newer) : null);
      setFault(isOvertaken ? words.overtaken(textOf(error.newer) || words.nothing) : wordsOf(error, field));
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
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent) => {
      // The keyboard goes to the choices of the editor itself.
      if (relatedTarget instanceof Node && currentTarget.parentElement?.contains(relatedTarget) === true) return;
      void (fault === null ? save() : onLeave());
    },
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
          {newer !== null && (
            <span className="cell-choices">
              <button type="button" onClick={() => void save()} onKeyDown={stay}>
                {words.keepMine}
              </button>
              <button type="button" onClick={onLeave} onKeyDown={stay}>
                {words.takeNewer}
              </button>
            </span>
          )}
        </span>
      )}
    </span>
  );
}

/** The keys of the grid around the editor are not those of its buttons. */
const stay = (event: KeyboardEvent): void => event.stopPropagation();

/** The node's words on this field; on the whole, where it has none on it. */
function wordsOf(error: unknown, field: Field): string {
  const own = faultsOf(error)[field.name];
  if (own !== undefined) return own.join('; ');
  return isSkepError(error) ? `${error.message} (${error.code})` : String(error);
}
