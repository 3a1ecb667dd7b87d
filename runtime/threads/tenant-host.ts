/** Puts a tenant host together: archive, services, host. */
import { limits } from '#config/limits.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import type { Archive } from '#storage/archive.ts';
import type { BackupPlace } from '#storage/backup-set/place.ts';
import { noLive } from '#actors/data/live-counts.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Host } from '#actors/host/host.ts';
import { EventOutboxes } from '#actors/host/outbox/event-outboxes.ts';
import { joinOutboxes, type Outboxes } from '#actors/host/outbox/outboxes.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { afterMicrotasks } from '#actors/host/pace/after-microtasks.ts';
import { countSlices, slicesGiveWay } from '#actors/host/pace/slice-ring.ts';
import type { Work } from '#actors/host/work.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { sharePasswordGate } from '#actors/kit/password.ts';
import { Outbox, type Channel } from '#actors/protocol/channel.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { AskNode } from '#actors/protocol/node-verbs.ts';
import { REPLIES } from '#actors/protocol/frame.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { ActorAsk, HostOpen, ReplyOf, TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';
import { answersBy } from '#runtime/cluster/lease-cell.ts';
import { HostCopies } from '#runtime/copies/host-copies.ts';
import { placeOf } from '#runtime/backups/place-of.ts';
import { degradedOver } from '#runtime/observe/degraded.ts';
import { hostColumn } from '#runtime/observe/columns.ts';
import { turnObserver, watchHost } from '#runtime/observe/host-gauges.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { sliceMeter, type BeginSlice } from '#runtime/observe/slice-meter.ts';
import type { HostScrub } from '#runtime/scrub/host-scrub.ts';
import { loadThreadTime } from '#runtime/observe/thread-time.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { jobThreadsOf } from '#runtime/jobs/share.ts';
import { JobPool } from '#runtime/jobs/pool.ts';
import { startJobThread } from '#runtime/jobs/worker-thread.ts';
import { tenantServices } from './services.ts';
import { answerHostAsk, hostHandlers, isHostAsk, type HostHandlers } from './answer-host-ask.ts';
import { loadExit } from './fatal.ts';
import { keepBeat } from './keep-beat.ts';
import { BlobRooms } from './blob-rooms.ts';
import { loadAhead } from './load-ahead.ts';
import { sealHost } from './seal-host.ts';
import { startHostScrub } from './host-scrubber.ts';
import type { OpenHostArchive } from './open-host-archive.ts';
import { Products } from './products.ts';
import { TenantProducts } from './tenant-products.ts';
import { wakeTenant } from './wake-tenant.ts';
import { WarmUp } from './warm-up.ts';
import { ResumeTenants } from './resume-tenants.ts';
import { callForKeys } from './key-call.ts';
import { ThreadRing } from './ring.ts';
import { warnOfJob } from './warn-of-job.ts';
import { threadSpans } from './thread-spans.ts';
import { isSuspended, Standings } from './standings.ts';
import { TenantUses } from './tenant-uses.ts';
import { hostContext } from './host-context.ts';
import type { TenantHostData } from './tenant-host-data.ts';

export class TenantHost {
  readonly #channel: Channel;
  readonly #data: TenantHostData;
  readonly #ring: ThreadRing;
  readonly #served: TenantProducts;
  readonly #tenants = new Map<number, TenantEntry>();
  readonly #standings = new Standings();
  readonly #warm: WarmUp;
  readonly #uses = new TenantUses();
  readonly #outbox: Outbox;
  readonly #services;
  readonly #resume = new ResumeTenants((entry) => this.#resumeTenant(entry), setImmediate);
  readonly events: EventOutboxes;
  readonly #jobs = new JobPool({
    threads: () => this.#jobThreads,
    start: () => startJobThread((error) => warnOfJob(this.#data.platform, error)),
  });
  readonly #live = noLive();
  readonly #blobs: BlobRooms;
  readonly #pulse: Pulse;
  readonly spans: Spans | null;
  #copies: HostCopies | null = null;
  #handlers: HostHandlers | null = null;
  #place: BackupPlace | null = null;
  #jobThreads = 1;
  /** The shards that are served; stopped ones are missing. */
  #shards: readonly number[] = [];
  #isWhole = true;
  #archive: Archive | null = null;
  #host: Host | null = null;
  #scrub: HostScrub | null = null;

