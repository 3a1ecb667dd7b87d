/** The default configuration of the intake service as a file. Spec: docs/contract/intake.md §8. */
import { isMap, isScalar, parseDocument, stringify, type Document, type YAMLMap } from 'yaml';
import { intakeSection } from './intake-section.ts';
import type { Path } from './problem.ts';
import { keysAt, metaAt } from './schema-walk.ts';

/** Every key with its default and a description; keys without a default are comments behind the others of their map. */
export function generateIntake(): string {
  const document = parseDocument(stringify(intakeSection.parse({}), { lineWidth: 0 }));
  document.commentBefore = HEAD;
  describe(document, document.contents as YAMLMap, []);
  return document.toString({ lineWidth: 0 });
}

function describe(document: Document, map: YAMLMap, at: Path): void {
  for (const pair of map.items) {
    const path = [...at, String(isScalar(pair.key) ? pair.key.value : pair.key)];
    if (isMap(pair.value) && pair.value.items.length > 0) describe(document, pair.value, path);
    else if (isScalar(pair.value)) pair.value.comment = ` ${metaAt(intakeSection, path)?.description ?? ''}`;
  }
  map.items = map.items.filter(({ value }) => !(isMap(value) && value.items.length === 0));
  const absent = keysAt(intakeSection, at).filter((key) => !map.has(key));
  if (absent.length > 0) map.comment = absent.map((key) => commented(key, [...at, key])).join('\n');
}

/** A key without a default, or a section whose keys have none, ready to be uncommented. */
function commented(key: string, path: Path): string {
  const below = keysAt(intakeSection, path);
  if (below.length > 0) return ` ${key}: { ${below.map((one) => `${one}: ${exampleAt([...path, one])}`).join(', ')} }`;
  return ` ${key}: ${exampleAt(path)} # ${metaAt(intakeSection, path)?.description ?? ''}`;
}

const exampleAt = (path: Path): string => metaAt(intakeSection, path)?.example ?? "''";

const HEAD = ` The intake service: every key with its default. Serve it with:  skep intake -f <this file>
 embedded.path, jsonl.dir and logging.file.path lie under the data directory unless set here.
 Secrets are better read from the environment: EDGE_INTAKE_GATEWAY_SECRET, EDGE_INTAKE_SMTP_PASSWORD,
 EDGE_INTAKE_SMTP_OAUTH_SECRET, EDGE_INTAKE_WEBAPI_KEY, EDGE_INTAKE_CHAT_WEBHOOK.`;
