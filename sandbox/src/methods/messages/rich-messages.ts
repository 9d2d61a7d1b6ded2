import type { Message, RichMessage } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { blocksOf } from '../../rich/blocks.ts';
import { markdownToHtml } from '../../rich/markdown.ts';
import { parseNodes } from '../../rich/nodes.ts';
import { ParseFailure } from '../../text/parse-failure.ts';
import { findPerson } from '../../world/people.ts';
import type { Call, MethodTable } from '../call.ts';
import { draftRoom, showDraft } from './drafts.ts';
import { readBlocks } from './rich-blocks.ts';
import { openEnvelope, post, show } from '../send.ts';
import { asText } from '../params.ts';

const mostText = 32_768;
const empty = 'rich message must be non-empty';

function inputBlocks(fields: Record<string, unknown>): unknown[] {
  const { blocks, html, markdown } = fields;
  const given = [blocks, html, markdown].filter((one) => one !== undefined && one !== '');
  if (given.length === 0) throw badRequest(empty);
  if (given.length > 1) {
    throw badRequest('exactly one of the fields "html", "markdown" and "blocks" must be specified');
  }
  if (blocks !== undefined) {
    if (!Array.isArray(blocks)) throw badRequest('expected an Array of InputRichBlock');
    return blocks;
  }
  // Check the length before parsing, which takes more than linear time.
  const source = asText(html ? html : markdown);
  if (source.length > mostText) throw badRequest('message is too long');
  try {
    return blocksOf(parseNodes(html ? source : markdownToHtml(source)));
  } catch (error) {
    if (error instanceof ParseFailure)
      throw badRequest(`can't parse rich message: ${error.message}`);
    throw error;
  }
}

function readMediaList(given: unknown): Map<string, unknown> {
  const list = new Map<string, unknown>();
  if (given === undefined) return list;
  if (!Array.isArray(given)) throw badRequest('expected an Array of InputRichMessageMedia');
  for (const { id, media } of given as { id?: unknown; media?: unknown }[]) {
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/u.test(id)) {
      throw badRequest('wrong media identifier specified');
    }
    list.set(id, media);
  }
  return list;
}

/** Returns the names of everything that can be referred to. */
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (value === null || typeof value !== 'object') return names;
  if ('type' in value && value.type === 'reference' && 'name' in value)
    names.add(asText(value.name));
  for (const part of Object.values(value)) namesIn(part, names);
  return names;
}

/** `rich_message` of a call, or a refusal. */
export async function readRichMessage(call: Call, isDraft = false): Promise<RichMessage> {
  const given = call.params.json('rich_message');
  if (given === undefined) throw badRequest(empty);
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as rich message');
  }
  const fields = given as Record<string, unknown>;
  const input = inputBlocks(fields);
  let length = 0;
  const blocks = await readBlocks(input, {
    call,
    isDraft,
    media: readMediaList(fields['media']),
    text: {
      detects: fields['skip_entity_detection'] !== true,
      references: namesIn(input),
      person: (id) => findPerson(call.world.state, id),
      count(more) {
        length += more;
        if (length > mostText) throw badRequest('message is too long');
      },
    },
  });
  if (blocks.length === 0) throw badRequest(empty);
  return { blocks, ...(fields['is_rtl'] === true && { is_rtl: true }) };
}

async function sendRichMessage(call: Call): Promise<Message> {
  const rich_message = await readRichMessage(call);
  const envelope = openEnvelope(call, 'can_send_messages');
  return show(call, envelope.room, post(call, envelope, { rich_message }));
}

async function sendRichMessageDraft(call: Call): Promise<true> {
  const rich_message = await readRichMessage(call, true);
  return showDraft(call, draftRoom(call), { rich_message });
}

export const richMessageMethods: MethodTable = {
  sendrichmessage: sendRichMessage,
  sendrichmessagedraft: sendRichMessageDraft,
};
