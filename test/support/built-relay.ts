import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildFolder } from '../../scripts/build-folder.ts';
import { bundle } from '../../scripts/bundle.ts';
import { hashOfSources } from '../../scripts/service-sources.js';
import { serve } from './local-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the path of the launcher of the bundled service, which the first request builds. */
    relayAt: string;
  }
}

const root = path.resolve(import.meta.dirname, '..', '..');

/**
 * Builds the bundle of the package for tests that start processes: it starts in half the processor
 * time of the sources.
 */
export default function provideRelay(project: TestProject): Promise<() => Promise<void>> {
  const builds = new Map<string, Promise<string>>();
  let hash = '';
  return serve(async (_request, response) => {
    // In watch mode, sources change while this runs.
    if (hash === '' || project.vitest.config.watch) hash = hashOfSources(root);
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
  const folder = path.join(root, '.cache', 'built', hash);
  await buildFolder(folder, writePackage);
  return path.join(folder, 'bin', 'bot-relay.js');
}

async function writePackage(folder: string): Promise<void> {
  await bundle(path.join(folder, 'dist'));
  for (const part of ['package.json', 'bin']) {
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  // Node is the one that a launcher under an older Node starts.
  mkdirSync(path.join(folder, 'node_modules'));
  for (const part of ['docs', 'web', path.join('node_modules', 'node')]) {
    symlinkSync(path.join(root, part), path.join(folder, part), 'junction');
  }
}
