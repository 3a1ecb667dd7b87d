/** PostGraphile on the PostgreSQL that its argument names: the place of Skep's own bench, with its two indexes. It sends its parent the port. */
import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const [, connectionString] = process.argv.slice(2);
const client = new pg.Client({ connectionString });
await client.connect();
await client.query(`
  create table places (id bigserial primary key, country varchar(2) not null, name varchar(100) not null, population bigint not null,
    latitude double precision, longitude double precision, feature_code varchar(10));
  create index places_country on places (country, population);
  create index places_name on places (name);`);
await client.end();
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString })],
  grafserv: { graphiql: false, watch: false },
});
const listener = createServer();
await instance.createServ(grafserv).addTo(listener);
listener.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${listener.address().port}/graphql` }));
process.once('message', () => process.exit(0));
process.once('disconnect', () => process.exit(1));
