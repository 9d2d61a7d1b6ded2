import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root.ts';

const manifest = path.join(packageRoot, 'package.json');

export const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
