// The import rules of docs/architecture.md, which `check-imports.ts` applies.

/** Regular expressions, one of which must match a path from the root. */
type Patterns = string | readonly string[];

/** Forbids that files in `from` import files in `to`. */
export interface ImportRule {
  name: string;
  comment?: string;
  from: { path: Patterns; pathNot?: Patterns };
  to: {
    /** Of packages and of modules of Node, the name. */
    path: Patterns;
    pathNot?: Patterns;
    /** `import type` is allowed. */
    typesAllowed?: boolean;
  };
}

/** Folders of web/src that a folder of it may import, beside its own. */
const pageMayImport = {
  api: [],
  i18n: [],
  ui: ['i18n'],
  shared: ['api', 'i18n', 'ui'],
  pages: ['api', 'i18n', 'ui', 'shared'],
  app: ['api', 'i18n', 'ui', 'shared', 'pages'],
};

const pageRules: ImportRule[] = Object.entries(pageMayImport).map(([folder, allowed]) => ({
  name: `web-${folder}-imports`,
  comment: `web/src/${folder} may import only: ${[folder, ...allowed].join(', ')}`,
  from: { path: `^web/src/${folder}/` },
  to: { path: '^web/src/', pathNot: `^web/src/(${[folder, ...allowed].join('|')})/` },
}));

/** Files of ours that a folder of src may import, beside its own. */
const mayImport = {
  core: ['errors', 'clock'],
  store: ['core/', 'errors', 'clock', 'logger', 'config', 'version', 'package-root'],
  telegram: ['core/', 'errors', 'clock', 'logger', 'tracing', 'config'],
  llm: ['core/', 'errors', 'clock', 'logger', 'config'],
  relay: ['core/', 'store/', 'telegram/', 'llm/', 'errors', 'clock', 'logger', 'tracing', 'config'],
  manage: ['core/', 'store/', 'telegram/', 'llm/', 'errors', 'clock', 'logger', 'config'],
  http: [
    'core/',
    'manage/',
    'relay/',
    'errors',
    'clock',
    'logger',
    'tracing',
    'config',
    'package-root',
  ],
};

const folderRules: ImportRule[] = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder} may import only: itself, ${allowed.join(', ') || 'nothing else of ours'}`,
  from: { path: `^src/${folder}/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^(src|sandbox|web|test|bench|scripts)/',
    pathNot: [
      `^src/${folder}/`,
      ...allowed.map((part) => `^src/${part}${part.endsWith('/') ? '' : '\\.ts$'}`),
    ],
    // The store's row types may cross; its queries may not.
    ...(folder === 'http' ? { typesAllowed: true } : {}),
  },
}));

/** The floors of src/store, from the ground up: a folder may import only lower floors. */
const storeFloors = [
  ['engine', 'group-commit', 'outage'],
  ['sql', 'background-work'],
  ['migrations'],
  ['schema'],
  ['conversations'],
  ['access', 'stats'],
  ['log', 'cluster', 'sqlite'],
  ['delivery', 'routing', 'postgres'],
  ['apps'],
  ['bots', 'messages'],
  ['outbox', 'people'],
  ['questions'],
  ['alerts', 'desks', 'import', 'service'],
];

const storeRules: ImportRule[] = storeFloors.flatMap((floor, level) =>
  floor.map((folder) => ({
    name: `store-${folder}-imports`,
    comment: `src/store/${folder} may import only lower floors of src/store`,
    from: { path: `^src/store/${folder}/` },
    to: {
      path: '^src/store/',
      pathNot: `^src/store/(${[folder, ...storeFloors.slice(0, level).flat()].join('|')})(/|\\.ts$)`,
    },
  })),
);

