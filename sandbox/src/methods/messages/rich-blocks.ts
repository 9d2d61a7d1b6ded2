import type { RichBlock, RichBlockListItem } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { readRichButton, readRichText, type TextRules } from '../../rich/rich-text.ts';
import type { MediaKind } from '../../world/messages/media.ts';
import type { Call } from '../call.ts';
import { readMedia } from './input-media.ts';
import { itemParams } from './media.ts';
import { asNumber, asText } from '../params.ts';

/* Turns blocks of a rich message as a bot sent them into those that a message shows. */

type Fields = Record<string, unknown>;

export interface BlockRules {
  call: Call;
  text: TextRules;
  /** Media that a link `tg://photo?id=…` refers to. */
  media: ReadonlyMap<string, unknown>;
  /** True for drafts, which may show "Thinking…", but nothing that has to be uploaded first. */
  isDraft: boolean;
}

const mostBlocks = 500;
const mostLevels = 16;
const mostMedia = 50;
const mostColumns = 20;

const mediaBlockKinds = new Map<string, MediaKind>([
  ['photo', 'photo'],
  ['video', 'video'],
  ['animation', 'animation'],
  ['audio', 'audio'],
  ['document', 'document'],
  ['voice_note', 'voice'],
]);

const wrong = (reason: string) => badRequest(`can't parse RichBlock: ${reason}`);

function listOf(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw wrong(`field "${name}" must be an Array`);
  return value as unknown[];
}

/** Reads all blocks; the limits count over all of them. */
export function readBlocks(given: readonly unknown[], rules: BlockRules): Promise<RichBlock[]> {
  return new BlockReader(rules).read(given);
}

class BlockReader {
  readonly #rules: BlockRules;
  #blockCount = 0;
  #mediaCount = 0;

  constructor(rules: BlockRules) {
    this.#rules = rules;
  }

  read(given: readonly unknown[]): Promise<RichBlock[]> {
    return this.#all(given, 1);
  }

  async #all(list: readonly unknown[], level: number): Promise<RichBlock[]> {
    const blocks: RichBlock[] = [];
    for (const item of list) blocks.push(await this.#one(item, level));
    return blocks;
  }

