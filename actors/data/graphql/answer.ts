/** Runs a GraphQL request of one caller. */
import { inFuel } from '#actors/kit/pace/fuel.ts';
import { execute, getVariableValues, GraphQLError, OperationTypeNode } from 'graphql';
import type { ExecutionResult, getArgumentValues, OperationDefinitionNode } from 'graphql';
import { limits } from '#config/limits.ts';
import type { Seen } from '../documents/handlers.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { Context } from './context.ts';
import { costOf } from './cost.ts';
import { invalidError, shown, tooComplex, type ShownError } from './errors.ts';
import { frozen } from '#actors/engine/rows/frozen.ts';
import { NOT_BY_GET } from './not-by-get.ts';
import { introspectedInSlices } from './introspection.ts';
import { settledVariables } from './long-variables.ts';
import { prepare, type Prepared } from './prepared.ts';
import { Slices } from './slices.ts';
import type { GraphqlAnswer as GraphqlBody } from '../shapes.ts';
import { schemaFor, type TenantSchema } from './tenant-schema.ts';
import { rootsOnly } from './roots-only.ts';

export interface GraphQLRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether mutations may run: not on GET. */
  readonly mutates: boolean;
}

export interface GraphQLAnswer {
  /** Absent when nothing was run; null when an error left nothing to show. */
  readonly data?: GraphqlBody['data'];
  readonly errors?: readonly ShownError[];
}

/** The call's turn, which a mutation commits or drops. */
export interface Transaction {
  /** Runs `write` in the session that it is given, once all scripts that it causes have run. */
  enact<T>(write: (session: Session) => T | Promise<T>, isKept: (outcome: T) => boolean): T | Promise<T>;
  commit(): void;
  abort(): void;
}

export interface Run {
  readonly tenant: TenantSchema;
  readonly prepared: Prepared;
  readonly operation: OperationDefinitionNode;
  readonly variables: Given;
  readonly cost: number;
}

/** The answer, which may hold `most` values. Throws the fault of a resolver; what mutations wrote is dropped then, and whenever `data` is null. */
export async function answer(
  { models, session, visible }: Seen,
  transaction: Transaction,
  request: GraphQLRequest,
  most: number,
): Promise<GraphQLAnswer | typeof NOT_BY_GET> {
  const run = await ready({ models, session, visible }, request, most);
  return run === NOT_BY_GET || !('prepared' in run) ? run : carriedOut(session, transaction, run);
}

/** The request, ready to run; or why it cannot be. */
export async function ready(
  seen: Seen,
  request: GraphQLRequest,
  most: number,
): Promise<Run | GraphQLAnswer | typeof NOT_BY_GET> {
  const tenant = await schemaFor(seen);
  const prepared = readied(tenant, request.query);
  if (!('document' in prepared)) return refused(prepared);
  const operation = prepared.operation(request.operationName);
  if (operation instanceof GraphQLError) return refused([operation]);
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  if (isMutation && !request.mutates) return NOT_BY_GET;
  const variables = variablesOf(tenant, operation, request.variables);
  if (!('coerced' in variables)) return refused(variables);
  const cost = costOf(tenant.schema, prepared.document, operation, variables.coerced);
  if (cost > most) return refused([tooComplex(`the answer may hold ${cost} values, at most ${most}`, { cost, most })]);
  return { tenant, prepared, operation, variables, cost };
}

export async function carriedOut(session: Session, transaction: Transaction, run: Run): Promise<GraphQLAnswer> {
  const { operation } = run.operation;
  if (operation === OperationTypeNode.SUBSCRIPTION) return refused([invalidError(ONLY_STREAMED)]);
  return operation === OperationTypeNode.MUTATION ? mutate(session, transaction, run) : read(session, run, new Map());
}

const ONLY_STREAMED = 'a subscription is asked for with Accept: text/event-stream';

interface Given {
  /** For documents that are interpreted. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** For compiled ones. */
  readonly coerced: Readonly<Record<string, unknown>>;
  /** As the library takes them for arguments; absent where the operation has none. */
  readonly values?: Parameters<typeof getArgumentValues>[2];
}

