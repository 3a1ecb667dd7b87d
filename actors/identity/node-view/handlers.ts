/** The handler of each route that shows the node: it judges the caller, ends its turn, and asks main. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { listTenants } from './list-tenants.ts';
import { readLinesQuery, readMinutesQuery, readSettingsQuery } from './read-query.ts';
import { refusedOutsider } from './refused-outsider.ts';
import type { nodeViewRoutes } from './routes.ts';
import { UNKEPT } from './unkept.ts';

type Rows = typeof nodeViewRoutes;

export function nodeViewHandlers(identity: Identity): Handlers<Rows> {
  return {
    nodeBackups: (call) => toldLater(identity, call, 'node_backups', () => showBackups(identity, call)),
    nodeBuckets: (call) => toldLater(identity, call, 'node_buckets', () => showBuckets(identity, call)),
    nodeCluster: (call) => toldLater(identity, call, 'node_cluster', () => showCluster(identity, call)),
    nodeFigures: (call) => toldLater(identity, call, 'node_figures', () => showFigures(identity, call)),
    nodeHealth: (call) => toldLater(identity, call, 'node_health', () => showHealth(identity, call)),
    nodeConfiguration: (call) =>
      toldLater(identity, call, 'node_configuration', () => showConfiguration(identity, call)),
    nodeLoad: (call) => toldLater(identity, call, 'node_load', () => showLoad(identity, call)),
    nodeLogs: (call) => toldLater(identity, call, 'node_logs', () => showLogs(identity, call)),
    nodeSlow: (call) => toldLater(identity, call, 'node_slow', () => showSlow(identity, call)),
    nodeTenants: (call) => toldLater(identity, call, 'node_tenants', () => listTenants(identity, call)),
    nodeVault: (call) => toldLater(identity, call, 'node_vault', () => showVault(identity, call)),
  };
}

async function showBackups(identity: Identity, call: Call): Promise<Outcome<Rows['nodeBackups']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.backups', null), UNKEPT);
}

async function showBuckets(identity: Identity, call: Call): Promise<Outcome<Rows['nodeBuckets']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.buckets', null), UNKEPT);
}

async function showCluster(identity: Identity, call: Call): Promise<Outcome<Rows['nodeCluster']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.cluster', null), UNKEPT);
}

async function showFigures(identity: Identity, call: Call): Promise<Outcome<Rows['nodeFigures']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.figures', null), UNKEPT);
}

async function showHealth(identity: Identity, call: Call): Promise<Outcome<Rows['nodeHealth']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.health', null), UNKEPT);
}

async function showConfiguration(identity: Identity, call: Call): Promise<Outcome<Rows['nodeConfiguration']>> {
  const query = refusedOutsider(call) ?? readSettingsQuery(call.query);
  if (isRefusal(query)) return query;
  call.abort();
  return reply(200, await identity.node.ask('node.configuration', query), UNKEPT);
}

async function showLoad(identity: Identity, call: Call): Promise<Outcome<Rows['nodeLoad']>> {
  const query = refusedOutsider(call) ?? readMinutesQuery(call.query);
  if (isRefusal(query)) return query;
  call.abort();
  return reply(200, await identity.node.ask('node.load', query), UNKEPT);
}

async function showSlow(identity: Identity, call: Call): Promise<Outcome<Rows['nodeSlow']>> {
  const query = refusedOutsider(call) ?? readMinutesQuery(call.query);
  if (isRefusal(query)) return query;
  call.abort();
  return reply(200, await identity.node.ask('node.slow', query), UNKEPT);
}

async function showLogs(identity: Identity, call: Call): Promise<Outcome<Rows['nodeLogs']>> {
  const query = refusedOutsider(call) ?? readLinesQuery(call.query);
  if (isRefusal(query)) return query;
  call.abort();
  return reply(200, await identity.node.ask('node.logs', query), UNKEPT);
}

async function showVault(identity: Identity, call: Call): Promise<Outcome<Rows['nodeVault']>> {
  const refusal = refusedOutsider(call);
  if (refusal !== null) return refusal;
  call.abort();
  return reply(200, await identity.node.ask('node.vault', null), UNKEPT);
}
