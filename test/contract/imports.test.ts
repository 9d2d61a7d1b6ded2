import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkImports } from '../../scripts/check-imports.ts';
import { type ImportRule, importRules } from '../../scripts/import-rules.ts';
import { temporaryFolder } from '../support/relay-process.ts';

/** Returns what is wrong with the imports of these files. */
function problemsOf(
  files: Record<string, string>,
  rules: readonly ImportRule[] = importRules,
  fewest: Record<string, number> = {},
): string[] {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  for (const [name, source] of Object.entries(files)) {
    const file = path.join(folder.path, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, source);
  }
  return checkImports(folder.path, rules, fewest).problems;
}

const store = { 'src/store/a.ts': 'export const a = 1;\nexport type A = 1;\n' };

describe('the check of imports', () => {
  it.each([
    ["import { a } from '../store/a.ts';"],
    ["import { type A } from '../store/a.ts';"],
    ["import '../store/a.ts';"],
    ["export { a } from '../store/a.ts';"],
    ["export * from '../store/a.ts';"],
    ["const a = await import('../store/a.ts');"],
    ['const a = await import(`../store/a.ts`);'],
    ["const a = require('../store/a.ts');"],
    ["const a = createRequire(import.meta.url)('../store/a.ts');"],
  ])('finds %s where only types may be imported', (source) => {
    expect(problemsOf({ ...store, 'src/http/b.ts': source })).toEqual([
      expect.stringMatching(/^src\/http\/b\.ts imports src\/store\/a\.ts: http-imports /),
    ]);
  });

  it.each([
    ["import type { A } from '../store/a.ts';"],
    ["export type { A } from '../store/a.ts';"],
    ["export type B = import('../store/a.ts').A;"],
    ["// import { a } from '../store/a.ts';\nimport '../core/c.ts';"],
  ])('accepts %s there', (source) => {
    const files = { ...store, 'src/core/c.ts': '', 'src/http/b.ts': source };
    expect(problemsOf(files)).toEqual([]);
  });

  it('finds types where none may be imported', () => {
    const source = "import type { A } from '../store/a.ts';";
    expect(problemsOf({ ...store, 'src/core/b.ts': source })).toHaveLength(1);
    expect(problemsOf({ ...store, 'src/core/b.ts': source }, [])).toEqual([]);
    const inPlace = "export type B = import('../store/a.ts').A;";
    expect(problemsOf({ ...store, 'src/core/b.ts': inPlace })).toHaveLength(1);
  });

  it('finds workspaces by their names', () => {
    const source = "import { createSandbox } from '@bot-relay/sandbox';";
    expect(problemsOf({ 'src/http/b.ts': source })).toHaveLength(1);
  });

  it.each([
    ['await import(name);'],
    ['await import(`../store/${name}.ts`);'],
    ['require(name);'],
    ['createRequire(import.meta.url)(name);'],
  ])('finds %s in the program, where it cannot tell what is imported', (source) => {
    expect(problemsOf({ 'src/http/b.ts': source })).toEqual([
      'src/http/b.ts imports a file whose name only running it tells',
    ]);
    expect(problemsOf({ 'test/http/b.ts': source })).toEqual([]);
  });

  it('finds modules of Node by their names', () => {
    const source = "import { DatabaseSync } from 'node:sqlite';";
    expect(problemsOf({ 'src/relay/b.ts': source })).toHaveLength(1);
    expect(problemsOf({ 'src/store/b.ts': source })).toEqual([]);
  });

  it('finds cycles, also of types, and files that do not exist', () => {
    const cycle = {
      'test/a.ts': "import './b.ts';\n",
      'test/b.ts': "import './c.tsx?raw';\nexport * from './d.ts';\n",
      'test/c.tsx': "import type { A } from './a.ts';\n",
      'test/d.ts': "import './gone.ts';\n",
    };
    expect(problemsOf(cycle, []).sort()).toEqual([
      'a cycle: test/a.ts → test/b.ts → test/c.tsx → test/a.ts',
      'test/d.ts imports test/gone.ts, which does not exist',
    ]);
  });

  it('fails if it read too little', () => {
    const files = { 'src/a.ts': '', 'web/src/a.ts': "import './b.ts';", 'web/src/b.ts': '' };
    expect(problemsOf(files, [], { src: 1, 'web/src': 1 })).toEqual([
      'only 0 imports of src were read',
    ]);
  });
});
