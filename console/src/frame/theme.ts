/** How the console looks: one accent, greys of one hue, dense. What contrast each pair of colours has is held by the browser test (axe). */
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const honey: MantineColorsTuple = [
  '#fff7e3',
  '#fdecc6',
  '#f9da92',
  '#f3c65a',
  '#edb42f',
  '#e2a516',
  '#c98f0a',
  '#9c6c00',
  '#7d5600',
  '#5e4000',
];

export const theme = createTheme({
  primaryColor: 'honey',
  primaryShade: { light: 5, dark: 4 },
  autoContrast: true,
  respectReducedMotion: true,
  colors: { honey },
  defaultRadius: 6,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  headings: { sizes: { h1: { fontSize: '20px', lineHeight: '28px' }, h2: { fontSize: '14px', lineHeight: '22px' } } },
});

/** Mantine's dimmed text is too pale for small letters on either ground. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-error': '#a51111',
    '--mantine-color-dimmed': '#5a6068',
    '--skep-ground': '#f6f6f4',
    '--skep-line': '#e0e0dc',
    '--skep-line-1': '#9c6c00',
    '--skep-line-2': '#4a5560',
  },
  dark: {
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-dimmed': '#a9adb3',
    '--skep-ground': '#1b1b1a',
    '--skep-line': '#3a3a38',
    '--skep-line-1': '#edb42f',
    '--skep-line-2': '#b4bcc6',
  },
});
