/** Peers that keep their rows in a PostgreSQL of their own. */
import { BACKENDS } from './install.ts';
import { forkPeer, type Peer, type PeerPlace, type Running } from './peer.ts';
import { startPostgres } from './postgres.ts';
import { common, newPlace, placeSides, platformatic, post } from './rivals.ts';

/** How a peer is started on a database, and what its figures depend on besides. */
type OnPostgres = (dir: string, connectionString: string, settings: string) => Promise<Running>;

/** The database starts before the peer and ends behind it. */
const onPostgres =
  (start: OnPostgres, ofPeer: string) =>
  async ({ dir, beside }: PeerPlace): Promise<Running> => {
    const postgres = await startPostgres(beside);
    try {
      const running = await start(dir, postgres.connectionString, `PostgreSQL ${postgres.settings}; ${ofPeer}`);
      const stop = async (): Promise<void> => {
        await running.stop();
        await postgres.stop();
      };
      return { ...running, stop };
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  };

export const platformaticPostgres: Peer = {
  name: 'Platformatic DB on PostgreSQL',
  ...common('@platformatic/db'),
  start: onPostgres(platformatic, 'pool of 10, its default; no authorization'),
};

/** A peer of the folder `backends/`, whose program sends its URL. */
const backend =
  (program: string, sides: (url: string) => Promise<Running['sides']> | Running['sides']): OnPostgres =>
  async (dir, connectionString, settings) => {
    const { ready, stop } = await forkPeer<{ url: string }>(`backends/${program}`, [dir, connectionString]);
    try {
      return { settings, sides: await sides(ready.url), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  };

const PARSE = { 'X-Parse-Application-Id': 'bench' };

function parseSides(url: string): Promise<Running['sides']> {
  const create = `${url}/classes/Place`;
  return placeSides(create, (id) => `${create}/${String(id)}`, 201, PARSE);
}

export const parseServer: Peer = {
  name: 'Parse Server on PostgreSQL',
  shelf: BACKENDS,
  package: 'parse-server',
  start: onPostgres(
    backend('parse-server.mjs', parseSides),
    'pool of 10, its default; permissions of the class are looked up, no session, no cloud code, no log of requests',
  ),
};

const CREATE = 'mutation($place:PlaceInput!){createPlace(input:{place:$place}){place{rowId}}}';
const READ =
  'query($id:BigInt!){placeByRowId(rowId:$id){rowId name country population latitude longitude featureCode}}';

const asked = (query: string, variables: string): string =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;

async function graphileSides(url: string): Promise<Running['sides']> {
  const first = asked(CREATE, '{"place":{"name":"first","country":"CH","population":1}}');
  const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: first });
  const { data } = (await answer.json()) as { data?: { createPlace?: { place: { rowId: string } } } };
  if (data?.createPlace === undefined) throw new Error(`its create answered ${answer.status} without a row`);
  const read = asked(READ, `{"id":${JSON.stringify(data.createPlace.place.rowId)}}`);
  const create = [asked(CREATE, '{"place":').slice(0, -1), ...newPlace!, '}}'];
  return {
    read: { url, request: post([read]), expect: 200 },
    create: { url, request: post(create), expect: 200 },
  };
}

export const postgraphile: Peer = {
  name: 'PostGraphile on PostgreSQL',
  shelf: BACKENDS,
  package: 'postgraphile',
  start: onPostgres(backend('postgraphile.mjs', graphileSides), 'pool of 10, its default; GraphQL; no authorization'),
};
