import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  Tooltip,
} from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#e3f5f2',
  '#c8e9e4',
  '#97d5cb',
  '#63c1b3',
  '#3caf9f',
  '#23a493',
  '#12907f',
  '#0a776c',
  '#07655c',
  '#04514a',
];

const gray: MantineColorsTuple = [
  '#f6f8f8',
  '#eff3f3',
  '#e2e9e8',
  '#d3dcdb',
  '#b9c5c4',
  '#98a7a6',
  '#71817f',
  '#566563',
  '#384543',
  '#1d2826',
];

const dark: MantineColorsTuple = [
  '#dfe8e8',
  '#b5c3c4',
  '#94a5a7',
  '#6d7d80',
  '#445255',
  '#303c3f',
  '#222c2f',
  '#192124',
  '#131a1c',
  '#0d1315',
];

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 7 },
  colors: { petrol, gray, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily:
    'Inter, "Segoe UI Variable Text", "Segoe UI", system-ui, -apple-system, Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, withArrow: true, zIndex: 400 } }),
    // After a choice by keyboard, the focus returns.
    Menu: Menu.extend({ defaultProps: { returnFocus: true } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } },
      styles: {
        content: { background: 'var(--surface)' },
        header: { background: 'var(--surface)' },
        title: { fontSize: '1.125rem', fontWeight: 650 },
      },
    }),
  },
});

/** Surfaces, lines and states in addition to those of the component library. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f2f5f5',
    '--mantine-color-text': '#17211f',
    '--mantine-color-dimmed': '#566361',
    '--mantine-color-placeholder': '#6b7876',
    '--mantine-color-default-border': '#d5dedd',
    '--surface': '#ffffff',
    '--surface-sunken': '#f7f9f9',
    '--surface-hover': '#eef3f2',
    '--line': '#e0e7e6',
    '--accent-soft': '#e0f2ef',
    '--accent-text': '#076459',
    '--ok': '#18794e',
    '--ok-soft': '#e2f4ea',
    '--warn': '#8a5300',
    '--warn-soft': '#fdf0d9',
    '--bad': '#b42318',
    '--mantine-color-error': '#b42318',
    '--mantine-color-yellow-light': '#fdf0d9',
    '--bad-soft': '#fdeae8',
    '--shadow-1': '0 1px 2px rgb(18 38 36 / 5%), 0 2px 10px rgb(18 38 36 / 4%)',
    '--shadow-2': '0 8px 30px rgb(18 38 36 / 16%)',
  },
  dark: {
    '--mantine-color-body': '#0e1416',
    '--mantine-color-text': '#e2eaea',
    '--mantine-color-dimmed': '#9badae',
    '--mantine-color-placeholder': '#829496',
    '--mantine-color-default-border': '#303c3f',
    '--surface': '#161e20',
    '--surface-sunken': '#12191b',
    '--surface-hover': '#1e282b',
    '--line': '#263134',
    '--accent-soft': '#12312e',
    '--accent-text': '#63c9ba',
    // The library's colour is almost black on these surfaces.
    '--mantine-color-petrol-light': '#174640',
    '--mantine-color-petrol-light-hover': '#1c534c',
    '--mantine-color-petrol-light-color': '#c4efe7',
    '--ok': '#5bc98c',
    '--ok-soft': '#14301f',
    '--warn': '#e5a948',
    '--warn-soft': '#33260e',
    '--bad': '#f48b80',
    '--mantine-color-error': '#f48b80',
    '--mantine-color-yellow-light': '#33260e',
    '--bad-soft': '#3a1a17',
    '--shadow-1': '0 1px 2px rgb(0 0 0 / 30%)',
    '--shadow-2': '0 10px 36px rgb(0 0 0 / 55%)',
  },
});
