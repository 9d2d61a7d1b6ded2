import css from './said.module.css';

/** Author and text on one line: each has its own text direction, and the text is cut first. */
export function Said(props: { who?: string | undefined; words: string }) {
  return (
    <span className={css.said}>
      {props.who ? (
        <span className={css.who}>
          <bdi>{props.who}</bdi>:{' '}
        </span>
      ) : null}
      <span className={css.words} dir="auto">
        {props.words}
      </span>
    </span>
  );
}
