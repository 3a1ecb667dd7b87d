/** The peer of downloads: one file, streamed by plain `node:http` for every request. It sends its parent the port. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

const [file = ''] = process.argv.slice(2);
const server = createServer((_request, response) => pipeline(createReadStream(file), response, () => undefined));
process.once('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
