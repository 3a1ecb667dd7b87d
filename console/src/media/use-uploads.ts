/** Files on their way to a store, one at a time, for as long as the page is open. One that broke off goes on where it was. */
import { files, isSkepError } from '@skep/client';
import { useEffect, useRef, useState } from 'react';
import type { Place } from '../session/session.ts';
import { endUpload } from './queries.ts';

export interface Sending {
  readonly no: number;
  readonly file: File;
  /** Where it is put; null for no folder. */
  readonly folder: string | null;
  readonly state: 'waits' | 'runs' | 'stored' | 'failed' | 'stopped';
  /** Bytes that the node has durably. */
  readonly bytes: number;
  readonly error: Error | null;
  /** Its id at the node, once it has one: by it an upload goes on. */
  readonly upload: string | null;
}

export interface Uploads {
  readonly all: readonly Sending[];
  readonly add: (chosen: readonly File[], folder: string | null) => void;
  readonly again: (no: number) => void;
  readonly stop: (no: number) => void;
  /** Forgets those that ended. */
  readonly clear: () => void;
}

/** `onStored` is told after each file. */
export function useUploads(place: Place, store: string, onStored: () => void): Uploads {
  const [all, setAll] = useState<readonly Sending[]>([]);
  const numbers = useRef(0);
  const running = useRef<{ readonly no: number; readonly stop: AbortController } | null>(null);
  useEffect(() => () => running.current?.stop.abort(), []);
  const change = (no: number, to: Partial<Sending>): void =>
    setAll((before) => before.map((one) => (one.no === no ? { ...one, ...to } : one)));

  const send = async ({ no, file, folder, upload }: Sending): Promise<void> => {
    const stop = new AbortController();
    running.current = { no, stop };
    try {
      await files(place.skep, store).upload(file, {
        fields: folder === null ? {} : { folder_id: folder },
        ...(upload !== null && { resume: upload }),
        onStart: (id) => change(no, { upload: id }),
        onProgress: (bytes) => change(no, { bytes }),
        signal: stop.signal,
      });
      change(no, { state: 'stored', bytes: file.size });
      onStored();
    } catch (error) {
      if (stop.signal.aborted) return;
      // One that is over at the node begins anew.
      const isOver = isSkepError(error, 'content.upload_not_found');
      change(no, { state: 'failed', error: error as Error, ...(isOver && { upload: null, bytes: 0 }) });
    } finally {
      running.current = null;
    }
  };

  const next = all.find(({ state }) => state === 'waits');
  const isFree = !all.some(({ state }) => state === 'runs');
  useEffect(() => {
    if (next === undefined || !isFree || running.current !== null) return;
    change(next.no, { state: 'runs', error: null });
    void send(next);
  });

  return {
    all,
    add: (chosen, folder) =>
      setAll((before) => [
        ...before,
        ...chosen.map((file) => ({
          no: ++numbers.current,
          file,
          folder,
          state: 'waits' as const,
          bytes: 0,
          error: null,
          upload: null,
        })),
      ]),
    again: (no) => change(no, { state: 'waits' }),
    stop: (no) => {
      const one = all.find((sending) => sending.no === no);
      if (running.current?.no === no) running.current.stop.abort();
      change(no, { state: 'stopped', upload: null, bytes: 0 });
      // What has come of it is of no use, and takes room at the node until then.
      if (one !== undefined && one.upload !== null) void endUpload(place, store, one.upload).catch(() => undefined);
    },
    clear: () => setAll((before) => before.filter(({ state }) => state === 'waits' || state === 'runs')),
  };
}
