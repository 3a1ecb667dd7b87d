/** The scrubber's metrics: what it looked at, what it found, how old the last complete round is. */
import type { Meter } from '#runtime/observe/meter.ts';
import { SCRUBBED } from '#runtime/observe/metric-labels.ts';
import { cellOf } from '#runtime/observe/metric-table.ts';
import type { ScrubFaultKind } from './findings.ts';

type Scrubbed = (typeof SCRUBBED)[number];

export interface Looks {
  add(what: Scrubbed, items: number, bytes: number): void;
}

export function scrubMeter(meter: Meter): Looks & { readonly fault: (kind: ScrubFaultKind, faults: number) => void } {
  const items = new Map(SCRUBBED.map((what) => [what, cellOf('scrubItems', what)]));
  const bytes = new Map(SCRUBBED.map((what) => [what, cellOf('scrubBytes', what)]));
  return {
    add: (what, count, size) => {
      meter.add(items.get(what)!, count);
      meter.add(bytes.get(what)!, size);
    },
    fault: (kind, faults) => meter.set(cellOf('scrubFaults', kind), faults),
  };
}
