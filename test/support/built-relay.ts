import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../scripts/bundle.ts';
import { serve } from './local-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the path of the launcher of the bundled service, which the first request builds. */
    relayAt: string;
  }
}

const root = path.resolve(import.meta.dirname, '..', '..');
const cache = path.join(root, '.cache', 'built');
const keptMs = 86_400_000;

/**
 * Builds the bundle of the package for tests that start processes: it starts in half the processor
 * time of the sources.
 */
export default function provideRelay(project: TestProject): Promise<() => Promise<void>> {
  const builds = new Map<string, Promise<string>>();
  return serve(async (_request, response) => {
    // In watch mode, sources change while this runs.
    const hash = hashOfSources();
    const built = builds.get(hash) ?? buildRelay(hash);
    builds.set(hash, built);
    await built.then(
      (launcher) => response.end(launcher),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).then(({ url, close }) => {
    project.provide('relayAt', url);
    return close;
  });
}

/** Returns the launcher of a package of the present sources. Unchanged sources are built only once. */
async function buildRelay(hash: string): Promise<string> {
  const folder = path.join(cache, hash);
  const launcher = path.join(folder, 'bin', 'bot-relay.js');
  if (!existsSync(folder)) await writePackage(folder);
  const now = new Date();
  utimesSync(folder, now, now);
  for (const name of readdirSync(cache)) {
    const other = path.join(cache, name);
    // Another run may still use a younger one.
    const usedAt = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (usedAt < now.getTime() - keptMs) rmSync(other, { recursive: true, force: true });
  }
  return launcher;
}

/** Changes with any file that the package is built from. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const patterns = [
    'package.json',
    'package-lock.json',
    'bin/*',
    'scripts/bundle.ts',
    '{src,sandbox/src}/**/*',
  ];
  const files = globSync(patterns, { cwd: root, exclude: ['**/*.test.ts'] });
  for (const file of files.toSorted()) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 20);
}

/** Publishes it by a rename, because several runs may build at the same time. */
async function writePackage(folder: string): Promise<void> {
  const staging = path.join(cache, randomUUID());
  mkdirSync(staging, { recursive: true });
  await bundle(path.join(staging, 'dist'));
  for (const part of ['package.json', 'bin']) {
    cpSync(path.join(root, part), path.join(staging, part), { recursive: true });
  }
  // Node is the one that a launcher under an older Node starts.
  mkdirSync(path.join(staging, 'node_modules'));
  for (const part of ['docs', 'web', path.join('node_modules', 'node')]) {
    symlinkSync(path.join(root, part), path.join(staging, part), 'junction');
  }
  try {
    renameSync(staging, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(staging, { recursive: true });
  }
}
