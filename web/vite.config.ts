import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { preloadHome } from './preload-home.ts';

export default defineConfig({
  plugins: [react(), preloadHome('pages/overview/live-metrics.tsx')],
  build: {
    target: 'es2022',
    // The service forbids inline content of every kind but styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' } },
});
