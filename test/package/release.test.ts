import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/relay-process.ts';

const root = path.resolve(import.meta.dirname, '..', '..');
const script = path.join(root, 'scripts', 'release-notes.js');

interface Workflow {
  jobs: { release: { steps: { run?: string }[] } };
}

describe('a release', () => {
  it.each(['## 1.0.0-rc.1', '## [1.0.0-rc.1] - 2026-01-31', '## v1.0.0-rc.1'])(
    'takes its notes from the part %s',
    (heading) => {
      const folder = temporaryFolder();
      onTestFinished(folder.remove);
      const file = path.join(folder.path, 'CHANGELOG.md');
      writeFileSync(file, `# Changelog\n\n## [1.0.0]\n\nB\n\n${heading}\n\n### Added\n\n- A\n`);
      const notes = (version: string) =>
        spawnSync(process.execPath, [script, version, file], { encoding: 'utf8' });
      expect(notes('v1.0.0-rc.1')).toMatchObject({ status: 0, stdout: '### Added\n\n- A\n' });
      expect(notes('v1.0.0')).toMatchObject({ status: 0, stdout: 'B\n' });
      expect(notes('v1.0')).toMatchObject({ status: 1, stdout: '' });
    },
  );

  it('has its notes before anything is published', () => {
    const text = readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8');
    const { steps } = (parse(text) as Workflow).jobs.release;
    const first = (part: string) => steps.findIndex(({ run = '' }) => run.includes(part));
    expect(first('release-notes.js')).toBeGreaterThan(0);
    expect(first('npm publish')).toBeGreaterThan(first('release-notes.js'));
    // Its failure would be lost.
    expect(first('<(')).toBe(-1);
  });

  it('has notes for the version of the package', () => {
    const manifest = readFileSync(path.join(root, 'package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const notes = spawnSync(process.execPath, [script, `v${version}`], { encoding: 'utf8' });
    expect(notes).toMatchObject({ status: 0, stderr: '' });
  });
});