  async #one(value: unknown, level: number): Promise<RichBlock> {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw wrong('expected an Object');
    }
    if (++this.#blockCount > mostBlocks) throw badRequest('too many blocks in the rich message');
    if (level > mostLevels) throw badRequest('too many levels of blocks in the rich message');
    const fields = value as Fields;
    const type = asText(fields['type']);
    const inner = (name = 'blocks') => this.#all(listOf(fields, name), level + 1);
    switch (type) {
      case 'paragraph':
      case 'footer':
        return { type, text: this.#text(fields['text']) };
      case 'heading': {
        const size = asNumber(fields['size']);
        if (!(size >= 1 && size <= 6)) throw wrong('heading size must be from 1 to 6');
        return { type, text: this.#text(fields['text']), size: size as 1 };
      }
      case 'pre':
        return {
          type,
          text: this.#verbatim(fields['text']),
          ...(typeof fields['language'] === 'string' && { language: fields['language'] }),
        };
      case 'divider':
        return { type };
      case 'mathematical_expression':
        this.#rules.text.count(asText(fields['expression']).length);
        return { type, expression: asText(fields['expression']) };
      case 'anchor':
        return { type, name: asText(fields['name']) };
      case 'list':
        return { type, items: await this.#items(listOf(fields, 'items'), level) };
      case 'blockquote':
        return { type, blocks: await inner(), ...this.#credit(fields) };
      case 'expandable_blockquote':
      case 'pullquote':
        return { type, text: this.#text(fields['text']), ...this.#credit(fields) };
      case 'collage':
      case 'slideshow':
        return { type, blocks: await inner(), ...this.#caption(fields) };
      case 'details':
        return {
          type,
          summary: this.#text(fields['summary']),
          blocks: await inner(),
          ...(fields['is_open'] === true && { is_open: true as const }),
        };
      case 'table':
        return this.#table(fields);
      case 'map':
        return this.#map(fields);
      case 'buttons':
        return this.#buttons(fields);
      case 'thinking':
        if (!this.#rules.isDraft) throw wrong('type "thinking" is unsupported');
        return { type, text: this.#text(fields['text']) };
      default:
        return this.#media(type, fields);
    }
  }

  async #items(list: unknown[], level: number): Promise<RichBlockListItem[]> {
    const read: RichBlockListItem[] = [];
    for (const given of list) {
      const fields = given as Fields;
      if (++this.#blockCount > mostBlocks) throw badRequest('too many blocks in the rich message');
      const value = fields['value'] === undefined ? undefined : asNumber(fields['value']);
      const type = fields['type'] === undefined ? undefined : (asText(fields['type']) as '1');
      read.push({
        label: value === undefined ? '•' : `${numeral(value, type ?? '1')}.`,
        blocks: await this.#all(listOf(fields, 'blocks'), level + 1),
        ...(fields['has_checkbox'] === true && { has_checkbox: true as const }),
        ...(fields['is_checked'] === true && { is_checked: true as const }),
        ...(value !== undefined && { value }),
        ...(type !== undefined && { type }),
      });
    }
    return read;
  }

  #table(fields: Fields): RichBlock {
    const cells = listOf(fields, 'cells').map((row) => {
      if (!Array.isArray(row)) throw wrong('field "cells" must be an Array of Arrays');
      if (row.length > mostColumns) throw badRequest('too many columns in the table');
      return row.map((cell: Fields) => ({
        ...cell,
        ...(cell['text'] !== undefined && { text: this.#text(cell['text']) }),
        align: (cell['align'] ?? 'left') as 'left',
        valign: (cell['valign'] ?? 'middle') as 'middle',
      }));
    });
    this.#blockCount += cells.length;
    const flags = ['is_bordered', 'is_striped', 'is_compact'].filter(
      (name) => fields[name] === true,
    );
    return {
      type: 'table',
      cells,
      ...Object.fromEntries(flags.map((name) => [name, true])),
      ...(fields['caption'] !== undefined && { caption: this.#text(fields['caption']) }),
    };
  }

  #map(fields: Fields): RichBlock {
    const { latitude, longitude } = (fields['location'] ?? {}) as Record<string, unknown>;
    const index = { latitude: asNumber(latitude), longitude: asNumber(longitude) };
    if (!(Math.abs(index.latitude) <= 90 && Math.abs(index.longitude) <= 180)) {
      throw badRequest('wrong location specified');
    }
    const size = (name: string, most: number): number =>
      Math.min(most, Math.max(0, Math.trunc(asNumber(fields[name])) || 0));
    return {
      type: 'map',
      location: index,
      zoom: Math.max(13, size('zoom', 20)) as 13,
      width: size('width', 10_000),
      height: size('height', 10_000),
      ...this.#caption(fields),
    };
  }

  #buttons(fields: Fields): RichBlock {
    const list = listOf(fields, 'buttons');
    if (list.length < 1 || list.length > 8) throw wrong('there must be 1-8 buttons in a row');
    const align = fields['align'];
    return {
      type: 'buttons',
      buttons: list.map((button) => readRichButton(button, this.#rules.text)) as never,
      ...(align !== undefined && { align: align as 'left' }),
    };
  }

  async #media(type: string, fields: Fields): Promise<RichBlock> {
    const kind = mediaBlockKinds.get(type);
    if (!kind) throw wrong(`type "${type}" is unsupported`);
    if (++this.#mediaCount > mostMedia) throw badRequest('too many media in the rich message');
    const given = (fields[type] ?? {}) as Fields;
    const named = /^tg:\/\/[a-z]+\?id=([\w-]+)$/u.exec(asText(given['media']))?.[1];
    const input = named === undefined ? given : this.#rules.media.get(named);
    if (input === undefined) throw badRequest('wrong media identifier specified');
    const params = itemParams(this.#rules.call, input);
    if (this.#rules.isDraft && /^(?:attach|https?):\/\//iu.test(params.text('media'))) {
      throw badRequest("new files can't be uploaded in message drafts");
    }
    const content = await readMedia(this.#rules.call, kind, params, 'media');
    return {
      type,
      [type]: content[kind],
      ...((given['has_spoiler'] === true || params.flag('has_spoiler')) && { has_spoiler: true }),
      ...this.#caption(fields),
    } as unknown as RichBlock;
  }

  #text(value: unknown) {
    return readRichText(value, this.#rules.text);
  }

  #verbatim(value: unknown) {
    return readRichText(value, { ...this.#rules.text, detects: false });
  }

  #credit(fields: Fields) {
    return fields['credit'] === undefined ? {} : { credit: this.#text(fields['credit']) };
  }

  #caption(fields: Fields) {
    const value = fields['caption'] as Fields | undefined;
    if (value === undefined) return {};
    return { caption: { text: this.#text(value['text']), ...this.#credit(value) } };
  }
}

const roman: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Returns the label of an ordered item; numbers that letters cannot express stay numbers. */
function numeral(value: number, type: string): string {
  if (value < 1 || value > 3999 || type === '1') return String(value);
  let word = '';
  let left = value;
  if (type.toLowerCase() === 'i') {
    for (const [worth, sign] of roman) for (; left >= worth; left -= worth) word += sign;
  } else {
    for (; left > 0; left = Math.floor((left - 1) / 26)) {
      word = String.fromCharCode(97 + ((left - 1) % 26)) + word;
    }
  }
  return type === type.toUpperCase() ? word.toUpperCase() : word;
}
