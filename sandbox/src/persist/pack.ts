import type { WorldState } from '../world/records.ts';
import type { World } from '../world/world.ts';

interface PackOptions {
  /** False if the bytes of uploaded files are saved separately. */
  withBytes: boolean;
  /** Maps that are written separately and left empty here. */
  apart?: { has(map: Map<string | number, unknown>): boolean };
}

/** Serializes content with maps and bytes as JSON on one line. */
export function pack(content: unknown, { withBytes, apart }: PackOptions): string {
  return JSON.stringify(content, function mark(this: Record<string, unknown>, key, value: unknown) {
    const original = this[key];
    if (original instanceof Map) return { $map: apart?.has(original) ? [] : [...original] };
    if (original instanceof Buffer) return { $bytes: withBytes ? original.toString('base64') : '' };
    return isMarked(value) ? { $plain: Object.entries(value) } : value;
  });
}

/** Buttons, contacts and the like are stored unchanged, so they may contain any name. */
const isMarked = (value: unknown): value is object =>
  value !== null &&
  typeof value === 'object' &&
  ('$map' in value || '$bytes' in value || '$plain' in value);

export function unpack(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown) => {
    if (value === null || typeof value !== 'object') return value;
    if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
    if ('$bytes' in value) return Buffer.from(value.$bytes as string, 'base64');
    if ('$plain' in value) return Object.fromEntries(value.$plain as [string, unknown][]);
    return value;
  });
}

export function packState(world: World, options: PackOptions): string {
  world.state.random = world.random.state();
  world.state.aheadMs = world.clock.aheadMs();
  return pack(world.state, options);
}

export function unpackState(json: string): WorldState {
  const state = unpack(json) as WorldState;
  if (state.version !== 1) throw new Error('The sandbox data was written by another version.');
  return state;
}
