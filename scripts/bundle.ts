// Bundles the service and the sandbox with everything they need, for the package and for the tests.
import { cpSync, globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
const modules = path.join(root, 'node_modules');
/** The files that Node starts or programs import; threads and child processes keep their place below src/. */
const entries = ['src/cli', 'src/client', ...workers()];

/** Bundles packages that are required at their first use; their code still runs only then. */
const lateRequires: Plugin = {
  name: 'late requires',
  transform: {
    filter: { code: 'createRequire(import.meta.url)(' },
    handler: (code) => code.replaceAll('createRequire(import.meta.url)(', 'require('),
  },
};

/**
 * Bundles only those parts of undici that the service uses. The whole package has a fetch, a cache and
 * more of its own, which take 3 MB of memory.
 */
const partsOfUndici: Plugin = {
  name: 'parts of undici',
  resolveId: (name) => (name === 'undici' ? '\0undici' : undefined),
  load: (id) => {
    if (id !== '\0undici') return undefined;
    const part = (name: string) => JSON.stringify(path.join(modules, 'undici', 'lib', name));
    return `
      import Agent from ${part('dispatcher/agent.js')};
      import Client from ${part('dispatcher/client.js')};
      import Dispatcher from ${part('dispatcher/dispatcher.js')};
      import Pool from ${part('dispatcher/pool.js')};
      import api from ${part('api/index.js')};
      import buildConnector from ${part('core/connect.js')};
      Object.assign(Dispatcher.prototype, api);
      export { Agent, Client, Pool, buildConnector };`;
  },
};

function workers(): string[] {
  return globSync('src/store/sqlite/*-worker.ts', { cwd: root }).map((file) =>
    file.replace(/\.ts$/, ''),
  );
}

/** Writes the bundles and the files that they read to a folder; returns the modules that are part of them. */
export async function bundle(output: string): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    platform: 'node',
    // These are optional parts of the database driver that nothing here uses.
    external: [/^node:/, 'pg-native', 'pg-cloudflare'],
    plugins: [lateRequires, partsOfUndici],
  });
  const { output: files } = await build.write({
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/[name]-[hash].js',
    // Functions keep their names, so that a stack trace is readable.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: { function: true, class: true } },
    },
  });
  await build.close();
  for (const file of files) {
    if (file.type === 'chunk') writeFileSync(path.join(output, file.fileName), inAscii(file.code));
  }
  for (const file of globSync('src/**/*.{json,css,js}', { cwd: root })) {
    cpSync(path.join(root, file), path.join(output, file), { errorOnExist: true, force: false });
  }
  return files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * Escapes other characters, because V8 stores a text with a single one in two bytes per character:
 * 4 MB of memory more.
 */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
