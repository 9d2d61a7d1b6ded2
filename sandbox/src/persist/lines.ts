import type { WorldState } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { pack, packState, unpack, unpackState } from './pack.ts';

/*
 * Reads and writes a saved world: a file of lines, first the large collections in parts, and last
 * everything else. The sandbox runs between two lines, so written parts may become outdated. Before
 * the last line, additions since then are written, and from there on nothing else runs: every
 * reference is complete. Other changes in between are in the next file.
 */

const collections = [
  'users',
  'rooms',
  'files',
  'polls',
  'callbacks',
  'inlineQueries',
  'inlineMessages',
  'payments',
  'invoiceLinks',
] as const;

type Key = string | number;
type Records = Map<Key, unknown>;
type Contents = [section: 'messages' | 'updates', owner: Key, records: { id: number }[]];
type Shelf = [section: (typeof collections)[number], owner: null, entries: [Key, unknown][]];

/** Records of these collections need no marking, which would take most of the time. */
const plainLine = /^\["(?:messages|updates)"/u;
const plain = (record: unknown): string => JSON.stringify(record);

/** Writing one chunk takes less than a millisecond. */
const chunkCharacters = 64 * 1024;

/** The written keys. IDs only grow, so a range is enough. */
interface Written {
  keys: Set<Key>;
  first: number;
  last: number;
}

function isNew(written: Written, key: Key): boolean {
  if (typeof key === 'string') {
    if (written.keys.has(key)) return false;
    written.keys.add(key);
    return true;
  }
  if (key >= written.first && key <= written.last) return false;
  written.first = Math.min(written.first, key);
  written.last = Math.max(written.last, key);
  return true;
}

function* linesOf(
  [section, owner]: readonly [string, Key | null],
  records: Records,
  written: Written,
  show: (record: unknown, key: Key) => string,
): Generator<string> {
  const line = (body: string): string => `["${section}",${JSON.stringify(owner)},[${body}]]\n`;
  let body = '';
  for (const [key, record] of records) {
    if (!isNew(written, key)) continue;
    body += `${body === '' ? '' : ','}${show(record, key)}`;
    if (body.length < chunkCharacters) continue;
    yield line(body);
    body = '';
  }
  if (body !== '') yield line(body);
}

/**
 * Writes the file in parts. With `pause`, other work runs between two of them; without it the world
 * stops meanwhile.
 */
export async function writeLines(world: World, pause?: () => Promise<unknown>): Promise<Buffer[]> {
  const apart = new Map<Records, Written>();
  const mark = (records: Records): Written => {
    const mine = apart.get(records) ?? { keys: new Set(), first: Infinity, last: -Infinity };
    apart.set(records, mine);
    return mine;
  };
  const { state } = world;
  const packed = (record: unknown, key: Key): string =>
    pack([key, record], { withBytes: false, apart });
  function* missing(): Generator<string> {
    for (const { key, messages } of state.rooms.values()) {
      yield* linesOf(['messages', key], messages, mark(messages), plain);
    }
    for (const { id, updates } of state.bots.values()) {
      yield* linesOf(['updates', id], updates, mark(updates), plain);
    }
    for (const section of collections) {
      const records: Records | undefined = state[section];
      if (records) yield* linesOf([section, null], records, mark(records), packed);
    }
  }
  // Encode each chunk at once, because joining and encoding everything together would block for too
  // long.
  const chunks: Buffer[] = [];
  let chunk = '';
  for (const line of missing()) {
    chunk += line;
    if (chunk.length < chunkCharacters) continue;
    chunks.push(Buffer.from(chunk));
    chunk = '';
    if (pause) await pause();
  }
  if (pause) for (const line of missing()) chunk += line;
  chunks.push(Buffer.from(chunk + packState(world, { withBytes: false, apart })));
  return chunks;
}

/** Also reads the older format, one JSON object. */
export function readLines(text: string): WorldState {
  if (!text.startsWith('[')) return unpackState(text);
  const lines = text.split('\n');
  const state = unpackState(lines.pop() ?? '');
  // Messages and updates come first in the file, but belong to records that come after them.
  for (const line of lines.filter((one) => !plainLine.test(one))) {
    const [section, , entries] = unpack(line) as Shelf;
    const records = state[section] as Records;
    for (const [key, record] of entries) records.set(key, record);
  }
  for (const line of lines.filter((one) => plainLine.test(one))) {
    const [section, owner, contents] = JSON.parse(line) as Contents;
    const records: Records | undefined =
      section === 'messages'
        ? state.rooms.get(owner as string)?.messages
        : state.bots.get(owner as number)?.updates;
    for (const record of contents) records?.set(record.id, record);
  }
  return state;
}
