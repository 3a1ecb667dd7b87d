/** A file that goes to the node while its sheet is open, as the page shows it. */
import { useEffect, useRef, useState } from 'react';
import type { ImportRun, ImportSo } from './import-run.ts';

export interface Importing {
  /** Null until it has begun. */
  readonly so: ImportSo | null;
  readonly isRunning: boolean;
  /** Ends with how far it came. A run that is under way is left where it is. */
  readonly begin: (run: ImportRun) => Promise<ImportSo>;
  /** The same run, from where it is. */
  readonly goOn: () => Promise<ImportSo | null>;
  readonly stop: () => void;
  /** As if nothing had begun. */
  readonly forget: () => void;
}

export function useImport(): Importing {
  const [so, setSo] = useState<ImportSo | null>(null);
  const [isRunning, setRunning] = useState(false);
  /** The run that is shown; what another one says is not. */
  const now = useRef<{ readonly run: ImportRun; isStopped: boolean } | null>(null);
  const stop = (): void => {
    if (now.current !== null) now.current.isStopped = true;
  };
  const forget = (): void => {
    stop();
    now.current = null;
    setSo(null);
    setRunning(false);
  };
  useEffect(() => () => stop(), []);
  const begin = async (run: ImportRun): Promise<ImportSo> => {
    stop();
    const it = { run, isStopped: false };
    now.current = it;
    setRunning(true);
    const ended = await run.go((told) => {
      if (now.current === it) setSo(told);
      return !it.isStopped;
    });
    if (now.current === it) {
      setSo(ended);
      setRunning(false);
    }
    return ended;
  };
  const goOn = async (): Promise<ImportSo | null> => (now.current === null ? null : begin(now.current.run));
  return { so, isRunning, begin, goOn, stop, forget };
}
