import css from '../ui.module.css';

/** A sentence with commands in backticks; no command is broken at its hyphens. */
export function Commands(props: { text: string }) {
  return props.text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={part} className={css.command}>
        {part}
      </code>
    ),
  );
}
