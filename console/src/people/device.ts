/** Which program on which system a session is of, as far as `User-Agent` says so. Pure. */
const PROGRAMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node$|\bundici\b/, 'Node.js'],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const PARTS_MAX = 60;

export interface Device {
  /** `Firefox · Linux`; the text itself where it names no program that is known; null without one. */
  readonly name: string | null;
  readonly isHandheld: boolean;
}

export function deviceOf(agent: string | null): Device {
  const find = (table: typeof PROGRAMS): string | undefined => table.find(([sign]) => sign.test(agent ?? ''))?.[1];
  const [program, system] = [find(PROGRAMS), find(SYSTEMS)];
  const known = [program, system].filter((part) => part !== undefined).join(' · ');
  const raw = agent === null || agent === '' ? null : agent.slice(0, PARTS_MAX);
  return { name: known === '' ? raw : known, isHandheld: /Android|iPhone|iPad/.test(agent ?? '') };
}
