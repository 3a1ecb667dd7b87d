/** A JSON log line in a form for people: date and time in UTC, level when it is not info, service, message, fields. */

interface Line {
  readonly level: string;
  readonly time: string;
  readonly service?: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

/** One line of text (a stack adds more). A line that is not JSON comes back unchanged. */
export function lineText(json: string): string {
  let line: Line;
  try {
    line = JSON.parse(json) as Line;
  } catch {
    return json;
  }
  const { level, time, service = '', msg = '', err, ...fields } = line;
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `;
  const stack = err === undefined ? '' : `\n  ${(err.stack ?? err.message ?? '').replaceAll('\n', '\n  ')}`;
  return `${time} ${mark}${service}: ${msg}${fieldText(fields)}${stack}\n`;
}

function fieldText(fields: Readonly<Record<string, unknown>>): string {
  let out = '';
  for (const [name, value] of Object.entries(fields))
    out += ` ${name}=${typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value)}`;
  return out;
}
