/** The ceiling of an answer that a service keeps: a door of the product's own that gives every caller the same lines and bytes. It sends its parent the port. */
import { readFileSync } from 'node:fs';
import { openDoor } from '#runtime/door/open-door.ts';
import type { DoorTls } from '#runtime/door/port.ts';
import { RequestIds } from '#runtime/door/request-id.ts';

export interface ConstantAnswer {
  /** `Name: value\n` each. */
  readonly lines: string;
  /** Base64. */
  readonly body: string;
  readonly tls: DoorTls | null;
}

const { lines, body, tls } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as ConstantAnswer;
const bytes = Buffer.from(body, 'base64');
const ids = new RequestIds();
process.once('disconnect', () => process.exit(0));
const options = { host: '127.0.0.1', port: 0, ...(tls !== null && { tls }) };
const { port } = await openDoor(
  options,
  (visit) => visit.answer(200, lines, bytes, ids.of(visit.header('x-request-id'))),
  tls === null ? undefined : 'node',
);
process.send!(port);