  constructor(channel: Channel, data: TenantHostData) {
    this.#channel = channel;
    this.#data = data;
    this.#warm = new WarmUp(data.platform, (tenantNo) => this.#host!.activation(tenantNo));
    this.#served = new TenantProducts({
      products: new Products(contentSourceOf(data.platform), data.platform.storage.dir),
      jobs: this.#jobs,
      store: ({ shard, no }) => this.#archive!.store(shard, no),
      log: () => threadLogger(data.platform, 'tenant-host'),
    });
    this.events = new EventOutboxes({
      enabled: data.platform.audit.enabled,
      entry: (tenantNo) => this.#tenants.get(tenantNo),
      store: ({ shard, no }) => this.#archive!.store(shard, no),
      pending: (tenantNo) => channel.tell('audit.pending', { tenantNo }),
    });
    this.spans = threadSpans(data.platform, (batch) => channel.tell('node.spans', batch));
    this.#outbox = new Outbox(channel, REPLIES, queueMicrotask);
    this.#ring = new ThreadRing(data.platform.jwks.issuers.iam, () => callForKeys(data.keyCall));
    this.#blobs = new BlobRooms(data.platform, data.archives);
    this.#pulse = new Pulse(data.pulse);
    this.#services = tenantServices(
      data.platform,
      { clock: systemClock, ring: this.#ring, checksAudience: data.platform.jwks.check_audience },
      {
        askNode: ((verb, body) => channel.ask('node.ask', { verb, body })) as AskNode,
        jobs: this.#jobs,
        files: (tenantNo) => this.#blobs.of(tenantNo),
        live: this.#live,
        contentFiles: (owner, store) => this.#blobs.content(owner, store),
        definitions: {
          fresh: ({ tenantNo }) => this.#served.fresh(this.#localdirOf(tenantNo)),
          kept: ({ tenantNo }, revision) => this.#served.kept(revision, this.#localdirOf(tenantNo)),
          adopted: ({ tenantNo }, fresh) => this.#served.keep(this.#localdirOf(tenantNo), fresh),
        },
        takeProduct: (archive, localdir) => this.#served.take(archive, localdir),
        relay: {
          call: (key, call) => channel.ask('node.call', { key, call }),
          awake: () => channel.ask('node.ask', { verb: 'tenants.awake', body: null }) as Promise<readonly string[]>,
        },
        wakeTenant: (tenantNo, then) => this.#wakeTenant(tenantNo, then),
        mailPending: (tenantNo) => channel.tell('mail.pending', { tenantNo }),
        tenantSecret: async (tenant, name) => (await channel.ask('vault.tenant-secret', { tenant, name })).value,
        webhooksPending: (tenantNo) => channel.tell('hook.pending', { tenantNo }),
      },
    );
  }

  loadAhead(): Promise<void> {
    return loadAhead(this.#services.values(), this.#data.platform);
  }

  /** The node waits for its log: all that needs no store is done ahead. */
  async prepare(checkouts: readonly string[]): Promise<void> {
    await Promise.all([loadThreadTime(), this.loadAhead()]);
    await this.#served.prepare(checkouts);
  }

  async open(body: HostOpen, openArchive: OpenHostArchive): Promise<ReplyOf<'host.open'>> {
    const began = performance.now();
    const name = `host-${body.host}`;
    sharePasswordGate(this.#data.passwords, body.host);
    this.#jobThreads = jobThreadsOf(this.#data.platform, body.host);
    this.setRing(body.ring);
    this.trust(body.trust);
    this.setTenants(body.tenants);
    const meter = new Meter(this.#data.metrics, hostColumn(body.host));
    const { archive, stopped } = await openArchive(name, body, meter);
    this.#archive = archive;
    const planeNo = body.shards.includes(CONTROL_ENTRY.shard) ? CONTROL_ENTRY.no : null;
    this.#host = this.#compose(name, planeNo, this.#archive, meter, sliceMeter(meter, await loadThreadTime()));
    slicesGiveWay(() => this.#host!.waiting > 0);
    countSlices((tenantNo, ms) => this.#uses.worked(tenantNo, ms));
    this.#copies = this.#composeCopies(this.#host, this.#archive);
    this.#handlers = hostHandlers({
      host: this.#host,
      copies: this.#copies,
      uses: this.#uses,
      revisions: () => this.#revisions(),
      revisionsOf: (nos) => this.#served.revisionsIn(this.#tenants, this.#shards, nos),
      webIndex: (no, known) => this.#served.webIndex(this.#tenants.get(no), known),
    });
    watchHost(meter, { host: this.#host, archive, jobs: this.#jobs, live: this.#live, events: this.events });
    this.#channel.onBatch = (batch) => this.#host!.receive(batch);
    this.#shards = body.shards.filter((no) => !stopped.some(({ shard }) => shard === no));
    this.#isWhole = stopped.length === 0;
    keepBeat(this.#channel, this.#pulse);
    this.#startScrub(meter, name);
    this.#resumeLeft([...this.#tenants.values()]);
    this.#warm.expect(body.wakes);
    this.#warm.saw([...this.#tenants.values()].filter((tenant) => this.#isServed(tenant)));
    setImmediate(() => void this.loadAhead());
    setInterval(() => this.#host!.sleepIdle(limits.host.idleSleepMs), limits.host.idleSweepMs).unref();
    return { openMs: performance.now() - began, stopped };
  }

  #startScrub(meter: Meter, name: string): void {
    const { platform, reading } = this.#data;
    const [archive, host, shards, log] = [this.#archive!, this.#host!, this.#shards, threadLogger(platform, name)];
    const parts = { platform, shards, reading, archive, host, blobs: this.#blobs, tenants: this.#tenants, meter, log };
    this.#scrub = startHostScrub({ ...parts, degraded: degradedOver(this.#channel) });
  }

  setTenants(tenants: readonly TenantEntry[]): null {
    const present = new Set(tenants.map(({ no }) => no));
    const gone = [...this.#tenants.keys()].filter((no) => !present.has(no));
    return this.changeTenants({ put: tenants, gone });
  }

  changeTenants({ put, gone }: TenantChanges): null {
    for (const no of gone) {
      this.#tenants.delete(no);
      this.#standings.forget(no);
      this.#uses.forget(no);
      this.#forgetAll(no);
    }
    for (const tenant of put) this.#change(tenant);
    if (this.#host === null) this.#served.warm();
    else {
      this.#warm.saw(put.filter((tenant) => this.#isServed(tenant)));
      this.#served.lookForFaults(put.filter(({ shard }) => this.#shards.includes(shard)));
    }
    this.#resumeLeft(put);
    return null;
  }

  #change(tenant: TenantEntry): void {
    const { no, state } = tenant;
    const before = this.#tenants.get(no);
    this.#tenants.set(no, tenant);
    this.#standings.change(tenant);
    this.#uses.change(tenant);
    if (before === undefined) return;
    if (before.state !== state || (isSuspended(tenant) && !isSuspended(before))) this.#host?.forget(no);
    if (isSuspended(before) && !isSuspended(tenant) && this.#isServed(tenant)) this.#resumeTenant(tenant);
  }

  #isServed({ shard, state }: TenantEntry): boolean {
    return this.#shards.includes(shard) && heldState(state) === null;
  }

  #forgetAll(tenantNo: number): void {
    this.#host?.forget(tenantNo);
    this.events.forget(tenantNo);
    this.#blobs.forget(tenantNo);
  }

  #resumeLeft(tenants: readonly TenantEntry[]): void {
    this.#resume.add(tenants.filter((tenant) => this.#isServed(tenant)));
  }

  #composeCopies(host: Host, archive: Archive): HostCopies {
    return new HostCopies({
      archive,
      pulse: this.#pulse,
      blobs: this.#blobs,
      product: (localdir) => this.#served.checkout(localdir),
      served: async (no) => (await this.#served.of(this.#tenants.get(no)!)).product,
      revisions: this.#served.blobs,
      activation: (tenantNo) => host.activation(tenantNo),
      forget: (tenantNo) => this.#forgetAll(tenantNo),
      repaired: (shard) => this.#scrub?.soon(shard),
      events: (tenantNo) => this.events.of(tenantNo),
      sets: {
        platform: this.#data.platform,
        place: () => (this.#place ??= placeOf(this.#data.platform, this.#blobs.admits)),
      },
    });
  }

  /** The work of a suspended tenant rests, all but its events: the audit log is its operators'. */
  #resumeTenant(entry: TenantEntry): void {
    const { no, shard } = entry;
    this.#served.takeFirst(entry);
    if (!isSuspended(entry))
      for (const service of this.#services.values()) service.resume?.(this.#archive!.store(shard, no), no);
    this.events.of(no)?.resume();
  }

  setRing(records: HostOpen['ring']): null {
    this.#ring.set(records);
    return null;
  }

  trust(keys: HostOpen['trust']): null {
    this.#ring.trust(keys);
    return null;
  }

  /** Answers an ask of main: by the host itself (host-verbs.ts), else by a tenant's actor. */
  async ask(asked: ActorAsk): Promise<unknown> {
    if (this.#host === null || this.#handlers === null) throw new Error('the host is not open');
    if (isHostAsk(this.#handlers, asked)) return answerHostAsk(this.#handlers, asked);
    return this.#host.ask(asked.tenantNo, asked.service, asked.verb, asked.body);
  }

  /** Runs a piece of work on a tenant of this host. */
  run<T>(tenantNo: number, piece: (work: Work) => T): Promise<T> {
    if (this.#host === null) throw new Error('the host is not open');
    return this.#host.run(tenantNo, piece);
  }

  /** The outboxes of its services, by kind. */
  get outboxes(): Outboxes {
    return joinOutboxes([...this.#services.values()].map(({ outboxes }) => outboxes));
  }

  /** The revisions that are served. Throws where a shard is stopped: the revisions of its tenants are unknown and must not be swept. */
  #revisions(): string[] {
    if (!this.#isWhole) throw new Error('a shard is stopped, so the revisions that its tenants serve are not known');
    return this.#served.revisionsOf(this.#here());
  }

  /** The tenants of this host's shards that are served. */
  #here(): TenantEntry[] {
    return [...this.#tenants.values()].filter(({ shard }) => this.#shards.includes(shard));
  }

  /** Wakes a tenant so that it resumes unfinished work; gives whether it is served here. */
  #wakeTenant(tenantNo: number, then: (awake: Activation) => void = () => undefined): boolean {
    const entry = this.#tenants.get(tenantNo);
    if (entry === undefined || !this.#isServed(entry) || isSuspended(entry)) return false;
    const why = 'a tenant with unfinished work could not be woken: the work goes on when it wakes';
    const failed = (err: unknown): void =>
      threadLogger(this.#data.platform, 'tenant-host').warn({ err, tenant: tenantNo }, why);
    this.#host!.run(tenantNo, ({ activation }) => then(activation)).catch(failed);
    return true;
  }

  #localdirOf = (tenantNo: number): string | null => this.#tenants.get(tenantNo)?.localdir ?? null;

  async relayed(tenantNo: number, call: RelayedCall): Promise<RelayedAnswer> {
    return (await this.ask({ tenantNo, service: 'data', verb: 'admin.call', body: call })) as RelayedAnswer;
  }

  /** Answers everything accepted, makes it durable, and writes nothing more. */
  async seal(): Promise<null> {
    const [host, archive, scrub, copies, outbox] = [this.#host, this.#archive, this.#scrub, this.#copies, this.#outbox];
    if (host !== null) await sealHost({ host, archive: archive!, scrub, copies, outbox });
    return null;
  }

  /** Behind `seal`: brings LMDB up, and closes the archive. Waits for addons that are being loaded: ending a thread while it loads one, as a spare may, aborts the process (napi_throw). */
  async drain(): Promise<null> {
    await loadExit();
    this.#jobs.close();
    await this.#archive?.close();
    return null;
  }

  #compose(name: string, planeNo: number | null, archive: Archive, meter: Meter, beginSlice: BeginSlice): Host {
    const log = threadLogger(this.#data.platform, name);
    const context = hostContext(this.#data.platform, {
      log,
      ring: this.#ring,
      beginSlice,
      degraded: degradedOver(this.#channel),
      pulse: this.#pulse,
    });
    return new Host({
      log,
      planeNo,
      routes: compileRoutes(this.#data.platform),
      services: this.#services,
      wake: (tenantNo) => this.#wake(tenantNo, context, archive),
      send: (no, status, headers, body) => this.#outbox.batch.push(no, status, headers, body),
      stream: (no, part, payload) => this.#outbox.stream(no, part, payload),
      later: setImmediate,
      afterMicrotasks,
      after: (ms, run) => void setTimeout(run, ms),
      monotonic: () => performance.now(),
      ...answersBy(this.#data.lease, this.#data.platform.cluster, this.#channel),
      pulse: this.#pulse,
      spans: this.spans,
      observeTurn: turnObserver(meter),
    });
  }

  async #wake(tenantNo: number, context: Context, archive: Archive): Promise<Activation> {
    const entry = this.#tenants.get(tenantNo);
    if (entry === undefined) throw new Error(`tenant ${tenantNo} is not in the directory`);
    const begun = (): Omit<Activation, 'product' | 'withheld'> => ({
      position: entry.position,
      tenantNo,
      since: entry.since,
      standing: this.#standings.of(entry),
      use: this.#uses.of(entry),
      context,
      store: archive.store(entry.shard, tenantNo),
      outbox: this.events.of(tenantNo),
      exclusive: new Exclusive(),
    });
    const mark = (): void => this.#pulse.mark('wake', tenantNo);
    mark();
    const woken = await wakeTenant(begun, await this.#served.of(entry), [...this.#services.values()], mark);
    this.#pulse.rest();
    return woken;
  }
}
