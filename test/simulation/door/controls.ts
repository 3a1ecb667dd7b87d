/** Faults of the door, and of what it asks, that must be noticed. */
import type { Control } from '#test/simulation/control.ts';

const GATE = 'runtime/door/gate.ts';
const TRANSFERS = 'runtime/door/transfers.ts';
const LOST = '      if (waiting.stream?.isAnswered === true) waiting.visit.cutAnswer();\n      else this.#refuse(';

/** By name: what it is, its file, what stands there, and what the fault puts there instead. */
const FAULTS: Readonly<Record<string, readonly [what: string, file: string, find: string, put: string]>> = {
  'door-answers-twice': [
    'An answer that comes after the door has answered leaves, too.',
    'runtime/door/base-visit.ts',
    '    if (this.#answered || this.aborted) return;\n    this.#answered = true;\n    this.#watcher = null;\n    if (this.#sink',
    '    if (this.aborted) return;\n    this.#answered = true;\n    this.#watcher = null;\n    if (this.#sink',
  ],
  'door-answers-before-durable': [
    'A write is answered before the disk has it.',
    'actors/host/host.ts',
    "if (newest === 0 || call.route.row.ack === 'memory') this.#send",
    'if (newest >= 0) this.#send',
  ],
  'door-forgets-who-left': [
    'A request that is taken back, because its caller has left, stays in flight.',
    GATE,
    'takeBack(no) === true) this.#pending.settle(no);',
    'takeBack(no) === true) this.#pending.at(no);',
  ],
  'door-counts-twice': [
    'An answer whose caller has left is counted as refused when its host ends.',
    GATE,
    LOST,
    '      if (waiting.stream !== null && waiting.visit.cutAnswer()) continue;\n      this.#refuse(',
  ],
  'door-frees-number-early': [
    'The number of a request is free when its answer begins, and its pieces come for another.',
    GATE,
    'const waiting = this.#pending.at(no);\n    if (waiting === null) return;\n    const status',
    'const waiting = this.#pending.settle(no);\n    if (waiting === null) return;\n    const status',
  ],
  'door-leaves-the-lost': [
    'Requests that wait for a host are not answered when it ends.',
    'runtime/supervisor/tenant-hosts.ts',
    '    this.#ports.lost(place.desk);\n    this.#told(',
    '    this.#told(',
  ],
  'door-never-loses-patience': [
    'A body that stops is waited for as long as its caller likes.',
    TRANSFERS,
    '        transfer.expire();\n',
    '',
  ],
  'door-lets-the-clock-run': [
    'The clock of the addon is not set back while a body is still expected.',
    TRANSFERS,
    ' else transfer.keep();',
    '',
  ],
  'door-keeps-lent-bytes': [
    'The bytes of a body are kept, although the addon only lends them.',
    'runtime/door/collect-body.ts',
    'this.#chunks.push(new Uint8Array(chunk));',
    'this.#chunks.push(chunk);',
  ],
  'door-counts-unread-forever': [
    'Bytes that a caller has left unread stay counted when it goes.',
    'runtime/door/moving-visit.ts',
    '    if (this.#left > 0) this.door.unsent.forget(this);\n',
    '',
  ],
  'host-stands-forever': [
    'A host that stands still is not replaced.',
    'runtime/supervisor/watchdog.ts',
    'watch.quietMs >= this.#ports.replaceAfterMs)',
    'watch.quietMs >= Infinity)',
  ],
  'route-refused-forever': [
    'A route that was refused for a while stays refused.',
    'runtime/door/suspensions.ts',
    'if (strikes.until > 0 && strikes.until <= now) this.#end(strikes);',
    'if (strikes.until < 0) this.#end(strikes);',
  ],
};

export const DOOR_CONTROLS: Readonly<Record<string, Control>> = Object.fromEntries(
  Object.entries(FAULTS).map(([name, [what, file, find, put]]) => [
    name,
    { what, of: 'door', plant: { file, find, put } } satisfies Control,
  ]),
);