/** The variables as they were given, and coerced. Faults of variables are found here, so that their words are the same for both kinds of documents. */
function variablesOf(
  { schema }: TenantSchema,
  operation: OperationDefinitionNode,
  given: Given['raw'],
): Given | readonly GraphQLError[] {
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) return { raw: given, coerced: given };
  const raw = settledVariables(schema, definitions, given);
  const found = getVariableValues(schema, definitions, raw, {
    maxErrors: limits.graphql.validationErrorsMax,
  });
  if (found.errors !== undefined) return found.errors;
  return { raw, coerced: found.variableValues.coerced, values: found.variableValues };
}

function readied({ schema, documents }: TenantSchema, text: string): Prepared | readonly GraphQLError[] {
  const known = documents.get(text);
  if (known !== undefined) return known;
  const prepared = prepare(schema, text);
  if ('document' in prepared) documents.set(text, prepared);
  return prepared;
}

/** An answer that fits a slice is read in this turn; a longer one over one snapshot, in slices. */
async function read(live: Session, run: Run, written: Context['writing']): Promise<GraphQLAnswer> {
  const isShort = run.cost <= limits.graphql.sliceCost && !run.prepared.introspects;
  const view = isShort ? null : frozen(live);
  const session = view?.session ?? live;
  try {
    const context = new Context(session, live, new Slices(session, isShort ? Infinity : limits.graphql.sliceCost));
    context.written = written;
    return settled(context, await resultOf(run, context));
  } finally {
    view?.close();
  }
}

/** Runs the operation: compiled from its document's second run on, or at once where it costs much; else interpreted. */
function resultOf(run: Run, context: Context): ExecutionResult | Promise<ExecutionResult> {
  const { prepared, operation, variables, cost, tenant } = run;
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const worth = isQuery && !prepared.introspects && (prepared.seen++ > 0 || cost > limits.graphql.sliceCost);
  const compiled = worth ? prepared.compiled(operation) : null;
  if (compiled !== null) return compiled.query(null, context, { ...variables.coerced });
  return execute({
    schema: prepared.introspects ? introspectedInSlices(tenant.schema, context) : tenant.schema,
    document: prepared.document,
    contextValue: context,
    variableValues: variables.raw,
    operationName: operation.name?.value,
  });
}

interface Wrote {
  readonly context: Context;
  readonly done: GraphQLAnswer;
}

const isClean = ({ done }: Wrote): boolean => done.errors === undefined;

/** Writes everything in order and commits, then reads the answer. No other turn may come between the writes and the commit. */
async function mutate(session: Session, transaction: Transaction, run: Run): Promise<GraphQLAnswer> {
  const keep = (wrote: Wrote): Wrote => {
    if (isClean(wrote)) transaction.commit();
    else transaction.abort();
    return wrote;
  };
  const outcome = transaction.enact((own) => inFuel(() => writeAll(own, run)), isClean);
  const { context, done } = outcome instanceof Promise ? keep(await outcome) : keep(outcome);
  return isClean({ context, done }) ? read(session, run, context.writing) : done;
}

function writeAll(session: Session, run: Run): Wrote | Promise<Wrote> {
  const context = new Context(session, session, new Slices(session, Infinity));
  const result = execute({
    schema: run.tenant.schema,
    document: rootsOnly(run.prepared.document, run.operation),
    contextValue: context,
    variableValues: run.variables.raw,
  });
  const wrote = (ended: ExecutionResult): Wrote => ({ context, done: settled(context, ended) });
  return result instanceof Promise ? result.then(wrote) : wrote(result);
}

/** The answer of what was run. Throws the fault of a resolver. */
export function settled(context: Context, { data, errors }: ExecutionResult): GraphQLAnswer {
  if (context.fault !== null) throw context.fault;
  const code = data === undefined ? 'v2.graphql_invalid' : 'v2.query_failed';
  return {
    ...(data !== undefined && { data }),
    ...(errors !== undefined && errors.length > 0 && { errors: errors.map((error) => shown(error, code)) }),
  };
}

function refused(errors: readonly GraphQLError[]): GraphQLAnswer {
  return { errors: errors.map((error) => shown(error, 'v2.graphql_invalid')) };
}
