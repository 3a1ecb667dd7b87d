/** Documents made ready to run, kept by their text: parsing and validating cost the most. */
import { GraphQLError, Kind, Lexer, parse, Source, TokenKind, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { limits } from '#config/limits.ts';
import { takingCoerced, withCoerced } from './coerced-variables.ts';
import { invalidError, tooComplex } from './errors.ts';
import { excess, survey } from './survey.ts';

export class Prepared {
  readonly document: DocumentNode;
  readonly #schema: GraphQLSchema;
  readonly #compiled = new Map<string, CompiledQuery | null>();
  /** Whether it asks for the schema itself. */
  readonly introspects: boolean;
  /** How often the document has been run. */
  seen = 0;

  constructor(schema: GraphQLSchema, document: DocumentNode, introspects: boolean) {
    this.#schema = schema;
    this.document = document;
    this.introspects = introspects;
  }

  /** The operation to run, or why none can be chosen (GraphQL §6.1, GetOperation). */
  operation(name: string | null): OperationDefinitionNode | GraphQLError {
    const all = this.document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
    if (name === null && all.length > 1)
      return invalidError('operationName must say which operation of the document to run');
    const found = name === null ? all[0] : all.find((operation) => operation.name?.value === name);
    return found ?? invalidError(name === null ? 'the document holds no operation' : `no operation ${name}`);
  }

  /** The operation as a function of coerced variables, compiled when it is first wanted; null where it cannot be compiled. */
  compiled(operation: OperationDefinitionNode): CompiledQuery | null {
    const name = operation.name?.value ?? '';
    let compiled = this.#compiled.get(name);
    if (compiled === undefined) {
      const made = compileQuery(withCoerced(this.#schema), takingCoerced(this.document), name, {
        disablingCapturingStackErrors: true,
      });
      this.#compiled.set(name, (compiled = isCompiledQuery(made) ? made : null));
    }
    return compiled;
  }
}

/** Parses, measures and validates a document; gives it, or every error that keeps it from running. */
export function prepare(schema: GraphQLSchema, text: string): Prepared | readonly GraphQLError[] {
  const { documentCharsMax, validationErrorsMax } = limits.graphql;
  if (text.length > documentCharsMax)
    return [tooComplex(`a document may have ${documentCharsMax} characters`, { characters: text.length })];
  const document = parsed(text);
  if (document instanceof GraphQLError) return [document];
  const found = survey(document);
  const over = excess(found);
  if (over !== null) return [tooComplex(`the document asks for too much: ${JSON.stringify(over)}`, over)];
  const errors = validate(schema, document, undefined, { maxErrors: validationErrorsMax });
  return errors.length > 0 ? errors : new Prepared(schema, document, found.introspects);
}

function parsed(text: string): DocumentNode | GraphQLError {
  const { bracketsMax, tokensMax } = limits.graphql;
  try {
    const depth = bracketDepth(text);
    if (depth > bracketsMax) return tooComplex(`brackets may nest ${bracketsMax} deep`, { depth, most: bracketsMax });
    return parse(text, { maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** How deep brackets nest: the parser descends by recursion, and its stack ends before its bound on tokens does. */
function bracketDepth(text: string): number {
  const lexer = new Lexer(new Source(text));
  let deepest = 0;
  let depth = 0;
  for (let tokens = 0; tokens <= limits.graphql.tokensMax; tokens++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) break;
    if (OPENING.has(kind)) deepest = Math.max(deepest, ++depth);
    else if (CLOSING.has(kind)) depth--;
  }
  return deepest;
}

/** Bounded by the characters of its documents: what they take in memory grows with these. Two generations, as TokenCache. */
export class PreparedDocuments {
  #young = new Map<string, Prepared>();
  #old = new Map<string, Prepared>();
  #chars = 0;

  get(text: string): Prepared | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, prepared: Prepared): void {
    this.#chars += text.length;
    if (this.#chars > limits.graphql.keptCharsMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#chars = text.length;
    }
    this.#young.set(text, prepared);
  }

  get size(): number {
    return new Set([...this.#young.keys(), ...this.#old.keys()]).size;
  }
}
