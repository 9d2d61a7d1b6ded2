import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram, runCommand } from '../../src/cli.ts';
import { asTyped } from '../../src/cli/as-typed.ts';
import { processSurroundings } from '../../src/cli/environment.ts';
import { commandNameFor } from '../../src/command-name.ts';
import { packageRoot } from '../../src/package-root.ts';

describe('the CLI', () => {
  it('names the command as it was started', () => {
    const env = {};
    const inClone = (cwd: string) => commandNameFor({ isClone: true, cwd, env });
    const program = path.join('bin', 'bot-relay.js');
    expect(inClone(packageRoot)).toBe(`node ${program}`);
    expect(inClone(path.join(packageRoot, 'bin'))).toBe('node bot-relay.js');
    expect(inClone(path.join(packageRoot, 'docs'))).toBe(`node ${path.join(packageRoot, program)}`);
    const installed = { isClone: false, cwd: packageRoot };
    expect(commandNameFor({ ...installed, env })).toBe('bot-relay');
    expect(commandNameFor({ ...installed, env: { npm_command: 'exec' } })).toBe('npx bot-relay');
  });

  it('puts that name into every hint, and changes nothing else', () => {
    for (const command of createProgram(processSurroundings(), () => {}).commands) {
      expect(asTyped(`See "bot-relay ${command.name()}".`, 'npx $& x')).toBe(
        `See "npx $& x ${command.name()}".`,
      );
    }
    const others = 'bot-relay: ./bot-relay start, bot-relay.yaml, a folder bot-relay is here';
    expect(asTyped(others, 'npx bot-relay')).toBe(others);
  });

  it('prints the name in help and errors', async () => {
    const printed: string[] = [];
    const write = (text: string) => void printed.push(text);
    const surroundings = { ...processSurroundings(), out: write, err: write };
    await runCommand(['bots', '--help'], surroundings);
    await runCommand(['bots', 'lst'], surroundings);
    expect(printed.join('')).toMatch(/^Usage: node \S*bot-relay\.js bots /);
    expect(printed.join('')).toMatch(/See "node \S*bot-relay\.js bots --help"/);
  });
});
