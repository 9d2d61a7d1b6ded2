import type { Command } from 'commander';
import { version } from '../version.ts';
import { createContext } from './context.ts';
import { printResult } from './output.ts';

export function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('print the version')
    .action((_options, command: Command) => {
      printResult(createContext(command).output, { version, node: process.version }, version);
    });
}
