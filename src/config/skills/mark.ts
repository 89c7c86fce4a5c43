// Where a brief has the skills of its agent.

const MARK = "{SKILLS_METADATA}";

/** `brief` as it is without skills. */
export function withoutMark(brief: string): string {
  return brief.replace(/\n\n\{SKILLS_METADATA\}(?=\n\n|$)/g, "").replaceAll(MARK, "");
}

/** For people, a line; none where the mark has something to stand for. */
export function remarksOnMark(brief: string, modules: readonly string[]): readonly string[] {
  if (modules.includes("skills") || !brief.includes(MARK)) return [];
  return [
    `its brief has the mark ${MARK} and it has no skills, so it is taken out; \`skills: all\` gives it some`,
  ];
}
