// Bundles the service for `npm start`: `prepare.js` runs this when the sources have changed. One large
// file takes less memory and starts faster than a thousand sources.
import path from 'node:path';
import { buildFolder } from './build-folder.ts';
import { bundle } from './bundle.ts';
import { bundleFolder } from './service-sources.js';

await buildFolder(bundleFolder(path.resolve(import.meta.dirname, '..')), bundle);
