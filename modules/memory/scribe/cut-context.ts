/** The longest context, in characters, and to about what a longer one is cut. */
export const MAX_CONTEXT = 5_000;
export const CUT_TO = 4_800;

/** At most `most` characters: up to a heading, or else a line, where one stands in the second half of that. */
export function cutContext(text: string, most = CUT_TO): string {
  if (text.length <= most) return text;
  const start = text.slice(0, most);
  const end = [start.lastIndexOf("\n# "), start.lastIndexOf("\n#"), start.lastIndexOf("\n")].find(
    (place) => place >= most / 2,
  );
  return (end === undefined ? start.replace(/[\ud800-\udbff]$/, "") : start.slice(0, end)).trimEnd();
}
