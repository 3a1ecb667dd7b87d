/** Parse Server on the PostgreSQL that its argument names: the place of Skep's own bench, with its two indexes. It sends its parent the port. */
import { createServer } from 'node:http';

const [dir, databaseURI] = process.argv.slice(2);
// It makes a folder for logs where it is loaded, whatever its options say.
process.chdir(dir);
const { default: express } = await import('express');
const { ParseServer } = await import('parse-server');
const number = { type: 'Number' };
const needed = { type: 'String', required: true };
const definition = {
  className: 'Place',
  fields: {
    name: needed,
    country: needed,
    population: { ...number, required: true },
    latitude: number,
    longitude: number,
    feature_code: { type: 'String' },
  },
  indexes: { places_country: { country: 1, population: 1 }, places_name: { name: 1 } },
  classLevelPermissions: { get: { '*': true }, create: { '*': true } },
};
const server = new ParseServer({
  databaseURI,
  appId: 'bench',
  masterKey: 'not used by the bench',
  serverURL: 'http://127.0.0.1:1',
  allowClientClassCreation: false,
  schema: { definitions: [definition] },
  silent: true,
  logsFolder: null,
});
await server.start();
const listener = createServer(express().use('/', server.app)).listen(0, '127.0.0.1', () =>
  process.send({ url: `http://127.0.0.1:${listener.address().port}` }),
);
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));
