import type { Command } from 'commander';
import { version } from '../version.ts';
import type { ContextOf } from './context.ts';
import { printResult } from './output.ts';

export function addVersionCommand(program: Command, contextOf: ContextOf): void {
  program
    .command('version')
    .description('print the version')
    .action((_options, command: Command) => {
      printResult(contextOf(command).output, { version, node: process.version }, version);
    });
}
