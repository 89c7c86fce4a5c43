import type { CommandEntry } from "./command.ts";

const HEADING = "AI Legion: LLM agents as actors, with durable mail, exact budgets, full logs.";

const CLOSING = `legion <command> --help shows its options. To try it all without a key:
  legion start 3 --task "survey ." --until-idle`;

/** What `legion --help` prints. */
export function overview(commands: readonly CommandEntry[]): string {
  const titles = commands.map(({ name, usage }) => `${name} ${usage}`.trim());
  const width = Math.max(...titles.map((title) => title.length));
  const lines = commands.map(({ summary }, index) => `  ${titles[index]!.padEnd(width)}  ${summary}`);
  const groups = [...new Set(commands.map(({ group }) => group))].map((group) =>
    [`${group}:`, ...lines.filter((_, index) => commands[index]!.group === group)].join("\n"),
  );
  return `${[HEADING, "Usage: legion <command> [options]", ...groups, CLOSING].join("\n\n")}\n`;
}
