/** The default configuration of the intake service as a file. Spec: operations.md "Intake", `config generate`. */
import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import type { Document, YAMLMap } from 'yaml';
import { intakeSection } from './intake-section.ts';
import type { Path } from './problem.ts';
import { metaAt } from './schema-walk.ts';

/** Every key with its default, and beside it what it takes; keys without a default stand as comments. */
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
}

const HEAD = ` The intake service: every key with its default. Serve it with:  skep intake -f <this file>
 embedded.path, jsonl.dir and logging.file.path lie under the data directory unless set here.
 Secrets are better read from the environment: EDGE_INTAKE_GATEWAY_SECRET, EDGE_INTAKE_SMTP_PASSWORD,
 EDGE_INTAKE_SMTP_OAUTH_SECRET, EDGE_INTAKE_WEBAPI_KEY, EDGE_INTAKE_CHAT_WEBHOOK.`;
