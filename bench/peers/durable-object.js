/** One Durable Object that holds places in its SQLite: what workerd runs. An answer leaves when its writes are confirmed (output gate). */
import { DurableObject } from 'cloudflare:workers';

export class Tenant extends DurableObject {
  constructor(context, env) {
    super(context, env);
    this.sql = context.storage.sql;
    this.sql.exec(`create table if not exists place (id integer primary key, country text not null, name text not null,
      population integer not null, latitude real, longitude real, feature_code text)`);
    this.sql.exec('create index if not exists place_country on place (country, population)');
    this.sql.exec('create index if not exists place_name on place (name)');
  }

  async fetch(request) {
    if (request.method === 'GET') {
      const id = Number(new URL(request.url).pathname.slice(1));
      const [row] = this.sql.exec('select * from place where id = ?', id).toArray();
      return row === undefined ? new Response(null, { status: 404 }) : Response.json({ data: [row] });
    }
    const { country, name, population } = await request.json();
    const [row] = this.sql
      .exec('insert into place (country, name, population) values (?, ?, ?) returning *', country, name, population)
      .toArray();
    return Response.json({ data: [row] }, { status: 201 });
  }
}

const worker = {
  fetch: (request, env) => env.TENANT.get(env.TENANT.idFromName('hot')).fetch(request),
};
export { worker as default };
