interface Props {
  name: string;
  value: string;
  note: string;
  /** A CSS class with the colour of the value. */
  tone?: string;
}

/** A figure with its name above it and a note below it. */
export const Figure = ({ name, value, note, tone = "" }: Props) => (
  <div class="figure">
    <span class="soft">{name}</span>
    <b class={`number ${tone}`}>{value}</b>
    <small class="soft number">{note}</small>
  </div>
);