export const importRules: readonly ImportRule[] = [
  {
    name: 'workspaces-by-their-paths',
    comment: 'the other rules read paths',
    from: { path: '' },
    to: { path: '^@bot-relay/' },
  },
  ...folderRules,
  ...pageRules,
  ...storeRules,
  {
    name: 'http-takes-only-types-of-store',
    from: { path: '^src/http/', pathNot: '\\.test\\.ts$' },
    to: { path: '^(sandbox|src/(telegram|llm|cli|main|config/))' },
  },
  {
    name: 'endpoints-call-services-only',
    comment: 'an endpoint asks a service; the types of what it answers come from the service',
    from: { path: '^src/http/api/', pathNot: '\\.test\\.ts$' },
    to: { path: '^src/store/' },
  },
  {
    name: 'leaves',
    comment:
      'errors, clock, logger, tracing and the API client are imported by many, so they import nothing of ours but the reasons',
    from: { path: '^src/(errors|clock|logger|tracing|api|api-types|api-client)\\.ts$' },
    to: { path: '^src/', pathNot: '^src/((errors|api|api-types)\\.ts$|core/reasons/)' },
  },
  {
    name: 'config-is-a-leaf',
    from: { path: '^src/config(\\.ts$|/)' },
    to: { path: '^src/', pathNot: '^src/(config(\\.ts$|/)|errors\\.ts$|core/reasons/)' },
  },
  {
    name: 'only-the-top-knows-the-top',
    from: {
      path: '^src/',
      pathNot: ['^src/cli(\\.ts$|/)', '^src/main(\\.ts$|/)', '^src/demo/', '\\.test\\.ts$'],
    },
    to: { path: '^src/(main|cli)(\\.ts$|/)' },
  },
  {
    name: 'nothing-below-the-command-knows-it',
    from: { path: '^src/(main(\\.ts$|/)|demo/)', pathNot: '\\.test\\.ts$' },
    to: { path: '^src/cli(\\.ts$|/)' },
  },
  {
    name: 'only-the-command-starts-the-demo',
    from: { path: '^src/', pathNot: ['^src/demo/', '^src/cli(\\.ts$|/)'] },
    to: { path: '^src/demo/' },
  },
  {
    name: 'the-sandbox-stands-alone',
    comment: 'the sandbox shares no code with the service it stands in for',
    from: { path: '^sandbox/' },
    to: { path: '^(src|web|test|bench|scripts)/' },
  },
  {
    name: 'only-the-entry-of-the-sandbox',
    comment:
      'the sandbox is a workspace of its own; its tests may look inside, everything else imports the entry, and two leaves: its options, which the command lists, and the types of its answers, which the page uses',
    from: { path: '^(src|web|test|bench|scripts)/', pathNot: '^test/sandbox/' },
    to: { path: '^sandbox/', pathNot: '^sandbox/src/(index|start-options|answers)\\.ts$' },
  },
  {
    name: 'no-tests-in-the-program',
    from: { path: '^src/', pathNot: '\\.test\\.ts$' },
    to: { path: ['^test/', '^bench/', '^scripts/', '\\.test\\.ts$'] },
  },
  {
    name: 'the-page-takes-only-types',
    comment:
      'and the tables of reader, update and alert kinds, bot settings, condition types, reasons of routing and of timelines, and alert sentences, which are plain data',
    from: { path: '^web/' },
    to: {
      path: '^(src|sandbox|test|bench|scripts)/',
      pathNot:
        '^src/core/(bots/bot-settings|log/(reader|update)-kinds|alerts/(alerts|kinds/[a-z-]+)|routing/condition-types|reasons/(routing|timeline))\\.ts$',
      typesAllowed: true,
    },
  },
  {
    name: 'only-tests-know-the-page',
    from: { path: '^(src|bin|bench|scripts)/' },
    to: { path: '^web/' },
  },
  {
    name: 'sql-stays-in-the-store',
    comment:
      'others compose the steps that repositories give; only a file of a database is read or copied by its path',
    from: {
      path: '^src/',
      pathNot: ['^src/store/', '^src/main/open-engine\\.ts$', '\\.test\\.ts$'],
    },
    to: {
      path: '^src/store/(engine\\.ts$|sql/|sqlite/|postgres/|migrations/|schema/)',
      pathNot: [
        '^src/store/sqlite/(backup-process|database-file|data-dir-lock)\\.ts$',
        '^src/store/migrations/index\\.ts$',
        '^src/store/sql/stamped-cache\\.ts$',
      ],
      typesAllowed: true,
    },
  },
  {
    name: 'sqlite-stays-in-the-store',
    from: { path: '^src/', pathNot: ['^src/store/', '\\.test\\.ts$'] },
    to: { path: '^(node:)?sqlite$' },
  },
];
