import { statSync } from 'node:fs';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import {
  type MappedTopic,
  readTopicMap,
  type TopicMap,
} from '../../store/import/topic-map-file.ts';

interface TopicsAnswer {
  added: number;
  known: number;
  conflicts: { user_id: number; message_thread_id: number; problem: string }[];
}

export interface TopicMapReport extends TopicsAnswer, Omit<TopicMap, 'topics'> {}

const portion = 200;

/** Reads the database of another support bot, and sends its topics in portions. */
export async function importTopicMap(
  path: string,
  send: (topics: MappedTopic[]) => Promise<TopicsAnswer>,
): Promise<TopicMapReport> {
  const { topics, ...about } = read(path);
  const report: TopicMapReport = { ...about, added: 0, known: 0, conflicts: [] };
  for (let at = 0; at < topics.length; at += portion) {
    const answer = await send(topics.slice(at, at + portion));
    report.added += answer.added;
    report.known += answer.known;
    report.conflicts.push(...answer.conflicts);
  }
  return report;
}

function read(path: string): TopicMap {
  if (!statSync(path, { throwIfNoEntry: false })) {
    throw new RelayError('not_found', reason('no_file', { path }));
  }
  try {
    return readTopicMap(path);
  } catch (error) {
    const cause = (error as Error).message;
    throw new RelayError('invalid_request', reason('no_topic_map', { path, cause }), {
      cause: error,
    });
  }
}
