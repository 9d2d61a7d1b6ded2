import css from '../ui.module.css';

/** Texts say `bot-relay`; the service knows the command to type where it runs. */
const commandName = document.documentElement.dataset['command'] ?? 'bot-relay';

/** A sentence with commands in backticks. */
export function Commands(props: { text: string }) {
  return props.text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={part} className={css.command}>
        {part.replace(/^bot-relay /, () => `${commandName} `)}
      </code>
    ),
  );
}
