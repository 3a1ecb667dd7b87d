/** Platformatic DB on the database that its argument names: the place of Skep's own bench, with its two indexes. It sends its parent the port. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@platformatic/db';

const [dir, connectionString] = process.argv.slice(2);
const migrations = join(dir, 'migrations');
mkdirSync(migrations, { recursive: true });
const id = connectionString.startsWith('sqlite') ? 'integer primary key' : 'bigserial primary key';
writeFileSync(
  join(migrations, '001.do.sql'),
  `create table places (id ${id}, country varchar(2) not null, name varchar(100) not null, population bigint not null,
     latitude double precision, longitude double precision, feature_code varchar(10));
   create index places_country on places (country, population);
   create index places_name on places (name);`,
);
const db = await create(dir, {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  server: { logger: { level: 'error' } },
  db: { connectionString, openapi: true, graphql: false },
  migrations: { dir: 'migrations', autoApply: true },
});
// Its own start would listen on every interface.
await db.start({ listen: false });
process.send({ url: await db.getApplication().listen({ host: '127.0.0.1', port: 0 }) });
process.once('message', () => void db.stop().then(() => process.exit(0)));
process.once('disconnect', () => process.exit(1));
