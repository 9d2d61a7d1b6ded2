import type { Checklist, ChecklistTask, Message, MessageEntity } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { formatText } from '../../text/format.ts';
import type { Call, MethodTable } from '../call.ts';
import { replaceContent, targetOf } from './editing.ts';
import { asNumber } from '../params.ts';
import { send } from '../send.ts';

const maxTitle = 255;
const maxTask = 100;
const maxTasks = 30;

interface Words {
  text?: unknown;
  title?: unknown;
  parse_mode?: unknown;
  text_entities?: unknown;
  title_entities?: unknown;
}

function format(call: Call, fields: Words, name: 'text' | 'title') {
  const source = fields[name];
  if (typeof source !== 'string') {
    throw badRequest(`can't parse checklist: Can't find field "${name}"`);
  }
  const entities = fields[`${name}_entities`];
  const mode = typeof fields.parse_mode === 'string' ? fields.parse_mode : '';
  const given = Array.isArray(entities) ? (entities as MessageEntity[]) : [];
  return formatText(call.world.state, source, mode, given);
}

function readTask(call: Call, given: unknown, taken: Set<number>): ChecklistTask {
  if (given === null || typeof given !== 'object') {
    throw badRequest("can't parse checklist: expected an Object");
  }
  const id = asNumber((given as { id?: unknown }).id);
  if (!Number.isSafeInteger(id) || id <= 0) {
    throw badRequest('checklist task identifier must be positive');
  }
  if (taken.has(id)) throw badRequest('checklist task identifiers must be unique');
  taken.add(id);
  const { text, entities } = format(call, given as Words, 'text');
  if (text === '') throw badRequest('checklist task text must be non-empty');
  if (text.length > maxTask)
    throw badRequest(`checklist task text length must not exceed ${maxTask}`);
  return { id, text, ...(entities.length > 0 && { text_entities: entities }) };
}

function readChecklist(call: Call): Checklist {
  call.params.required('checklist');
  const given = call.params.json('checklist');
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    throw badRequest('object expected as checklist');
  }
  const fields = given as Record<string, unknown>;
  const { text: title, entities } = format(call, fields, 'title');
  if (title === '') throw badRequest('checklist title must be non-empty');
  if (title.length > maxTitle)
    throw badRequest(`checklist title length must not exceed ${maxTitle}`);
  const list = fields['tasks'];
  if (!Array.isArray(list)) throw badRequest('can\'t parse checklist: Can\'t find field "tasks"');
  const taken = new Set<number>();
  const tasks = list.map((task) => readTask(call, task, taken));
  if (tasks.length === 0) throw badRequest('checklist must have at least 1 task');
  if (tasks.length > maxTasks) throw badRequest(`checklist must have at most ${maxTasks} tasks`);
  return {
    title,
    ...(entities.length > 0 && { title_entities: entities }),
    tasks,
    ...(fields['others_can_add_tasks'] === true && { others_can_add_tasks: true as const }),
    ...(fields['others_can_mark_tasks_as_done'] === true && {
      others_can_mark_tasks_as_done: true as const,
    }),
  };
}

/** Bots cannot send checklists themselves: only the business accounts they answer for can. */
function requireBusiness(call: Call): void {
  if (!call.params.has('business_connection_id')) throw badRequest('business connection not found');
}

function sendChecklist(call: Call): Message {
  const checklist = readChecklist(call);
  requireBusiness(call);
  return send(call, 'can_send_messages', () => ({ checklist }));
}

/** Tasks that stay keep who has done them. */
function editMessageChecklist(call: Call): Message {
  const checklist = readChecklist(call);
  requireBusiness(call);
  const target = targetOf(call);
  const before = target.record.content.checklist;
  if (!before) throw badRequest('there is no checklist in the message to edit');
  const done = new Map(
    before.tasks.map(({ id, text: _text, text_entities: _e, ...rest }) => [id, rest]),
  );
  const tasks = checklist.tasks.map((task) => ({ ...task, ...done.get(task.id) }));
  const content = { ...target.record.content, checklist: { ...checklist, tasks } };
  return replaceContent(call, target, content) as Message;
}

export const checklistMethods: MethodTable = {
  sendchecklist: sendChecklist,
  editmessagechecklist: editMessageChecklist,
};
