import type { DialectName } from '../engine.ts';

export interface Migration {
  /** Numbers are never reused and never change once released. */
  id: number;
  name: string;
  up(dialect: DialectName): string[];
}
