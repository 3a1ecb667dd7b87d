/** docs/reference/platform-file.md: every key of the platform file, out of the schema that checks it. */
import { platformFile } from '#config/platform.ts';
import { keysOf } from '#config/schema-walk.ts';
import { keyTable } from './key-table.ts';

/** The contract, from the page. */
const CONTRACT = '../contract';

const HEAD = `<!-- Generated from the schema by \`npm run generate\`. -->
# The platform file

The file of \`skep -f\`: every key, what it takes, and what counts without it. A key that is not here is an error; \`skep config show -f <file>\` prints the
effective values, \`skep config generate bootstrap-dev\` a commented file to begin with. \`\${NAME}\` reads the environment, a relative path starts at the
file. \`[]\` stands for an item of a list, \`<name>\` for a name of yours. What the keys mean: [platform](${CONTRACT}/platform.md) and the page of each
service in [the contract](${CONTRACT}/README.md). Paths and numbers of threads that stand without a default here are decided at the start.
`;

/** The page, a part for each section of the file. */
export function platformPage(): string {
  const keys = keysOf(platformFile);
  const sections = [...new Set(keys.map(({ path }) => path[0]!))];
  const parts = sections.map((section) => {
    const rows = keys.filter(({ path }) => path[0] === section);
    return `\n## ${section}\n\n${keyTable(rows)}`;
  });
  return HEAD + parts.join('');
}
