import css from './said.module.css';

/** Who said what, on one line: each goes the way its own words do, and the words give way first. */
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
