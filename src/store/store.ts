import type { Vault } from '../core/vault.ts';
import type { Engine } from './engine.ts';

/**
 * Everything that is kept. Each member is one kind of thing with its queries, written once for
 * both engines in the file of that name.
 */
export interface Store {
  engine: Engine;
  vault: Vault;
}

export function createStore(engine: Engine, vault: Vault): Store {
  return { engine, vault };
}
