import type { ShownTopic } from '../../api/sandbox.ts';
import css from './phones.module.css';

/** A dot in the color of the topic. */
export function TopicIcon({ topic }: { topic: ShownTopic }) {
  const color = `#${topic.icon_color.toString(16).padStart(6, '0')}`;
  return <span className={css.topicIcon} style={{ background: color }} aria-hidden="true" />;
}
