import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { noticesFile, noticesOf } from '../scripts/notices.ts';
import { preloadHome } from './preload-home.ts';

const notices: Plugin = {
  name: 'notices',
  apply: 'build',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    );
    const source = `The web UI contains these packages.\n\n${noticesOf(ids)}`;
    this.emitFile({ type: 'asset', fileName: noticesFile, source });
  },
};

export default defineConfig({
  plugins: [
    react(),
    preloadHome(['overview/overview-page.tsx', 'overview/live-metrics.tsx']),
    notices,
  ],
  build: {
    target: 'es2022',
    // The service forbids all inline content except styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: firstLoad, debugName: 'first' }] } },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' } },
});

type Modules = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>;

const known = new Map<string, boolean>();

/**
 * Modules of the web UI that every visit loads are in one file; splitting off what they share with
 * pages would make a dozen.
 */
function firstLoad(id: string, modules: Modules): string | null {
  return /\/web\/src\//.test(id) && isAlwaysLoaded(id, modules) ? 'first' : null;
}

function isAlwaysLoaded(id: string, modules: Modules): boolean {
  if (!known.has(id)) {
    known.set(id, false);
    const info = modules.getModuleInfo(id);
    const importers = info?.importers ?? [];
    known.set(id, info?.isEntry === true || importers.some((one) => isAlwaysLoaded(one, modules)));
  }
  return known.get(id) === true;
}
